#include "trace_files/trace_metadata.h"

#include "ompdm/trace_file.h"
#include "trace_files/tally_rows.h"

namespace ompdm {

namespace {

using nlohmann::ordered_json;
using namespace trace_schema;

ordered_json text(std::string_view bytes) { return to_utf8(bytes); }
ordered_json address(std::uint64_t value) { return fmt::format("{:#x}", value); }

ordered_json number(std::uint64_t value) {
  if (value > kExactInteger) return fmt::format("{:#x}", value);
  return value;
}

ordered_json texts(const std::vector<std::string>& values) {
  ordered_json result = ordered_json::array();
  for (const std::string& value : values) result.push_back(text(value));
  return result;
}

template <class Row>
void set_index(ordered_json& json, const char* key, Index<Row> index) {
  if (index) json[key] = index.value;
}

ordered_json frame(const Frame& frame) {
  return {{"function", text(frame.function)},
          {"file", text(frame.file)},
          {"line", frame.line},
          {"column", frame.column}};
}

ordered_json frames(const std::vector<Frame>& chain) {
  ordered_json json = ordered_json::array();
  for (const Frame& each : chain) json.push_back(frame(each));
  return json;
}

ordered_json unreached_row(const UnreachedDirective& unreached) {
  ordered_json json = frame(unreached.place);
  json["directive"] = name_of(kDirectives, unreached.directive);
  if (unreached.on_host) json["on_host"] = true;
  return json;
}

}  // namespace

ordered_json signed_number(std::int64_t value) {
  constexpr auto kLimit = static_cast<std::int64_t>(kExactInteger);
  if (value > kLimit || value < -kLimit) return fmt::format("{}", value);
  return value;
}

ordered_json row(const Process& process) {
  ordered_json json{{"pid", process.pid},
                    {"ppid", process.ppid},
                    {"host", text(process.host)},
                    {"program", text(process.program)},
                    {"arguments", texts(process.arguments)},
                    {"directory", text(process.directory)},
                    {"rank", process.rank},
                    {"rank_count", process.rank_count},
                    {"start_realtime_ns", signed_number(process.start_realtime_ns)},
                    {"wall_ns", signed_number(process.wall)}};
  if (process.start_monotonic_ns != 0)
    json["start_monotonic_ns"] = signed_number(process.start_monotonic_ns);
  if (!process.boot_id.empty()) json["boot_id"] = text(process.boot_id);
  if (process.time_namespace != 0) json["time_namespace"] = number(process.time_namespace);
  const RealtimeClock& realtime = process.realtime;
  if (realtime.state != RealtimeClock::State::kUnknown) {
    json["realtime"] = name_of(kRealtimeStates, realtime.state);
    json["realtime_max_error_ns"] = signed_number(realtime.max_error);
    json["realtime_estimated_error_ns"] = signed_number(realtime.estimated_error);
  }
  if (process.process_group != 0) json["process_group"] = process.process_group;
  if (!process.session.empty()) json["session"] = text(process.session);
  return json;
}

ordered_json row(const Recording& recording) {
  ordered_json registered = ordered_json::array();
  for (const auto& [callback, answer] : recording.registered) {
    registered.push_back({{"callback", text(callback)}, {"answer", answer}});
  }
  ordered_json json = {{"ompdm_version", text(recording.ompdm_version)},
                       {"runtime", text(recording.runtime)},
                       {"omp_version", recording.omp_version},
                       {"clock", text(recording.clock)},
                       {"clock_residual_ns", recording.clock_residual_ns},
                       {"attached_by", text(recording.attached_by)},
                       {"reach", text(recording.reach)},
                       {"names", text(recording.names)},
                       {"target_offload", text(recording.target_offload)}};
  if (recording.unified_shared_memory) json["unified_shared_memory"] = true;
  if (!recording.hashing.empty()) json["hashing"] = text(recording.hashing);
  if (recording.hashing_ns != 0) json["hashing_ns"] = signed_number(recording.hashing_ns);
  if (!recording.detail.empty()) {
    json["detail"] = text(recording.detail);
    json["told_from_ns"] = signed_number(recording.told_from);
    if (recording.told_to != 0) json["told_to_ns"] = signed_number(recording.told_to);
  }
  json["finished"] = recording.finished;
  json["registered"] = std::move(registered);
  if (!recording.cupti.empty()) {
    json["cupti"] = text(recording.cupti);
    json["cupti_version"] = recording.cupti_version;
    json["cupti_residual_ns"] = recording.cupti_residual_ns;
  }
  return json;
}

ordered_json row(const Loss& loss) {
  return {{"name", text(loss.name)}, {"count", number(loss.count)}};
}

ordered_json row(const Device& device) {
  ordered_json json = {{"number", device.number},
                       {"type", text(device.type)},
                       {"name", text(device.name)},
                       {"is_host", device.is_host},
                       {"emulated", device.emulated}};
  if (device.multiprocessors != 0) {
    json["multiprocessors"] = device.multiprocessors;
    json["threads_per_multiprocessor"] = device.threads_per_multiprocessor;
    json["blocks_per_multiprocessor"] = device.blocks_per_multiprocessor;
    json["registers_per_multiprocessor"] = device.registers_per_multiprocessor;
    json["shared_per_multiprocessor"] = device.shared_per_multiprocessor;
  }
  return json;
}

ordered_json row(const Module& module) {
  return {{"path", text(module.path)},
          {"build_id", text(module.build_id)},
          {"bias", address(module.bias)}};
}

ordered_json row(const Thread& thread) {
  ordered_json json;
  json["tid"] = thread.tid;
  return json;
}

ordered_json row(const Site& site) {
  ordered_json json = {{"directive", name_of(kDirectives, site.directive)},
                       {"file", text(site.file)},
                       {"line", site.line},
                       {"column", site.column},
                       {"function", text(site.function)},
                       {"source", name_of(kLineSources, site.source)}};
  if (!site.api.empty()) json["api"] = text(site.api);
  set_index(json, "module", site.module);
  json["address"] = address(site.address);
  if (!site.inlined.empty()) json["inlined"] = frames(site.inlined);
  if (!site.callers.empty()) json["callers"] = frames(site.callers);
  return json;
}

ordered_json row(const Variable& variable) {
  ordered_json json = {{"name", text(variable.name)},
                       {"expression", text(variable.expression)},
                       {"file", text(variable.file)},
                       {"line", variable.line},
                       {"address", address(variable.address)},
                       {"bytes", number(variable.bytes)},
                       {"pieces", variable.pieces}};
  if (variable.least_bytes != 0) json["least_bytes"] = number(variable.least_bytes);
  if (!variable.aliases.empty()) json["aliases"] = texts(variable.aliases);
  if (variable.holds_pointers) json["holds_pointers"] = true;
  return json;
}

ordered_json row(const DeviceVariable& variable) {
  ordered_json json = ordered_json::object();
  set_index(json, "module", variable.module);
  json["name"] = text(variable.name);
  json["address"] = address(variable.address);
  json["bytes"] = number(variable.bytes);
  if (variable.holds_pointers) json["holds_pointers"] = true;
  return json;
}

ordered_json row(const Kernel& kernel) {
  return {{"name", text(kernel.name)},
          {"function", text(kernel.function)},
          {"file", text(kernel.file)},
          {"line", kernel.line}};
}

ordered_json row(const CodeLoop& loop) {
  ordered_json json = {{"function", text(loop.function)},
                       {"file", text(loop.file)},
                       {"line", loop.line},
                       {"column", loop.column}};
  if (loop.begin_unknown) json["begin_unknown"] = true;
  set_index(json, "parent", loop.parent);
  if (loop.counts_all) json["counts_all"] = true;
  if (loop.entered_unseen) json["entered_unseen"] = true;
  if (loop.called_unseen) json["called_unseen"] = true;
  if (loop.unrolled) json["unrolled"] = true;
  if (loop.makes_memory != MakesMemory::kUnknown) {
    json["makes_memory"] = name_of(kMakesMemory, loop.makes_memory);
  }
  for (const UnreachedDirective& each : loop.unreached) {
    json["unreached"].push_back(unreached_row(each));
  }
  return json;
}

ordered_json row(const CallPlace& place) {
  ordered_json json = ordered_json::object();
  set_index(json, "module", place.module);
  json["address"] = address(place.address);
  json["frames"] = frames(place.frames);
  if (place.function != 0) json["function"] = address(place.function);
  if (!place.code_read) return json;
  json["code_read"] = true;
  if (place.called != 0) json["called"] = address(place.called);
  set_index(json, "loop", place.loop);
  const auto set_ranges = [&json](const char* key, const std::vector<CallRange>& ranges) {
    ordered_json list = ordered_json::array();
    for (const CallRange& each : ranges) list.push_back({each.first, each.last});
    if (!list.empty()) json[key] = std::move(list);
  };
  set_ranges("onward", place.onward);
  set_ranges("repeats", place.repeats);
  ordered_json tail_calls = ordered_json::array();
  for (const std::uint64_t function : place.tail_calls) tail_calls.push_back(address(function));
  if (!tail_calls.empty()) json["tail_calls"] = std::move(tail_calls);
  return json;
}

ordered_json row(const CallPath& path) {
  ordered_json json = ordered_json::object();
  set_index(json, "caller", path.caller);
  set_index(json, "place", path.place);
  json["stack"] = address(path.stack);
  if (path.frame_end != 0) json["frame_end"] = address(path.frame_end);
  return json;
}

ordered_json row(const std::vector<MapItem>& items) {
  ordered_json json = ordered_json::array();
  for (const MapItem& item : items) {
    ordered_json entry = ordered_json::object();
    set_index(entry, "variable", item.variable);
    entry["name"] = text(item.name);
    entry["base"] = address(item.base);
    entry["begin"] = address(item.begin);
    entry["bytes"] = number(item.bytes);
    entry["type"] = address(item.type);
    if (item.local_line != 0) entry["local_line"] = item.local_line;
    if (item.scope_line != 0) entry["scope_line"] = item.scope_line;
    if (item.by_mapper) entry["by_mapper"] = true;
    if (item.aggregate) entry["aggregate"] = true;
    if (item.hands_table) entry["hands_table"] = true;
    json.push_back(std::move(entry));
  }
  return json;
}

ordered_json row(const DeviceEvent& event) {
  return {{"kind", name_of(kDeviceEvents, event.kind)},
          {"device", event.device},
          {"time_ns", signed_number(event.time)},
          {"bytes", number(event.bytes)}};
}

ordered_json row(const MappedPointer& pointer) {
  return {{"device", pointer.device}, {"host", address(pointer.host)}};
}

ordered_json row(const SourceFile& source) {
  return {{"file", text(source.file)}, {"md5", text(source.md5)}};
}

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
