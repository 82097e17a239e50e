#include "analysis/findings/kernel_writes.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
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

/// Device memory of the API, which no clause maps.
class ApiMemory {
 public:
  explicit ApiMemory(const Trace& trace) {
    for (std::uint32_t i = 0; i < trace.ops.size(); ++i) {
      const auto& op = trace.ops.common(i);
      if (op.kind != OpKind::kAlloc || op.src != 0) continue;
      std::uint64_t& bytes = pieces_[op.dst];
      bytes = std::max<std::uint64_t>(bytes, op.bytes);
    }
  }
  /// Whether some of it was at this address at any time.
  [[nodiscard]] bool holds(std::uint64_t address) const {
    const auto after = pieces_.upper_bound(address);
    if (after == pieces_.begin()) return false;
    const auto& [begin, bytes] = *std::prev(after);
    return address - begin < bytes;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> pieces_;  // by begin
};

/// Those that hand a kernel a table of pointers, or the pointers that a lambda captured.
std::vector<std::uint32_t> lists_with_tables(const Trace& trace) {
  constexpr std::uint64_t kCaptured = kMapLiteral | kMapPointerAndObject;
  const ApiMemory memory(trace);
  const auto is_table = [&](const MapItem& item) {
    if ((item.type & kCaptured) == kCaptured) return true;
    if (item.hands_table) return (item.type & kMapLiteral) != 0 || memory.holds(item.begin);
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
    : global_pointers_(
          std::ranges::any_of(trace.device_variables, &DeviceVariable::holds_pointers)) {
  for (const std::uint32_t i : launches_by_begin(trace)) {
    const Launch& launch = trace.launches[i];
    const Nanoseconds begin = begin_of(trace, launch);
    const Nanoseconds end = end_of_writes(trace, launch);
    all_[launch.device].add(begin, end);
    const std::uint32_t list =
        launch.region ? trace.regions.common(launch.region.value).map_list : Index<Region>::kNone;
    if (list < trace.map_lists.size()) {
      by_list_.add(launch.device, list, begin, end);
    } else {
      unknown_[launch.device].add(begin, end);
    }
  }
  const std::vector<std::uint32_t> tables = lists_with_tables(trace);
  for (const auto& [device, launches] : all_) tables_[device] = by_list_.of(device, tables);
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

const KernelWrites::Users& KernelWrites::users_of(const Mapping& mapping) {
  if (mapping.piece >= users_.size()) users_.resize(std::size_t{mapping.piece} + 1);
  Users& users = users_[mapping.piece];
  if (users.known && users.base == mapping.base) return users;
  const auto named = [&](const NamedStorage& storage, std::uint64_t begin, std::uint64_t end) {
    return storage.users_of(by_list_, mapping.device, begin, end);
  };
  const std::uint64_t end = mapping.host + std::max<std::uint64_t>(mapping.bytes, 1);
  if (!users.known) {
    users.writers = named(writes_, mapping.host, end);
    users.readers = named(reads_, mapping.host, end);
  }
  // The runtime finds a section by the pointer that it is a section of.
  users.pointers.clear();
  if (mapping.base < mapping.host) users.pointers = named(pointers_, mapping.base, mapping.host);
  users.known = true;
  users.base = mapping.base;
  return users;
}

Writer KernelWrites::writer_of(const Mapping& mapping, Nanoseconds from, Nanoseconds to) {
  const auto ran = [&](const std::vector<const Launches*>& several) {
    return std::ranges::any_of(several, [&](const Launches* one) { return one->any(from, to); });
  };
  const auto any = [&](const std::map<std::int32_t, Launches>& launches) {
    const auto at = launches.find(mapping.device);
    return at != launches.end() && at->second.any(from, to);
  };
  if (!any(all_)) return Writer::kNone;
  static const Users kNobody;
  const bool has_host = mapping.host != 0;
  const Users& users = has_host ? users_of(mapping) : kNobody;
  if (ran(users.writers) || ran(users.pointers)) return Writer::kNamed;
  // Any kernel may name a global variable.
  if (any(unknown_) || mapping.is_static) return Writer::kUnnamed;
  if (ran(tables_.at(mapping.device))) return Writer::kByTable;
  if (global_pointers_) return Writer::kByGlobal;
  if (mapping.is_pointee) return Writer::kByPointer;
  if (mapping.handed_out || !has_host) return Writer::kByAddress;
  return ran(users.readers) ? Writer::kScratch : Writer::kNone;
}

}  // namespace ompdm::analysis
