#include "analysis/findings/loop_presence.h"

#include <algorithm>

namespace ompdm::analysis {

bool may_be_several(const Trace& trace, const Loop& loop) {
  // What was unrolled may have been several loops, one in the other.
  return loop.entries_at_least || (loop.code && trace.loops[loop.code.value].unrolled);
}

LoopPresence::LoopPresence(const Evidence& evidence) : evidence_(evidence) {
  for (const Loop& loop : evidence.loops.rows) {
    Nanoseconds& end = ends_.emplace_back(0);
    for (const LoopEntry& span : loop.spans) end = std::max(end, span.end);
  }
}

OtherMappings LoopPresence::others(const EnclosingEntry& entry,
                                   const std::vector<std::uint32_t>& mappings) {
  const Loop& loop = evidence_.loops.rows[entry.loop];
  const Mapping& piece = evidence_.mappings.rows()[mappings.front()];
  Nanoseconds from = entry.begin;
  Nanoseconds to = entry.end;
  if (may_be_several(evidence_.trace, loop)) {
    const Stay own = stay_of(evidence_, mappings);
    from = own.from;
    to = own.to;
  }
  OtherMappings others = evidence_.presence.others(piece, from, to, mappings.size());
  if (loop.spans.size() == 1 || loop.code) return others;
  const auto [at, is_new] = between_.try_emplace({entry.loop, piece.piece});
  OtherMappings& between = at->second;
  if (is_new) {
    between = evidence_.presence.others(piece, loop.begin, ends_[entry.loop], 0);
  } else {
    between.mappings.clear();  // told once
  }
  const bool any = others.any;
  others = between;
  others.any = any;
  return others;
}

Stay stay_of(const Evidence& evidence, const std::vector<std::uint32_t>& mappings) {
  const Trace& trace = evidence.trace;
  const Mapping& first = evidence.mappings.rows()[mappings.front()];
  const Mapping& last = evidence.mappings.rows()[mappings.back()];
  return {first.device,
          first.host,
          first.bytes,
          first.storage,
          trace.ops.end_of(first.alloc.value),
          last.remove ? trace.ops.begin_of(last.remove.value) : trace.process.wall};
}

}  // namespace ompdm::analysis
