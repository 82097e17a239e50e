#include <set>

#include "analysis/tables.h"
#include "ompdm/run_sums.h"

namespace ompdm::analysis {
namespace {

Flow* flow_of(Totals& totals, OpKind kind) {
  switch (kind) {
    case OpKind::kAlloc:
      return &totals.alloc;
    case OpKind::kHtoD:
      return &totals.htod;
    case OpKind::kDtoH:
      return &totals.dtoh;
    case OpKind::kDtoD:
      return &totals.dtod;
    case OpKind::kMemset:
      return &totals.memset;
    case OpKind::kDelete:
      return &totals.remove;
    case OpKind::kAssociate:
    case OpKind::kDisassociate:
      break;
  }
  return nullptr;
}

void add(Flow& sum, const Flow& other) {
  sum.bytes += other.bytes;
  sum.count += other.count;
  sum.time += other.time;
}

}  // namespace

Totals totals_of(const Trace& trace) {
  Totals totals;
  sum_up(trace.ops, [&](const DataOp& op, std::uint64_t count, Nanoseconds time) {
    Flow* flow = op.internal ? &totals.runtime_internal : flow_of(totals, op.kind);
    if (flow != nullptr) add(*flow, {count * op.bytes, count, time});
  });
  sum_up(trace.launches, [&](const Launch& /*launch*/, std::uint64_t count, Nanoseconds time) {
    add(totals.kernel, {0, count, time});
  });
  sum_up(trace.regions, [&](const Region& region, std::uint64_t count, Nanoseconds time) {
    add(totals.region, {0, region.ends_data ? 0U : count, time});
  });
  trace.regions.each_rare(
      [&](std::size_t /*region*/, const auto& own) { totals.region.time -= own.hashing; });
  for (const OpTally& tally : trace.op_tallies) {
    Flow* flow = tally.like.internal ? &totals.runtime_internal : flow_of(totals, tally.like.kind);
    if (flow != nullptr) add(*flow, {tally.bytes, tally.times.count, sum_of(tally.times)});
  }
  for (const LaunchTally& tally : trace.launch_tallies) {
    add(totals.kernel, {0, tally.times.count, sum_of(tally.times)});
  }
  for (const RegionTally& tally : trace.region_tallies) {
    add(totals.region, {0, tally.like.ends_data ? 0U : tally.times.count, sum_of(tally.times)});
  }
  return totals;
}

Nanoseconds program_wall_of(const Trace& trace) {
  std::set<std::uint32_t> threads;
  trace.ops.each_rare([&](std::size_t op, const auto& content) {
    if (content.hash != 0 || content.fingerprint != 0) threads.insert(trace.ops.common(op).thread);
  });
  if (threads.empty()) return trace.process.wall;
  return trace.process.wall - trace.recording.hashing_ns / static_cast<Nanoseconds>(threads.size());
}

void add(Totals& sum, const Totals& other) {
  add(sum.htod, other.htod);
  add(sum.dtoh, other.dtoh);
  add(sum.dtod, other.dtod);
  add(sum.memset, other.memset);
  add(sum.alloc, other.alloc);
  add(sum.remove, other.remove);
  add(sum.kernel, other.kernel);
  add(sum.region, other.region);
  add(sum.runtime_internal, other.runtime_internal);
}

}  // namespace ompdm::analysis
