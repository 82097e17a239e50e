// Shares of time: the headline and its verdict, what devices did, and what the host waited for.
#include <algorithm>
#include <functional>
#include <limits>
#include <tuple>

#include "analysis/device_clock.h"
#include "analysis/order.h"
#include "analysis/tables.h"

namespace ompdm::analysis {

namespace {

/// The row that moved most bytes; kNoRow if nothing moved.
std::size_t top_row(const std::vector<DirectiveRow>& rows) {
  if (rows.empty()) return kNoRow;
  const DirectiveRow& first = rows.front();  // most bytes first
  return first.htod.bytes + first.dtoh.bytes + first.dtod.bytes > 0 ? 0 : kNoRow;
}

void note_clock(Headline& headline, Clock clock) {
  if (clock == Clock::kHost) headline.host_clock = true;
  if (clock == Clock::kDevice) headline.device_clock = true;
  if (clock == Clock::kModel) headline.model_clock = true;
  if (clock == Clock::kEnqueue) headline.measured = false;
}

Nanoseconds span_of(const Trace& trace) {
  const Recording& recording = trace.recording;
  if (recording.detail == Recording::Detail::kEvents) return program_wall_of(trace);
  const Nanoseconds to = recording.recorded_to != 0 ? recording.recorded_to : trace.process.wall;
  // In a part that was taken out of a recording, the share of the hashing is not known.
  const Nanoseconds hashing = recording.detail == Recording::Detail::kPart
                                  ? 0
                                  : trace.process.wall - program_wall_of(trace);
  return std::max(to - recording.recorded_from - hashing, Nanoseconds{0});
}

bool moves_data(const Trace& trace, const Region& region) {
  if (!region.site) return false;
  switch (trace.sites[region.site.value].directive) {
    case Directive::kTargetData:
    case Directive::kTargetEnterData:
    case Directive::kTargetExitData:
    case Directive::kTargetUpdate:
      return true;
    default:
      return false;
  }
}

/// The part of an interval that lies in the part of the run that a trace holds.
Interval within_part(const Recording& recording, Interval time) {
  if (recording.detail != Recording::Detail::kPart) return time;
  const Nanoseconds to =
      recording.recorded_to != 0 ? recording.recorded_to : std::numeric_limits<Nanoseconds>::max();
  return {std::max(time.begin, recording.recorded_from), std::min(time.end, to)};
}

/// The time of data movement. It is made of transfers and allocations, which are added in order of
/// their begins, and of the regions of data directives.
class Movement {
 public:
  explicit Movement(const Trace& trace) : trace_(trace), regions_(trace.regions) {}

  void add(Interval operation) {
    add_regions(operation.begin);
    all_.add(operation);
  }

  Nanoseconds finish() {
    add_regions(std::numeric_limits<Nanoseconds>::max());
    return all_.length();
  }

 private:
  void add_regions(Nanoseconds until) {
    const DedupColumn<Region>& rows = trace_.regions;
    for (; next_ < rows.size(); ++next_) {
      const std::size_t at = regions_[next_];
      if (rows.begin_of(at) > until) return;
      if (!moves_data(trace_, rows.common(at))) continue;
      all_.add(within_part(trace_.recording,
                           {rows.begin_of(at), rows.end_of(at) - rows.rare(at).hashing}));
    }
  }

  const Trace& trace_;
  ByBegin regions_;
  std::size_t next_ = 0;
  UnionLength all_;
};

}  // namespace

Headline headline_of(const Trace& trace, const std::vector<DirectiveRow>& directives) {
  Headline headline;
  headline.measured = true;
  UnionLength transfers;
  UnionLength kernels;
  UnionLength device;
  Movement movement(trace);
  bool any = false;
  const auto take_op = [&](std::size_t i) {
    const DataOp& op = trace.ops.common(i);
    if (op.internal) return;
    const Interval time =
        within_part(trace.recording, {trace.ops.begin_of(i), trace.ops.end_of(i)});
    if (op.kind != OpKind::kMemset) movement.add(time);
    if (!(is_transfer(op.kind) || op.kind == OpKind::kMemset)) return;
    // LLVM fills memory by a copy of its own, whose time is in no figure.
    if (op.kind == OpKind::kMemset && op.clock == Clock::kEnqueue) return;
    any = true;
    note_clock(headline, op.clock);
    device.add(time);
    if (is_transfer(op.kind)) transfers.add(time);
  };
  const auto take_launch = [&](std::size_t i) {
    any = true;
    note_clock(headline, trace.launches.common(i).clock);
    const Interval time =
        within_part(trace.recording, {trace.launches.begin_of(i), trace.launches.end_of(i)});
    device.add(time);
    kernels.add(time);
  };
  walk_by_begin(trace, take_op, take_launch);
  headline.measured = headline.measured && any;
  headline.transfer = transfers.length();
  headline.movement = movement.finish();
  headline.kernel = kernels.length();
  headline.device = device.length();
  headline.span = span_of(trace);
  headline.top = top_row(directives);
  return headline;
}

namespace {

constexpr Nanoseconds kTenth = 10;
constexpr Nanoseconds kTwentieth = 20;
/// Bytes that a transfer with each launch may have (kRidesAlong).
constexpr std::uint64_t kRides = 256;
constexpr std::uint64_t kLaunchesPerTransfer = 10;

/// The sums that a verdict rests on.
std::pair<Headline, Totals> sums_of(std::span<const Analysis> analyses) {
  Headline sum;
  Totals totals;
  for (const Analysis& one : analyses) {
    sum.transfer += one.headline.transfer;
    sum.movement += one.headline.movement;
    sum.device += one.headline.device;
    sum.span += one.headline.span;
    add(totals, one.totals);
  }
  return {sum, totals};
}

/// Whether all data movement of this run is known. Pages that migrate by themselves are not, for
/// example.
bool knows_all(const Analysis& one) {
  if (!has_target_events(one)) return true;
  return knows_transfers(one) && !lacks_events(one) &&
         (ompdm::is_recorded_whole(one.recording) ||
          one.recording.detail == Recording::Detail::kPart) &&
         one.headline.measured && !one.recording.unified_shared_memory;
}

/// Whether hardly any data is moved. The counts for this are the same on each device.
bool is_next_to_nothing(const Totals& sum) {
  Flow moved = sum.htod;
  add(moved, sum.dtoh);
  add(moved, sum.dtod);
  return kLaunchesPerTransfer * moved.count <= sum.kernel.count &&
         moved.bytes <= kRides * sum.kernel.count;
}

}  // namespace

bool has_device_times(std::span<const Analysis> analyses) {
  return std::ranges::all_of(analyses, [](const Analysis& one) {
    return !has_target_events(one) || one.headline.device_clock ||
           (one.link && one.link->kernels.has_value());
  });
}

Verdict verdict_of(std::span<const Analysis> analyses) {
  if (std::ranges::none_of(analyses, has_target_events)) return Verdict::kUnjudged;
  if (!std::ranges::all_of(analyses, knows_all)) return Verdict::kUnjudged;
  const auto [sums, totals] = sums_of(analyses);
  if (!has_device_times(analyses)) {
    return is_next_to_nothing(totals) ? Verdict::kNoProblem : Verdict::kUnjudged;
  }
  const bool fills_device = 2 * sums.transfer >= sums.device && kTenth * sums.movement >= sums.span;
  if (sums.movement > 0 && (fills_device || 2 * sums.movement >= sums.span)) {
    return Verdict::kDominates;
  }
  const bool is_small = kTwentieth * sums.movement < sums.span && 2 * sums.transfer < sums.device;
  return is_small || sums.movement == 0 ? Verdict::kNoProblem : Verdict::kMatters;
}

namespace {

std::uint64_t length(Nanoseconds duration) {
  return static_cast<std::uint64_t>(std::max(Nanoseconds{0}, duration));
}

void add_directives(const Trace& trace, const Analysis& analysis, const Picture& picture,
                    Durations& all) {
  std::vector<Distribution*> rows;
  for (const DirectiveRow& row : analysis.directives) rows.push_back(&all.directives[row.id]);
  const auto row_of_region = [&](const Region& region) -> Distribution* {
    if (!region.site || region.ends_data || region.unfinished) return nullptr;
    const std::uint32_t row = picture.directive_of_site[region.site.value];
    return row == Picture::kNone ? nullptr : rows[row];
  };
  for (std::size_t i = 0; i < trace.regions.size(); ++i) {
    Distribution* row = row_of_region(trace.regions.common(i));
    if (row == nullptr) continue;
    row->add(length(trace.regions.duration_of(i) - trace.regions.rare(i).hashing));
  }
  for (const RegionAggregate& aggregate : trace.region_aggregates) {
    if (Distribution* row = row_of_region(aggregate.like)) row->add(aggregate.times);
  }
}

}  // namespace

Durations durations_of(const Trace& trace, const Analysis& analysis, const Picture& picture) {
  Durations all;
  if (has_device_times(trace)) {
    add_activities(on_device_clock(trace), all.activities);
  } else {
    add_activities(trace, all.activities);
  }
  add_directives(trace, analysis, picture, all);
  return all;
}

namespace {

struct Busy {
  std::vector<Interval> copies;
  std::vector<Interval> kernels;
};

}  // namespace

std::vector<DeviceUse> device_use_of(const Trace& trace) {
  std::map<std::int32_t, Busy> devices;
  for (const DeviceActivity& activity : trace.activities) {
    if (activity.kind == ActivityKind::kMemset || activity.kind == ActivityKind::kHtoH) continue;
    const Interval interval{activity.begin, activity.end};
    const bool is_kernel = activity.kind == ActivityKind::kKernel;
    Busy& busy = devices[activity.device];
    (is_kernel ? busy.kernels : busy.copies).push_back(interval);
    for (const std::int32_t other : {activity.source_device, activity.destination_device}) {
      if (is_kernel || other < 0 || other == activity.device) continue;
      devices[other].copies.push_back(interval);
    }
  }
  std::vector<DeviceUse> rows;
  for (auto& [device, busy] : devices) {
    std::vector<Interval> all = busy.copies;
    all.insert(all.end(), busy.kernels.begin(), busy.kernels.end());
    DeviceUse row;
    row.device = device;
    row.span = std::ranges::max(all, {}, &Interval::end).end -
               std::ranges::min(all, {}, &Interval::begin).begin;
    row.copies = union_length(std::move(busy.copies));
    row.kernels = union_length(std::move(busy.kernels));
    const Nanoseconds any = union_length(std::move(all));
    row.both = row.copies + row.kernels - any;
    row.idle = row.span - any;
    rows.push_back(row);
  }
  return rows;
}

namespace {

/// Work that can be waited for, as intervals in order that do not overlap.
struct QueueWork {
  std::vector<Interval> kernels;
  std::vector<Interval> all;
};

/// A context and one of its streams; kAnyStream: all of its streams.
using Queue = std::pair<std::uint32_t, std::uint32_t>;
constexpr std::uint32_t kAnyStream = 0;

std::map<Queue, QueueWork> work_of(const Trace& trace) {
  std::map<Queue, QueueWork> queues;
  for (const DeviceActivity& activity : trace.activities) {
    const Interval interval{activity.begin, activity.end};
    for (const std::uint32_t stream : {activity.stream, kAnyStream}) {
      QueueWork& work = queues[{activity.context, stream}];
      work.all.push_back(interval);
      if (activity.kind == ActivityKind::kKernel) work.kernels.push_back(interval);
      if (activity.stream == kAnyStream) break;
    }
  }
  for (auto& [queue, work] : queues) {
    work.kernels = merged(std::move(work.kernels));
    work.all = merged(std::move(work.all));
  }
  return queues;
}

/// The site of the directive that the host was in.
Index<Site> waiting_site(const Trace& trace, const Synchronization& wait) {
  if (wait.op) return trace.ops.common(wait.op.value).site;
  return wait.region ? trace.regions.common(wait.region.value).site : Index<Site>{};
}

}  // namespace

std::vector<HostWait> host_waits_of(const Trace& trace, const DirectiveTable& directives) {
  const std::map<Queue, QueueWork> queues = work_of(trace);
  std::map<std::size_t, HostWait> by_directive;
  for (const Synchronization& wait : trace.synchronizations) {
    if (wait.kind == SynchronizationKind::kStreamWaitEvent) continue;  // the host goes on
    const Index<Site> site = waiting_site(trace, wait);
    const std::uint32_t directive = site ? row_of(directives, site) : kNoDirective;
    HostWait& row = by_directive[directive == kNoDirective ? kNoRow : directive];
    const Nanoseconds duration = wait.end - wait.begin;
    ++row.count;
    row.total += duration;
    row.maximum = std::max(row.maximum, duration);
    const auto queue = queues.find({wait.context, wait.stream});
    if (queue == queues.end()) continue;
    const Interval interval{wait.begin, wait.end};
    const Nanoseconds kernels = overlap(queue->second.kernels, interval);
    row.kernels += kernels;
    row.copies += overlap(queue->second.all, interval) - kernels;
  }
  std::vector<HostWait> rows;
  for (auto& [directive, row] : by_directive) {
    row.directive = directive;
    row.average = row.total / static_cast<Nanoseconds>(row.count);
    row.neither = row.total - row.kernels - row.copies;
    rows.push_back(row);
  }
  const auto weight = [](const HostWait& row) {
    return std::pair(row.directive != kNoRow, row.total);
  };
  sort_rows(rows, weight, std::greater<>{});
  return rows;
}

namespace {

/// The type of an activity that the host requested, and when it did.
using Request = std::pair<std::optional<ActivityType>, Nanoseconds>;

Request request_of(const Trace& trace, const DeviceActivity& activity) {
  if (activity.launch) {
    return {ActivityType::kKernel, trace.launches.begin_of(activity.launch.value)};
  }
  if (!activity.op || activity.internal) return {};
  const DataOp& op = trace.ops[activity.op.value];
  if (op.kind == OpKind::kMemset) return {};  // done by other means
  return {described(op.kind).type, op.begin};
}

}  // namespace

std::vector<StartLatency> start_latencies_of(const Trace& trace) {
  std::map<ActivityType, StartLatency> by_type;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Nanoseconds> busy_until;  // by stream
  std::vector<bool> started(trace.ops.size());
  for (const DeviceActivity& activity : trace.activities) {
    const auto stream = std::pair(activity.context, activity.stream);
    const auto [busy, is_first] = busy_until.emplace(stream, activity.end);
    const auto [type, asked] = request_of(trace, activity);
    // A copy by way of the host takes two copies, of which the first is the start.
    if (type && !(activity.op && started[activity.op.value])) {
      const Nanoseconds latency = activity.begin - asked;
      const auto [at, is_new] = by_type.try_emplace(*type);
      StartLatency& row = at->second;
      row.minimum = is_new ? latency : std::min(row.minimum, latency);
      row.maximum = is_new ? latency : std::max(row.maximum, latency);
      row.average += latency;  // their sum, until all are there
      ++row.count;
      if (!is_first && busy->second > asked) ++row.queued;
      if (activity.op) started[activity.op.value] = true;
    }
    busy->second = std::max(busy->second, activity.end);
  }
  std::vector<StartLatency> rows;
  for (auto& [of_type, row] : by_type) {
    row.type = of_type;
    row.average /= static_cast<Nanoseconds>(row.count);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace ompdm::analysis
