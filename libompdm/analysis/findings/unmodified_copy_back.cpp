#include "analysis/findings/copy_back.h"
#include "analysis/findings/findings.h"
#include "analysis/findings/tallies.h"

namespace ompdm::analysis {
namespace {

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

}  // namespace ompdm::analysis
