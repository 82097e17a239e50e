#include "analysis/findings/activity_times.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace ompdm::analysis {
namespace {

constexpr Nanoseconds kForEver = std::numeric_limits<Nanoseconds>::max();

Nanoseconds end_of(const Trace& trace, const Launch& launch) {
  if (launch.unfinished) return kForEver;
  if (launch.clock != Clock::kEnqueue) return launch.end;
  if (!launch.region) return kForEver;
  const Region& region = trace.regions[launch.region.value];
  return region.nowait ? kForEver : std::max(region.end, launch.end);
}

}  // namespace

Nanoseconds begin_of(const Trace& trace, const Launch& launch) {
  return launch.region ? std::min(trace.regions[launch.region.value].asked(), launch.begin)
                       : launch.begin;
}

std::vector<std::uint32_t> launches_by_begin(const Trace& trace) {
  std::vector<std::uint32_t> order(trace.launches.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(
      order, {}, [&](std::uint32_t i) { return std::pair(begin_of(trace, trace.launches[i]), i); });
  return order;
}

KernelTimes::KernelTimes(const Trace& trace) {
  for (const std::uint32_t i : launches_by_begin(trace)) {
    const Launch& launch = trace.launches[i];
    Device& device = devices_[launch.device];
    const Nanoseconds end = end_of(trace, launch);
    device.begins.push_back(begin_of(trace, launch));
    device.latest_end.push_back(
        device.latest_end.empty() ? end : std::max(end, device.latest_end.back()));
  }
}

bool KernelTimes::any(std::int32_t device, Nanoseconds from, Nanoseconds to) const {
  const auto at = devices_.find(device);
  if (at == devices_.end()) return false;
  const std::vector<Nanoseconds>& begins = at->second.begins;
  const auto after = std::ranges::lower_bound(begins, to);
  return after != begins.begin() && at->second.latest_end[after - begins.begin() - 1] > from;
}

HostTimes::HostTimes(const Trace& trace) {
  for (const Region& region : trace.regions) {
    if (region.host_fallback) continue;
    if (threads_.size() <= region.thread) threads_.resize(region.thread + 1);
    Thread& thread = threads_[region.thread];
    const Nanoseconds busy = thread.begins.empty() ? 0
                                                   : thread.busy_before.back() +
                                                         thread.ends.back() - thread.begins.back();
    // A region within another one adds nothing.
    const Nanoseconds begin =
        thread.ends.empty() ? region.begin : std::max(region.begin, thread.ends.back());
    thread.begins.push_back(begin);
    thread.ends.push_back(std::max(begin, region.end + region.hashing_after));
    thread.busy_before.push_back(busy);
  }
}

Nanoseconds HostTimes::busy_until(const Thread& thread, Nanoseconds time) {
  const auto after = std::ranges::upper_bound(thread.begins, time);
  if (after == thread.begins.begin()) return 0;
  const auto last = static_cast<std::size_t>(after - thread.begins.begin() - 1);
  return thread.busy_before[last] + std::min(time, thread.ends[last]) - thread.begins[last];
}

Nanoseconds HostTimes::outside_regions(std::uint32_t thread, Nanoseconds from,
                                       Nanoseconds to) const {
  if (to <= from) return 0;
  if (thread >= threads_.size()) return to - from;
  return (to - from) - (busy_until(threads_[thread], to) - busy_until(threads_[thread], from));
}

}  // namespace ompdm::analysis
