#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "analysis/interval_union.h"
#include "analysis/order.h"
#include "analysis/tables.h"

namespace ompdm::analysis {
namespace {

/// What can be waited for, as intervals in order that do not overlap.
struct Work {
  std::vector<Interval> kernels;
  std::vector<Interval> all;
};

/// Of one stream of a context, or, under kAnyStream, of all of its streams.
using Queue = std::pair<std::uint32_t, std::uint32_t>;
constexpr std::uint32_t kAnyStream = 0;

std::map<Queue, Work> work_of(const Trace& trace) {
  std::map<Queue, Work> queues;
  for (const DeviceActivity& activity : trace.activities) {
    const Interval interval{activity.begin, activity.end};
    for (const std::uint32_t stream : {activity.stream, kAnyStream}) {
      Work& work = queues[{activity.context, stream}];
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

/// The site whose directive the host was in.
Index<Site> waiting_site(const Trace& trace, const Synchronization& wait) {
  if (wait.op) return trace.ops.common(wait.op.value).site;
  return wait.region ? trace.regions.common(wait.region.value).site : Index<Site>{};
}

}  // namespace

std::vector<HostWait> host_waits_of(const Trace& trace, const DirectiveTable& directives) {
  const std::map<Queue, Work> queues = work_of(trace);
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

}  // namespace ompdm::analysis
