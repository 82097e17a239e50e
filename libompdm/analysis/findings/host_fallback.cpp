#include <fmt/format.h>

#include <map>

#include "analysis/findings/findings.h"
#include "analysis/findings/wording.h"

namespace ompdm::analysis {
namespace {

/// `chosen`: each time the host was the device that the program asked for.
std::string advice(const Trace& trace, bool chosen) {
  if (chosen) {
    return "the program asked for the host: by its default device (OMP_DEFAULT_DEVICE, "
           "omp_set_default_device) or by a device clause; choose another device, or leave it so";
  }
  if (trace.recording.target_offload == "disabled") {
    return "OMP_TARGET_OFFLOAD=DISABLED forbids devices: run without it to use them";
  }
  return fmt::format(
      "run with OMP_TARGET_OFFLOAD=MANDATORY to be told why the runtime does not use "
      "a device, and ask `ompdm doctor {}`",
      trace.process.program.empty() ? "PROGRAM" : trace.process.program);
}

}  // namespace

std::vector<Claim> host_fallback(const Evidence& evidence) {
  const Trace& trace = evidence.trace;
  std::map<std::uint32_t, Claim> claims;  // by directive row
  std::map<std::uint32_t, Index<Site>> sites;
  std::map<std::uint32_t, std::uint64_t> chosen;
  for (const Region& region : trace.regions) {
    if (!region.host_fallback) continue;
    const std::uint32_t row = row_of(evidence.directives, region.site);
    const auto [at, is_new] = claims.try_emplace(row);
    if (is_new) {
      place(at->second, "host_fallback", trace, region.site);
      sites[row] = region.site;
    }
    ++at->second.finding.count;
    if (region.device >= 0 && region.device == trace.host_device) ++chosen[row];
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
    finding.remarks = {advice(trace, chosen[row] == finding.count)};
    list.push_back(std::move(claim));
  }
  return list;
}

}  // namespace ompdm::analysis
