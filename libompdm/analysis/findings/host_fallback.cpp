#include <map>

#include "analysis/findings/claims.h"
#include "analysis/findings/findings.h"

namespace ompdm::analysis {
namespace {

/// `chosen`: each time the host was the device that the program asked for.
facts::HostFallback::Cause cause_of(const Trace& trace, bool chosen) {
  using Cause = facts::HostFallback::Cause;
  if (chosen) return Cause::kChosen;
  return trace.recording.target_offload == "disabled" ? Cause::kDisabled : Cause::kUnknown;
}

}  // namespace

std::vector<Claim> host_fallback(const Evidence& evidence) {
  const Trace& trace = evidence.trace;
  std::map<std::uint32_t, Claim> claims;  // by directive row
  std::map<std::uint32_t, Index<Site>> sites;
  std::map<std::uint32_t, std::uint64_t> chosen;
  const auto add = [&](const Region& region, std::uint64_t count) {
    if (!region.host_fallback) return;
    const std::uint32_t row = row_of(evidence.directives, region.site);
    const auto [at, is_new] = claims.try_emplace(row);
    if (is_new) {
      place(at->second, "host_fallback", trace, region.site);
      sites[row] = region.site;
    }
    at->second.finding.count += count;
    if (region.device >= 0 && region.device == trace.host_device) chosen[row] += count;
  };
  for (const Region& region : trace.regions) add(region, 1);
  for (const RegionTally& tally : trace.region_tallies) add(tally.like, tally.times.count);
  std::vector<Claim> list;
  for (auto& [row, claim] : claims) {
    Finding& finding = claim.finding;
    const std::uint64_t instances =
        row == kNoDirective ? finding.count : evidence.directives.rows[row].count;
    finding.examined = finding.of = instances;
    finding.confidence = Confidence::kCertain;
    finding.facts = facts::HostFallback{.cause = cause_of(trace, chosen[row] == finding.count),
                                        .program = trace.process.program};
    list.push_back(std::move(claim));
  }
  return list;
}

}  // namespace ompdm::analysis
