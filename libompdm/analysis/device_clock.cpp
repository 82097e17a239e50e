#include "analysis/device_clock.h"

#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>

#include "analysis/order.h"

namespace ompdm::analysis {

namespace {

/// Extends a row's interval to that of an activity, which replaces the host's.
template <class Row>
void take_interval(Row& row, const DeviceActivity& activity) {
  if (row.clock != Clock::kDevice) {
    row.clock = Clock::kDevice;
    row.begin = activity.begin;
    row.end = activity.end;
    row.unfinished = false;
    return;
  }
  row.begin = std::min(row.begin, activity.begin);
  row.end = std::max(row.end, activity.end);
}

template <class Rows, class Row>
Index<Row> append(Rows& rows, const Row& row) {
  rows.push_back(row);
  return {static_cast<std::uint32_t>(rows.size() - 1)};
}

/// The operation of an activity; none: a kernel, or a copy that is no work of a device.
std::optional<OpKind> op_kind(ActivityKind kind) {
  constexpr std::optional<OpKind> kOps[] = {
      OpKind::kHtoD, OpKind::kDtoH, OpKind::kDtoD, OpKind::kMemset, {}, {}};
  return kOps[static_cast<std::size_t>(kind)];
}

template <class Row>
void put_into_region(const Trace& trace, Index<Region> region, Row& row) {
  row.region = region;
  if (!region) return;
  row.site = trace.regions.common(region.value).site;
  row.thread = trace.regions.common(region.value).thread;
}

/// The rows of an activity that has none yet.
Launch launch_of(const Trace& trace, const DeviceActivity& activity) {
  Launch launch;
  launch.kernel = activity.kernel;
  launch.device = activity.device;
  put_into_region(trace, activity.region, launch);
  return launch;
}

DataOp op_of(const Trace& trace, const DeviceActivity& activity, OpKind kind) {
  DataOp op;
  op.kind = kind;
  op.internal = activity.internal;
  put_into_region(trace, activity.region, op);
  const bool peer = activity.source_device >= 0;
  op.src_device = kind == OpKind::kHtoD ? trace.host_device
                  : peer                ? activity.source_device
                                        : activity.device;
  op.dst_device = kind == OpKind::kDtoH ? trace.host_device
                  : peer                ? activity.destination_device
                                        : activity.device;
  op.bytes = activity.bytes;
  return op;
}

/// All activities of one aggregate.
struct Work {
  std::uint64_t bytes = 0;
  Distribution times;

  void add(const ActivityAggregate& aggregate) {
    bytes += aggregate.bytes;
    times.add(aggregate.times);
  }
};

/// The same time spread over another number of activities, as if each took its share. Only the sum
/// is exact.
Distribution spread(const Distribution& times, std::uint64_t count) {
  Distribution spread;
  const double share = static_cast<double>(times.count) / static_cast<double>(count);
  const auto scaled = [&](std::uint64_t time) {
    return static_cast<std::uint64_t>(std::llround(static_cast<double>(time) * share));
  };
  std::uint64_t before = 0;
  std::uint64_t given = 0;
  for (std::size_t bin = 0; bin < Distribution::kBins; ++bin) {
    if (times.bins[bin] == 0) continue;
    before += times.bins[bin];
    const auto upto =
        before == times.count
            ? count
            : static_cast<std::uint64_t>(std::llround(static_cast<double>(before) / share));
    const std::uint64_t time = std::max(std::min(bin_begin(bin), times.most), times.least);
    spread.add(scaled(time), upto - given);
    given = upto;
  }
  spread.sum = times.sum;
  return spread;
}

/// The host's times for operations whose activities were lost. It is not known which operations
/// these are.
Distribution rest_of(const Distribution& times, std::uint64_t count) {
  Distribution rest;
  rest.add(static_cast<std::uint64_t>(std::llround(times.mean())), count);
  return rest;
}

/// The aggregate with the device's times. Returns the part of it that the device did not record.
template <class Aggregate>
std::optional<Aggregate> take(Aggregate& aggregate, const Work& work) {
  constexpr bool kIsOfOps = std::is_same_v<Aggregate, OpAggregate>;
  aggregate.like.clock = Clock::kDevice;
  const std::uint64_t seen = work.times.count;
  const std::uint64_t asked = aggregate.times.count;
  bool is_whole = seen >= asked;
  // Of calls with several operations, it is not known which operations are missing.
  if constexpr (kIsOfOps) is_whole = is_whole || aggregate.calls == 1;
  if (is_whole) {
    aggregate.times = seen == asked ? work.times : spread(work.times, asked);
    return std::nullopt;
  }
  Aggregate rest = aggregate;
  rest.like.clock = Clock::kEnqueue;
  rest.times = rest_of(aggregate.times, asked - seen);
  aggregate.times = work.times;
  if constexpr (kIsOfOps) {
    rest.bytes = aggregate.bytes - std::min(aggregate.bytes, work.bytes);
    aggregate.bytes -= rest.bytes;
    if (aggregate.calls != 0) {
      rest.calls = std::clamp<std::uint64_t>(aggregate.calls * (asked - seen) / asked, 1,
                                             aggregate.calls - 1);
      aggregate.calls -= rest.calls;
    }
  }
  return rest;
}

template <class Aggregate>
void take_all(std::vector<Aggregate>& aggregates, const std::vector<Work>& works) {
  const std::size_t count = works.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (works[i].times.count == 0 || aggregates[i].times.count == 0) continue;
    if (aggregates[i].like.clock == Clock::kDevice) continue;
    if (auto rest = take(aggregates[i], works[i])) aggregates.push_back(*rest);
  }
}

/// The same for aggregates.
void put_aggregates_on_device_clock(Trace& trace) {
  std::vector<Work> of_op(trace.op_aggregates.size());
  std::vector<Work> of_launch(trace.launch_aggregates.size());
  for (const ActivityAggregate& aggregate : trace.activity_aggregates) {
    if (aggregate.op) of_op[aggregate.op.value].add(aggregate);
    if (aggregate.launch) of_launch[aggregate.launch.value].add(aggregate);
  }
  take_all(trace.op_aggregates, of_op);
  take_all(trace.launch_aggregates, of_launch);
  for (ActivityAggregate& aggregate : trace.activity_aggregates) {
    if (aggregate.op || aggregate.launch) continue;
    if (aggregate.like.kind == ActivityKind::kKernel) {
      LaunchAggregate launch{launch_of(trace, aggregate.like), {}, aggregate.times};
      launch.like.clock = Clock::kDevice;
      aggregate.launch = append(trace.launch_aggregates, launch);
    } else if (const std::optional<OpKind> kind = op_kind(aggregate.like.kind)) {
      OpAggregate op{op_of(trace, aggregate.like, *kind),
                     0,
                     aggregate.bytes,
                     aggregate.least_bytes,
                     aggregate.most_bytes,
                     aggregate.times};
      op.like.clock = Clock::kDevice;
      aggregate.op = append(trace.op_aggregates, op);
    }
  }
}

}  // namespace

Trace on_device_clock(Trace trace) {
  if (!has_device_times(trace)) return trace;
  // Activities without OMPT have no thread either; rows need one to refer to.
  if (trace.threads.empty()) trace.threads.push_back({trace.process.pid});
  put_aggregates_on_device_clock(trace);
  for (DeviceActivity& activity : trace.activities) {
    if (!activity.launch && activity.kind == ActivityKind::kKernel) {
      activity.launch = append(trace.launches, launch_of(trace, activity));
    }
    const std::optional<OpKind> kind = op_kind(activity.kind);
    if (!activity.op && kind) {
      activity.op = append(trace.ops, op_of(trace, activity, *kind));
    }
    if (activity.op) take_interval(*trace.ops.edit(activity.op.value), activity);
    if (activity.launch) take_interval(*trace.launches.edit(activity.launch.value), activity);
  }
  const std::vector<std::uint32_t> ops = order_by_begin(trace.ops);
  const std::vector<std::uint32_t> launches = order_by_begin(trace.launches);
  for (DeviceActivity& activity : trace.activities) {
    if (activity.op) activity.op.value = ops[activity.op.value];
    if (activity.launch) activity.launch.value = launches[activity.launch.value];
  }
  for (Synchronization& wait : trace.synchronizations) {
    if (wait.op) wait.op.value = ops[wait.op.value];
  }
  return trace;
}

}  // namespace ompdm::analysis
