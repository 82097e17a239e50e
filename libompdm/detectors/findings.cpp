#include "detectors/findings.h"

#include <algorithm>

namespace ompdm::analysis {
void place(Claim& claim, const char* pattern, const Trace& trace, Index<Site> site) {
  claim.finding.pattern = pattern;
  if (!site) return;
  claim.finding.file = trace.sites[site.value].file;
  claim.finding.line = trace.sites[site.value].line;
}

bool is_of_deferred_task(const Trace& trace, std::uint32_t op) {
  const Index<Region> region = trace.ops.region_of(op);
  const Index<Site> site = trace.ops.common(op).site;
  return region && site && trace.regions.common(region.value).nowait &&
         trace.sites[site.value].directive != Directive::kTarget;
}

void sum_up(Claim& claim, const Trace& trace) {
  std::ranges::sort(claim.ops);
  for (const std::uint32_t i : claim.ops) {
    const DataOp& op = trace.ops[i];
    claim.finding.wasted_time += op.end - op.begin;
    if (is_transfer(op.kind) && !op.internal && !claim.carries_all) {
      claim.finding.wasted_bytes += op.bytes;
    }
    if (op.clock == Clock::kEnqueue) claim.finding.timed = false;
    if (!is_transfer(op.kind)) claim.finding.with_allocations = true;
  }
}

}  // namespace ompdm::analysis
