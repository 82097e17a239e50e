#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "detectors/findings.h"
#include "detectors/names.h"

namespace ompdm::analysis {
namespace {

/// A component costs the host about a microsecond, and more the more there are: this many take
/// longer than some ten transfers.
constexpr std::uint64_t kManyComponents = 256;
/// As many bytes as cross in the time that the host needs for a component are several times these.
constexpr std::uint64_t kFewBytes = 256;
/// That are worth a line, over all instances of a directive; of one alone, which has to bring the
/// data over, more.
constexpr std::uint64_t kLeastInAll = 4096;
constexpr std::uint64_t kLeastAtOnce = 16384;

/// One execution of a directive.
struct Walk {
  std::uint64_t components = 0;
  std::vector<std::uint32_t> transfers;  ///< of what it walked
  std::uint64_t bytes = 0;               ///< that these moved
  std::uint64_t allocations = 0;
  Nanoseconds busy = 0;  ///< in operations and kernels
  bool timed = true;
  bool at_least = false;  ///< of its list not all is told
};

/// Those of one directive.
struct Walks {
  std::uint64_t instances = 0;
  std::uint64_t most = 0;  ///< components of one
  Walk sum;
  Nanoseconds wall = 0;
  Index<Site> site;
  UniqueTexts names;
};

std::size_t items_of(const Trace& trace, std::size_t region) {
  const std::uint32_t list = trace.regions.common(region).map_list;
  return list < trace.map_lists.size() ? trace.map_lists[list].size() : 0;
}

std::uint64_t components_of(const Trace& trace, std::size_t region) {
  return items_of(trace, region) + trace.regions.rare(region).components;
}

/// Whether an operation is of an item that no mapper made components of, beside others.
bool is_of_another(const Evidence& evidence, const DataOp& op) {
  if (evidence.trace.regions.rare(op.region.value).components == 0) return false;
  const std::uint64_t host = op.kind == OpKind::kDtoH ? op.dst : op.src;
  const MapItem* item = evidence.mappings.items().first(op.region, host, op.bytes);
  return item != nullptr && !item->by_mapper;
}

/// By region, those of many components.
std::map<std::uint32_t, Walk> long_walks(const Evidence& evidence) {
  const Trace& trace = evidence.trace;
  std::map<std::uint32_t, Walk> walks;
  for (std::uint32_t i = 0; i < trace.regions.size(); ++i) {
    const std::uint64_t components = components_of(trace, i);
    if (components < kManyComponents) continue;
    walks[i].components = components;
    walks[i].at_least = items_of(trace, i) >= kMostMapItems;
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
  walks.most = std::max(walks.most, walk.components);
  walks.sum.components += walk.components;
  walks.sum.transfers.insert(walks.sum.transfers.end(), walk.transfers.begin(),
                             walk.transfers.end());
  walks.sum.bytes += walk.bytes;
  walks.sum.allocations += walk.allocations;
  walks.sum.busy += walk.busy;
  walks.sum.timed = walks.sum.timed && walk.timed;
  walks.sum.at_least = walks.sum.at_least || walk.at_least;
  walks.wall += region.end - region.begin - region.hashing;
  walks.site = region.site;
  if (region.map_list >= trace.map_lists.size()) return;
  for (const MapItem& item : trace.map_lists[region.map_list]) {
    if (item.by_mapper) walks.names.add(item.name);
  }
}

facts::MapperWalk facts_of(const Walks& walks, const Site* site) {
  // Of what is not there, each piece that is pointed to is allocated.
  constexpr std::uint64_t kOneOf = 16;
  facts::MapperWalk facts{.most = walks.most,
                          .bytes = walks.sum.bytes,
                          .transfers = walks.sum.transfers.size(),
                          .wall = walks.wall,
                          .names = walks.names.all(),
                          .was_there = kOneOf * walks.sum.allocations < walks.sum.components,
                          .at_least = walks.sum.at_least};
  if (site == nullptr) return facts;
  facts.place = source_place(*site);
  facts.directive = site->directive;
  return facts;
}

}  // namespace

std::vector<Claim> mapper_walk(const Evidence& evidence, const Claimed& claimed) {
  const Trace& trace = evidence.trace;
  std::map<std::uint32_t, Walks> rows;  // by directive row
  for (const auto& [region, walk] : long_walks(evidence)) {
    if (walk.bytes > kFewBytes * walk.components) continue;
    const Index<Site> site = trace.regions.common(region).site;
    append(trace, region, walk, rows[row_of(evidence.directives, site)]);
  }
  std::vector<Claim> claims;
  for (const auto& [row, walks] : rows) {
    if (walks.sum.components < (walks.instances > 1 ? kLeastInAll : kLeastAtOnce)) continue;
    Claim claim;
    place(claim, "mapper_walk", trace, walks.site);
    Finding& finding = claim.finding;
    finding.variable = clause_list(walks.names.all());
    finding.count = walks.sum.components;
    finding.timed = walks.sum.timed;
    finding.wasted_time =
        walks.sum.timed ? std::max(Nanoseconds{0}, walks.wall - walks.sum.busy) : 0;
    finding.examined = finding.of = walks.instances;
    finding.confidence = Confidence::kCertain;
    finding.facts = facts_of(walks, walks.site ? &trace.sites[walks.site.value] : nullptr);
    std::ranges::copy_if(walks.sum.transfers, std::back_inserter(claim.ops),
                         [&](std::uint32_t op) { return !claimed[op]; });
    claim.spares_none = true;
    claims.push_back(std::move(claim));
  }
  return claims;
}

}  // namespace ompdm::analysis
