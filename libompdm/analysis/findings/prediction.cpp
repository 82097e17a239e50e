#include <set>

#include "analysis/findings/findings.h"
#include "analysis/interval_union.h"

namespace ompdm::analysis {

namespace {

/// What looking at contents added to the wall time: threads that move data do so side by side.
Nanoseconds hashing_in_wall(const Trace& trace) {
  std::set<std::uint32_t> threads;
  for (const DataOp& op : trace.ops) {
    if (op.hash != 0 || op.fingerprint != 0) threads.insert(op.thread);
  }
  if (threads.empty()) return 0;
  return trace.recording.hashing_ns / static_cast<Nanoseconds>(threads.size());
}

}  // namespace

std::optional<Prediction> predict(const Trace& trace, const std::vector<Claim>& claims) {
  Claimed gone(trace.ops.size());
  bool any = false;
  for (const Claim& claim : claims) {
    for (const std::uint32_t op : claim.ops) {
      if (trace.ops[op].clock == Clock::kEnqueue) return std::nullopt;
      gone[op] = any = true;
    }
  }
  if (!any) return std::nullopt;
  // Time is won only where nothing else ran on a device meanwhile.
  std::vector<Interval> before;
  std::vector<Interval> after;
  Prediction prediction;
  for (std::size_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp& op = trace.ops[i];
    before.push_back({op.begin, op.end});
    if (gone[i]) continue;
    after.push_back({op.begin, op.end});
    if (is_transfer(op.kind) && !op.internal) prediction.transfer += op.end - op.begin;
  }
  for (const Launch& launch : trace.launches) {
    before.push_back({launch.begin, launch.end});
    after.push_back({launch.begin, launch.end});
  }
  prediction.wall = trace.process.wall - hashing_in_wall(trace) -
                    (union_length(std::move(before)) - union_length(std::move(after)));
  return prediction;
}

}  // namespace ompdm::analysis
