#include "detectors/accesses.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "analysis/tables.h"
#include "model/map_types.h"

namespace ompdm::analysis {
void Overlaps::add(std::uint64_t begin, std::uint64_t end) {
  pieces_.push_back({begin, end, static_cast<std::uint32_t>(pieces_.size())});
}

void Overlaps::build() {
  std::ranges::sort(pieces_, {},
                    [](const Piece& piece) { return std::pair(piece.begin, piece.number); });
  for (std::uint32_t i = 0; i < pieces_.size(); ++i) {
    std::uint32_t at = before(i);
    while (at != kNone && pieces_[at].end <= pieces_[i].end) at = pieces_[at].outlasted_by;
    pieces_[i].outlasted_by = at;
  }
}

std::uint32_t Overlaps::last_before(std::uint64_t address) const {
  const auto after = std::ranges::lower_bound(pieces_, address, {}, &Piece::begin);
  return before(static_cast<std::uint32_t>(after - pieces_.begin()));
}

namespace {

/// Up to here it is quicker to ask one after the other.
constexpr std::size_t kFewPieces = 8;

}  // namespace

void Launches::add(Nanoseconds begin, Nanoseconds end) {
  begins_.push_back(begin);
  ends_.push_back(end);
  latest_end_.push_back(latest_end_.empty() ? end : std::max(end, latest_end_.back()));
}

bool Launches::any(Nanoseconds from, Nanoseconds to) const {
  const auto after = std::ranges::lower_bound(begins_, to);
  return after != begins_.begin() && latest_end_[after - begins_.begin() - 1] > from;
}

Launches Launches::merged(const std::vector<const Launches*>& several) {
  std::vector<std::pair<Nanoseconds, Nanoseconds>> all;
  for (const Launches* one : several) {
    for (std::size_t i = 0; i < one->begins_.size(); ++i) {
      all.emplace_back(one->begins_[i], one->ends_[i]);
    }
  }
  std::ranges::sort(all);
  Launches sum;
  for (const auto& [begin, end] : all) sum.add(begin, end);
  return sum;
}

void LaunchesByList::add(std::int32_t device, std::uint32_t list, Nanoseconds begin,
                         Nanoseconds end) {
  by_list_[{device, list}].add(begin, end);
}

std::vector<const Launches*> LaunchesByList::of(std::int32_t device, const Lists& lists) {
  std::vector<const Launches*> found;
  for (const std::uint32_t list : lists) {
    const auto at = by_list_.find({device, list});
    if (at != by_list_.end()) found.push_back(&at->second);
  }
  if (found.size() <= kFewPieces) return found;
  const auto [at, is_new] = together_.try_emplace({device, lists});
  if (is_new) at->second = Launches::merged(found);
  return {&at->second};
}

void NamedStorage::add(std::uint64_t begin, std::uint64_t end, std::uint32_t list) {
  names_.emplace_back(begin, end, list);
}

void NamedStorage::build() {
  std::ranges::sort(names_);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const auto& [begin, end, list] = names_[i];
    const bool is_known =
        i > 0 && std::get<0>(names_[i - 1]) == begin && std::get<1>(names_[i - 1]) == end;
    if (is_known) continue;
    overlaps_.add(begin, end);
    first_.push_back(i);
  }
  first_.push_back(names_.size());
  overlaps_.build();
}

LaunchesByList::Lists NamedStorage::lists_of(std::uint64_t begin, std::uint64_t end) const {
  LaunchesByList::Lists lists;
  overlaps_.each(begin, end, [&](std::uint32_t number) {
    for (std::size_t i = first_[number]; i < first_[number + 1]; ++i) {
      lists.push_back(std::get<2>(names_[i]));
    }
  });
  std::ranges::sort(lists);
  lists.erase(std::unique(lists.begin(), lists.end()), lists.end());
  return lists;
}

void Namings::read() const {
  is_read_ = true;
  for (std::size_t i = 0; i < trace_.regions.size(); ++i) {
    const Region& region = trace_.regions.common(i);
    if (!region.site || region.map_list >= trace_.map_lists.size()) continue;
    if (is_of(trace_, region.site, Directive::kTargetUpdate)) continue;
    by_list_[{region.device, region.map_list}].push_back({trace_.regions.begin_of(i), region.site});
  }
  for (auto& [list, namings] : by_list_) std::ranges::sort(namings, {}, &Naming::begin);
  for (std::uint32_t list = 0; list < trace_.map_lists.size(); ++list) {
    for (const MapItem& item : trace_.map_lists[list]) {
      if (item.bytes == 0 || (item.type & (kMapLiteral | kMapPrivate)) != 0) continue;
      names_.add(item.begin, item.begin + item.bytes, list);
    }
  }
  names_.build();
}

std::vector<Index<Site>> Namings::in_life_of(const Mapping& mapping) const {
  if (!is_read_) read();
  Nanoseconds to = mapping.end;
  if (mapping.remove) {
    const Index<Region> ended_by = trace_.ops.region_of(mapping.remove.value);
    to = trace_.ops.begin_of(mapping.remove.value);
    if (ended_by) to = std::min(to, trace_.regions.begin_of(ended_by.value));
  }
  std::vector<Index<Site>> sites;
  for (const std::uint32_t list : names_.lists_of(mapping.host, mapping.host + mapping.bytes)) {
    const auto found = by_list_.find({mapping.device, list});
    if (found == by_list_.end()) continue;
    const std::vector<Naming>& all = found->second;
    for (auto at = std::ranges::upper_bound(all, mapping.begin, {}, &Naming::begin);
         at != all.end() && at->begin < to; ++at) {
      if (sites.empty() || sites.back().value != at->site.value) sites.push_back(at->site);
    }
  }
  return sites;
}

namespace {

constexpr Nanoseconds kForEver = std::numeric_limits<Nanoseconds>::max();

Nanoseconds end_of(const Trace& trace, const Launch& launch) {
  if (launch.unfinished) return kForEver;
  if (launch.clock != Clock::kEnqueue) return launch.end;
  if (!launch.region) return kForEver;
  const Region& region = trace.regions[launch.region.value];
  return region.nowait ? kForEver : std::max(region.end, launch.end);
}

/// From when on a kernel may be at work: the program asked for it then, and if a task runs it does
/// not see when it begins.
Nanoseconds begin_of(const Trace& trace, const Launch& launch) {
  return launch.region ? std::min(trace.regions[launch.region.value].asked(), launch.begin)
                       : launch.begin;
}

/// Positions in Trace::launches, in order of that.
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

}  // namespace

KernelTimes::KernelTimes(const Trace& trace) {
  for (const std::uint32_t i : launches_by_begin(trace)) {
    const Launch& launch = trace.launches[i];
    devices_[launch.device].add(begin_of(trace, launch), end_of(trace, launch));
  }
}

bool KernelTimes::any(std::int32_t device, Nanoseconds from, Nanoseconds to) const {
  const auto at = devices_.find(device);
  return at != devices_.end() && at->second.any(from, to);
}

namespace {

Nanoseconds end_of_writes(const Trace& trace, const Launch& launch) {
  if (launch.unfinished) return kForEver;
  if (launch.clock != Clock::kEnqueue) return launch.end;
  const bool waited = launch.region && !trace.regions.common(launch.region.value).nowait;
  return waited ? launch.end : kForEver;
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
  writes_.build();
  pointers_.build();
  reads_.build();
}

const KernelWrites::Users& KernelWrites::users_of(const Mapping& mapping) {
  if (mapping.piece >= users_.size()) users_.resize(std::size_t{mapping.piece} + 1);
  Users& users = users_[mapping.piece];
  if (users.known && users.base == mapping.base) return users;
  const auto named = [&](const NamedStorage& storage, std::uint64_t begin, std::uint64_t end) {
    return by_list_.of(mapping.device, storage.lists_of(begin, end));
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
