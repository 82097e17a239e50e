#include "analysis/findings/find.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/findings/doubt.h"
#include "analysis/findings/edits.h"
#include "analysis/findings/findings.h"
#include "analysis/findings/loop_place.h"
#include "analysis/findings/references.h"
#include "analysis/findings/settle.h"
#include "analysis/findings/untaken.h"
#include "analysis/findings/worth.h"
#include "analysis/order.h"
#include "ompdm/told_part.h"

namespace ompdm::analysis {
namespace {

void mark(const std::vector<Claim>& claims, Claimed& claimed) {
  for (const Claim& claim : claims) {
    for (const std::uint32_t op : claim.ops) claimed[op] = true;
  }
}

void mark_sends(const Trace& trace, const std::vector<Claim>& claims, Claimed& claimed) {
  for (const Claim& claim : claims) {
    for (const std::uint32_t op : claim.ops) {
      if (trace.ops.common(op).kind == OpKind::kHtoD) claimed[op] = true;
    }
  }
}

/// Whether an edit names two pieces of data alike: what belongs to which does not show.
bool names_twice(const Edit& edit, const std::vector<EditData>& data) {
  std::set<std::pair<std::string, std::string>> known;
  for (const EditClause& clause : edit.clauses) {
    for (const std::uint32_t number : clause.data) {
      const EditData& item = data[number];
      if (item.expression.empty()) continue;
      if (!known.emplace(item.expression, item.named_at.function).second) return true;
    }
  }
  return false;
}

/// Takes the edits from a finding whose names do not tell what is meant.
void withhold_unclear(Finding& finding) {
  const bool is_unclear = std::ranges::any_of(
      finding.edits, [&](const Edit& edit) { return names_twice(edit, finding.data); });
  if (!is_unclear) return;
  finding.edits.clear();
  finding.unless.clear();
}

/// Claims made so far, those that are worth a line and those that are not.
struct Claims {
  explicit Claims(const Trace& trace) : worth(trace) {}

  /// Those that are worth a line; keeps the others.
  std::vector<Claim> sifted(std::vector<Claim> claims) {
    std::vector<Claim> worthy;
    for (Claim& claim : claims) {
      (worth.of(claim) ? worthy : withheld).push_back(std::move(claim));
    }
    return worthy;
  }

  void append(std::vector<Claim> claims) {
    std::ranges::move(sifted(std::move(claims)), std::back_inserter(told));
  }

  Worth worth;
  std::vector<Claim> told;
  std::vector<Claim> withheld;
};

}  // namespace

Needless find_needless(const Trace& trace, const DirectiveTable& directives,
                       const LoopTable& loops) {
  const Evidence evidence(trace, directives, loops);
  Claims claims(trace);
  claims.append(per_iteration_mapping(evidence));
  // An operation that a claim already names with its remedy is not named again for being
  // repeated or small.
  Claimed claimed(trace.ops.size());
  mark(claims.told, claimed);
  claims.append(host_fallback(evidence));
  // What was sent to memory that no kernel saw goes with that memory.
  std::vector<Claim> unused = claims.sifted(unused_allocation(evidence));
  Claimed sent_unused(trace.ops.size());
  mark_sends(trace, unused, sent_unused);
  claims.append(unused_transfer(evidence, sent_unused));
  mark(claims.told, claimed);
  mark_sends(trace, unused, claimed);
  claims.append(needless_resends(evidence, claimed));
  claims.append(unmodified_copy_back(evidence, claimed));
  claims.append(repeated_copy_back(evidence, claimed));
  std::ranges::move(unused, std::back_inserter(claims.told));
  Settlement settlement(evidence);
  claims.told = settlement.settle(std::move(claims.told));
  claimed.assign(trace.ops.size(), false);
  mark(claims.told, claimed);
  claims.append(settlement.settle(claims.sifted(repeated_allocation(evidence, claimed))));
  mark(claims.told, claimed);
  claims.append(mapped_scalars(evidence, claimed));
  mark(claims.told, claimed);
  // What it saves are not these operations in the first place: they make it no more or less worth.
  std::ranges::move(mapper_walk(evidence, claimed), std::back_inserter(claims.told));
  mark(claims.told, claimed);
  claims.append(small_transfers(evidence, claimed));
  claims.append(serial_kernel(evidence));
  claims.append(pageable_transfer(evidence));
  claims.append(no_overlap(evidence));
  // What is freed later on, where it is counted only, is no leak.
  const bool is_told_in_part = !trace.recording.detail.empty();
  mark(claims.told, claimed);
  if (!is_told_in_part) claims.append(device_leak(evidence, claimed));
  claims.append(partial_update(evidence));

  const bool has_missing = trace.truncated || std::ranges::any_of(trace.losses, is_of_events);
  for (Claim& claim : claims.told) {
    refer(evidence, claim);
    withhold_edits(evidence, claim);
    withhold_unclear(claim.finding);
    tell_calls(trace, claim.finding);
    if (has_missing) claim.add_caveat(Caveat::Kind::kRestLost);
    // What no kernel of this part saw another part's may need.
    if ((has_missing || is_told_in_part) && claim.finding.pattern.starts_with("unused_")) {
      claim.finding.edits.clear();
      claim.finding.unless.clear();
    }
    // Fallbacks are known of the whole run, but for what was taken out of it.
    if (is_told_in_part &&
        (trace.recording.is_part() || claim.finding.pattern != "host_fallback")) {
      claim.add_caveat(trace.recording.is_part() ? Caveat::Kind::kRestNotHere
                                                 : Caveat::Kind::kRestCounted);
    }
  }

  Needless needless;
  mark(claims.told, claimed);
  claims.withheld = settlement.settle(std::move(claims.withheld));
  needless.withheld = withheld_of(trace, claims.withheld, claimed);
  mark(claims.withheld, claimed);
  for (Claim& claim : claims.withheld) {
    refer(evidence, claim);
    withhold_edits(evidence, claim);
    needless.too_small.push_back(std::move(claim.finding));
  }
  identify(needless.too_small);
  needless.doubts = doubts_of(evidence, claimed, claims.told);
  sort_rows(claims.told,
            [](const Claim& claim) { return claim.finding.confidence == Confidence::kPossible; });
  const std::span<const Claim> all(claims.told);
  const auto sure = static_cast<std::size_t>(std::ranges::count_if(
      all, [](const Claim& claim) { return claim.finding.confidence != Confidence::kPossible; }));
  needless.prediction = predict(trace, all.first(sure));
  const bool any_possible =
      std::ranges::any_of(all.subspan(sure), [](const Claim& claim) { return !claim.ops.empty(); });
  if (any_possible) needless.possible_prediction = predict(trace, all);
  std::vector<std::size_t> order(claims.told.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) {
    const Finding& finding = claims.told[i].finding;
    // What was left behind cost nothing but memory.
    return std::tuple(finding.pattern == "device_leak", -finding.wasted_time,
                      claims.told[i].ops.empty(), i);
  });
  needless.finding_of_op.assign(trace.ops.size(), Needless::kNoFinding);
  for (const std::size_t i : order) {
    for (const std::uint32_t op : claims.told[i].ops) {
      std::uint32_t& of = needless.finding_of_op[op];
      of = std::min(of, static_cast<std::uint32_t>(needless.findings.size()));
    }
    Finding& finding = needless.findings.emplace_back(std::move(claims.told[i].finding));
    // What happened is certain; what to do about it, in another run, is not.
    if (!finding.edits.empty() && finding.confidence == Confidence::kCertain) {
      finding.confidence = Confidence::kLikely;
    }
    finding.memory_bytes = memory_of(claims.told[i].stays);
  }
  identify(needless.findings);
  return needless;
}

}  // namespace ompdm::analysis
