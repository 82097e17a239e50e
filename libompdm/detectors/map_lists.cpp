// Detectors of long map lists, and of sections with gaps.
#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <string_view>
#include <system_error>

#include "detectors/findings.h"
#include "model/map_types.h"

namespace ompdm::analysis {

namespace {

/// A component costs the host about a microsecond, and more in longer lists. This many components
/// take longer than some ten transfers.
constexpr std::uint64_t kManyComponents = 256;
/// In the time that the host needs for one component, several times this many bytes could be
/// transferred.
constexpr std::uint64_t kFewBytes = 256;
/// Components worth reporting over all executions of a directive. For a single execution, which has
/// to transfer the data, kLeastAtOnce holds.
constexpr std::uint64_t kLeastInAll = 4096;
constexpr std::uint64_t kLeastAtOnce = 16384;

/// One execution of a directive.
struct Walk {
  std::uint64_t components = 0;
  std::vector<std::uint32_t> transfers;  ///< of the components
  std::uint64_t bytes = 0;               ///< of all its transfers
  std::uint64_t allocations = 0;
  Nanoseconds busy = 0;  ///< in operations and kernels
  bool timed = true;
  bool at_least = false;  ///< its map list was not recorded in full
};

/// All executions of one directive.
struct Walks {
  std::uint64_t instances = 0;
  Walk sum;
  facts::MapperWalk facts;
  Index<Site> site;
  UniqueTexts names;
};

std::uint64_t components_of(const Trace& trace, std::size_t region) {
  return items_of(trace, trace.regions.common(region)).size() +
         trace.regions.rare(region).components;
}

/// Whether an operation is of an item without a mapper, in a list that also has items with mappers.
bool is_of_another(const Evidence& evidence, const DataOp& op) {
  if (evidence.trace.regions.rare(op.region.value).components == 0) return false;
  const std::uint64_t host = op.kind == OpKind::kDtoH ? op.dst : op.src;
  const MapItem* item = evidence.mappings.item_of(op.region, host, op.bytes, false);
  return item != nullptr && !item->by_mapper;
}

/// The executions with many components, by region.
std::map<std::uint32_t, Walk> long_walks(const Evidence& evidence) {
  const Trace& trace = evidence.trace;
  std::map<std::uint32_t, Walk> walks;
  for (std::uint32_t i = 0; i < trace.regions.size(); ++i) {
    const std::uint64_t components = components_of(trace, i);
    if (components < kManyComponents) continue;
    walks[i].components = components;
    walks[i].at_least = items_of(trace, trace.regions.common(i)).size() >= kMostMapItems;
  }
  if (walks.empty()) return walks;
  const auto walk_of = [&](Index<Region> region) {
    const auto at = region ? walks.find(region.value) : walks.end();
    return at == walks.end() ? nullptr : &at->second;
  };
  for (std::uint32_t i = 0; i < trace.ops.size(); ++i) {
    Walk* walk = walk_of(trace.ops.region_of(i));
    if (walk == nullptr) continue;
    const DataOp& op = trace.ops[i];
    walk->busy += op.end - op.begin;
    walk->timed = walk->timed && op.clock != Clock::kEnqueue;
    if (op.kind == OpKind::kAlloc) ++walk->allocations;
    if (op.internal || !is_transfer(op.kind)) continue;
    walk->bytes += op.bytes;
    if (!is_of_another(evidence, op)) walk->transfers.push_back(i);
  }
  for (const Launch& launch : trace.launches) {
    Walk* walk = walk_of(launch.region);
    if (walk == nullptr) continue;
    walk->busy += launch.end - launch.begin;
    walk->timed = walk->timed && launch.clock != Clock::kEnqueue;
  }
  return walks;
}

void append(const Trace& trace, std::uint32_t at, const Walk& walk, Walks& walks) {
  const Region& region = trace.regions[at];
  ++walks.instances;
  walks.facts.most = std::max(walks.facts.most, walk.components);
  walks.sum.components += walk.components;
  walks.sum.transfers.insert(walks.sum.transfers.end(), walk.transfers.begin(),
                             walk.transfers.end());
  walks.sum.bytes += walk.bytes;
  walks.sum.allocations += walk.allocations;
  walks.sum.busy += walk.busy;
  walks.sum.timed = walks.sum.timed && walk.timed;
  walks.sum.at_least = walks.sum.at_least || walk.at_least;
  walks.facts.wall += region.end - region.begin - region.hashing;
  walks.site = region.site;
  for (const MapItem& item : items_of(trace, region)) {
    if (item.by_mapper) walks.names.add(item.name);
  }
}

}  // namespace

/// Directives that walked hundreds of components of a mapping, and moved few bytes for each. The
/// components are those of a `declare mapper`, or of long clauses. The runtime looks up each of
/// them on the host while the device waits. Leaves out directives with fewer components than
/// kLeastInAll, or than kLeastAtOnce in a single execution. Takes the transfers that `removed` does
/// not have.
std::vector<Candidate> mapper_walk(const Evidence& evidence, const Removed& removed) {
  const Trace& trace = evidence.trace;
  std::map<std::uint32_t, Walks> rows;  // by directive row
  for (const auto& [region, walk] : long_walks(evidence)) {
    if (walk.bytes > kFewBytes * walk.components) continue;
    const Index<Site> site = trace.regions.common(region).site;
    append(trace, region, walk, rows[row_of(evidence.directives, site)]);
  }
  std::vector<Candidate> candidates;
  for (auto& [row, walks] : rows) {
    if (walks.sum.components < (walks.instances > 1 ? kLeastInAll : kLeastAtOnce)) continue;
    Candidate candidate;
    place(candidate, "mapper_walk", trace, walks.site);
    Finding& finding = candidate.finding;
    describe(candidate, walks.sum.components, Confidence::kCertain, walks.names.all());
    finding.examined = finding.of = walks.instances;
    finding.timed = walks.sum.timed;
    finding.wasted_time =
        walks.sum.timed ? std::max(Nanoseconds{0}, walks.facts.wall - walks.sum.busy) : 0;
    // If the data is absent, each piece that is pointed to is allocated.
    constexpr std::uint64_t kOneOf = 16;
    facts::MapperWalk& facts = walks.facts;
    facts.bytes = walks.sum.bytes;
    facts.transfers = walks.sum.transfers.size();
    facts.names = walks.names.all();
    facts.was_there = kOneOf * walks.sum.allocations < walks.sum.components;
    facts.at_least = walks.sum.at_least;
    if (walks.site) {
      facts.place = source_place(trace.sites[walks.site.value]);
      facts.directive = trace.sites[walks.site.value].directive;
    }
    finding.facts = std::move(facts);
    std::ranges::copy_if(walks.sum.transfers, std::back_inserter(candidate.ops),
                         [&](std::uint32_t op) { return !removed[op]; });
    candidate.spares_none = true;
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

namespace {

/// The step of "a[0:n:2]", a section of one dimension, if it is written as a number; else 1.
std::uint64_t step_of(std::string_view name) {
  const bool is_one_dimension = std::ranges::count(name, '[') == 1 && name.ends_with(']') &&
                                std::ranges::count(name, ':') == 2 &&
                                name.find('?') == std::string_view::npos;
  if (!is_one_dimension) return 1;
  const char* begin = name.data() + name.rfind(':') + 1;
  const char* end = name.data() + name.size() - 1;
  std::uint64_t step = 1;
  const auto [stop, error] = std::from_chars(begin, end, step);
  return error == std::errc() && stop == end ? step : 1;
}

enum class Gaps : std::uint8_t {
  kNone,
  kTold,    ///< the runtime gets a section with gaps
  kByStep,  ///< only the name has gaps: the compiler passed a section without
};

Gaps gaps_of(const MapItem& item) {
  if ((item.type & kMapNonContiguous) != 0) return Gaps::kTold;
  return step_of(item.name) > 1 ? Gaps::kByStep : Gaps::kNone;
}

/// Whether all extents are written as numbers, so that the section is not empty.
bool is_fixed(std::string_view name) {
  const std::size_t open = name.find('[');
  return open != std::string_view::npos &&
         name.find_first_not_of("0123456789:[]", open) == std::string_view::npos;
}

/// The sections with gaps by which a directive names one variable.
struct Named {
  Gaps gaps = Gaps::kNone;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;  ///< 0: not known, but not empty
  std::uint64_t step = 1;   ///< as far as the name tells
  std::vector<std::string> names;
  /// Several sections whose transfers cannot be told apart, or one that may be empty
  bool is_unclear = false;
};
using NamedByVariable = std::map<std::uint32_t, Named>;

/// By variable; empty for most lists.
NamedByVariable named_in(const std::vector<MapItem>& items) {
  NamedByVariable named;
  const auto has_none = [](const MapItem& item) { return gaps_of(item) == Gaps::kNone; };
  if (std::ranges::all_of(items, has_none)) return named;
  for (const MapItem& item : items) {
    if (!item.variable || (item.type & (kMapTo | kMapFrom)) == 0) continue;
    const Gaps gaps = gaps_of(item);
    const auto [at, is_new] = named.try_emplace(item.variable.value);
    Named& of = at->second;
    if (is_new) {
      of.gaps = gaps;
      of.begin = item.begin;
      of.step = step_of(item.name);
    }
    const bool is_other = !is_new && (gaps != of.gaps || gaps != Gaps::kTold);
    of.is_unclear = of.is_unclear || is_other || (item.bytes == 0 && !is_fixed(item.name));
    of.bytes += item.bytes;
    add_once(of.names, item.name);
  }
  std::erase_if(
      named, [](const auto& of) { return of.second.gaps == Gaps::kNone || of.second.is_unclear; });
  return named;
}

/// The transfers of one variable by one execution of a directive.
struct Moved {
  std::uint64_t bytes = 0;
  std::uint64_t transfers = 0;
  bool from_begin = true;    ///< each began where the section does
  std::uint64_t held = 0;    ///< bytes of the storage on the device
  std::uint64_t behind = 0;  ///< of these, the bytes from the section's begin on
};

/// Whether the runtime left out some of the section. A section that extends beyond the storage on
/// the device is the program's own mistake: its length counts elements, no extent. (The size of an
/// element is not known: part of the last step may lie beyond.)
bool is_partial(const Named& named, const Moved& moved) {
  if (named.gaps == Gaps::kByStep) {
    const bool is_there = named.bytes <= moved.behind / named.step;
    return moved.transfers == 1 && moved.from_begin && moved.bytes == named.bytes && is_there;
  }
  return moved.bytes == 0 || (moved.bytes < named.bytes && named.bytes <= moved.held);
}

/// Whether the device has the storage: only then does an update move anything.
bool is_there(const Evidence& evidence, const Region& region, const Named& named) {
  Mapping piece;
  piece.device = region.device;
  piece.host = named.begin;
  piece.bytes = std::max<std::uint64_t>(named.bytes, 1);
  return evidence.presence.others(piece, region.begin, region.begin, 0).any;
}

/// The section that a transfer belongs to, which lies in the same storage. (A map list has the
/// variables of its first region; another region may call its storage otherwise.) End: none.
NamedByVariable::const_iterator section_of(const Evidence& evidence, const NamedByVariable& named,
                                           std::uint32_t op) {
  const std::uint32_t mapping = evidence.mappings.of(op);
  if (mapping == Index<Mapping>::kNone) {
    return named.find(evidence.trace.ops.common(op).variable.value);
  }
  const Mapping& storage = evidence.mapping(mapping);
  return std::ranges::find_if(named, [&](const auto& section) {
    return section.second.begin - storage.host < std::max<std::uint64_t>(storage.bytes, 1);
  });
}

/// The transfers of updates that name sections with gaps, by region and variable.
using AllMoved = std::map<std::pair<std::uint32_t, std::uint32_t>, Moved>;

AllMoved moved_by_updates(const Evidence& evidence, const std::vector<NamedByVariable>& named) {
  const Trace& trace = evidence.trace;
  AllMoved all;
  for (std::uint32_t i = 0; i < trace.regions.size(); ++i) {
    const Region& region = trace.regions.common(i);
    if (region.map_list >= named.size() || region.unfinished) continue;
    if (!is_of(trace, region.site, Directive::kTargetUpdate)) continue;
    for (const auto& [variable, section] : named[region.map_list]) all[{i, variable}];
  }
  for (std::uint32_t i = 0; i < trace.ops.size() && !all.empty(); ++i) {
    const DataOp& common = trace.ops.common(i);
    if (!is_transfer(common.kind)) continue;
    const std::uint32_t region = trace.ops.region_of(i).value;
    const auto first = all.lower_bound({region, 0});
    if (first == all.end() || first->first.first != region) continue;
    const NamedByVariable& sections = named[trace.regions.common(region).map_list];
    const auto section = section_of(evidence, sections, i);
    if (section == sections.end()) continue;
    const std::uint64_t begin = section->second.begin;
    Moved& moved = all.at({region, section->first});
    moved.bytes += common.bytes;
    ++moved.transfers;
    moved.from_begin =
        moved.from_begin && begin == (common.kind == OpKind::kHtoD ? common.src : common.dst);
    const std::uint32_t mapping = evidence.mappings.of(i);
    if (mapping == Index<Mapping>::kNone) continue;
    const Mapping& storage = evidence.mapping(mapping);
    moved.held = storage.bytes;
    // The size of a variable that no clause allocated is not known.
    moved.behind = storage.is_static ? std::numeric_limits<std::uint64_t>::max()
                                     : storage.host + storage.bytes - begin;
  }
  return all;
}

/// Updates of one directive that were partial.
struct Partial {
  std::uint64_t count = 0;
  facts::PartialUpdate facts;
  UniqueTexts names;
  Index<Site> site;
};

void append(Index<Site> site, const Named& named, const Moved& moved, Partial& partial) {
  partial.site = site;
  ++partial.count;
  partial.facts.moved += moved.bytes;
  partial.facts.named += named.bytes;
  partial.facts.in_steps = partial.facts.in_steps || named.gaps == Gaps::kByStep;
  for (const std::string& name : named.names) partial.names.add(name);
}

}  // namespace

/// Updates of sections with gaps that moved less than these name. This is the runtime's fault, and
/// the program's results are wrong. Leaves out absent data, extents that are not known, and
/// sections that extend beyond the storage on the device.
std::vector<Candidate> partial_update(const Evidence& evidence, const Removed& /*removed*/) {
  const Trace& trace = evidence.trace;
  if (has_lost_events(trace)) return {};
  std::vector<NamedByVariable> named;
  for (const std::vector<MapItem>& items : trace.map_lists) named.push_back(named_in(items));
  std::map<std::uint32_t, Partial> rows;  // by directive row
  for (const auto& [key, moved] : moved_by_updates(evidence, named)) {
    const Region& region = trace.regions[key.first];
    const Named& section = named[region.map_list].at(key.second);
    if (!is_partial(section, moved)) continue;
    if (moved.transfers == 0 && !is_there(evidence, region, section)) continue;
    append(region.site, section, moved, rows[row_of(evidence.directives, region.site)]);
  }
  std::vector<Candidate> candidates;
  for (auto& [row, partial] : rows) {
    Candidate candidate;
    place(candidate, "partial_update", trace, partial.site);
    describe(candidate, partial.count, Confidence::kCertain, partial.names.all());
    candidate.finding.examined = candidate.finding.of = evidence.directives.rows[row].count;
    partial.facts.names = partial.names.all();
    partial.facts.place = source_place(trace.sites[partial.site.value]);
    candidate.finding.facts = std::move(partial.facts);
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

}  // namespace ompdm::analysis
