#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/map_types.h"
#include "detectors/names.h"
#include "detectors/resend_group.h"

namespace ompdm::analysis {
namespace {

std::uint64_t bytes_of(const Evidence& evidence, const ResendGroup& group) {
  std::uint64_t bytes = 0;
  for (const Tally::Pair& pair : group.content.pairs) {
    bytes += evidence.trace.ops.common(pair.op).bytes;
  }
  return bytes;
}

/// Positions of groups whose data would have to stay through one and the same mapping: one enters
/// it, and one ends its stay, where by itself each would contradict the next. What was there all
/// the time is told where it is.
std::vector<std::vector<std::uint32_t>> chains_of(const Evidence& evidence,
                                                  const std::vector<ResendGroup>& groups) {
  Joined joined(static_cast<std::uint32_t>(groups.size()));
  std::map<std::uint32_t, std::uint32_t> first;  // group by mapping
  for (std::uint32_t i = 0; i < groups.size(); ++i) {
    const std::vector<Tally::Pair>& pairs = groups[i].content.pairs;
    const auto mapping_of = [&](std::uint32_t op) { return evidence.contents.mapping_of(op); };
    const auto is_resident = [&](const Tally::Pair& pair) {
      return mapping_of(pair.earlier) == mapping_of(pair.op);
    };
    if (std::ranges::any_of(pairs, is_resident)) continue;
    for (const Tally::Pair& pair : pairs) {
      for (const std::uint32_t op : {pair.earlier, pair.op}) {
        const auto [at, is_new] = first.try_emplace(mapping_of(op), i);
        if (!is_new) joined.join(i, at->second);
      }
    }
  }
  std::map<std::uint32_t, std::vector<std::uint32_t>> sets;
  for (std::uint32_t i = 0; i < groups.size(); ++i) sets[joined.find(i)].push_back(i);
  std::vector<std::vector<std::uint32_t>> chains;
  for (auto& [leader, members] : sets) chains.push_back(std::move(members));
  std::ranges::sort(chains);
  return chains;
}

/// The groups of a chain as one.
ResendGroup joined_of(const Evidence& evidence, const std::vector<ResendGroup>& groups,
                      const std::vector<std::uint32_t>& chain) {
  ResendGroup all = groups[chain.front()];
  std::map<Resend, std::uint64_t> bytes = {{all.relation, bytes_of(evidence, all)}};
  for (const std::uint32_t i : std::span(chain).subspan(1)) {
    const ResendGroup& group = groups[i];
    all.content.join(group.content);
    all.all.insert(group.all.begin(), group.all.end());
    all.filling.insert(group.filling.begin(), group.filling.end());
    all.others_are_needed = all.others_are_needed || group.others_are_needed;
    all.is_other = all.is_other || group.is_other;
    bytes[group.relation] += bytes_of(evidence, group);
  }
  all.is_mixed = bytes.size() > 1;
  all.relation =
      std::ranges::max_element(bytes, {}, [](const auto& one) { return one.second; })->first;
  return all;
}

Resend relation_of(const Evidence& evidence, std::uint32_t op) {
  const Earlier& before = evidence.contents.before(op);
  if (before.op == kNoOp || !before.kept()) return Resend::kNone;
  if (evidence.trace.ops.common(before.op).kind == OpKind::kHtoD) return Resend::kDuplicate;
  const Earlier& sent = evidence.contents.sent_before(before.op);
  return sent.tells_same() ? Resend::kDuplicate : Resend::kRoundTrip;
}

/// What makes a transfer needless: that its content was sent before. What the device computed and
/// brought back is there without any transfer.
std::uint32_t rests_on(const Evidence& evidence, const Tally::Pair& pair) {
  if (evidence.trace.ops.common(pair.earlier).kind == OpKind::kHtoD) return pair.earlier;
  const Earlier& sent = evidence.contents.sent_before(pair.earlier);
  return sent.tells_same() ? sent.op : kNoOp;
}

using StoragePiece = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>;

StoragePiece storage_of(const Mapping& row) { return {row.host, row.bytes, row.storage}; }

/// What a directive sent of one item.
struct Sends {
  std::uint64_t count = 0;
  std::uint64_t seen = 0;           ///< of these, with a known content
  std::set<std::uint32_t> filling;  ///< needed: the first to memory that had only been allocated
  bool others_are_needed = false;   ///< of those besides
  std::set<StoragePiece> pieces;
};

/// What keeping the data would make needless besides the transfer: that it was deleted, and
/// allocated again for this.
void add_stay(const Evidence& evidence, const Tally::Pair& pair, ResendGroup& group) {
  const Contents& contents = evidence.contents;
  const std::vector<Mapping>& rows = evidence.mappings.rows();
  const std::uint32_t was = contents.mapping_of(pair.earlier);
  const std::uint32_t is = contents.mapping_of(pair.op);
  if (was == is || evidence.trace.ops.common(pair.op).bytes < rows[is].bytes) return;
  group.content.claim.ops.push_back(rows[was].remove.value);
  group.content.claim.ops.push_back(rows[is].alloc.value);
}

/// None where the data cannot be kept.
std::optional<Claim> finished(const Evidence& evidence, const DirectiveSpans& directives,
                              ResendGroup group) {
  if (!keep(evidence, directives, group)) return std::nullopt;
  const Trace& trace = evidence.trace;
  const Tally::Pair first = group.content.pairs.front();
  const Index<Site> at = trace.ops.common(first.op).site;
  const Site* site = at ? &trace.sites[at.value] : nullptr;
  for (const Tally::Pair& pair : group.content.pairs) {
    add_stay(evidence, pair, group);
    group.content.claim.rests.push_back({pair.op, rests_on(evidence, pair)});
    const Index<Site> by = trace.ops.common(pair.earlier).site;
    if (by) group.sites.add(by);
    // What came back in between is not where the content is from.
    const std::uint32_t rest = rests_on(evidence, pair);
    const bool is_sent = group.relation == Resend::kDuplicate && rest != kNoOp;
    const Index<Site> from = is_sent ? trace.ops.common(rest).site : by;
    if (from) group.before.add(from);
    const Index<Site> sent_by = trace.ops.common(pair.op).site;
    if (sent_by) group.sites.add(sent_by);
  }
  std::ranges::sort(group.content.claim.ops);
  const auto twice = std::ranges::unique(group.content.claim.ops);
  group.content.claim.ops.erase(twice.begin(), twice.end());
  std::uint64_t all = 0;
  for (const auto& [clause, count] : group.all) all += count;
  const bool in_all = group.content.pairs.size() == all;
  const bool is_duplicate = group.relation == Resend::kDuplicate && !group.is_mixed;
  Claim claim =
      group.content.finish(evidence, group.relation == Resend::kDuplicate ? "duplicate_transfer"
                                                                          : "round_trip_transfer");
  Finding& finding = claim.finding;
  using How = facts::Resends::How;
  finding.facts = facts::Resends{.items = group.content.expressions,
                                 .devices = {group.devices.begin(), group.devices.end()},
                                 .how = group.is_mixed                         ? How::kBoth
                                        : group.relation == Resend::kDuplicate ? How::kWasSent
                                                                               : How::kCameBack,
                                 .before = source_places(trace, group.before.all()),
                                 .same = group.content.same,
                                 .is_mapped_anew = !group.kept.data.empty(),
                                 .all = all};
  constexpr std::size_t kChance = 3;
  if (is_duplicate && !group.kept.data.empty() && group.content.pairs.size() < kChance) {
    claim.add_caveat(Caveat::Kind::kSameMadeAnew);
  }
  if (group.is_other && !group.kept.data.empty()) {
    claim.add_caveat(Caveat::Kind::kOtherData);
  }
  if (group.scratch) claim.add_caveat(Caveat::Kind::kScratchCopies);
  if (group.resident &&
      !(site != nullptr && add_edits_of_resident(evidence, *site, group, finding))) {
    return claim;
  }
  if (!group.kept.data.empty()) {
    add_edits_of_remapped(
        trace, group, in_all && group.content.same.equal == group.content.same.in_full, finding);
  }
  group.kept.withdraw_edits(finding);
  return claim;
}

/// Whether a transfer is the first to memory that another directive had only allocated.
bool is_first_of(const Evidence& evidence, std::uint32_t op, std::uint32_t mapping) {
  const Runs<DataOp>& ops = evidence.trace.ops;
  const auto transfers = evidence.mappings.transfers(mapping);
  const auto first = std::ranges::find_if(
      transfers, [&](std::uint32_t one) { return ops.common(one).kind == OpKind::kHtoD; });
  const Mapping& row = evidence.mappings.rows()[mapping];
  const bool is_own =
      !row.is_static && ops.region_of(op) && ops.region_of(op) == ops.region_of(row.alloc.value);
  return first != transfers.end() && *first == op && !is_own;
}

/// By directive and item.
std::map<Clause, Sends> sends_of(const Evidence& evidence) {
  const Trace& trace = evidence.trace;
  std::map<Clause, Sends> sends;
  for (std::uint32_t i = 0; i < trace.ops.size(); ++i) {
    if (trace.ops.common(i).kind != OpKind::kHtoD || !is_judged(evidence, i)) continue;
    Sends& all = sends[clause_of(evidence, i)];
    ++all.count;
    const std::uint32_t mapping = evidence.contents.mapping_of(i);
    all.pieces.insert(storage_of(evidence.mappings.rows()[mapping]));
    const Same same = evidence.contents.before(i).same;
    const bool is_needed = relation_of(evidence, i) == Resend::kNone || same == Same::kNo;
    if (is_needed && is_first_of(evidence, i, mapping)) {
      all.filling.insert(i);
    } else {
      all.others_are_needed = all.others_are_needed || is_needed;
    }
    const auto& contents = trace.ops.rare(i);
    if (contents.hash != 0 || contents.fingerprint != 0) ++all.seen;
  }
  return sends;
}

/// One for each directive that sent in this relation.
void add_groups(const Evidence& evidence, const Claimed& claimed, Resend relation,
                const Tallies& tallies, const std::map<Clause, Sends>& sends,
                std::vector<ResendGroup>& groups) {
  for (const auto& [row, items] : tallies) {
    ResendGroup group;
    group.relation = relation;
    for (const auto& [expression, tally] : items) {
      // Few of many are chance: the first time, say, that a loop's data comes from elsewhere.
      constexpr std::uint64_t kChance = 10;
      const Sends& all = sends.at({row, expression});
      if (kChance * tally.same.size() < all.seen) continue;
      const std::size_t before = group.content.pairs.size();
      group.content.take(evidence, expression, tally, claimed);
      if (group.content.pairs.size() == before) continue;
      group.all[{row, expression}] = all.count;
      group.filling.insert(all.filling.begin(), all.filling.end());
      group.others_are_needed = group.others_are_needed || all.others_are_needed;
      std::set<StoragePiece> told;
      for (std::size_t i = before; i < group.content.pairs.size(); ++i) {
        const std::uint32_t number = evidence.contents.mapping_of(group.content.pairs[i].op);
        told.insert(storage_of(evidence.mappings.rows()[number]));
      }
      group.is_other = group.is_other || told.size() < all.pieces.size();
      const std::uint32_t map_type =
          evidence.trace.ops.common(group.content.pairs[before].op).map_type;
      (map_type & kMapFrom ? group.both_ways : group.one_way).push_back(expression);
      group.always = group.always || (map_type & kMapAlways) != 0;
    }
    if (!group.content.empty()) groups.push_back(std::move(group));
  }
}

}  // namespace

std::vector<Claim> needless_resends(const Evidence& evidence, const Claimed& claimed) {
  const Trace& trace = evidence.trace;
  if (!evidence.contents.known()) return {};
  std::map<Resend, Tallies> tallies;
  for (std::uint32_t i = 0; i < trace.ops.size(); ++i) {
    if (trace.ops.common(i).kind != OpKind::kHtoD || !is_judged(evidence, i)) continue;
    const Resend relation = relation_of(evidence, i);
    if (relation == Resend::kNone) continue;
    tally_of(tallies[relation], evidence, i).add(i, evidence.contents.before(i));
  }
  if (tallies.empty()) return {};
  const std::map<Clause, Sends> sends = sends_of(evidence);
  std::vector<ResendGroup> groups;
  for (const Resend relation : {Resend::kRoundTrip, Resend::kDuplicate}) {
    add_groups(evidence, claimed, relation, tallies[relation], sends, groups);
  }
  if (groups.empty()) return {};
  const DirectiveSpans directives(evidence);
  std::vector<Claim> claims;
  for (const std::vector<std::uint32_t>& chain : chains_of(evidence, groups)) {
    std::optional<Claim> all = finished(evidence, directives, joined_of(evidence, groups, chain));
    if (all) claims.push_back(std::move(*all));
    if (all || chain.size() == 1) continue;
    for (const std::uint32_t i : chain) {
      std::optional<Claim> one = finished(evidence, directives, groups[i]);
      if (one) claims.push_back(std::move(*one));
    }
  }
  return claims;
}

}  // namespace ompdm::analysis
