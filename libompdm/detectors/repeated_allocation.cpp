#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/function_names.h"
#include "analysis/map_types.h"
#include "detectors/edits.h"
#include "detectors/findings.h"
#include "detectors/loops.h"
#include "detectors/names.h"
#include "detectors/tallies.h"

namespace ompdm::analysis {
namespace {

/// Twice may be a warm-up and the run itself, or two phases of a program.
constexpr std::size_t kLeastAllocations = 3;

bool is_candidate(const Evidence& evidence, const Claimed& claimed, const Mapping& mapping) {
  const DataOp& alloc = evidence.trace.ops[mapping.alloc.value];
  return mapping.host != 0 && mapping.bytes > kRidesAlong && (alloc.map_type & kMapPrivate) == 0 &&
         !claimed[mapping.alloc.value] && !(mapping.remove && claimed[mapping.remove.value]);
}

/// What crosses at a directive each time, as it has it; the instances of a template have one.
struct Crossing {
  Index<Site> site;
  UniqueTexts names;
};
using Crossings = std::map<std::pair<std::string, int>, Crossing>;  // by file and line

struct AllocationGroup {
  Claim claim;
  std::uint64_t allocations = 0;
  std::uint64_t pieces = 0;
  KeptData kept;
  Crossings sent;
  Crossings returned;
  UniqueSites allocating;
  std::set<std::size_t> loops;  ///< that this is in, by row
  bool made_in_loops = false;   ///< one that an allocation is in makes memory of the host's, too
  std::set<std::string> calls;  ///< functions whose directives allocated one piece more than once
};

/// The loop that all of this is in; else the one that it begins in.
void add_loop(const Evidence& evidence, std::uint32_t alloc, Nanoseconds end,
              AllocationGroup& group) {
  const Asker asked = asker_of(evidence.trace, alloc);
  std::uint32_t entry = evidence.enclosing.innermost(asked.thread, asked.time, end);
  if (entry == EnclosingEntry::kNoEntry) {
    entry =
        evidence.enclosing.innermost(asked.thread, asked.time, evidence.trace.ops.end_of(alloc));
  }
  if (entry == EnclosingEntry::kNoEntry) return;
  group.loops.insert(evidence.enclosing.entries()[entry].loop);
}

/// Whether a loop around one mapping, which may be within those that hold all, makes memory,
/// or functions that it calls: what it maps may be that.
bool is_made_around(const Evidence& evidence, const Mapping& mapping) {
  const Asker asked = asker_of(evidence.trace, mapping.alloc.value);
  const std::vector<EnclosingEntry>& entries = evidence.enclosing.entries();
  std::uint32_t at = evidence.enclosing.innermost(asked.thread, asked.time,
                                                  evidence.trace.ops.end_of(mapping.alloc.value));
  for (; at != EnclosingEntry::kNoEntry; at = entries[at].parent) {
    const Loop& loop = evidence.loops.rows[entries[at].loop];
    const MakesMemory makes = makes_memory(evidence.trace, loop);
    if (makes == MakesMemory::kItself || makes == MakesMemory::kBelow) return true;
  }
  return false;
}

/// A function's own pointers that it maps anew each time it is called: no loop of its tells.
void add_what_calls_make(const AllocationGroup& group, UniqueTexts& made) {
  std::set<std::string> functions;
  for (const std::string& function : group.calls) functions.insert(template_name(function));
  for (const EditData& data : group.kept.data.rows()) {
    if (data.local_line > 0 && functions.contains(template_name(data.named_at.function))) {
      made.add(base_of(data.expression));
    }
  }
}

/// What the loops that this is in make anew. False if that is all there is to it: a function's own
/// pointers, a few times.
bool add_what_is_made_within(const Evidence& evidence, AllocationGroup& group) {
  UniqueTexts made;
  for (const std::size_t row : group.loops) {
    const MakesMemory makes = makes_memory(evidence.trace, evidence.loops.rows[row]);
    const SourcePlace loop = source_place(evidence.trace, evidence.loops.rows[row]);
    const std::vector<std::string> declared = group.kept.data.declared_in(loop);
    if (!declared.empty()) tell_to_make_once(declared, loop, false, group.claim.finding);
    if (makes == MakesMemory::kNo) continue;
    const SourcePlace body =
        body_place(evidence.trace, evidence.directives, evidence.loops.rows[row]);
    for (const std::string& name : group.kept.data.made_within(body)) made.add(name);
  }
  if (group.loops.empty()) add_what_calls_make(group, made);
  if (made.all().empty()) {
    if (group.made_in_loops) group.claim.add_caveat(Caveat::Kind::kMakesMemory);
    return true;
  }
  group.claim.add_caveat(Caveat::Kind::kMadeAnew, made.all());
  constexpr std::uint64_t kFew = 10;
  return group.claim.finding.count >= kFew || !group.claim.finding.remarks.empty();
}

/// Whether a directive that moves the data in some of its instances found it there in others: what
/// crosses with each instance is no update beside it.
bool is_found_by_movers(const Evidence& evidence, const std::vector<std::uint32_t>& mappings) {
  std::set<std::uint32_t> movers;
  for (const std::uint32_t mapping : mappings) {
    for (const std::uint32_t op : evidence.mappings.transfers(mapping)) {
      const Index<Site> site = evidence.trace.ops.common(op).site;
      if (site && comes_of_mapping(evidence.trace, evidence.trace.ops[op])) {
        movers.insert(site.value);
      }
    }
  }
  return !movers.empty() && std::ranges::any_of(mappings, [&](std::uint32_t mapping) {
    const auto found = evidence.namings.in_life_of(evidence.mappings.rows()[mapping]);
    return std::ranges::any_of(found,
                               [&](Index<Site> site) { return movers.contains(site.value); });
  });
}

/// What a directive calls data: its row, and the item's name.
using NameInDirective = std::pair<std::uint32_t, std::string_view>;

NameInDirective named_in(const Evidence& evidence, const Mapping& mapping) {
  const Index<Site> site = evidence.trace.ops.common(mapping.alloc.value).site;
  return {row_of(evidence.directives, site),
          mapping.item != nullptr ? std::string_view(mapping.item->name) : std::string_view()};
}

/// What directives call data that other claims keep on a device: an update of such a name would
/// bring the host's copy over what is kept.
std::set<NameInDirective> kept_names(const Evidence& evidence, const Claimed& claimed) {
  const std::vector<Mapping>& rows = evidence.mappings.rows();
  std::set<std::uint32_t> pieces;
  for (const Mapping& row : rows) {
    if (claimed[row.alloc.value]) pieces.insert(row.piece);
  }
  std::set<NameInDirective> names;
  for (const Mapping& row : rows) {
    if (pieces.contains(row.piece)) names.insert(named_in(evidence, row));
  }
  return names;
}

/// Takes in the mappings of one piece of storage; false if it cannot be kept on the device, or
/// other claims have some of what crosses: they come first, and what crosses each time is less
/// then.
bool add(const Evidence& evidence, const Claimed& claimed, const std::set<NameInDirective>& kept,
         const std::vector<std::uint32_t>& mappings, AllocationGroup& group) {
  const Trace& trace = evidence.trace;
  const std::vector<Mapping>& rows = evidence.mappings.rows();
  const Mapping& first = rows[mappings.front()];
  const Mapping& last = rows[mappings.back()];
  const Nanoseconds end = last.remove ? trace.ops.end_of(last.remove.value) : trace.process.wall;
  const Nanoseconds begin = trace.ops.begin_of(first.alloc.value);
  // What is deferred is not done when the directive is.
  const bool deferred = std::ranges::any_of(mappings, [&](std::uint32_t number) {
    return std::ranges::any_of(
        std::array{rows[number].alloc, rows[number].remove}, [&](Index<DataOp> op) {
          const Index<Region> region = op ? trace.ops.region_of(op.value) : Index<Region>();
          return region && trace.regions.common(region.value).nowait;
        });
  });
  if (deferred) return false;
  // Parts of it would be found present, and not cross any more.
  if (evidence.presence.others(first, begin, end, mappings.size()).any) return false;
  if (is_found_by_movers(evidence, mappings)) return false;
  const bool is_called_alike = std::ranges::any_of(mappings, [&](std::uint32_t number) {
    return kept.contains(named_in(evidence, rows[number]));
  });
  if (is_called_alike) return false;
  const bool is_claimed = std::ranges::any_of(mappings, [&](std::uint32_t mapping) {
    return std::ranges::any_of(evidence.mappings.transfers(mapping),
                               [&](std::uint32_t op) { return claimed[op]; });
  });
  if (is_claimed) return false;
  ++group.pieces;
  add_loop(evidence, first.alloc.value, end, group);
  group.allocations += mappings.size();
  const std::uint32_t number = group.kept.data.add(trace, first);
  group.kept.by_mapper = group.kept.by_mapper || is_of_mapper(trace, first);
  group.claim.stays.push_back({first.device, first.host, first.bytes, first.storage, begin, end});
  group.kept.add_idle(evidence.idle_directives.edits_on(group.claim.stays.back(), number));
  std::map<std::pair<std::string, int>, Index<Site>> lines;
  for (std::size_t i = 0; i < mappings.size(); ++i) {
    const Mapping& row = rows[mappings[i]];
    group.made_in_loops = group.made_in_loops || is_made_around(evidence, row);
    const Index<Site> site = trace.ops.common(row.alloc.value).site;
    if (site) {
      const Site& by = trace.sites[site.value];
      const auto [known, is_new] = lines.try_emplace({by.file, by.line}, site);
      // The instances of a template are functions of their own.
      if (!is_new) group.calls.insert({by.function, trace.sites[known->second.value].function});
    }
    if (site) group.allocating.add(site);
    group.kept.add_directives(evidence, mappings[i], number);
    if (i > 0) group.claim.ops.push_back(row.alloc.value);
    if (i + 1 < mappings.size() && row.remove) group.claim.ops.push_back(row.remove.value);
    for (const std::uint32_t op : evidence.mappings.transfers(mappings[i])) {
      if (!comes_of_mapping(trace, trace.ops[op])) continue;
      Crossings& crossings =
          trace.ops.common(op).kind == OpKind::kHtoD ? group.sent : group.returned;
      const Index<Site> by = trace.ops.common(op).site;
      Crossing& crossing = crossings[{trace.sites[by.value].file, trace.sites[by.value].line}];
      if (!crossing.site) crossing.site = by;
      crossing.names.add(expression_at(trace, evidence.mappings, op));
    }
  }
  group.claim.finding.count += mappings.size() - 1;
  group.claim.finding.allocated_bytes += (mappings.size() - 1) * first.bytes;
  return true;
}

/// At each directive that moves it, what crosses there.
void add_crossings(const Trace& trace, Anchor::Side side, const char* kind,
                   const AllocationGroup& group, const Crossings& crossings, Finding& finding) {
  for (const auto& [place, crossing] : crossings) {
    const auto& [site, names] = crossing;
    Edit edit;
    edit.directive = Directive::kTargetUpdate;
    edit.anchor = beside(anchor_at(trace, {site}), side);
    edit.when = EditWhen::kEachTime;
    edit.clauses = {{kind, add_items(finding, names.all(), trace.sites[site.value])}};
    edit.devices.assign(group.kept.data.devices().begin(), group.kept.data.devices().end());
    edit.in_scope = edit.devices.size() < 2;
    finding.edits.push_back(std::move(edit));
  }
}

void add_edits(const Trace& trace, const AllocationGroup& group, Finding& finding) {
  const KeptData& kept = group.kept;
  const std::vector<std::uint32_t> all = kept.data.all();
  const std::set<std::uint32_t> numbers(all.begin(), all.end());
  std::vector<Index<Site>> sites = kept.sites.all();
  sites.insert(sites.end(), kept.always.all().begin(), kept.always.all().end());
  sites.insert(sites.end(), kept.deleting.all().begin(), kept.deleting.all().end());
  const Anchor stay = anchor_at(trace, sites, Anchor::Of::kStay);
  finding.data = kept.data.rows();
  kept.insert(finding.edits, Directive::kTargetEnterData, beside(stay, Anchor::Side::kBefore),
              EditWhen::kAlways, {{"alloc", numbers}});
  std::ranges::move(kept.edits_of_directives(trace), std::back_inserter(finding.edits));
  add_crossings(trace, Anchor::Side::kBefore, "to", group, group.sent, finding);
  add_crossings(trace, Anchor::Side::kAfter, "from", group, group.returned, finding);
  kept.insert(finding.edits, Directive::kTargetExitData, beside(stay, Anchor::Side::kAfter),
              EditWhen::kAlways, {{"release", numbers}});
  finding.unless = {Unless::kMadeAnew};
}

}  // namespace

std::vector<Claim> repeated_allocation(const Evidence& evidence, const Claimed& claimed) {
  const Trace& trace = evidence.trace;
  const std::vector<Mapping>& rows = evidence.mappings.rows();
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    if (is_candidate(evidence, claimed, rows[i])) order.push_back(i);
  }
  const auto storage = [&](std::uint32_t i) {
    return std::tuple(rows[i].device, rows[i].host, rows[i].storage, rows[i].bytes);
  };
  std::ranges::sort(order, {}, [&](std::uint32_t i) { return std::pair(storage(i), i); });

  const std::set<NameInDirective> kept = kept_names(evidence, claimed);
  std::map<std::uint32_t, AllocationGroup> groups;  // by directive row
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && storage(order[end]) == storage(order[begin])) ++end;
    if (end - begin < kLeastAllocations) continue;
    const Mapping& first = rows[order[begin]];
    const Index<Site> site = trace.ops.common(first.alloc.value).site;
    const auto [at, is_new] = groups.try_emplace(row_of(evidence.directives, site));
    AllocationGroup& group = at->second;
    if (is_new) place(group.claim, "repeated_allocation", trace, site);
    add(evidence, claimed, kept,
        {order.begin() + static_cast<std::ptrdiff_t>(begin),
         order.begin() + static_cast<std::ptrdiff_t>(end)},
        group);
  }

  std::vector<Claim> claims;
  for (auto& [row, group] : groups) {
    if (group.pieces == 0) continue;
    Finding& finding = group.claim.finding;
    const std::vector<std::string> names = group.kept.data.names();
    finding.variable = clause_list(names);
    finding.examined = finding.of = finding.count;
    finding.confidence = Confidence::kLikely;
    const std::set<std::int32_t>& devices = group.kept.data.devices();
    finding.facts = facts::RepeatedAllocation{.names = names,
                                              .devices = {devices.begin(), devices.end()},
                                              .by = source_places(trace, group.allocating.all()),
                                              .allocations = group.allocations,
                                              .pieces = group.pieces};
    add_edits(trace, group, finding);
    if (!add_what_is_made_within(evidence, group)) continue;
    group.kept.withdraw_edits(finding);
    sum_up(group.claim, trace);
    claims.push_back(std::move(group.claim));
  }
  return claims;
}

}  // namespace ompdm::analysis
