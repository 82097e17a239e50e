#include "analysis/findings/activity_times.h"

#include <algorithm>
#include <limits>
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
  std::vector<std::pair<Nanoseconds, std::uint32_t>> begins;
  begins.reserve(trace.launches.size());
  for (std::uint32_t i = 0; i < trace.launches.size(); ++i) {
    begins.emplace_back(begin_of(trace, trace.launches[i]), i);
  }
  if (!std::ranges::is_sorted(begins)) std::ranges::sort(begins);
  std::vector<std::uint32_t> order;
  order.reserve(begins.size());
  for (const auto& [begin, launch] : begins) order.push_back(launch);
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

}  // namespace ompdm::analysis
