#include <algorithm>
#include <map>
#include <tuple>

#include "detectors/findings.h"
#include "detectors/names.h"

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

namespace {

/// Worth a line: what could have been hidden is this share of the device's busy time.
constexpr double kLeastHiddenShare = 0.1;
constexpr std::uint64_t kLeastCount = 2;
/// A copy this short is not worth a stream of its own.
constexpr Nanoseconds kLeastCopyTime = 20'000;

struct OverlapGroup {
  std::uint64_t count = 0;
  Nanoseconds hidden = 0;
  Index<Site> copy;
  Index<Site> kernel;
  UniqueTexts names;
};

/// Whether a region's kernel can reach by its maps what a transfer copies, or another part of the
/// same variable. It may where the maps are not all known.
bool may_reach(const Evidence& evidence, Index<Region> region, std::uint32_t copy) {
  const Trace& trace = evidence.trace;
  const std::uint32_t list = trace.regions.common(region.value).map_list;
  if (list >= trace.map_lists.size()) return true;
  const DataOp& op = trace.ops[copy];
  std::uint64_t begin = op.src;
  std::uint64_t bytes = op.bytes;
  if (const std::uint32_t mapping = evidence.mappings.of(copy); mapping != Index<Mapping>::kNone) {
    begin = evidence.mappings.rows()[mapping].host;
    bytes = evidence.mappings.rows()[mapping].bytes;
  }
  constexpr std::uint64_t kValue = 0x80 | 0x100;  // private or literal: no storage of the program's
  return std::ranges::any_of(trace.map_lists[list], [&](const MapItem& item) {
    if ((item.type & kValue) != 0) return false;
    const std::uint64_t end = item.begin + std::max<std::uint64_t>(item.bytes, 1);
    return !item.variable || item.variable == op.variable ||
           (item.begin < begin + bytes && begin < end);
  });
}

/// Whether the copy had to wait for the kernel: its region is another one, of the same thread, and
/// the kernel's maps name everything but what is copied.
bool waited_needlessly(const Evidence& evidence, const DeviceActivity& kernel,
                       const DeviceActivity& copy) {
  const Trace& trace = evidence.trace;
  if (!copy.op || !copy.region || !kernel.region || copy.region == kernel.region) return false;
  const DataOp& op = trace.ops[copy.op.value];
  if (!op.variable || op.internal) return false;
  const Region& before = trace.regions[kernel.region.value];
  const Region& after = trace.regions[copy.region.value];
  if (before.thread != after.thread || before.nowait || after.nowait) return false;
  return !may_reach(evidence, kernel.region, copy.op.value);
}

}  // namespace

std::vector<Claim> no_overlap(const Evidence& evidence) {
  const Trace& trace = evidence.trace;
  std::map<std::pair<std::uint32_t, std::uint32_t>, OverlapGroup> groups;  // by sites
  std::map<std::int32_t, const DeviceActivity*> last_kernel;               // by device
  Nanoseconds busy = 0;
  for (const DeviceActivity& activity : trace.activities) {
    const Nanoseconds time = activity.end - activity.begin;
    if (!activity.internal) busy += time;
    if (activity.kind == ActivityKind::kKernel) {
      last_kernel[activity.device] = &activity;
      continue;
    }
    if (activity.kind != ActivityKind::kHtoD || time < kLeastCopyTime) continue;
    const DeviceActivity*& kernel = last_kernel[activity.device];
    if (kernel == nullptr || kernel->end > activity.begin ||
        !waited_needlessly(evidence, *kernel, activity)) {
      continue;
    }
    const Index<Site> copy = trace.regions.common(activity.region.value).site;
    const Index<Site> ran = trace.regions.common(kernel->region.value).site;
    OverlapGroup& group = groups[{copy.value, ran.value}];
    ++group.count;
    group.hidden += std::min(time, kernel->end - kernel->begin);
    group.copy = copy;
    group.kernel = ran;
    const Index<Variable> variable = trace.ops.common(activity.op.value).variable;
    group.names.add(trace.variables[variable.value].name);
    kernel = nullptr;  // it can hide one copy of its length, not each that follows
  }
  std::vector<Claim> claims;
  for (const auto& [key, group] : groups) {
    if (group.count < kLeastCount || !group.copy || !group.kernel) continue;
    if (static_cast<double>(group.hidden) < kLeastHiddenShare * static_cast<double>(busy)) continue;
    Claim claim;
    place(claim, "no_overlap", trace, group.copy);
    Finding& finding = claim.finding;
    finding.variable = clause_list(group.names.all());
    finding.count = finding.examined = finding.of = group.count;
    finding.wasted_time = group.hidden;
    claim.add_caveat(Caveat::Kind::kOtherPointer);
    finding.facts = facts::NoOverlap{.names = group.names.all(),
                                     .kernel = source_place(trace.sites[group.kernel.value])};
    claims.push_back(std::move(claim));
  }
  return claims;
}

}  // namespace ompdm::analysis
