#include <fmt/format.h>

#include <stdexcept>
#include <string>

#include "ompdm/error.h"
#include "ompdm/trace_file.h"
#include "trace/binary_trace.h"
#include "trace/byte_stream.h"
#include "trace/replacement.h"
#include "trace/trace_bytes.h"
#include "trace/trace_events.h"
#include "trace/trace_metadata.h"
#include "trace/trace_references.h"
#include "trace/trace_schema.h"

namespace ompdm {

void write_trace_bytes(const Trace& trace, ByteSink& sink) {
  write_metadata(trace, sink);
  write_events(trace, sink);
  sink.write(fmt::format("\n{}\n", trace_schema::kClosing));
  sink.close();
}

// A file that no reader takes would be found out too late.
void check_references(const Trace& trace, const std::string& name) {
  const std::string broken = find_broken_reference(trace);
  if (broken.empty()) return;
  throw Error(fmt::format("{}: is not written because {}: this is an error of ompdm, report it",
                          name, broken));
}

namespace {

void write_on(const Trace& trace, ByteSink& sink, const std::filesystem::path& path) {
  if (is_binary_name(path)) {
    write_binary_trace(trace, sink);
  } else {
    write_trace_bytes(trace, sink);
  }
}

}  // namespace

void write_trace(const Trace& trace, const std::filesystem::path& path) {
  check_references(trace, path.string());
  write_on(trace, *open_sink(path), path);
}

void write_trace(const Trace& trace, int descriptor, const std::string& name) {
  check_references(trace, name);
  write_trace_bytes(trace, *sink_on_copy(descriptor, name));
}

void replace_trace(const Trace& trace, const std::filesystem::path& path) {
  check_references(trace, path.string());
  trace::Replacement file(path);
  write_on(trace, *sink_on(file.take_descriptor(), path), path);
  file.put();
}

}  // namespace ompdm
