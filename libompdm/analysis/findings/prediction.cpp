#include <algorithm>

#include "analysis/device_walk.h"
#include "analysis/findings/findings.h"
#include "analysis/interval_union.h"
#include "analysis/tables.h"

namespace ompdm::analysis {

std::optional<Prediction> predict(const Trace& trace, std::span<const Claim> claims) {
  if (!has_transfers(trace.recording)) return std::nullopt;
  Claimed gone(trace.ops.size());
  Claimed carried(trace.ops.size());  // gone, but another carries its bytes
  for (const Claim& claim : claims) {
    if (claim.spares_none) continue;
    for (const std::uint32_t op : claim.ops) {
      gone[op] = true;
      carried[op] = claim.carries_all;
    }
  }
  // Time is won only where nothing else ran on a device meanwhile.
  UnionLength before;
  UnionLength after;
  Prediction prediction;
  prediction.at_most = std::ranges::any_of(claims, &Claim::host_lags);
  bool is_known = true;
  const auto take_op = [&](std::size_t i) {
    const DataOp& op = trace.ops.common(i);
    const Interval time{trace.ops.begin_of(i), trace.ops.end_of(i)};
    const bool crosses = is_transfer(op.kind) && !op.internal;
    is_known = is_known && !(crosses && op.clock == Clock::kEnqueue);
    before.add(time);
    if (gone[i]) {
      if (crosses) ++prediction.spared_transfers;
      if (crosses && !carried[i]) prediction.spared_bytes += op.bytes;
      return;
    }
    after.add(time);
    if (crosses) prediction.transfer += time.end - time.begin;
  };
  const auto take_launch = [&](std::size_t i) {
    const Interval time{trace.launches.begin_of(i), trace.launches.end_of(i)};
    before.add(time);
    after.add(time);
  };
  walk_by_begin(trace, take_op, take_launch);
  if (!is_known) return std::nullopt;
  prediction.wall = program_wall_of(trace) - (before.length() - after.length());
  return prediction;
}

}  // namespace ompdm::analysis
