#include "analysis/findings/kernel_writes.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "analysis/findings/activity_times.h"
#include "analysis/map_types.h"

namespace ompdm::analysis {
namespace {

Nanoseconds end_of_writes(const Trace& trace, const Launch& launch) {
  constexpr Nanoseconds kNeverEnds = std::numeric_limits<Nanoseconds>::max();
  if (launch.unfinished) return kNeverEnds;
  if (launch.clock != Clock::kEnqueue) return launch.end;
  const bool waited = launch.region && !trace.regions.common(launch.region.value).nowait;
  return waited ? launch.end : kNeverEnds;
}

/// Whether only the kernel's copy of it is told to have a use: it is not brought back.
bool is_copied_in(const MapItem& item) { return (item.type & (kMapTo | kMapFrom)) == kMapTo; }

/// Those that hand a kernel a table of pointers, or the pointers that a lambda captured.
std::vector<std::uint32_t> lists_with_tables(const Trace& trace) {
  constexpr std::uint64_t kCaptured = kMapLiteral | kMapPointerAndObject;
  const auto is_table = [&](const MapItem& item) {
    if ((item.type & kCaptured) == kCaptured) return true;
    return (item.type & (kMapLiteral | kMapPrivate)) == 0 && item.variable &&
           trace.variables[item.variable.value].holds_pointers;
  };
  std::vector<std::uint32_t> lists;
  for (std::uint32_t list = 0; list < trace.map_lists.size(); ++list) {
    if (std::ranges::any_of(trace.map_lists[list], is_table)) lists.push_back(list);
  }
  return lists;
}

std::uint64_t end_of(const MapItem& item) {
  return item.begin + std::max<std::uint64_t>(item.bytes, 1);
}

}  // namespace

KernelWrites::KernelWrites(const Trace& trace)
    : tables_(lists_with_tables(trace)),
      global_pointers_(
          std::ranges::any_of(trace.device_variables, &DeviceVariable::holds_pointers)) {
  for (const std::uint32_t i : launches_by_begin(trace)) {
    const Launch& launch = trace.launches[i];
    const Nanoseconds begin = begin_of(trace, launch);
    const Nanoseconds end = end_of_writes(trace, launch);
    all_[launch.device].add(begin, end);
    const std::uint32_t list =
        launch.region ? trace.regions.common(launch.region.value).map_list : Index<Region>::kNone;
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
    for (const MapItem& item : trace.map_lists[list]) {
      if ((item.type & (kMapLiteral | kMapPrivate)) != 0) continue;
      (is_copied_in(item) ? reads_ : writes_).add(item.begin, end_of(item), list);
      if (item.bytes == 0) pointers_.add(item.begin, end_of(item), list);
    }
  }
  writes_.settle();
  pointers_.settle();
  reads_.settle();
}

Writer KernelWrites::writer_of(const Mapping& mapping, Nanoseconds from, Nanoseconds to) {
  const auto any = [&](const std::map<std::int32_t, Launches>& launches) {
    const auto at = launches.find(mapping.device);
    return at != launches.end() && at->second.any(from, to);
  };
  if (!any(all_)) return Writer::kNone;
  const auto ran = [&](NamedStorage& named) {
    const std::uint64_t end = mapping.host + std::max<std::uint64_t>(mapping.bytes, 1);
    return named.ran(by_list_, mapping.device, mapping.host, end, from, to);
  };
  const bool has_host = mapping.host != 0;
  if (has_host && ran(writes_)) return Writer::kNamed;
  // The runtime finds a section by the pointer that it is a section of.
  if (has_host && mapping.base < mapping.host &&
      pointers_.ran(by_list_, mapping.device, mapping.base, mapping.host, from, to)) {
    return Writer::kNamed;
  }
  // Any kernel may name a global variable.
  if (any(unknown_) || mapping.is_static) return Writer::kUnnamed;
  if (tables_.ran(by_list_, mapping.device, from, to)) return Writer::kByTable;
  if (global_pointers_) return Writer::kByGlobal;
  if (mapping.is_pointee) return Writer::kByPointer;
  if (mapping.handed_out || !has_host) return Writer::kByAddress;
  return ran(reads_) ? Writer::kScratch : Writer::kNone;
}

}  // namespace ompdm::analysis
