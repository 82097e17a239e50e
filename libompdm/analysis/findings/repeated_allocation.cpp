#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/findings/findings.h"
#include "analysis/findings/named_data.h"
#include "analysis/findings/wording.h"

namespace ompdm::analysis {
namespace {

constexpr std::uint64_t kPrivate = 0x80;  // OMP_TGT_MAPTYPE_PRIVATE: firstprivate

/// Twice may be a warm-up and the run itself, or two phases of a program.
constexpr std::size_t kLeastAllocations = 3;

bool is_candidate(const Evidence& evidence, const Claimed& claimed, const Mapping& mapping) {
  const DataOp& alloc = evidence.trace.ops[mapping.alloc.value];
  return mapping.host != 0 && mapping.bytes > kRidesAlong && (alloc.map_type & kPrivate) == 0 &&
         !claimed[mapping.alloc.value] && !(mapping.remove && claimed[mapping.remove.value]);
}

std::string advice_of(const NamedData& data, const std::string& where) {
  const std::string update = data.directive("update");
  std::string text =
      data.to_write("before the first of these", "enter data", {{"alloc", data.all()}}, "");
  text += fmt::format(
      "at {}, drop its map clause, or keep it: it then finds the data present and moves nothing; "
      "what has to cross there: {} to(...) or from(...)\n",
      where, update);
  text += data.to_write("after the last of these", "exit data", {{"release", data.all()}}, "");
  return text + "if the program makes that storage anew each time, make it once" + data.notes();
}

}  // namespace

std::vector<Claim> repeated_allocation(const Evidence& evidence, const Claimed& claimed) {
  const Trace& trace = evidence.trace;
  const std::vector<Mapping>& rows = evidence.mappings.rows();
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    if (is_candidate(evidence, claimed, rows[i])) order.push_back(i);
  }
  const auto storage = [&](std::uint32_t i) {
    return std::tuple(rows[i].device, rows[i].host, rows[i].bytes);
  };
  std::ranges::sort(order, {}, [&](std::uint32_t i) { return std::pair(storage(i), i); });

  struct Group {
    Claim claim;
    std::uint32_t first = 0;  ///< mapping
    std::uint64_t allocations = 0;
    std::uint64_t pieces = 0;
    NamedData data;
    std::vector<std::string> places;
  };
  std::map<std::pair<std::uint32_t, std::string>, Group> groups;  // by directive row and name
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && storage(order[end]) == storage(order[begin])) ++end;
    if (end - begin < kLeastAllocations) continue;
    const Mapping& first = rows[order[begin]];
    const Index<Site> site = site_of(trace, trace.ops[first.alloc.value]);
    const auto [at, is_new] =
        groups.try_emplace({row_of(evidence.directives, site), expression_of(trace, first)});
    Group& group = at->second;
    if (is_new) {
      group.first = order[begin];
      place(group.claim, "repeated_allocation", trace, site);
    }
    ++group.pieces;
    group.allocations += end - begin;
    group.data.add(trace, first);
    for (std::size_t i = begin; i < end; ++i) {
      const Mapping& row = rows[order[i]];
      const Index<Site> by = site_of(trace, trace.ops[row.alloc.value]);
      if (by) add_once(group.places, place_of(trace.sites[by.value]));
      if (i > begin) group.claim.ops.push_back(row.alloc.value);
      if (i + 1 < end && row.remove) group.claim.ops.push_back(row.remove.value);
    }
    group.claim.finding.count += end - begin - 1;
    group.claim.finding.wasted_bytes += (end - begin - 1) * first.bytes;
  }

  std::vector<Claim> claims;
  for (auto& [key, group] : groups) {
    Finding& finding = group.claim.finding;
    finding.variable = name_of(trace, rows[group.first]);
    finding.examined = finding.of = finding.count;
    finding.confidence = Confidence::kLikely;
    finding.evidence = fmt::format(
        "{} was allocated {} times on {}, by {}, where {} would do", key.second, group.allocations,
        devices_text(group.data.devices()), spoken_list(group.places), group.pieces);
    finding.advice = advice_of(group.data, spoken_list(group.places));
    sum_up(group.claim, trace);
    claims.push_back(std::move(group.claim));
  }
  return claims;
}

}  // namespace ompdm::analysis
