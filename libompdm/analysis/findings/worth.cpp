#include "analysis/findings/worth.h"

#include "analysis/tables.h"

namespace ompdm::analysis {
namespace {

constexpr std::uint64_t kHundredth = 100;
constexpr std::uint64_t kThousandth = 1000;
constexpr std::uint64_t kMany = 10;

bool is_share(std::uint64_t bytes, std::uint64_t all) {
  return bytes > 0 && kHundredth * bytes >= all;
}

bool are_many(std::uint64_t count, std::uint64_t all) {
  return count >= kMany && kThousandth * count >= all;
}

}  // namespace

void Cost::add(const DataOp& op) {
  if (op.internal) return;
  if (is_transfer(op.kind)) {
    ++transfers;
    bytes += op.bytes;
  } else if (op.kind == OpKind::kAlloc) {
    ++allocations;
    allocated_bytes += op.bytes;
  }
}

Worth::Worth(const Trace& trace) : trace_(trace) {
  for (const DataOp& op : trace.ops) all_.add(op);
}

bool Worth::of(const Claim& claim) const {
  if (claim.ops.empty()) return true;
  Cost cost;
  for (const std::uint32_t op : claim.ops) cost.add(trace_.ops[op]);
  return is_share(cost.bytes, all_.bytes) || is_share(cost.allocated_bytes, all_.allocated_bytes) ||
         are_many(cost.transfers, all_.transfers) || are_many(cost.allocations, all_.allocations);
}

Withheld withheld_of(const Trace& trace, const std::vector<Claim>& claims, const Claimed& claimed) {
  Withheld withheld;
  Cost cost;
  Claimed counted = claimed;
  for (const Claim& claim : claims) {
    bool is_new = false;
    for (const std::uint32_t op : claim.ops) {
      if (counted[op]) continue;
      counted[op] = true;
      is_new = true;
      cost.add(trace.ops[op]);
    }
    if (is_new) ++withheld.findings;
  }
  for (std::uint32_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp& op = trace.ops.common(i);
    const bool is_small = is_transfer(op.kind) && !op.internal && op.bytes <= kRidesAlong;
    if (is_small && !counted[i]) ++withheld.small_transfers;
  }
  withheld.transfers = cost.transfers;
  withheld.bytes = cost.bytes;
  withheld.allocations = cost.allocations;
  return withheld;
}

}  // namespace ompdm::analysis
