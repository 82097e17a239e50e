#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/counters.h"
#include "trace/event_args_writer.h"
#include "trace/event_labels.h"
#include "trace/event_line.h"
#include "trace/json_text.h"
#include "trace/trace_events.h"
#include "trace/trace_schema.h"
#include "trace/tracks.h"

namespace ompdm {
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

class Writer {
 public:
  Writer(const Trace& trace, const Placement& place, Pids& pids, EventLine& line)
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
  return Writer(trace, place, pids, line).write();
}

}  // namespace ompdm
