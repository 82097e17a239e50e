#include "detectors/accesses.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <tuple>

#include "analysis/order.h"
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

/// Up to this number of lists, separate queries are faster than a merged list.
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

LaunchesByList::Lists NamedStorage::lists_of(std::uint64_t begin, std::uint64_t end) const {
  LaunchesByList::Lists lists;
  names_.each(begin, end, [&](std::uint32_t name) { lists.push_back(lists_[name]); });
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
    // A deferred task may begin after the data that it names was deleted.
    const Nanoseconds asked = trace_.regions[i].asked();
    by_list_[{region.device, region.map_list}].push_back({asked, region.site});
  }
  for (auto& [list, namings] : by_list_) std::ranges::sort(namings);
  for (std::uint32_t list = 0; list < trace_.map_lists.size(); ++list) {
    for (const MapItem& item : trace_.map_lists[list]) {
      if (item.begin == 0 || (item.type & (kMapLiteral | kMapPrivate)) != 0) continue;
      // A pointer that no clause of the directive maps has a section without length.
      const std::uint64_t bytes = std::max<std::uint64_t>(item.bytes, 1);
      names_.add(item.begin, item.begin + bytes, list);
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
    for (auto at = std::ranges::upper_bound(all, mapping.begin, {}, &Naming::first);
         at != all.end() && at->first < to; ++at) {
      if (sites.empty() || sites.back() != at->second) sites.push_back(at->second);
    }
  }
  return sites;
}

namespace {

constexpr Nanoseconds kForEver = std::numeric_limits<Nanoseconds>::max();

/// The end of a kernel. If only its submission was timed, this is the end of its region, or with
/// `for_thread` of the submission, since the thread waited.
Nanoseconds end_of(const Trace& trace, const Launch& launch, bool for_thread) {
  if (launch.unfinished) return kForEver;
  if (launch.clock != Clock::kEnqueue) return launch.end;
  if (!launch.region || trace.regions.common(launch.region.value).nowait) return kForEver;
  return for_thread ? launch.end : std::max(trace.regions.end_of(launch.region.value), launch.end);
}

/// The earliest time at which a kernel may run: when the program reached its directive. If a task
/// runs the kernel, the begin of the task is not known to the program.
Nanoseconds begin_of(const Trace& trace, const Launch& launch) {
  return launch.region ? std::min(trace.regions[launch.region.value].asked(), launch.begin)
                       : launch.begin;
}

/// Whether an item is sent and not copied back, so that only the kernel's copy of it has a use.
bool is_copied_in(const MapItem& item) { return (item.type & (kMapTo | kMapFrom)) == kMapTo; }

/// The map lists that give a kernel a table of pointers, or pointers that a lambda captured.
std::vector<std::uint32_t> lists_with_tables(const Trace& trace) {
  constexpr std::uint64_t kCaptured = kMapLiteral | kMapPointerAndObject;
  Spans<std::uint64_t> memory;  // of the API, which no clause maps
  for (std::uint32_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp& op = trace.ops.common(i);
    const bool is_of_api = op.kind == OpKind::kAlloc && op.src == 0;
    if (is_of_api) memory.add(op.dst, op.dst + std::max<std::uint64_t>(op.bytes, 1));
  }
  const auto is_table = [&](const MapItem& item) {
    if ((item.type & kCaptured) == kCaptured) return true;
    if (item.hands_table)
      return (item.type & kMapLiteral) != 0 || memory.overlap(item.begin, item.begin + 1);
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

/// What the sources of all regions that have a map list do with its items.
class ItemUses {
 public:
  explicit ItemUses(const Trace& trace) : trace_(trace) {
    if (trace.source_facts.empty()) return;
    for (const SourceFact& fact : trace.source_facts) {
      facts_[{fact.file, fact.line, fact.name}] = fact.use;
    }
    sites_.resize(trace.map_lists.size());
    for (std::size_t i = 0; i < trace.launches.size(); ++i) {
      const Index<Region> at = trace.launches[i].region;
      if (!at) continue;
      const Region& region = trace.regions.common(at.value);
      if (region.map_list < sites_.size()) sites_[region.map_list].insert(region.site);
    }
  }

  /// The strongest use among the regions that have the list; kUnknown if the source of one is
  /// unknown.
  [[nodiscard]] SourceUse of(std::uint32_t list, const MapItem& item) const {
    if (sites_.empty() || sites_[list].empty()) return SourceUse::kUnknown;
    SourceUse most = SourceUse::kNone;
    for (const Index<Site> at : sites_[list]) {
      const SourceUse use = of(at, base_of(item.name));
      if (use == SourceUse::kUnknown) return use;
      most = std::max(most, use);
    }
    return most;
  }

 private:
  [[nodiscard]] SourceUse of(Index<Site> at, const std::string& name) const {
    if (!at || name.empty()) return SourceUse::kUnknown;
    const Site& site = trace_.sites[at.value];
    const auto fact = facts_.find({site.file, site.line, name});
    if (fact != facts_.end()) return fact->second;
    // For a pointer that a region only hands on, or compares, the sources list no use.
    const auto first = facts_.lower_bound({site.file, site.line, std::string()});
    const bool are_known = first != facts_.end() && std::get<0>(first->first) == site.file &&
                           std::get<1>(first->first) == site.line;
    return are_known && is_variable_name(name) ? SourceUse::kNone : SourceUse::kUnknown;
  }

  const Trace& trace_;
  std::map<std::tuple<std::string, int, std::string>, SourceUse> facts_;
  std::vector<std::set<Index<Site>>> sites_;  // by list; empty without facts
};

}  // namespace

KernelWrites::KernelWrites(const Trace& trace)
    : global_pointers_(
          std::ranges::any_of(trace.device_variables, &DeviceVariable::holds_pointers)) {
  std::vector<std::pair<Nanoseconds, std::uint32_t>> begins;
  begins.reserve(trace.launches.size());
  for (std::uint32_t i = 0; i < trace.launches.size(); ++i) {
    begins.emplace_back(begin_of(trace, trace.launches[i]), i);
  }
  if (!std::ranges::is_sorted(begins)) std::ranges::sort(begins);
  for (const auto& [begin, i] : begins) {
    const Launch& launch = trace.launches[i];
    const Nanoseconds end = end_of(trace, launch, true);
    running_[launch.device].add(begin, end_of(trace, launch, false));
    writing_[launch.device].add(begin, end);
    const std::uint32_t list =
        launch.region ? trace.regions.common(launch.region.value).map_list : Index<Region>::kNone;
    if (list < trace.map_lists.size()) {
      by_list_.add(launch.device, list, begin, end);
    } else {
      unknown_[launch.device].add(begin, end);
    }
  }
  const std::vector<std::uint32_t> tables = lists_with_tables(trace);
  for (const auto& [device, launches] : writing_) tables_[device] = by_list_.of(device, tables);
  const ItemUses uses(trace);
  for (std::uint32_t list = 0; list < trace.map_lists.size(); ++list) {
    for (const MapItem& item : trace.map_lists[list]) {
      if ((item.type & (kMapLiteral | kMapPrivate)) != 0) continue;
      const SourceUse use = uses.of(list, item);
      if (use == SourceUse::kNone) continue;
      const bool is_read = use == SourceUse::kRead;
      NamedStorage& named = is_read                      ? reads_
                            : use == SourceUse::kWritten ? sure_
                            : is_copied_in(item)         ? copies_
                                                         : writes_;
      named.add(item.begin, end_of(item), list);
      if (item.bytes == 0 && !is_read) pointers_.add(item.begin, end_of(item), list);
    }
  }
  sure_.build();
  writes_.build();
  pointers_.build();
  copies_.build();
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
    users.sure = named(sure_, mapping.host, end);
    users.writers = named(writes_, mapping.host, end);
    users.copiers = named(copies_, mapping.host, end);
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
  if (!any(writing_, mapping.device, from, to)) return Writer::kNone;
  static const Users kNobody;
  const bool has_host = mapping.host != 0;
  const Users& users = has_host ? users_of(mapping) : kNobody;
  if (ran(users.sure)) return Writer::kWriter;
  if (ran(users.writers) || ran(users.pointers)) return Writer::kNamed;
  // Any kernel may name a global variable.
  if (any(unknown_, mapping.device, from, to) || mapping.is_static) return Writer::kUnnamed;
  if (ran(tables_.at(mapping.device))) return Writer::kByTable;
  if (global_pointers_) return Writer::kByGlobal;
  if (mapping.is_pointee) return Writer::kByPointer;
  if (mapping.handed_out || !has_host) return Writer::kByAddress;
  if (ran(users.copiers)) return Writer::kScratch;
  return ran(users.readers) ? Writer::kReader : Writer::kNone;
}

}  // namespace ompdm::analysis
