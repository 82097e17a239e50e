// traceEvents of trace.json: one event a line, in order of begin.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "ompdm/trace.h"
#include "trace/byte_stream.h"

namespace ompdm {

/// Writes the events up to the list's end, without the closing line. Needs references that exist.
void write_events(const Trace& trace, ByteSink& sink);

/// Reads events into a trace whose metadata has been read.
class EventReader {
 public:
  explicit EventReader(Trace& trace);
  ~EventReader();
  EventReader(const EventReader&) = delete;
  EventReader& operator=(const EventReader&) = delete;

  /// Takes the JSON object of one event; LineReader::kPadding bytes behind it must be readable.
  /// Events that are not the model's (counters, names of tracks, categories of later versions) are
  /// passed over. Throws MalformedLine.
  void read_event(std::string_view object);

 private:
  struct Parser;
  Trace& trace_;
  std::unique_ptr<Parser> parser_;
};

}  // namespace ompdm
