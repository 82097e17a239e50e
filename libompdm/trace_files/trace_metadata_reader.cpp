#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "ompdm/trace.h"
#include "trace_files/json_text.h"
#include "trace_files/tally_rows.h"
#include "trace_files/trace_metadata.h"
#include "trace_files/trace_schema.h"

namespace ompdm {

namespace {

void read_row(const nlohmann::json& object, Process& process);
void read_row(const nlohmann::json& object, Recording& recording);
void read_row(const nlohmann::json& object, Loss& loss);
void read_row(const nlohmann::json& object, Device& device);
void read_row(const nlohmann::json& object, Module& module);
void read_row(const nlohmann::json& object, Thread& thread);
void read_row(const nlohmann::json& object, Site& site);
void read_row(const nlohmann::json& object, Variable& variable);
void read_row(const nlohmann::json& object, DeviceVariable& variable);
void read_row(const nlohmann::json& object, Kernel& kernel);
void read_row(const nlohmann::json& object, CodeLoop& loop);
void read_row(const nlohmann::json& object, CallPlace& place);
void read_row(const nlohmann::json& object, CallPath& path);
void read_row(const nlohmann::json& object, MapItem& item);
void read_row(const nlohmann::json& object, DeviceEvent& event);
void read_row(const nlohmann::json& object, MappedPointer& pointer);
void read_row(const nlohmann::json& object, SourceFile& source);

using namespace json_fields;
using namespace trace_schema;

void read_row(const Json& object, Process& process) {
  get(object, "pid", process.pid);
  get(object, "ppid", process.ppid);
  get(object, "host", process.host);
  get(object, "program", process.program);
  get_texts(object, "arguments", process.arguments);
  get(object, "directory", process.directory);
  get(object, "rank", process.rank);
  get(object, "rank_count", process.rank_count);
  get(object, "start_realtime_ns", process.start_realtime_ns);
  get(object, "start_monotonic_ns", process.start_monotonic_ns);
  get(object, "boot_id", process.boot_id);
  get(object, "time_namespace", process.time_namespace);
  get_word(object, "realtime", kRealtimeStates, process.realtime.state);
  get(object, "realtime_max_error_ns", process.realtime.max_error);
  get(object, "realtime_estimated_error_ns", process.realtime.estimated_error);
  get(object, "wall_ns", process.wall);
  get(object, "process_group", process.process_group);
  get(object, "session", process.session);
}

void read_row(const Json& object, Recording& recording) {
  get(object, "ompdm_version", recording.ompdm_version);
  get(object, "runtime", recording.runtime);
  get(object, "omp_version", recording.omp_version);
  get(object, "clock", recording.clock);
  get(object, "clock_residual_ns", recording.clock_residual_ns);
  get(object, "attached_by", recording.attached_by);
  get(object, "reach", recording.reach);
  get(object, "target_offload", recording.target_offload);
  get(object, "unified_shared_memory", recording.unified_shared_memory);
  get(object, "names", recording.names);
  get(object, "cupti", recording.cupti);
  // What belongs to something that is not there is not written either.
  if (!recording.cupti.empty()) {
    get(object, "cupti_version", recording.cupti_version);
    get(object, "cupti_residual_ns", recording.cupti_residual_ns);
  }
  get(object, "hashing", recording.hashing);
  get(object, "hashing_ns", recording.hashing_ns);
  get(object, "detail", recording.detail);
  if (!recording.detail.empty()) {
    get(object, "told_from_ns", recording.told_from);
    get(object, "told_to_ns", recording.told_to);
  }
  get(object, "finished", recording.finished);
  for_each(object, "registered", [&](const Json& item) {
    auto& [callback, answer] = recording.registered.emplace_back();
    get(expect_object(item, "registered"), "callback", callback);
    get(item, "answer", answer);
  });
}

void read_row(const Json& object, Loss& loss) {
  get(object, "name", loss.name);
  get(object, "count", loss.count);
}

void read_row(const Json& object, Device& device) {
  get(object, "number", device.number);
  get(object, "type", device.type);
  get(object, "name", device.name);
  get(object, "is_host", device.is_host);
  get(object, "emulated", device.emulated);
  get(object, "multiprocessors", device.multiprocessors);
  if (device.multiprocessors == 0) return;
  get(object, "threads_per_multiprocessor", device.threads_per_multiprocessor);
  get(object, "blocks_per_multiprocessor", device.blocks_per_multiprocessor);
  get(object, "registers_per_multiprocessor", device.registers_per_multiprocessor);
  get(object, "shared_per_multiprocessor", device.shared_per_multiprocessor);
}

void read_row(const Json& object, Module& module) {
  get(object, "path", module.path);
  get(object, "build_id", module.build_id);
  get(object, "bias", module.bias);
}

void read_row(const Json& object, SourceFile& source) {
  get(object, "file", source.file);
  get(object, "md5", source.md5);
}

void read_row(const Json& object, Thread& thread) { get(object, "tid", thread.tid); }

void read_frame(const Json& object, Frame& frame) {
  get(object, "function", frame.function);
  get(object, "file", frame.file);
  get(object, "line", frame.line);
  get(object, "column", frame.column);
}

void read_frames(const Json& object, const char* key, std::vector<Frame>& frames) {
  for_each(object, key,
           [&](const Json& item) { read_frame(expect_object(item, key), frames.emplace_back()); });
}

void read_row(const Json& object, Site& site) {
  get_word(object, "directive", kDirectives, site.directive);
  get(object, "file", site.file);
  get(object, "line", site.line);
  get(object, "column", site.column);
  get(object, "function", site.function);
  get_word(object, "source", kLineSources, site.source);
  get(object, "api", site.api);
  get(object, "module", site.module);
  get(object, "address", site.address);
  read_frames(object, "inlined", site.inlined);
  read_frames(object, "callers", site.callers);
}

void read_row(const Json& object, Variable& variable) {
  get(object, "name", variable.name);
  get(object, "expression", variable.expression);
  get(object, "file", variable.file);
  get(object, "line", variable.line);
  get(object, "address", variable.address);
  get(object, "bytes", variable.bytes);
  get(object, "least_bytes", variable.least_bytes);
  get(object, "pieces", variable.pieces);
  get_texts(object, "aliases", variable.aliases);
  get(object, "holds_pointers", variable.holds_pointers);
}

void read_row(const Json& object, DeviceVariable& variable) {
  get(object, "module", variable.module);
  get(object, "name", variable.name);
  get(object, "address", variable.address);
  get(object, "bytes", variable.bytes);
  get(object, "holds_pointers", variable.holds_pointers);
}

void read_row(const Json& object, Kernel& kernel) {
  get(object, "name", kernel.name);
  get(object, "function", kernel.function);
  get(object, "file", kernel.file);
  get(object, "line", kernel.line);
}

void read_row(const Json& object, CodeLoop& loop) {
  get(object, "function", loop.function);
  get(object, "file", loop.file);
  get(object, "line", loop.line);
  get(object, "column", loop.column);
  get(object, "begin_unknown", loop.begin_unknown);
  get(object, "parent", loop.parent);
  get(object, "counts_all", loop.counts_all);
  get(object, "entered_unseen", loop.entered_unseen);
  get(object, "called_unseen", loop.called_unseen);
  get(object, "unrolled", loop.unrolled);
  get_word(object, "makes_memory", kMakesMemory, loop.makes_memory);
  for_each(object, "unreached", [&](const Json& item) {
    UnreachedDirective& unreached = loop.unreached.emplace_back();
    read_frame(expect_object(item, "unreached"), unreached.place);
    get_word(item, "directive", kDirectives, unreached.directive);
    get(item, "on_host", unreached.on_host);
  });
}

void read_ranges(const Json& object, const char* key, std::vector<CallRange>& ranges) {
  for_each(object, key, [&](const Json& item) {
    if (!item.is_array() || item.size() != 2) refuse_value(key);
    CallRange& range = ranges.emplace_back();
    convert(item[0], key, range.first);
    convert(item[1], key, range.last);
  });
}

void read_row(const Json& object, CallPlace& place) {
  get(object, "module", place.module);
  get(object, "address", place.address);
  read_frames(object, "frames", place.frames);
  get(object, "function", place.function);
  get(object, "code_read", place.code_read);
  get(object, "called", place.called);
  get(object, "loop", place.loop);
  read_ranges(object, "onward", place.onward);
  read_ranges(object, "repeats", place.repeats);
  for_each(object, "tail_calls",
           [&](const Json& item) { convert(item, "tail_calls", place.tail_calls.emplace_back()); });
}

void read_row(const Json& object, CallPath& path) {
  get(object, "caller", path.caller);
  get(object, "place", path.place);
  get(object, "stack", path.stack);
  get(object, "frame_end", path.frame_end);
}

void read_row(const Json& object, MapItem& item) {
  get(object, "variable", item.variable);
  get(object, "name", item.name);
  get(object, "base", item.base);
  get(object, "begin", item.begin);
  get(object, "bytes", item.bytes);
  get(object, "type", item.type);
  get(object, "local_line", item.local_line);
  get(object, "scope_line", item.scope_line);
  get(object, "by_mapper", item.by_mapper);
  get(object, "aggregate", item.aggregate);
  get(object, "hands_table", item.hands_table);
}

void read_row(const Json& object, DeviceEvent& event) {
  get_word(object, "kind", kDeviceEvents, event.kind);
  get(object, "device", event.device);
  get(object, "time_ns", event.time);
  get(object, "bytes", event.bytes);
}

void read_row(const Json& object, MappedPointer& pointer) {
  get(object, "device", pointer.device);
  get(object, "host", pointer.host);
}

using namespace json_fields;
using namespace trace_schema;

template <class Row>
void append(const Json& value, std::vector<Row>& rows) {
  read_row(expect_object(value, "the row"), rows.emplace_back());
}

void append(const Json& value, std::vector<std::vector<MapItem>>& lists) {
  if (!value.is_array()) refuse_value("the row");
  std::vector<MapItem>& items = lists.emplace_back();
  items.reserve(value.size());
  for (const Json& item : value) append(item, items);
}

// Rows of lists that are not known are skipped: a later writer may have more.
void append_to(Trace& trace, std::string_view list, const Json& value) {
  if (list == "losses") append(value, trace.losses);
  if (list == "devices") append(value, trace.devices);
  if (list == "modules") append(value, trace.modules);
  if (list == "threads") append(value, trace.threads);
  if (list == "sites") append(value, trace.sites);
  if (list == "variables") append(value, trace.variables);
  if (list == "device_variables") append(value, trace.device_variables);
  if (list == "kernels") append(value, trace.kernels);
  if (list == "loops") append(value, trace.loops);
  if (list == "call_places") append(value, trace.call_places);
  if (list == "call_paths") append(value, trace.call_paths);
  if (list == "map_lists") append(value, trace.map_lists);
  if (list == "device_events") append(value, trace.device_events);
  if (list == "mapped_pointers") append(value, trace.mapped_pointers);
  if (list == "sources") append(value, trace.sources);
  if (list == "region_tallies") append(value, trace.region_tallies);
  if (list == "op_tallies") append(value, trace.op_tallies);
  if (list == "launch_tallies") append(value, trace.launch_tallies);
  if (list == "activity_tallies") append(value, trace.activity_tallies);
}

void set_value(Trace& trace, MetadataReader::Counts& counts, const std::string& key,
               const Json& value) {
  if (key == "process") {
    read_row(expect_object(value, "process"), trace.process);
  } else if (key == "recording") {
    read_row(expect_object(value, "recording"), trace.recording);
  } else if (key == "host_device") {
    convert(value, "host_device", trace.host_device);
  } else if (key == "counts") {
    get(expect_object(value, "counts"), "regions", counts.regions);
    get(value, "ops", counts.ops);
    get(value, "launches", counts.launches);
    get(value, "activities", counts.activities);
    get(value, "synchronizations", counts.synchronizations);
  } else if (value.is_array()) {
    for (const Json& item : value) append_to(trace, key, item);
  }
}

Json parse(std::string_view first, std::string_view second = {}, std::string_view third = {}) {
  const std::string text = fmt::format("{}{}{}", first, second, third);
  Json value = Json::parse(text, nullptr, false);
  if (value.is_discarded()) throw MalformedLine("it is no JSON");
  return value;
}

std::string_view without_comma(std::string_view line) {
  if (line.ends_with(',')) line.remove_suffix(1);
  return line;
}

}  // namespace

bool MetadataReader::read_line(std::string_view line) {
  line = without_comma(line);
  switch (place_) {
    case Place::kAfter:
      if (line == kEventsBegin) return true;
      throw MalformedLine("the events should begin here");
    case Place::kRows:
      if (line == kListEnd) {
        place_ = Place::kKeys;
      } else {
        append_to(trace_, list_, parse(line));
      }
      return false;
    case Place::kKeys:
      break;
  }
  if (line == kMetadataEnd) {
    place_ = Place::kAfter;
  } else if (line.ends_with('[')) {
    const Json opened = parse("{", line, "]}");
    if (opened.size() != 1) throw MalformedLine("it is no list");
    list_ = opened.begin().key();
    place_ = Place::kRows;
  } else {
    const Json values = parse("{", line, "}");
    for (const auto& [key, value] : values.items()) set_value(trace_, counts_, key, value);
  }
  return false;
}

}  // namespace ompdm
