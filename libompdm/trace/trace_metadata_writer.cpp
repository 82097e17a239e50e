#include "ompdm/trace_file.h"
#include "trace/metadata_lines.h"
#include "trace/tally_rows.h"
#include "trace/trace_metadata.h"
#include "trace/trace_metadata_rows.h"
#include "trace/trace_schema.h"

namespace ompdm {

void write_metadata(const Trace& trace, ByteSink& sink) {
  MetadataLines writer(sink, trace_schema::kOpening, trace_schema::kVersion);
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
  if (!trace.sources.empty()) writer.list("sources", trace.sources);
  if (!trace.region_tallies.empty()) writer.list("region_tallies", trace.region_tallies);
  if (!trace.op_tallies.empty()) writer.list("op_tallies", trace.op_tallies);
  if (!trace.launch_tallies.empty()) writer.list("launch_tallies", trace.launch_tallies);
  if (!trace.activity_tallies.empty()) writer.list("activity_tallies", trace.activity_tallies);
  writer.end();
}

}  // namespace ompdm
