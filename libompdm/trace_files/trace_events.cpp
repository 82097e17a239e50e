#include "trace_files/trace_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <utility>

#include "model/device_memory.h"
#include "trace_files/json_rows.h"
#include "trace_files/json_text.h"

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

/// Whether `ts` and `dur` hold these times to the nanosecond; else the args repeat them.
bool is_exact(Nanoseconds begin, Nanoseconds end) {
  return begin <= end && begin > -kExactMicroseconds && end < kExactMicroseconds;
}

/// Writes the args of an event: fields that are not what their absence means.
class ArgsWriter {
 public:
  /// `has_bind_id`: the event's bind_id tells its region. `host_device`: what an absent side means.
  ArgsWriter(EventLine& line, bool has_bind_id, std::int32_t host_device)
      : line_(line), has_bind_id_(has_bind_id), host_device_(host_device) {}

  template <class Row>
  void write(const Row& row) {
    line_.args();
    is_exact_ = is_exact(row.begin, row.end);
    fields(*this, row);
    line_.end("}}");
  }

  template <std::size_t N, class T>
  [[gnu::always_inline]] void operator()(const char (&name)[N], const T& value,
                                         FieldRule rule = {}) {
    if (rule.as == FieldRule::kCategory || (rule.as == FieldRule::kTime && is_exact_)) return;
    if constexpr (json_rows::kIsReference<T>) {
      if (!value || (rule.as == FieldRule::kOwner && has_bind_id_)) return;
      line_.arg(name);
      line_.number(value.value);
    } else if constexpr (std::same_as<T, bool>) {
      if (!value) return;
      line_.arg(name);
      line_.text("true");
    } else if constexpr (std::is_enum_v<T>) {
      if (value == T{}) return;
      line_.arg(name);
      line_.quoted(word_of(value));
    } else if (rule.as == FieldRule::kTime) {
      line_.arg(name);
      line_.quoted_number(line_.shifted(static_cast<Nanoseconds>(value)));
    } else {
      const std::int64_t absent = rule.as == FieldRule::kSide      ? host_device_
                                  : rule.as == FieldRule::kMapList ? Index<Region>::kNone
                                                                   : rule.absent;
      if (static_cast<std::int64_t>(value) == absent) return;
      line_.arg(name);
      if (rule.as == FieldRule::kAddress) {
        line_.hexadecimal(static_cast<std::uint64_t>(value));
      } else if (rule.as == FieldRule::kInstant) {
        line_.exact_number(line_.shifted(static_cast<Nanoseconds>(value)));
      } else {
        line_.exact_number(value);
      }
    }
  }

 private:
  EventLine& line_;
  bool has_bind_id_;
  bool is_exact_ = true;
  std::int32_t host_device_;
};

std::string place_of(std::string_view file, int line) {
  if (file.empty()) return {};
  const std::size_t slash = file.rfind('/');
  return fmt::format(" {}:{}", slash == file.npos ? file : file.substr(slash + 1), line);
}

// Every event repeats its label: one of a template's instances can be as long as a page.
std::string shortened(std::string text) {
  constexpr std::size_t kLongest = 256;
  if (text.size() <= kLongest) return text;
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return text.substr(0, end) + "...";
}

std::string label(const Site& site) {
  const std::string_view what =
      site.api.empty() ? name_of(kDirectives, site.directive) : std::string_view(site.api);
  return fmt::format("{}{}", what, place_of(site.file, site.line));
}

std::string label(const Kernel& kernel) {
  const std::string_view what = kernel.function.empty() ? kernel.name : kernel.function;
  return fmt::format("{}{}", what.empty() ? "kernel" : what, place_of(kernel.file, kernel.line));
}

/// JSON strings with their quotes, made once for each site, variable and kernel.
class EventLabels {
 public:
  explicit EventLabels(const Trace& trace);

  /// "target heat.cpp:41", "end target data heat.cpp:26"
  [[nodiscard]] const std::string& of(const Region& region) const;
  /// The variable's name, or the kind where it has none.
  [[nodiscard]] const std::string& of(const DataOp& op) const;
  /// "heat heat.cpp:41"
  [[nodiscard]] const std::string& of(const Launch& launch) const;
  /// As what it did the work of, else its kernel or its kind.
  [[nodiscard]] const std::string& of(const DeviceActivity& activity) const;
  /// "cupti.stream_synchronize"
  [[nodiscard]] const std::string& of(const Synchronization& wait) const;

 private:
  const Trace& trace_;
  std::string region_;
  std::string launch_;
  std::array<std::string, 8> ops_;         // by OpKind
  std::array<std::string, 6> activities_;  // by ActivityKind
  std::array<std::string, 5> waits_;       // by SynchronizationKind
  std::vector<std::string> sites_;         // by site, for its begin …
  std::vector<std::string> site_ends_;     // … and its end
  std::vector<std::string> variables_;     // empty: unnamed
  std::vector<std::string> kernels_;
};

EventLabels::EventLabels(const Trace& trace)
    : trace_(trace), region_(json_string("region")), launch_(json_string("kernel")) {
  for (std::size_t i = 0; i < activities_.size(); ++i) {
    activities_[i] = json_string(kActivityCategories[i]);
  }
  for (std::size_t i = 0; i < waits_.size(); ++i) {
    waits_[i] = json_string(kSynchronizationCategories[i]);
  }
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    ops_[i] = json_string(kOpCategories[i]);
  }
  for (const Site& site : trace.sites) {
    const std::string name = shortened(label(site));
    sites_.push_back(json_string(name));
    site_ends_.push_back(json_string("end " + name));
  }
  for (const Variable& variable : trace.variables) {
    variables_.push_back(variable.name.empty() ? std::string()
                                               : json_string(shortened(variable.name)));
  }
  for (const Kernel& kernel : trace.kernels)
    kernels_.push_back(json_string(shortened(label(kernel))));
}

const std::string& EventLabels::of(const Region& region) const {
  if (!region.site) return region_;
  return region.ends_data ? site_ends_[region.site.value] : sites_[region.site.value];
}

const std::string& EventLabels::of(const DataOp& op) const {
  if (op.variable && !variables_[op.variable.value].empty()) return variables_[op.variable.value];
  return ops_[static_cast<std::size_t>(op.kind) % ops_.size()];
}

const std::string& EventLabels::of(const Launch& launch) const {
  return launch.kernel ? kernels_[launch.kernel.value] : launch_;
}

const std::string& EventLabels::of(const DeviceActivity& activity) const {
  if (activity.op) return of(trace_.ops[activity.op.value]);
  if (activity.kind == ActivityKind::kKernel) {
    return activity.kernel ? kernels_[activity.kernel.value] : launch_;
  }
  return activities_[static_cast<std::size_t>(activity.kind) % activities_.size()];
}

const std::string& EventLabels::of(const Synchronization& wait) const {
  return waits_[static_cast<std::size_t>(wait.kind) % waits_.size()];
}

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

  /// Ends an event with its args.
  template <class Row>
  void write_args(const Row& row, bool has_bind_id) {
    ArgsWriter(line_, has_bind_id, trace_.host_device).write(row);
  }

  void write_region(std::size_t position) {
    const Region& region = trace_.regions[position];
    open(kRegionCategory, labels_.of(region), layout_.regions[position], region.begin, region.end);
    if (flow_left_[position] > 0) {
      bind(position);
      line_.text(R"(,"flow_out":true)");
    }
    write_args(region, true);
  }

  void write_op(std::size_t position) {
    const DataOp& op = trace_.ops[position];
    open(name_of(kOpCategories, op.kind), labels_.of(op), layout_.ops[position], op.begin, op.end);
    const bool in_flow = op.region && is_in_flow(op.kind);
    if (in_flow) join_flow(op.region);
    write_args(op, in_flow);
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

  void write_memory(const DeviceMemoryReplay::Change& sample) {
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
    write_args(launch, true);
  }

  void write_activity(std::size_t position) {
    const DeviceActivity& activity = trace_.activities[position];
    open(name_of(kActivityCategories, activity.kind), labels_.of(activity),
         layout_.activities[position], activity.begin, activity.end);
    if (activity.region) join_flow(activity.region);
    write_args(activity, true);
  }

  void write_synchronization(std::size_t position) {
    const Synchronization& wait = trace_.synchronizations[position];
    open(name_of(kSynchronizationCategories, wait.kind), labels_.of(wait),
         layout_.synchronizations[position], wait.begin, wait.end);
    write_args(wait, false);
  }

  const Trace& trace_;
  const Placement& place_;
  EventLine& line_;
  TrackLayout layout_;
  std::vector<std::string> places_;  // of each track: its pid and tid, as its events begin
  EventLabels labels_;
  DeviceMemoryReplay memory_;
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
