#include "analysis/device_clock.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/order.h"

namespace ompdm::analysis {
namespace {

/// The hull of what one row's activities did.
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

template <class Row>
Index<Row> append(Runs<Row>& rows, const Row& row) {
  rows.push_back(row);
  return {static_cast<std::uint32_t>(rows.size() - 1)};
}

}  // namespace

std::optional<OpKind> op_kind(ActivityKind kind) {
  switch (kind) {
    case ActivityKind::kHtoD:
      return OpKind::kHtoD;
    case ActivityKind::kDtoH:
      return OpKind::kDtoH;
    case ActivityKind::kDtoD:
      return OpKind::kDtoD;
    case ActivityKind::kMemset:
      return OpKind::kMemset;
    case ActivityKind::kKernel:
    case ActivityKind::kHtoH:
      break;
  }
  return std::nullopt;
}

Launch launch_of(const Trace& trace, const DeviceActivity& activity) {
  Launch launch;
  launch.region = activity.region;
  launch.kernel = activity.kernel;
  launch.device = activity.device;
  if (activity.region) {
    launch.site = trace.regions.common(activity.region.value).site;
    launch.thread = trace.regions.common(activity.region.value).thread;
  }
  return launch;
}

DataOp op_of(const Trace& trace, const DeviceActivity& activity, OpKind kind) {
  DataOp op;
  op.kind = kind;
  op.internal = activity.internal;
  op.region = activity.region;
  if (activity.region) {
    op.site = trace.regions.common(activity.region.value).site;
    op.thread = trace.regions.common(activity.region.value).thread;
  }
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

Trace on_device_clock(Trace trace) {
  if (!has_device_times(trace)) return trace;
  // What comes without OMPT has no thread either; rows need one to refer to.
  if (trace.threads.empty()) trace.threads.push_back({trace.process.pid});
  put_tallies_on_device_clock(trace);
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
