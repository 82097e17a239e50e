#include "analysis/findings/findings.h"
#include "analysis/interval_union.h"
#include "analysis/tables.h"

namespace ompdm::analysis {

std::optional<Prediction> predict(const Trace& trace, std::span<const Claim> claims) {
  if (!has_transfers(trace.recording)) return std::nullopt;
  Claimed gone(trace.ops.size());
  Claimed carried(trace.ops.size());  // gone, but another carries its bytes
  for (const Claim& claim : claims) {
    for (const std::uint32_t op : claim.ops) {
      gone[op] = true;
      carried[op] = claim.carries_all;
    }
  }
  // Time is won only where nothing else ran on a device meanwhile.
  std::vector<Interval> before;
  std::vector<Interval> after;
  Prediction prediction;
  for (std::size_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp& op = trace.ops[i];
    if (op.clock == Clock::kEnqueue && is_transfer(op.kind) && !op.internal) return std::nullopt;
    before.push_back({op.begin, op.end});
    if (gone[i]) {
      const bool is_spared = is_transfer(op.kind) && !op.internal && !carried[i];
      if (is_spared) prediction.spared_bytes += op.bytes;
      continue;
    }
    after.push_back({op.begin, op.end});
    if (is_transfer(op.kind) && !op.internal) prediction.transfer += op.end - op.begin;
  }
  for (const Launch& launch : trace.launches) {
    before.push_back({launch.begin, launch.end});
    after.push_back({launch.begin, launch.end});
  }
  prediction.wall =
      program_wall_of(trace) - (union_length(std::move(before)) - union_length(std::move(after)));
  return prediction;
}

}  // namespace ompdm::analysis
