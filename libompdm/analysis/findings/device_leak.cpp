#include <fmt/format.h>

#include <map>

#include "analysis/findings/findings.h"
#include "analysis/findings/named_data.h"
#include "analysis/findings/wording.h"

namespace ompdm::analysis {
namespace {

/// Whether the program itself has to end this stay: `target` and `target data` end by themselves.
bool has_to_be_ended(Directive directive) {
  return directive == Directive::kTargetEnterData || directive == Directive::kApi;
}

std::string advice_of(bool is_mapped, const NamedData& data) {
  if (!is_mapped) return "after its last use, call omp_target_free";
  return data.notes() +
         data.to_write("after its last use", "exit data", {{"release", data.all()}}, "") +
         "or map(from: ...) if the host still needs what the device computed";
}

}  // namespace

std::vector<Claim> device_leak(const Evidence& evidence) {
  const Trace& trace = evidence.trace;
  if (has_lost_events(trace) || !trace.recording.finished) return {};
  std::map<std::pair<std::uint32_t, std::string>, Claim> groups;  // by directive row and name
  std::map<std::pair<std::uint32_t, std::string>, Index<Mapping>> firsts;
  std::map<std::pair<std::uint32_t, std::string>, NamedData> data;
  const std::vector<Mapping>& rows = evidence.mappings.rows();
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    const Mapping& mapping = rows[i];
    if (mapping.remove || mapping.replaced) continue;
    const Index<Site> site = site_of(trace, trace.ops[mapping.alloc.value]);
    if (!site || !has_to_be_ended(trace.sites[site.value].directive)) continue;
    const std::string what = mapping.host == 0 ? std::string() : expression_of(trace, mapping);
    const std::pair key(row_of(evidence.directives, site), what);
    const auto [at, is_new] = groups.try_emplace(key);
    if (is_new) {
      firsts[key] = {i};
      place(at->second, "device_leak", trace, site);
    }
    data[key].add(trace, mapping);
    ++at->second.finding.count;
    at->second.finding.wasted_bytes += mapping.bytes;
  }
  std::vector<Claim> claims;
  for (auto& [key, claim] : groups) {
    const Mapping& first = rows[firsts[key].value];
    const Site& site = trace.sites[site_of(trace, trace.ops[first.alloc.value]).value];
    const bool is_mapped = first.host != 0;
    Finding& finding = claim.finding;
    finding.variable = name_of(trace, first);
    finding.examined = finding.of = finding.count;
    finding.confidence = Confidence::kCertain;
    finding.evidence =
        fmt::format("{} was still on {} when the program ended, left by {} at {} ({})",
                    is_mapped ? key.second : "memory", devices_text(data[key].devices()),
                    site.directive == Directive::kApi && !site.api.empty()
                        ? site.api
                        : std::string(directive_name(site.directive)),
                    place_of(site), counted(finding.count, "allocation", "allocations"));
    finding.advice = advice_of(is_mapped, data[key]);
    claims.push_back(std::move(claim));
  }
  return claims;
}

}  // namespace ompdm::analysis
