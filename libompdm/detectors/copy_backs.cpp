#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/map_types.h"
#include "detectors/edits.h"
#include "detectors/findings.h"
#include "detectors/names.h"
#include "detectors/tallies.h"

namespace ompdm::analysis {
namespace {

/// Adds the edit of the directive that makes the copies (positions in Trace::ops) of these items of
/// it. `is_sent`: its clause sends them too. `in_all`: each of its copies was needless. None of an
/// update some of whose copies are needed, nor of a call: no edit tells which.
void add_edit_of_copy_back(const Evidence& evidence, const std::vector<std::uint32_t>& copies,
                           const std::vector<std::string>& items, bool is_sent, Finding& finding,
                           bool in_all = true);

/// The items of these copies that are copied whether they are there or not.
std::set<std::string> always_copied(const Evidence& evidence,
                                    const std::vector<std::uint32_t>& copies) {
  std::set<std::string> items;
  for (const std::uint32_t op : copies) {
    if ((evidence.trace.ops.common(op).map_type & kMapAlways) == 0) continue;
    items.insert(expression_at(evidence.trace, evidence.mappings, op));
  }
  return items;
}

void add_edit_of_copy_back(const Evidence& evidence, const std::vector<std::uint32_t>& copies,
                           const std::vector<std::string>& items, bool is_sent, Finding& finding,
                           bool in_all) {
  const Site& site = evidence.trace.sites[evidence.trace.ops.common(copies.front()).site.value];
  const bool is_update = site.directive == Directive::kTargetUpdate;
  if ((is_update && !in_all) || (!is_update && !maps_data(site.directive))) return;
  EditKind kind = EditKind::kReplace;
  const char* clause = is_sent ? "to" : "alloc";
  bool goes_on_sending = false;
  switch (site.directive) {
    case Directive::kTargetExitData:
      clause = "release";
      break;
    case Directive::kTargetUpdate:
      clause = "from";
      kind = EditKind::kRemove;
      break;
    default:
      goes_on_sending = is_sent;
      break;
  }
  std::vector<std::string> plain = items;
  std::vector<std::string> always;
  if (goes_on_sending) {
    const std::set<std::string> copied = always_copied(evidence, copies);
    const auto is_copied = [&](const std::string& item) { return copied.contains(item); };
    std::ranges::copy_if(items, std::back_inserter(always), is_copied);
    std::erase_if(plain, is_copied);
  }
  Edit edit = edit_at(finding, kind, site, clause, plain);
  if (!always.empty()) {
    edit.clauses.push_back({"always, to", add_items(finding, always, site)});
  }
  finding.edits.push_back(std::move(edit));
}

/// Whether the only time that data came back it had just been sent by an update: the last pass of a
/// loop may end so in this run, and otherwise in another.
bool is_chance(const Evidence& evidence, const Tally& tally) {
  if (tally.same.size() != 1) return false;
  const Trace& trace = evidence.trace;
  const Index<Site> sent = trace.ops.common(tally.same.front().earlier).site;
  return sent && trace.sites[sent.value].directive == Directive::kTargetUpdate;
}

}  // namespace

std::vector<Claim> unmodified_copy_back(const Evidence& evidence, const Claimed& claimed) {
  const Trace& trace = evidence.trace;
  if (!evidence.contents.known()) return {};
  Tallies tallies;
  for (std::uint32_t i = 0; i < trace.ops.size(); ++i) {
    if (trace.ops.common(i).kind != OpKind::kDtoH || !is_judged(evidence, i)) continue;
    tally_of(tallies, evidence, i).add(i, evidence.contents.sent_before(i));
  }
  std::vector<Claim> claims;
  for (const auto& [row, items] : tallies) {
    ContentClaim group;
    for (const auto& [expression, tally] : items) {
      // A clause is advised for all of its instances: one that brought news speaks against it.
      if (tally.different > 0 || tally.other > 0 || is_chance(evidence, tally)) continue;
      group.take(evidence, expression, tally, claimed);
    }
    if (group.empty()) continue;
    for (const Tally::Pair& pair : group.pairs) {
      // What it would have brought back is what the host sent.
      group.claim.rests.push_back({pair.op, Index<DataOp>::kNone});
      group.claim.sends.push_back(pair.earlier);
    }
    const Index<Site> site = trace.ops.common(group.pairs.front().op).site;
    Claim claim = group.finish(evidence, "unmodified_copy_back");
    // It may have written what was there: in place, or once more.
    claim.add_caveat(Caveat::Kind::kSameWritten);
    claim.finding.facts = facts::UnmodifiedCopyBack{.items = group.expressions, .same = group.same};
    if (site) add_edit_of_copy_back(evidence, claim.ops, group.expressions, true, claim.finding);
    claim.stands_alone = site && trace.sites[site.value].directive == Directive::kTarget;
    // During a region of its own the host has no time to change anything.
    if (!claim.finding.edits.empty()) {
      claim.finding.unless = {Unless::kKernelChanges};
      if (!claim.stands_alone) claim.finding.unless.push_back(Unless::kHostWantsRestore);
    }
    claims.push_back(std::move(claim));
  }
  return claims;
}

namespace {

/// Which transfer last wrote a piece of the host's memory: two devices may bring back to one place.
class HostWrites {
 public:
  /// Whether the transfer wrote all of what this one will write, and no other any of it since.
  [[nodiscard]] bool last_is(std::uint32_t earlier, const DataOp& op) const {
    const auto at = pieces_.find(op.dst);
    return at != pieces_.end() && at->second.op == earlier && at->second.bytes == op.bytes;
  }

  void add(std::uint32_t number, const DataOp& op) {
    auto at = pieces_.lower_bound(op.dst);
    if (at != pieces_.begin()) {
      const auto before = std::prev(at);
      if (before->first + before->second.bytes > op.dst) at = before;
    }
    while (at != pieces_.end() && at->first < op.dst + op.bytes) at = pieces_.erase(at);
    pieces_[op.dst] = {op.bytes, number};
  }

 private:
  struct Piece {
    std::uint64_t bytes = 0;
    std::uint32_t op = 0;
  };
  std::map<std::uint64_t, Piece> pieces_;  // by begin, none overlaps another
};

/// When a directive brought back to a place on the host.
class Returns {
 public:
  void add(const DataOp& op) { times_[{op.site.value, op.dst}].push_back(op.begin); }

  /// How many came as this one did, within [from, to].
  [[nodiscard]] std::uint64_t like(const DataOp& op, Nanoseconds from, Nanoseconds to) const {
    const std::vector<Nanoseconds>& times = times_.at({op.site.value, op.dst});
    return static_cast<std::uint64_t>(std::ranges::upper_bound(times, to) -
                                      std::ranges::lower_bound(times, from));
  }

 private:
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<Nanoseconds>> times_;
};

/// Whether a copy repeats one that a loop before it makes in some passes only: in another run the
/// last of these may not.
bool is_chance(const Evidence& evidence, const Returns& returns, const Tally::Pair& pair) {
  const Trace& trace = evidence.trace;
  const DataOp& op = trace.ops[pair.op];
  const DataOp& earlier = trace.ops[pair.earlier];
  const Asker asked = asker_of(trace, pair.earlier);
  const std::vector<EnclosingEntry>& entries = evidence.enclosing.entries();
  std::uint32_t at = evidence.enclosing.innermost(asked.thread, asked.time, earlier.end);
  for (; at != EnclosingEntry::kNoEntry && entries[at].end <= op.begin; at = entries[at].parent) {
    const EnclosingEntry& entry = entries[at];
    if (returns.like(earlier, entry.begin, entry.end) < entry.passes) return true;
  }
  return false;
}

struct CopyBackGroup {
  ContentClaim content;
  UniqueSites before;     ///< where the data had been brought back
  std::uint64_t all = 0;  ///< transfers of these items by this directive
  bool is_sent = false;   ///< its clause sends, too
  bool scratch = false;   ///< kernels had map(to:) copies of it in between
};

/// Whether a transfer to the host brought what is there since the one before it.
bool is_repeated(const Evidence& evidence, const HostWrites& writes, std::uint32_t i) {
  const Earlier& before = evidence.contents.before(i);
  return before.op != Index<DataOp>::kNone && before.kept() &&
         (before.same == Same::kLikely || before.same == Same::kYes) &&
         evidence.trace.ops.common(before.op).kind == OpKind::kDtoH &&
         evidence.contents.mapping_of(before.op) == evidence.contents.mapping_of(i) &&
         writes.last_is(before.op, evidence.trace.ops[i]);
}

Claim finished(const Evidence& evidence, CopyBackGroup& group) {
  const Trace& trace = evidence.trace;
  const std::uint32_t first = group.content.pairs.front().op;
  const Index<Site> at = trace.ops.common(first).site;
  const Site* site = at ? &trace.sites[at.value] : nullptr;
  for (const Tally::Pair& pair : group.content.pairs) {
    group.content.claim.rests.push_back({pair.op, pair.earlier});
    const Writer writer = evidence.contents.before(pair.op).writer;
    group.scratch = group.scratch || writer == Writer::kScratch;
    const Index<Site> by = trace.ops.common(pair.earlier).site;
    if (by) group.before.add(by);
  }
  const bool in_all = group.content.pairs.size() == group.all;
  const std::vector<std::string> expressions = group.content.expressions;
  Claim claim = group.content.finish(evidence, "unmodified_copy_back");
  Finding& finding = claim.finding;
  claim.add_caveat(Caveat::Kind::kHostChanged, expressions);
  finding.facts = facts::RepeatedCopyBack{.items = expressions,
                                          .before = source_places(trace, group.before.all()),
                                          .same = group.content.same,
                                          .is_scratch = group.scratch,
                                          .all = group.all};
  if (site != nullptr) {
    add_edit_of_copy_back(evidence, claim.ops, expressions, group.is_sent, finding, in_all);
  }
  if (!finding.edits.empty()) {
    finding.unless = {Unless::kKernelChanges, Unless::kHostWantsRestore};
  }
  return claim;
}

}  // namespace

std::vector<Claim> repeated_copy_back(const Evidence& evidence, const Claimed& claimed) {
  const Trace& trace = evidence.trace;
  if (!evidence.contents.known()) return {};
  HostWrites writes;
  Returns returns;
  Tallies tallies;
  std::map<Clause, std::uint64_t> returned;
  for (std::uint32_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp& op = trace.ops[i];
    if (op.kind != OpKind::kDtoH) continue;
    returns.add(op);
    if (is_judged(evidence, i)) {
      ++returned[clause_of(evidence, i)];
      // What came back as it had been sent is told as that.
      const bool as_sent = evidence.contents.sent_before(i).tells_same();
      if (!as_sent && is_repeated(evidence, writes, i)) {
        Earlier before = evidence.contents.before(i);
        before.trivial = false;  // the device kept it: zeros are as good as any
        tally_of(tallies, evidence, i).add(i, before);
      }
    }
    writes.add(i, op);
  }
  std::vector<Claim> claims;
  for (const auto& [row, items] : tallies) {
    CopyBackGroup group;
    for (const auto& [expression, tally] : items) {
      // A clause stands for all of its instances: one that brought news speaks against it.
      const DataOp& op = trace.ops[tally.same.front().op];
      const Index<Site> site = op.site;
      const bool by_update = site && trace.sites[site.value].directive == Directive::kTargetUpdate;
      const std::uint64_t all = returned[{row, expression}];
      const bool may_bring_news =
          tally.same.size() < all || (all == 1 && is_chance(evidence, returns, tally.same.front()));
      if (!by_update && may_bring_news) continue;
      const std::size_t before = group.content.pairs.size();
      group.content.take(evidence, expression, tally, claimed);
      if (group.content.pairs.size() == before) continue;
      group.all += all;
      group.is_sent = group.is_sent || (op.map_type & kMapTo) != 0;
    }
    if (!group.content.empty()) claims.push_back(finished(evidence, group));
  }
  return claims;
}

}  // namespace ompdm::analysis
