#include "analysis/findings/untaken.h"

#include <algorithm>
#include <set>

#include "analysis/findings/loop_place.h"

namespace ompdm::analysis {
namespace {

/// The loops that hold all of what is kept on a device; else those that the operations are in.
std::set<std::size_t> loops_of(const Evidence& evidence, const Claim& claim) {
  std::set<std::size_t> loops;
  const auto add = [&](std::uint32_t thread, Nanoseconds begin, Nanoseconds end) {
    const std::uint32_t entry = evidence.enclosing.innermost(thread, begin, end);
    if (entry == EnclosingEntry::kNoEntry) return false;
    loops.insert(evidence.enclosing.entries()[entry].loop);
    return true;
  };
  if (claim.ops.empty()) return loops;
  const auto asker = [&](std::uint32_t op) { return asker_of(evidence.trace, op); };
  const std::uint32_t thread = asker(claim.ops.front()).thread;
  const bool is_within =
      !claim.stays.empty() && std::ranges::all_of(claim.stays, [&](const Stay& stay) {
        return add(thread, stay.from, stay.to);
      });
  if (is_within) return loops;
  for (const std::uint32_t op : claim.ops) {
    add(asker(op).thread, asker(op).time, evidence.trace.ops.end_of(op));
  }
  return loops;
}

}  // namespace

void withhold_edits(const Evidence& evidence, Claim& claim) {
  const Trace& trace = evidence.trace;
  Finding& finding = claim.finding;
  const bool any = std::ranges::any_of(
      trace.loops, [](const CodeLoop& loop) { return !loop.unreached.empty(); });
  const bool is_guarded =
      std::ranges::all_of(finding.edits, [](const Edit& e) { return e.kind == EditKind::kGuard; });
  if (!any || is_guarded || claim.stands_alone) return;
  std::set<UnreachedDirective> unreached;
  for (const std::size_t row : loops_of(evidence, claim)) {
    const Loop& loop = evidence.loops.rows[row];
    std::vector<Index<CodeLoop>> loops = loops_around(trace, evidence.loops, loop);
    if (loop.code) loops.push_back(loop.code);
    for (const Index<CodeLoop> code : loops) {
      const std::vector<UnreachedDirective>& rows = trace.loops[code.value].unreached;
      unreached.insert(rows.begin(), rows.end());
    }
  }
  if (unreached.empty()) return;
  finding.unreached.assign(unreached.begin(), unreached.end());
  finding.edits.clear();
  finding.unless.clear();
  claim.stays.clear();
}

}  // namespace ompdm::analysis
