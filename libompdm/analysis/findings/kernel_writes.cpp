#include "analysis/findings/kernel_writes.h"

#include <algorithm>
#include <limits>

#include "analysis/map_types.h"

namespace ompdm::analysis {
namespace {

Nanoseconds end_of_writes(const Trace& trace, const Launch& launch) {
  constexpr Nanoseconds kNeverEnds = std::numeric_limits<Nanoseconds>::max();
  if (launch.unfinished) return kNeverEnds;
  if (launch.clock != Clock::kEnqueue) return launch.end;
  const bool waited = launch.region && !trace.regions[launch.region.value].nowait;
  return waited ? launch.end : kNeverEnds;
}

bool may_write(const MapItem& item) {
  if ((item.type & (kMapPrivate | kMapLiteral)) != 0) return false;
  return (item.type & (kMapTo | kMapFrom)) != kMapTo;
}

}  // namespace

void KernelWrites::Launches::add(Nanoseconds begin, Nanoseconds end) {
  begins.push_back(begin);
  latest_end.push_back(latest_end.empty() ? end : std::max(end, latest_end.back()));
}

bool KernelWrites::Launches::any(Nanoseconds from, Nanoseconds to) const {
  const auto after = std::ranges::lower_bound(begins, to);
  return after != begins.begin() && latest_end[after - begins.begin() - 1] > from;
}

KernelWrites::KernelWrites(const Trace& trace) {
  for (const Launch& launch : trace.launches) {
    const Nanoseconds end = end_of_writes(trace, launch);
    all_[launch.device].add(launch.begin, end);
    const std::uint32_t list =
        launch.region ? trace.regions[launch.region.value].map_list : Index<Region>::kNone;
    if (list < trace.map_lists.size()) {
      by_list_[{launch.device, list}].add(launch.begin, end);
    } else {
      unknown_[launch.device].add(launch.begin, end);
    }
  }
  for (std::uint32_t list = 0; list < trace.map_lists.size(); ++list) {
    for (const MapItem& item : trace.map_lists[list]) {
      if (!may_write(item)) continue;
      writes_.push_back({item.begin, item.begin + std::max<std::uint64_t>(item.bytes, 1), list});
    }
  }
  std::ranges::sort(writes_, {}, [](const Item& item) { return std::pair(item.begin, item.list); });
  for (const Item& item : writes_) {
    latest_end_.push_back(latest_end_.empty() ? item.end : std::max(item.end, latest_end_.back()));
  }
}

const std::vector<std::uint32_t>& KernelWrites::writers_of(std::uint64_t begin, std::uint64_t end) {
  const auto [known, is_new] = writers_.try_emplace({begin, end});
  std::vector<std::uint32_t>& lists = known->second;
  if (!is_new) return lists;
  auto at = std::ranges::lower_bound(writes_, end, {}, &Item::begin) - writes_.begin();
  while (at > 0 && latest_end_[at - 1] > begin) {
    --at;
    if (writes_[at].end > begin) lists.push_back(writes_[at].list);
  }
  std::ranges::sort(lists);
  lists.erase(std::unique(lists.begin(), lists.end()), lists.end());
  return lists;
}

bool KernelWrites::could_write(const Mapping& mapping, Nanoseconds from, Nanoseconds to) {
  const auto any = [&](const auto& launches, const auto& key) {
    const auto at = launches.find(key);
    return at != launches.end() && at->second.any(from, to);
  };
  if (!any(all_, mapping.device)) return false;
  // Any kernel may name a global variable, or have a pointer to memory that is not mapped.
  if (mapping.host == 0 || mapping.is_pointee || mapping.is_static || any(unknown_, mapping.device))
    return true;
  const auto& lists =
      writers_of(mapping.host, mapping.host + std::max<std::uint64_t>(mapping.bytes, 1));
  return std::ranges::any_of(
      lists, [&](std::uint32_t list) { return any(by_list_, std::pair(mapping.device, list)); });
}

}  // namespace ompdm::analysis
