#include "analysis/invariant.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "analysis/findings/contents.h"
#include "analysis/findings/enclosing_loops.h"
#include "analysis/tables.h"

namespace ompdm::analysis {
namespace {

/// What crosses again and again: entry into a loop, whether to the device, device, place on the
/// host, size.
using Piece = std::tuple<std::uint32_t, bool, std::int32_t, std::uint64_t, std::uint64_t>;

struct Crossings {
  std::uint32_t latest = Index<DataOp>::kNone;  ///< whose content is known
  std::uint64_t compared = 0;
  std::uint64_t bytes = 0;
  bool changes = false;
};

void add(const Trace& trace, std::uint32_t number, Crossings& crossings) {
  const DataOp& op = trace.ops[number];
  crossings.bytes += op.bytes;
  if (op.hash == 0 && op.fingerprint == 0) return;
  if (crossings.latest != Index<DataOp>::kNone) {
    const Same same = same_content(trace.ops[crossings.latest], op);
    if (same == Same::kUnknown) return;
    ++crossings.compared;
    if (same == Same::kNo) crossings.changes = true;
  }
  crossings.latest = number;
}

}  // namespace

std::vector<std::optional<std::uint64_t>> invariant_bytes(const Trace& trace,
                                                          const LoopTable& loops) {
  std::vector<std::optional<std::uint64_t>> bytes(loops.rows.size());
  const bool any = std::ranges::any_of(
      trace.ops, [](const DataOp& op) { return op.hash != 0 || op.fingerprint != 0; });
  if (!any) return bytes;
  const EnclosingLoops enclosing(loops);
  std::map<Piece, Crossings> pieces;
  for (std::uint32_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp& op = trace.ops[i];
    const bool to_device = op.kind == OpKind::kHtoD;
    if (op.internal || (!to_device && op.kind != OpKind::kDtoH)) continue;
    // What a region's helper threads move is part of the pass that runs the region.
    const Region* region = op.region ? &trace.regions[op.region.value] : nullptr;
    std::uint32_t entry = enclosing.innermost(region != nullptr ? region->thread : op.thread,
                                              region != nullptr ? region->begin : op.begin,
                                              region != nullptr ? region->end : op.end);
    for (; entry != EnclosingEntry::kNoEntry; entry = enclosing.entries()[entry].parent) {
      const Piece piece(entry, to_device, to_device ? op.dst_device : op.src_device,
                        to_device ? op.src : op.dst, op.bytes);
      add(trace, i, pieces[piece]);
    }
  }
  std::vector<std::uint64_t> total(loops.rows.size());
  std::vector<bool> compared(loops.rows.size());
  for (const auto& [piece, crossings] : pieces) {
    if (crossings.compared == 0) continue;
    const std::size_t loop = enclosing.entries()[std::get<0>(piece)].loop;
    compared[loop] = true;
    if (!crossings.changes) total[loop] += crossings.bytes;
  }
  for (std::size_t loop = 0; loop < loops.rows.size(); ++loop) {
    if (!compared[loop]) continue;
    bytes[loop] = static_cast<std::uint64_t>(std::llround(
        static_cast<double>(total[loop]) / static_cast<double>(loops.rows[loop].passes)));
  }
  return bytes;
}

}  // namespace ompdm::analysis
