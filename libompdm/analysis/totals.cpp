#include <set>

#include "analysis/tables.h"

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
  for (const DataOp& op : trace.ops) {
    Flow* flow = op.internal ? &totals.runtime_internal : flow_of(totals, op.kind);
    if (flow != nullptr) add(*flow, {op.bytes, 1, op.end - op.begin});
  }
  for (const Launch& launch : trace.launches) {
    add(totals.kernel, {0, 1, launch.end - launch.begin});
  }
  for (const Region& region : trace.regions) {
    add(totals.region, {0, region.ends_data ? 0U : 1U, region.end - region.begin - region.hashing});
  }
  return totals;
}

Nanoseconds program_wall_of(const Trace& trace) {
  std::set<std::uint32_t> threads;
  for (const DataOp& op : trace.ops) {
    if (op.hash != 0 || op.fingerprint != 0) threads.insert(op.thread);
  }
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
