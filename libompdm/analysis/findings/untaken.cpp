#include "analysis/findings/untaken.h"

#include <algorithm>
#include <set>

#include "analysis/findings/loop_place.h"
#include "analysis/findings/references.h"

namespace ompdm::analysis {

void withhold_edits(const Evidence& evidence, Claim& claim) {
  const Trace& trace = evidence.trace;
  Finding& finding = claim.finding;
  const bool any = std::ranges::any_of(
      trace.loops, [](const CodeLoop& loop) { return !loop.unreached.empty(); });
  if (!any || finding.edits.empty() || claim.stands_alone) return;
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
  finding.withheld_edits = std::move(finding.edits);
  finding.edits.clear();
  finding.unless.clear();
  claim.stays.clear();
}

}  // namespace ompdm::analysis
