#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analysis/findings/claims.h"
#include "analysis/findings/findings.h"
#include "analysis/findings/keep_data.h"
#include "analysis/findings/loop_place.h"
#include "analysis/findings/loop_presence.h"
#include "analysis/findings/loop_stays.h"
#include "analysis/findings/names.h"
#include "analysis/findings/tallies.h"

namespace ompdm::analysis {
namespace {

/// All of the loop that is needless, put together over its entries and variables.
struct LoopClaim {
  Claim claim;
  KeptData kept;
  std::vector<std::uint32_t> data_of_stay;          ///< numbers in `kept`, beside Claim::stays
  UniqueSites sites;                                ///< of these
  std::map<std::uint32_t, std::uint64_t> bytes_at;  ///< by site
  std::uint64_t sent = 0, sent_enough = 0, returned = 0, returned_enough = 0;
  std::uint64_t backed_bytes = 0;
  std::uint64_t compared = 0;  ///< transfers of a later pass with what was there
  facts::SameContents same;    ///< found by that
  std::uint64_t examined = 0;  ///< needless transfers whose content was compared
  std::uint64_t unread = 0;    ///< returns that are needless unless the host read them
  std::map<std::uint32_t, Comparisons> equal;  ///< by number of the data
  std::uint64_t pieces = 0;                    ///< whose first send of an entry has none before it
  bool with_others = false;                    ///< other directives map the same in between
  std::set<std::pair<std::uint32_t, std::uint32_t>> counted_on;  ///< site, number of the data
  bool others_are_made = false;  ///< what the loop makes anew is not among this data
  /// By number of the data: the pieces of it that each entry has.
  std::map<std::uint32_t, std::map<std::uint32_t, std::set<std::uint32_t>>> pieces_in;
  std::set<std::uint32_t> rare;  ///< numbers of the data of which a piece is in few passes only
};

void add_sites(const Evidence& evidence, std::uint32_t number, LoopClaim& loop) {
  const Trace& trace = evidence.trace;
  const Mapping& mapping = evidence.mappings.rows()[number];
  for (const Index<DataOp> op : {mapping.alloc, mapping.remove}) {
    const Index<Site> site = trace.ops.common(op.value).site;
    if (site) loop.sites.add(site);
  }
}

void add_stay(const Evidence& evidence, const LoopStay& stay, LoopClaim& loop) {
  const Trace& trace = evidence.trace;
  const auto& [entry, alias, strays, group, surplus, others] = stay;
  const std::uint32_t data = loop.kept.add(trace, evidence.mappings, group.front(),
                                           surplus.sent > 0, surplus.returned > 0, others);
  loop.kept.add_alias(alias, data, strays);
  loop.pieces_in[data][entry].insert(evidence.mappings.rows()[group.front()].piece);
  if (2 * group.size() + 1 < evidence.enclosing.entries()[entry].passes) loop.rare.insert(data);
  loop.claim.stays.push_back(stay_of(evidence, group));
  loop.data_of_stay.push_back(data);
  loop.with_others = loop.with_others || others.any;
  for (const std::uint32_t number : others.mappings) {
    loop.kept.add_directives(evidence, number, data);
  }
  for (const std::uint32_t number : group) {
    add_sites(evidence, number, loop);
    loop.kept.add_directives(evidence, number, data);
    for (const std::uint32_t op : evidence.mappings.transfers(number)) {
      const std::uint32_t site = trace.ops.common(op).site.value;
      const bool is_new = loop.counted_on.emplace(site, data).second;
      if (is_new) loop.claim.needed.push_back(op);
    }
  }
  for (const std::uint32_t i : surplus.ops) {
    const DataOp& op = trace.ops[i];
    if (is_transfer(op.kind)) {
      ++loop.claim.finding.count;
      loop.bytes_at[op.site.value] += op.bytes;
    }
  }
  loop.backed_bytes += surplus.backed_bytes;
  loop.unread += surplus.unread;
  if (surplus.sent > 0) ++loop.pieces;
  loop.claim.host_lags = loop.unread > 0;
  loop.compared += surplus.compared;
  loop.same.equal += surplus.equal;
  loop.same.in_full += surplus.equal_in_full;
  if (surplus.equal > 0) loop.equal[data].add(surplus.equal, surplus.last_in_full);
  loop.examined += surplus.examined;
  loop.sent += surplus.sent;
  loop.sent_enough += surplus.sent_enough;
  loop.returned += surplus.returned;
  loop.returned_enough += surplus.returned_enough;
  loop.claim.ops.insert(loop.claim.ops.end(), surplus.ops.begin(), surplus.ops.end());
  loop.claim.rests.insert(loop.claim.rests.end(), surplus.rests.begin(), surplus.rests.end());
}

facts::PerIterationMapping facts_of(const Trace& trace, const Loop& row, const LoopClaim& loop) {
  const std::set<std::int32_t>& devices = loop.kept.data.devices();
  return {.names = loop.kept.data.names(),
          .devices = {devices.begin(), devices.end()},
          .loop = place_of_loop(trace, row),
          .passes = row.passes,
          .passes_at_least = row.at_least,
          .entries = row.entries,
          .entries_at_least = row.entries_at_least,
          .sent = loop.sent,
          .sent_enough = loop.sent_enough,
          .returned = loop.returned,
          .returned_enough = loop.returned_enough,
          .enough_at_most = loop.compared > 0 && loop.compared + loop.pieces < loop.sent,
          .compared = loop.compared,
          .same = loop.same,
          .may_be_read = loop.unread > 0};
}

/// Whether each pass takes another piece of some data, and comes back to none of them soon.
bool takes_turns(const LoopClaim& loop) {
  return std::ranges::any_of(loop.rare, [&](std::uint32_t data) {
    return std::ranges::any_of(loop.pieces_in.at(data),
                               [](const auto& entry) { return entry.second.size() > 1; });
  });
}

/// Of ten contents nine.
constexpr std::uint64_t kMostly = 10;

/// Where the data would be kept: around the loop, or an outer one that is the same to the run.
Anchor place_around(const Evidence& evidence, const Loop& row, const LoopClaim& loop) {
  const Trace& trace = evidence.trace;
  Anchor around = loop_anchor(trace, row, loop.sites.all());
  for (const Index<CodeLoop> outer : loops_around(trace, evidence.loops, row)) {
    const SourcePlace place = source_place(trace.loops[outer.value]);
    const bool makes_anew = trace.loops[outer.value].makes_memory == MakesMemory::kItself;
    if (makes_anew || !loop.kept.data.declared_in(place).empty()) break;
    around.places.front() = place;
  }
  around.all_entries = row.entries_at_least && around.of == Anchor::Of::kLoop &&
                       around.places.front() == source_place(trace, row) && takes_turns(loop);
  return around;
}

/// Names of what may be made anew within. Where nothing makes memory, pointers that are set anew
/// are copies of others.
std::vector<std::string> made_within(const Evidence& evidence, const Loop& row,
                                     const Anchor& around, const LoopClaim& loop) {
  if (makes_memory(evidence.trace, row) == MakesMemory::kNo) return {};
  const SourcePlace& place = around.places.front();
  return loop.kept.data.made_within(
      place.line > 0 ? place : body_place(evidence.trace, evidence.directives, row));
}

/// None where too little speaks for it.
std::optional<Claim> finished(const Evidence& evidence, const Loop& row, LoopClaim& loop) {
  const Trace& trace = evidence.trace;
  const Anchor around = place_around(evidence, row, loop);
  const MakesMemory makes = makes_memory(trace, row);
  const std::vector<std::string> made = made_within(evidence, row, around, loop);
  // Of a loop of three passes there are two contents that may be what was there before.
  constexpr std::uint64_t kFewest = 3;
  const std::uint64_t fewest = std::clamp<std::uint64_t>(loop.sent, 2, kFewest + 1) - 1;
  if (!made.empty() && loop.same.equal < fewest) return std::nullopt;
  loop.kept.settle(trace);
  for (std::size_t i = 0; i < loop.claim.stays.size(); ++i) {
    loop.kept.add_idle(
        evidence.idle_directives.edits_on(loop.claim.stays[i], loop.data_of_stay[i]));
  }
  const auto heaviest =
      std::ranges::max_element(loop.bytes_at, {}, [](const auto& site) { return site.second; });
  const Index<Site> site{heaviest->first};
  Claim claim = std::move(loop.claim);
  place(claim, "per_iteration_mapping", trace, site);
  sum_up(claim, trace);
  Finding& finding = claim.finding;
  finding.variable = clause_list(loop.kept.data.names());
  finding.examined = loop.examined;
  finding.of = finding.count;
  finding.confidence = Confidence::kLikely;
  // What came back weighs no more than what went over again as it had come.
  const bool is_backed = 2 * loop.backed_bytes >= finding.wasted_bytes;
  const bool is_shown = loop.same.equal >= std::min(loop.sent - loop.sent_enough, kEnoughSamples);
  if (!evidence.contents.known()) {
    claim.add_caveat(Caveat::Kind::kNotCompared);
  } else if (!is_shown) {
    claim.add_caveat(Caveat::Kind::kFewCompared);
  } else if (!is_backed) {
    claim.add_caveat(Caveat::Kind::kHalfUnbacked);
  }
  const bool are_backed =
      std::ranges::all_of(loop.equal, [](const auto& one) { return one.second.are_backed(); });
  if (!are_backed) claim.add_caveat(Caveat::Kind::kBlocksCompared);
  if (loop.with_others) claim.add_caveat(Caveat::Kind::kOthersMap);
  if (!loop.kept.straying.empty()) {
    claim.add_caveat(Caveat::Kind::kNamesStray, loop.kept.data.names(loop.kept.straying));
  }
  constexpr std::uint64_t kOften = 4;
  if (kOften * (loop.compared - loop.same.equal) > loop.compared) {
    claim.add_caveat(Caveat::Kind::kHostChanges);
  }
  // Where it was entered anew, and had other data, contents differ.
  if (row.entries_at_least && kMostly * loop.same.equal < (kMostly - 1) * loop.compared) {
    claim.add_caveat(Caveat::Kind::kOtherEntries);
  }
  if (!made.empty()) {
    claim.add_caveat(Caveat::Kind::kMadeAnew, made);
  } else if (makes == MakesMemory::kItself && !loop.others_are_made) {
    claim.add_caveat(Caveat::Kind::kMakesMemory);
  }
  const SourcePlace& place = around.places.front();
  const std::vector<std::string> declared = loop.kept.data.declared_in(place);
  facts::PerIterationMapping facts = facts_of(trace, row, loop);
  if (around.unplaced && around.unplaced->recurses) facts.loop.is_calls = true;
  finding.facts = std::move(facts);
  finding.data = loop.kept.data.rows();
  for (const std::uint32_t one : loop.kept.straying) finding.data[one].strays = true;
  for (const auto& [one, entries] : loop.pieces_in) {
    finding.data[one].in_turn =
        std::ranges::all_of(entries, [](const auto& entry) { return entry.second.size() == 1; });
  }
  finding.edits = loop.kept.edits(trace, around);
  finding.unless = {Unless::kHostUses, Unless::kMadeAnew};
  if (loop.kept.returns_what_is_made()) finding.unless.push_back(Unless::kNoPass);
  if (loop.same.equal > 0 && loop.same.equal == loop.compared &&
      loop.same.equal == loop.same.in_full && !loop.with_others) {
    finding.remarks = {{Remark::Kind::kWentAsItHadBeen}};
  }
  if (!declared.empty()) tell_to_make_once(declared, place, finding);
  loop.kept.withdraw_edits(finding);
  return claim;
}

using Stays = std::vector<const LoopStay*>;

LoopClaim claim_of(const Evidence& evidence, const Stays& stays) {
  LoopClaim loop;
  for (const LoopStay* stay : stays) add_stay(evidence, *stay, loop);
  return loop;
}

/// What is kept with certainty, and what may be other memory in each pass: a claim of its own,
/// which makes the other no less certain. All in one where members of objects go together.
std::vector<LoopClaim> by_doubt(const Evidence& evidence, const Loop& row, const Stays& all) {
  LoopClaim whole = claim_of(evidence, all);
  const std::vector<EditData> data = whole.kept.data.rows();
  const bool any_member =
      std::ranges::any_of(data, [](const EditData& one) { return !one.objects.empty(); });
  const std::vector<std::string> made =
      made_within(evidence, row, place_around(evidence, row, whole), whole);
  std::set<std::uint32_t> doubtful;  // aliases
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::uint32_t number = whole.data_of_stay[i];
    const bool is_made = std::ranges::find(made, base_of(data[number].expression)) != made.end();
    if (is_made || whole.kept.straying.contains(number)) doubtful.insert(all[i]->alias);
  }
  Stays sure;
  Stays others;
  for (const LoopStay* stay : all) {
    (doubtful.contains(stay->alias) ? others : sure).push_back(stay);
  }
  std::vector<LoopClaim> claims;
  if (any_member || sure.empty() || others.empty()) {
    claims.push_back(std::move(whole));
    return claims;
  }
  claims.push_back(claim_of(evidence, sure));
  claims.back().others_are_made = !made.empty();
  claims.push_back(claim_of(evidence, others));
  return claims;
}

}  // namespace

std::vector<Claim> per_iteration_mapping(const Evidence& evidence) {
  const std::vector<LoopStay> stays = loop_stays(evidence);
  std::map<std::size_t, Stays> loops;
  for (const LoopStay& stay : stays) {
    loops[evidence.enclosing.entries()[stay.entry].loop].push_back(&stay);
  }
  std::vector<Claim> claims;
  for (const auto& [number, all] : loops) {
    const Loop& row = evidence.loops.rows[number];
    for (LoopClaim& loop : by_doubt(evidence, row, all)) {
      std::optional<Claim> claim = finished(evidence, row, loop);
      if (claim) claims.push_back(std::move(*claim));
    }
  }
  return claims;
}

}  // namespace ompdm::analysis
