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
    const DataOp& op = trace.ops.common(i);
    const Interval time{trace.ops.begin_of(i), trace.ops.end_of(i)};
    const bool crosses = is_transfer(op.kind) && !op.internal;
    if (crosses && op.clock == Clock::kEnqueue) return std::nullopt;
    before.push_back(time);
    if (gone[i]) {
      if (crosses) ++prediction.spared_transfers;
      if (crosses && !carried[i]) prediction.spared_bytes += op.bytes;
      continue;
    }
    after.push_back(time);
    if (crosses) prediction.transfer += time.end - time.begin;
  }
  for (std::size_t i = 0; i < trace.launches.size(); ++i) {
    const Interval time{trace.launches.begin_of(i), trace.launches.end_of(i)};
    before.push_back(time);
    after.push_back(time);
  }
  prediction.wall =
      program_wall_of(trace) - (union_length(std::move(before)) - union_length(std::move(after)));
  return prediction;
}

}  // namespace ompdm::analysis
