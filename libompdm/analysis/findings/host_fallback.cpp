#include <fmt/format.h>

#include <map>

#include "analysis/findings/findings.h"
#include "analysis/findings/wording.h"

namespace ompdm::analysis {

std::vector<Claim> host_fallback(const Evidence& evidence) {
  const Trace& trace = evidence.trace;
  std::map<std::uint32_t, Claim> claims;  // by directive row
  std::map<std::uint32_t, Index<Site>> sites;
  for (const Region& region : trace.regions) {
    if (!region.host_fallback) continue;
    const std::uint32_t row = row_of(evidence.directives, region.site);
    const auto [at, is_new] = claims.try_emplace(row);
    if (is_new) {
      place(at->second, "host_fallback", trace, region.site);
      sites[row] = region.site;
    }
    ++at->second.finding.count;
  }
  std::vector<Claim> list;
  for (auto& [row, claim] : claims) {
    Finding& finding = claim.finding;
    const std::uint64_t instances =
        row == kNoDirective ? finding.count : evidence.directives.rows[row].count;
    finding.examined = finding.of = instances;
    finding.confidence = Confidence::kCertain;
    finding.evidence = fmt::format("the region's kernel was called and ran on the host in {} of {}",
                                   finding.count, counted(instances, "instance", "instances"));
    finding.advice = fmt::format(
        "run with OMP_TARGET_OFFLOAD=MANDATORY to be told why the runtime does not use "
        "a device, and ask `ompdm doctor {}`",
        trace.process.program.empty() ? "PROGRAM" : trace.process.program);
    list.push_back(std::move(claim));
  }
  return list;
}

}  // namespace ompdm::analysis
