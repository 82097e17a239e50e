#include "trace_files/trace_events.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <utility>

#include "trace_files/event_args.h"
#include "trace_files/json_text.h"

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
  constexpr Nanoseconds kLatestTime = Nanoseconds{1} << 61;
  if (time < -kLatestTime || time > kLatestTime)
    throw MalformedLine("its time is outside of any run");
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

namespace {

using namespace trace_schema;

constexpr std::size_t kRateBins = 1000;

// Transfers and kernels are joined to their region by arrows, in the order in which they follow
// each other.
bool is_in_flow(OpKind kind) {
  return kind == OpKind::kHtoD || kind == OpKind::kDtoH || kind == OpKind::kDtoD ||
         kind == OpKind::kMemset;
}

constexpr Nanoseconds kNever = std::numeric_limits<Nanoseconds>::max();

// A column on its way through the file.
template <class Rows>
class Cursor {
 public:
  explicit Cursor(const Rows& rows) : rows_(rows) {}
  [[nodiscard]] bool left() const { return at_ < rows_.size(); }
  [[nodiscard]] Nanoseconds next() const { return left() ? rows_[at_].begin : kNever; }
  std::size_t take() { return at_++; }

 private:
  const Rows& rows_;
  std::size_t at_ = 0;
};

class EventWriter {
 public:
  EventWriter(const Trace& trace, const Placement& place, Pids& pids, EventLine& line)
      : trace_(trace),
        place_(place),
        line_(line),
        layout_(lay_out_tracks(trace, place.pid, pids)),
        labels_(trace),
        memory_(trace),
        rates_(transfer_rates(trace, kRateBins)) {
    for (const Track& track : layout_.tracks) {
      places_.push_back(fmt::format(R"(,"pid":{},"tid":{},"ts":)", track.pid, track.tid));
    }
    flow_left_.resize(trace.regions.size());
    for (const DataOp& op : trace.ops) {
      if (op.region && is_in_flow(op.kind)) ++flow_left_[op.region.value];
    }
    for (const Launch& launch : trace.launches) {
      if (launch.region) ++flow_left_[launch.region.value];
    }
    for (const DeviceActivity& activity : trace.activities) {
      if (activity.region) ++flow_left_[activity.region.value];
    }
  }

  /// Returns how many groups of tracks there are.
  std::size_t write() {
    write_names();
    // A column's own order is kept whatever it is: rows are told by their position in it.
    Cursor regions(trace_.regions);
    Cursor ops(trace_.ops);
    Cursor launches(trace_.launches);
    Cursor activities(trace_.activities);
    Cursor waits(trace_.synchronizations);
    while (regions.left() || ops.left() || launches.left() || activities.left() || waits.left()) {
      const Nanoseconds next =
          std::min({regions.next(), ops.next(), launches.next(), activities.next(), waits.next()});
      if (regions.left() && regions.next() == next) {
        write_counters(next);
        write_region(regions.take());
      } else if (ops.left() && ops.next() == next) {
        write_counters(next);
        write_op(ops.take());
      } else if (launches.left() && launches.next() == next) {
        write_launch(launches.take());
      } else if (activities.left() && activities.next() == next) {
        write_activity(activities.take());
      } else {
        write_synchronization(waits.take());
      }
    }
    write_counters(kNever);
    return layout_.groups.size();
  }

 private:
  // `owner` is the JSON of whose name it is: a group's pid, or a track's pid and tid.
  void write_name(std::string_view kind, const std::string& owner, std::string_view name,
                  std::size_t order) {
    line_.begin(fmt::format(R"({{"ph":"M","name":"{}_name",{},"args":{{"name":{})", kind, owner,
                            json_string(name)));
    line_.end("}}");
    line_.begin(fmt::format(R"({{"ph":"M","name":"{}_sort_index",{},"args":{{"sort_index":{})",
                            kind, owner, order));
    line_.end("}}");
  }

  void write_names() {
    std::map<std::int32_t, std::string_view> types;
    for (const Device& device : trace_.devices) {
      if (!device.type.empty()) types.emplace(device.number, device.type);
    }
    for (std::size_t i = 0; i < layout_.groups.size(); ++i) {
      const TrackGroup& group = layout_.groups[i];
      std::string name = i > 0 ? place_.devices + group.name : place_.name;
      const auto type = i > 0 ? types.find(layout_.devices[i - 1]) : types.end();
      if (type != types.end()) name += fmt::format(" ({})", type->second);
      write_name("process", fmt::format(R"("pid":{})", group.pid), name, place_.order + i);
    }
    for (std::size_t i = 0; i < layout_.tracks.size(); ++i) {
      const Track& track = layout_.tracks[i];
      write_name("thread", fmt::format(R"("pid":{},"tid":{})", track.pid, track.tid), track.name,
                 i);
    }
  }

  // Rates up to an instant: each stands among the events of its time.
  void write_rates(Nanoseconds until) {
    for (; next_rate_ < rates_.size() && rates_[next_rate_].time <= until; ++next_rate_) {
      const RateSample& sample = rates_[next_rate_];
      line_.begin(fmt::format(R"({{"ph":"C","name":"{} GB/s","pid":{},"ts":)",
                              name_of(kOpCategories, sample.direction),
                              layout_.device_pid(sample.device)));
      line_.instant(sample.time);
      line_.end(fmt::format(R"(,"args":{{"mean":{:.3f}}}}})", sample.bytes_per_ns));
    }
  }

  // The part of a complete event before its args.
  void open(std::string_view category, std::string_view name, std::uint32_t track,
            Nanoseconds begin, Nanoseconds end) {
    line_.begin(R"({"ph":"X","cat":")");
    line_.text(category);
    line_.text(R"(","name":)");
    line_.text(name);
    line_.text(places_[track]);
    line_.instant(begin);
    line_.text(R"(,"dur":)");
    line_.microseconds(begin <= end && is_exact(begin, end) ? end - begin : 0);
  }

  void bind(std::size_t region) {
    line_.text(R"(,"bind_id":)");
    line_.number(place_.flows + region + 1);
  }

  // Joins an operation to what came before it in its region, and to what comes next.
  void join_flow(Index<Region> region) {
    bind(region.value);
    line_.text(R"(,"flow_in":true)");
    if (--flow_left_[region.value] > 0) line_.text(R"(,"flow_out":true)");
  }

  void write_region(std::size_t position) {
    const Region& region = trace_.regions[position];
    open(kRegionCategory, labels_.of(region), layout_.regions[position], region.begin, region.end);
    if (flow_left_[position] > 0) {
      bind(position);
      line_.text(R"(,"flow_out":true)");
    }
    write_args(region, line_);
    line_.end("}}");
  }

  void write_op(std::size_t position) {
    const DataOp& op = trace_.ops[position];
    open(name_of(kOpCategories, op.kind), labels_.of(op), layout_.ops[position], op.begin, op.end);
    const bool in_flow = op.region && is_in_flow(op.kind);
    if (in_flow) join_flow(op.region);
    write_args(op, in_flow, trace_.host_device, line_);
    line_.end("}}");
    if (op.kind == OpKind::kAlloc || op.kind == OpKind::kDelete)
      allocating_.emplace(op.end, position);
  }

  // What comes with the end of an operation waits for it, since others may begin and end meanwhile.
  void write_counters(Nanoseconds until) {
    write_rates(until);
    while (!allocating_.empty() && allocating_.top().first <= until) {
      const DataOp& op = trace_.ops[allocating_.top().second];
      allocating_.pop();
      if (const auto sample = memory_.after(op)) write_memory(*sample);
    }
  }

  void write_memory(const DeviceMemory::Sample& sample) {
    line_.begin(R"({"ph":"C","name":"device memory","pid":)");
    line_.number(layout_.device_pid(sample.device));
    line_.text(R"(,"ts":)");
    line_.instant(sample.time);
    line_.text(R"(,"args":{"bytes":)");
    line_.number(sample.bytes);
    line_.end("}}");
  }

  void write_launch(std::size_t position) {
    const Launch& launch = trace_.launches[position];
    open(kLaunchCategory, labels_.of(launch), layout_.launches[position], launch.begin, launch.end);
    if (launch.region) join_flow(launch.region);
    write_args(launch, line_);
    line_.end("}}");
  }

  void write_activity(std::size_t position) {
    const DeviceActivity& activity = trace_.activities[position];
    open(name_of(kActivityCategories, activity.kind), labels_.of(activity),
         layout_.activities[position], activity.begin, activity.end);
    if (activity.region) join_flow(activity.region);
    write_args(activity, line_);
    line_.end("}}");
  }

  void write_synchronization(std::size_t position) {
    const Synchronization& wait = trace_.synchronizations[position];
    open(name_of(kSynchronizationCategories, wait.kind), labels_.of(wait),
         layout_.synchronizations[position], wait.begin, wait.end);
    write_args(wait, line_);
    line_.end("}}");
  }

  const Trace& trace_;
  const Placement& place_;
  EventLine& line_;
  TrackLayout layout_;
  std::vector<std::string> places_;  // of each track: its pid and tid, as its events begin
  EventLabels labels_;
  DeviceMemory memory_;
  // Allocations and deletes that have been written and may not have ended, the earliest first.
  using Ending = std::pair<Nanoseconds, std::size_t>;
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> allocating_;
  std::vector<RateSample> rates_;
  std::size_t next_rate_ = 0;
  std::vector<std::uint32_t> flow_left_;  // by region: events of its flow that are to come
};

}  // namespace

std::string_view program_name(const Process& process) {
  const std::string_view program = process.program;
  const std::size_t slash = program.rfind('/');
  return slash == program.npos ? program : program.substr(slash + 1);
}

void write_events(const Trace& trace, ByteSink& sink) {
  Placement place;
  place.pid = trace.process.pid;
  place.name = program_name(trace.process);
  Pids pids({place.pid});
  EventLine line(sink);
  write_events(trace, place, pids, line);
  line.flush();
}

std::size_t write_events(const Trace& trace, const Placement& place, Pids& pids, EventLine& line) {
  return EventWriter(trace, place, pids, line).write();
}

}  // namespace ompdm
