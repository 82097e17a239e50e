#include "trace_files/trace_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
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

// Every event repeats its label. The name of a template's instantiation can be as long as a page.
std::string shortened(std::string text) {
  constexpr std::size_t kLongest = 256;
  if (text.size() <= kLongest) return text;
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return text.substr(0, end) + "...";
}

std::string label(const Site& site) {
  const std::string_view what =
      site.api.empty() ? word_of(site.directive) : std::string_view(site.api);
  return fmt::format("{}{}", what, place_of(site.file, site.line));
}

std::string label(const Kernel& kernel) {
  const std::string_view what = kernel.function.empty() ? kernel.name : kernel.function;
  return fmt::format("{}{}", what.empty() ? "kernel" : what, place_of(kernel.file, kernel.line));
}

/// A label as JSON has it between quotes.
std::string escaped(std::string label) {
  const std::string json = json_string(shortened(std::move(label)));
  return json.substr(1, json.size() - 2);
}

/// What events are called, as JSON has it between quotes: made once for each site, variable and
/// kernel.
class EventLabels {
 public:
  explicit EventLabels(const Trace& trace) : trace_(trace) {
    for (const Site& site : trace.sites) {
      sites_.push_back(escaped(label(site)));
      site_ends_.push_back("end " + sites_.back());
    }
    for (const Variable& variable : trace.variables) variables_.push_back(escaped(variable.name));
    for (const Kernel& kernel : trace.kernels) kernels_.push_back(escaped(label(kernel)));
  }

  /// "target heat.cpp:41", "end target data heat.cpp:26"
  [[nodiscard]] std::string_view of(const Region& region) const {
    if (!region.site) return "region";
    return (region.ends_data ? site_ends_ : sites_)[region.site.value];
  }
  /// The variable's name, or the kind where it has none.
  [[nodiscard]] std::string_view of(const DataOp& op) const {
    const bool has_name = op.variable && !variables_[op.variable.value].empty();
    return has_name ? std::string_view(variables_[op.variable.value]) : word_of(op.kind);
  }
  /// "heat heat.cpp:41"
  [[nodiscard]] std::string_view of(const Launch& launch) const { return of(launch.kernel); }
  /// As what it did the work of, else its kernel or its kind.
  [[nodiscard]] std::string_view of(const DeviceActivity& activity) const {
    if (activity.op) return of(trace_.ops.common(activity.op.value));
    return activity.kind == ActivityKind::kKernel ? of(activity.kernel) : word_of(activity.kind);
  }
  /// "cupti.stream_synchronize"
  [[nodiscard]] std::string_view of(const Synchronization& wait) const {
    return word_of(wait.kind);
  }

 private:
  [[nodiscard]] std::string_view of(Index<Kernel> kernel) const {
    return kernel ? std::string_view(kernels_[kernel.value]) : "kernel";
  }

  const Trace& trace_;
  std::vector<std::string> sites_;      // by site, for its begin …
  std::vector<std::string> site_ends_;  // … and its end
  std::vector<std::string> variables_;  // empty: unnamed
  std::vector<std::string> kernels_;
};

std::string_view category_of(const Region& /*region*/) { return kRegionCategory; }
std::string_view category_of(const Launch& /*launch*/) { return kLaunchCategory; }
template <class Row>
std::string_view category_of(const Row& row) {
  return word_of(row.kind);
}

/// The region that a row's arrow comes from; none: there is no arrow.
template <class Row>
Index<Region> flow_of(const Row& row) {
  if constexpr (std::same_as<Row, DataOp>) {
    return is_in_flow(row.kind) ? row.region : Index<Region>();
  } else if constexpr (std::same_as<Row, Launch> || std::same_as<Row, DeviceActivity>) {
    return row.region;
  } else {
    return {};
  }
}

/// A column on its way through the file.
template <class Rows>
struct Cursor {
  const Rows& rows;
  const std::vector<std::uint32_t>& tracks;
  std::size_t at = 0;

  [[nodiscard]] bool left() const { return at < rows.size(); }
  [[nodiscard]] Nanoseconds next() const { return left() ? rows[at].begin : kNever; }
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
      places_.push_back(fmt::format(R"(","pid":{},"tid":{},"ts":)", track.pid, track.tid));
    }
    flow_left_.resize(trace.regions.size());
    const auto count = [&](const auto& rows) {
      for (const auto& row : rows) {
        if (const Index<Region> region = flow_of(row)) ++flow_left_[region.value];
      }
    };
    count(trace.ops);
    count(trace.launches);
    count(trace.activities);
  }

  /// Returns how many groups of tracks there are.
  std::size_t write() {
    write_names();
    // A column's own order is kept whatever it is: rows are told by their position in it.
    Cursor regions{trace_.regions, layout_.regions};
    Cursor ops{trace_.ops, layout_.ops};
    Cursor launches{trace_.launches, layout_.launches};
    Cursor activities{trace_.activities, layout_.activities};
    Cursor waits{trace_.synchronizations, layout_.synchronizations};
    while (regions.left() || ops.left() || launches.left() || activities.left() || waits.left()) {
      const Nanoseconds next =
          std::min({regions.next(), ops.next(), launches.next(), activities.next(), waits.next()});
      const auto is_next = [&](const auto& column) {
        return column.left() && column.next() == next;
      };
      if (is_next(regions) || is_next(ops)) write_counters(next);
      if (is_next(regions)) {
        write_next(regions);
      } else if (is_next(ops)) {
        write_next(ops);
      } else if (is_next(launches)) {
        write_next(launches);
      } else if (is_next(activities)) {
        write_next(activities);
      } else {
        write_next(waits);
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
    line_.text("}}");
    line_.begin(fmt::format(R"({{"ph":"M","name":"{}_sort_index",{},"args":{{"sort_index":{})",
                            kind, owner, order));
    line_.text("}}");
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

  void write_counter(std::string_view name, std::int32_t device, Nanoseconds time,
                     std::string_view of, std::string_view value) {
    line_.begin(R"({"ph":"C","name":")");
    line_.text(name);
    line_.text(R"(","pid":)");
    line_.number(layout_.groups[layout_.group_of(device)].pid);
    line_.text(R"(,"ts":)");
    line_.instant(time);
    line_.text(R"(,"args":{")");
    line_.text(of);
    line_.text(R"(":)");
    line_.text(value);
    line_.text("}}");
  }

  template <class Rows>
  void write_next(Cursor<Rows>& column) {
    using Row = typename Rows::value_type;
    const std::size_t position = column.at++;
    const Row& row = column.rows[position];
    line_.begin(R"({"ph":"X","cat":")");
    line_.text(category_of(row));
    line_.text(R"(","name":")");
    line_.text(labels_.of(row));
    line_.text(places_[column.tracks[position]]);
    line_.microseconds(line_.shifted(row.begin));
    line_.text(R"(,"dur":)");
    line_.microseconds(is_exact(row.begin, row.end) ? row.end - row.begin : 0);
    const Index<Region> region = flow_of(row);
    if (region) bind(region.value, true);
    if constexpr (std::same_as<Row, Region>) {
      if (flow_left_[position] > 0) bind(position, false);
    }
    ArgsWriter(line_, static_cast<bool>(region), trace_.host_device).write(row);
    if constexpr (std::same_as<Row, DataOp>) {
      const bool allocates = row.kind == OpKind::kAlloc || row.kind == OpKind::kDelete;
      if (allocates) allocating_.emplace(row.end, position);
    }
  }

  // Joins an event to what came before it in its region, and to what comes next.
  void bind(std::size_t region, bool has_earlier) {
    line_.text(R"(,"bind_id":)");
    line_.number(place_.flows + region + 1);
    if (has_earlier) {
      line_.text(R"(,"flow_in":true)");
      --flow_left_[region];
    }
    if (flow_left_[region] > 0) line_.text(R"(,"flow_out":true)");
  }

  // Up to an instant, so that each stands among the events of its time. What comes with the end of
  // an operation waits for it, since others may begin and end meanwhile.
  void write_counters(Nanoseconds until) {
    for (; next_rate_ < rates_.size() && rates_[next_rate_].time <= until; ++next_rate_) {
      const RateSample& sample = rates_[next_rate_];
      write_counter(fmt::format("{} GB/s", word_of(sample.direction)), sample.device, sample.time,
                    "mean", fmt::format("{:.3f}", sample.bytes_per_ns));
    }
    while (!allocating_.empty() && allocating_.top().first <= until) {
      const DataOp& op = trace_.ops[allocating_.top().second];
      allocating_.pop();
      const auto sample = memory_.after(op);
      if (!sample) continue;
      write_counter("device memory", sample->device, sample->time, "bytes",
                    std::to_string(sample->bytes));
    }
  }

  const Trace& trace_;
  const Placement& place_;
  EventLine& line_;
  TrackLayout layout_;
  std::vector<std::string> places_;  // of each track: its pid and tid, as they follow a label
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
