#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "ompdm/trace_file.h"
#include "trace/tally_rows.h"
#include "trace/trace_metadata.h"
#include "trace/trace_metadata_rows.h"
#include "trace/trace_schema.h"

namespace ompdm {
namespace {

using nlohmann::ordered_json;
using namespace trace_schema;

class MetadataWriter {
 public:
  explicit MetadataWriter(ByteSink& sink) : sink_(sink) {}

  void value(std::string_view key, const ordered_json& json) {
    out_ += fmt::format(",\n\"{}\":{}", key, json.dump(-1, ' ', true));
  }

  template <class Row>
  void list(std::string_view key, const std::vector<Row>& rows) {
    out_ += fmt::format(",\n\"{}\":[", key);
    std::string_view separator = "\n";
    for (const Row& each : rows) {
      out_ += separator;
      out_ += row(each).dump(-1, ' ', true);
      separator = ",\n";
      if (out_.size() > kFlushAt) flush();
    }
    out_ += "\n";
    out_ += kListEnd;
  }

  void text_line(std::string_view text) { out_ += text; }

  void flush() {
    sink_.write(out_);
    out_.clear();
  }

 private:
  static constexpr std::size_t kFlushAt = std::size_t{1} << 18;
  ByteSink& sink_;
  std::string out_;
};

}  // namespace

void write_metadata(const Trace& trace, ByteSink& sink) {
  MetadataWriter writer(sink);
  writer.text_line(fmt::format("{}{}\"", kOpening, kVersion));
  writer.value("process", row(trace.process));
  writer.value("recording", row(trace.recording));
  writer.value("host_device", trace.host_device);
  writer.value("counts", {{"regions", trace.regions.size()},
                          {"ops", trace.ops.size()},
                          {"launches", trace.launches.size()},
                          {"activities", trace.activities.size()},
                          {"synchronizations", trace.synchronizations.size()}});
  writer.list("losses", trace.losses);
  writer.list("devices", trace.devices);
  writer.list("modules", trace.modules);
  writer.list("threads", trace.threads);
  writer.list("sites", trace.sites);
  writer.list("variables", trace.variables);
  writer.list("device_variables", trace.device_variables);
  writer.list("kernels", trace.kernels);
  writer.list("loops", trace.loops);
  writer.list("call_places", trace.call_places);
  writer.list("call_paths", trace.call_paths);
  writer.list("map_lists", trace.map_lists);
  writer.list("device_events", trace.device_events);
  writer.list("mapped_pointers", trace.mapped_pointers);
  if (!trace.region_tallies.empty()) writer.list("region_tallies", trace.region_tallies);
  if (!trace.op_tallies.empty()) writer.list("op_tallies", trace.op_tallies);
  if (!trace.launch_tallies.empty()) writer.list("launch_tallies", trace.launch_tallies);
  if (!trace.activity_tallies.empty()) writer.list("activity_tallies", trace.activity_tallies);
  writer.text_line(fmt::format("\n{},\n{}\n", kMetadataEnd, kEventsBegin));
  writer.flush();
}

}  // namespace ompdm
