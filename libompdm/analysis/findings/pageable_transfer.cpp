#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/findings/claims.h"
#include "analysis/findings/findings.h"
#include "analysis/findings/names.h"
#include "analysis/findings/unique.h"

namespace ompdm::analysis {
namespace {

/// Smaller copies are latency, whatever the memory.
constexpr std::uint64_t kLeastBytes = std::uint64_t{64} * 1024;
/// Worth a line: this share of the time in which the device copied or computed.
constexpr double kLeastPageableShare = 0.1;
/// A pinned rate has to be this much better to be a reason.
constexpr double kLeastGain = 1.2;

using facts::Rate;

struct PageableGroup {
  Rate rate;
  std::uint64_t count = 0;
  Index<Site> site;
  UniqueTexts names;
};

MemoryKind host_side(const DeviceActivity& copy) {
  return copy.kind == ActivityKind::kHtoD ? copy.source : copy.destination;
}

}  // namespace

std::vector<Claim> pageable_transfer(const Evidence& evidence) {
  const Trace& trace = evidence.trace;
  std::map<std::tuple<std::uint32_t, ActivityKind>, PageableGroup> groups;  // by directive row
  std::map<ActivityKind, Rate> pinned;
  Nanoseconds busy = 0;
  for (const DeviceActivity& activity : trace.activities) {
    if (activity.internal) continue;
    const Nanoseconds time = activity.end - activity.begin;
    busy += time;
    const bool by_link =
        activity.kind == ActivityKind::kHtoD || activity.kind == ActivityKind::kDtoH;
    if (!by_link || activity.bytes < kLeastBytes) continue;
    if (host_side(activity) == MemoryKind::kPinned) {
      pinned[activity.kind].bytes += activity.bytes;
      pinned[activity.kind].time += time;
    }
    if (host_side(activity) != MemoryKind::kPageable || !activity.op) continue;
    const DataOp& op = trace.ops[activity.op.value];
    const Index<Site> site = op.site;
    PageableGroup& group = groups[{row_of(evidence.directives, site), activity.kind}];
    group.rate.bytes += activity.bytes;
    group.rate.time += time;
    ++group.count;
    group.site = site;
    if (op.variable) group.names.add(trace.variables[op.variable.value].name);
  }
  std::vector<Claim> claims;
  for (const auto& [key, group] : groups) {
    const ActivityKind kind = std::get<1>(key);
    if (static_cast<double>(group.rate.time) < kLeastPageableShare * static_cast<double>(busy))
      continue;
    const Rate& known = pinned[kind];
    if (known.bytes > 0 && known.bytes_per_ns() < kLeastGain * group.rate.bytes_per_ns()) continue;
    Claim claim;
    place(claim, "pageable_transfer", trace, group.site);
    Finding& finding = claim.finding;
    finding.variable = clause_list(group.names.all());
    finding.count = finding.examined = finding.of = group.count;
    finding.timed = known.bytes > 0;
    if (known.bytes > 0) {
      const double faster = static_cast<double>(group.rate.bytes) / known.bytes_per_ns();
      finding.wasted_time = group.rate.time - static_cast<Nanoseconds>(faster);
    }
    finding.confidence = Confidence::kLikely;
    if (known.bytes == 0) {
      claim.add_caveat(Caveat::Kind::kPinnedUnmeasured);
    }
    finding.facts = facts::PageableTransfer{.to_device = kind == ActivityKind::kHtoD,
                                            .rate = group.rate,
                                            .pinned = known,
                                            .names = group.names.all()};
    claims.push_back(std::move(claim));
  }
  return claims;
}

}  // namespace ompdm::analysis
