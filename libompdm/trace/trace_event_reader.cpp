#include <simdjson.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "trace/event_args.h"
#include "trace/malformed_line.h"
#include "trace/trace_events.h"
#include "trace/trace_schema.h"

namespace ompdm {
namespace {

namespace dom = simdjson::dom;
using namespace trace_schema;

static_assert(LineReader::kPadding >= simdjson::SIMDJSON_PADDING);

struct Event {
  std::string_view phase;
  std::string_view category;
  std::optional<dom::element> begin;
  std::optional<dom::element> duration;
  std::optional<dom::element> bind_id;
  std::optional<dom::element> args;
};

Event read_keys(const dom::object& object) {
  Event event;
  for (const auto& [key, value] : object) {
    if (key == "ph") {
      if (value.get(event.phase) != simdjson::SUCCESS) refuse_value(key);
    } else if (key == "cat") {
      if (value.get(event.category) != simdjson::SUCCESS) refuse_value(key);
    } else if (key == "ts") {
      event.begin = value;
    } else if (key == "dur") {
      event.duration = value;
    } else if (key == "bind_id") {
      event.bind_id = value;
    } else if (key == "args") {
      event.args = value;
    }
  }
  return event;
}

void expect_of_a_run(Nanoseconds time) {
  // Seventy years: durations, and sums of some, have room in 64 bits.
  constexpr Nanoseconds kLatest = Nanoseconds{1} << 61;
  if (time < -kLatest || time > kLatest) throw MalformedLine("its time is outside of any run");
}

template <class Row>
void set_times(const Event& event, const EventArgs& args, Row& row) {
  if (args.begin_ns && args.end_ns) {
    row.begin = *args.begin_ns;
    row.end = *args.end_ns;
  } else {
    if (!event.begin || !event.duration) throw MalformedLine("it has no ts or no dur");
    row.begin = take_microseconds(*event.begin, "ts");
    const Nanoseconds duration = take_microseconds(*event.duration, "dur");
    expect_of_a_run(duration);
    row.end = static_cast<Nanoseconds>(static_cast<std::uint64_t>(row.begin) +
                                       static_cast<std::uint64_t>(duration));
  }
  expect_of_a_run(row.begin);
  expect_of_a_run(row.end);
}

Region region_of(const Event& event, const EventArgs& args) {
  Region region;
  region.site.value = args.site;
  region.path.value = args.path;
  region.thread = args.thread;
  region.device = args.device;
  region.map_list = args.map_list;
  region.ends_data = args.ends_data;
  region.unfinished = args.unfinished;
  region.host_fallback = args.host_fallback;
  region.nowait = args.nowait;
  region.made = args.made_ns;
  region.maker = args.maker;
  region.hashing = args.hashing_ns;
  region.hashing_after = args.hashing_after_ns;
  region.components = args.components;
  set_times(event, args, region);
  return region;
}

DataOp op_of(const Event& event, const EventArgs& args, OpKind kind) {
  DataOp op;
  op.kind = kind;
  op.clock = args.clock;
  op.internal = args.internal;
  op.unfinished = args.unfinished;
  op.thread = args.thread;
  op.region.value = args.region;
  op.site.value = args.site;
  op.path.value = args.path;
  op.variable.value = args.variable;
  op.call = args.call;
  op.storage = args.storage;
  op.map_type = args.map_type;
  op.src_device = args.from;
  op.dst_device = args.to;
  op.bytes = args.bytes;
  op.src = args.src;
  op.dst = args.dst;
  op.fingerprint = args.fingerprint;
  op.hash = args.hash;
  op.trivial = args.trivial;
  set_times(event, args, op);
  return op;
}

Launch launch_of(const Event& event, const EventArgs& args) {
  Launch launch;
  launch.region.value = args.region;
  launch.site.value = args.site;
  launch.kernel.value = args.kernel;
  launch.thread = args.thread;
  launch.device = args.device;
  launch.clock = args.clock;
  launch.unfinished = args.unfinished;
  launch.requested_teams = args.requested_teams;
  launch.num_teams = args.num_teams;
  launch.thread_limit = args.thread_limit;
  launch.trip_count = args.trip_count;
  set_times(event, args, launch);
  return launch;
}

DeviceActivity activity_of(const Event& event, const EventArgs& args, ActivityKind kind) {
  DeviceActivity activity;
  activity.kind = kind;
  activity.source = args.source_kind;
  activity.destination = args.destination_kind;
  activity.internal = args.internal;
  activity.op.value = args.op;
  activity.launch.value = args.launch;
  activity.region.value = args.region;
  activity.kernel.value = args.kernel;
  activity.device = args.device;
  activity.source_device = args.from;
  activity.destination_device = args.to;
  activity.stream = args.stream;
  activity.context = args.context;
  activity.correlation = args.correlation;
  activity.bytes = args.bytes;
  activity.grid = args.grid;
  activity.block = args.block;
  activity.registers = args.registers;
  activity.static_shared = args.static_shared;
  activity.dynamic_shared = args.dynamic_shared;
  set_times(event, args, activity);
  return activity;
}

Synchronization synchronization_of(const Event& event, const EventArgs& args,
                                   SynchronizationKind kind) {
  Synchronization wait;
  wait.kind = kind;
  wait.op.value = args.op;
  wait.region.value = args.region;
  wait.device = args.device;
  wait.context = args.context;
  wait.stream = args.stream;
  wait.correlation = args.correlation;
  set_times(event, args, wait);
  return wait;
}

}  // namespace

struct EventReader::Parser {
  dom::parser json;
};

EventReader::EventReader(Trace& trace) : trace_(trace), parser_(std::make_unique<Parser>()) {}
EventReader::~EventReader() = default;

void EventReader::read_event(std::string_view object) {
  dom::object keys;
  if (parser_->json.parse(object.data(), object.size(), false).get(keys) != simdjson::SUCCESS) {
    throw MalformedLine("it is no JSON object");
  }
  const Event event = read_keys(keys);
  if (event.phase != "X") return;
  const bool is_region = event.category == kRegionCategory;
  const bool is_launch = event.category == kLaunchCategory;
  const auto kind = value_of<OpKind>(kOpCategories, event.category);
  const auto activity =
      kind ? std::nullopt : value_of<ActivityKind>(kActivityCategories, event.category);
  const auto wait = kind || activity
                        ? std::nullopt
                        : value_of<SynchronizationKind>(kSynchronizationCategories, event.category);
  if (!is_region && !is_launch && !kind && !activity && !wait) return;

  EventArgs args;
  if (!activity) args.from = args.to = trace_.host_device;
  if (event.args) {
    dom::object fields;
    if (event.args->get(fields) != simdjson::SUCCESS) refuse_value("args");
    for (const auto& [key, value] : fields) args.set(key, value);
  }
  if (event.bind_id) {
    const std::uint64_t id = take_unsigned(*event.bind_id, "bind_id");
    if (id == 0 || id > Index<Region>::kNone) refuse_value("bind_id");
    args.region = static_cast<std::uint32_t>(id - 1);
  }
  if (is_region) {
    trace_.regions.push_back(region_of(event, args));
  } else if (is_launch) {
    trace_.launches.push_back(launch_of(event, args));
  } else if (activity) {
    trace_.activities.push_back(activity_of(event, args, *activity));
  } else if (wait) {
    trace_.synchronizations.push_back(synchronization_of(event, args, *wait));
  } else {
    trace_.ops.push_back(op_of(event, args, *kind));
  }
}

}  // namespace ompdm
