#include "analysis/findings/kernel_writes.h"

#include <algorithm>
#include <limits>

#include "analysis/findings/activity_times.h"
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

/// Whether only the kernel's copy of it is told to have a use: it is not brought back.
bool is_copied_in(const MapItem& item) { return (item.type & (kMapTo | kMapFrom)) == kMapTo; }

}  // namespace

void KernelWrites::Launches::add(Nanoseconds begin, Nanoseconds end) {
  begins.push_back(begin);
  latest_end.push_back(latest_end.empty() ? end : std::max(end, latest_end.back()));
}

bool KernelWrites::Launches::any(Nanoseconds from, Nanoseconds to) const {
  const auto after = std::ranges::lower_bound(begins, to);
  return after != begins.begin() && latest_end[after - begins.begin() - 1] > from;
}

void KernelWrites::Named::add(const MapItem& item, std::uint32_t list) {
  items_.push_back({item.begin, item.begin + std::max<std::uint64_t>(item.bytes, 1), list});
}

void KernelWrites::Named::sort() {
  std::ranges::sort(items_, {}, [](const Item& item) { return std::pair(item.begin, item.list); });
  for (const Item& item : items_) {
    latest_end_.push_back(latest_end_.empty() ? item.end : std::max(item.end, latest_end_.back()));
  }
}

const KernelWrites::Lists& KernelWrites::Named::lists_of(std::uint64_t begin, std::uint64_t end) {
  const auto [known, is_new] = known_.try_emplace({begin, end});
  Lists& lists = known->second;
  if (!is_new) return lists;
  auto at = std::ranges::lower_bound(items_, end, {}, &Item::begin) - items_.begin();
  while (at > 0 && latest_end_[at - 1] > begin) {
    --at;
    if (items_[at].end > begin) lists.push_back(items_[at].list);
  }
  std::ranges::sort(lists);
  lists.erase(std::unique(lists.begin(), lists.end()), lists.end());
  return lists;
}

KernelWrites::KernelWrites(const Trace& trace)
    : global_pointers_(
          std::ranges::any_of(trace.device_variables, &DeviceVariable::holds_pointers)) {
  for (const std::uint32_t i : launches_by_begin(trace)) {
    const Launch& launch = trace.launches[i];
    const Nanoseconds begin = begin_of(trace, launch);
    const Nanoseconds end = end_of_writes(trace, launch);
    all_[launch.device].add(begin, end);
    const std::uint32_t list =
        launch.region ? trace.regions[launch.region.value].map_list : Index<Region>::kNone;
    if (list < trace.map_lists.size()) {
      by_list_[{launch.device, list}].add(begin, end);
    } else {
      unknown_[launch.device].add(begin, end);
    }
  }
  read_lists(trace);
}

void KernelWrites::read_lists(const Trace& trace) {
  for (std::uint32_t list = 0; list < trace.map_lists.size(); ++list) {
    bool has_table = false;
    for (const MapItem& item : trace.map_lists[list]) {
      if ((item.type & (kMapLiteral | kMapPrivate)) != 0) continue;
      (is_copied_in(item) ? reads_ : writes_).add(item, list);
      has_table =
          has_table || (item.variable && trace.variables[item.variable.value].holds_pointers);
    }
    if (has_table) tables_.push_back(list);
  }
  writes_.sort();
  reads_.sort();
}

bool KernelWrites::ran(std::int32_t device, const Lists& lists, Nanoseconds from,
                       Nanoseconds to) const {
  return std::ranges::any_of(lists, [&](std::uint32_t list) {
    const auto launches = by_list_.find({device, list});
    return launches != by_list_.end() && launches->second.any(from, to);
  });
}

Writer KernelWrites::writer_of(const Mapping& mapping, Nanoseconds from, Nanoseconds to) {
  const auto any = [&](const std::map<std::int32_t, Launches>& launches) {
    const auto at = launches.find(mapping.device);
    return at != launches.end() && at->second.any(from, to);
  };
  if (!any(all_)) return Writer::kNone;
  const std::uint64_t end = mapping.host + std::max<std::uint64_t>(mapping.bytes, 1);
  const bool has_host = mapping.host != 0;
  if (has_host && ran(mapping.device, writes_.lists_of(mapping.host, end), from, to)) {
    return Writer::kNamed;
  }
  // Any kernel may name a global variable.
  if (any(unknown_) || mapping.is_static) return Writer::kUnnamed;
  if (ran(mapping.device, tables_, from, to)) return Writer::kByTable;
  if (global_pointers_) return Writer::kByGlobal;
  if (mapping.is_pointee) return Writer::kByPointer;
  if (mapping.handed_out || !has_host) return Writer::kByAddress;
  const bool is_copy = ran(mapping.device, reads_.lists_of(mapping.host, end), from, to);
  return is_copy ? Writer::kScratch : Writer::kNone;
}

}  // namespace ompdm::analysis
