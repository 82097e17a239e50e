// The loops around an operation, and the place of a loop in the source. Inside the analysis
// library only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/tables.h"
#include "ompdm/analysis.h"
#include "ompdm/findings.h"
#include "ompdm/trace.h"

namespace ompdm::analysis {

/// One entry into a loop, and the one around it.
struct EnclosingEntry {
  std::size_t loop = 0;  ///< position in the loops given
  std::uint32_t sequence = 0;
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
  std::uint64_t iterations = 0;
  const EnclosingEntry* parent = nullptr;  ///< it comes before this one in memory
};

class EnclosingLoops {
 public:
  explicit EnclosingLoops(const LoopTable& loops);

  EnclosingLoops(const EnclosingLoops&) = delete;  // entries point to each other

  /// The innermost entry that holds [begin, end] of the thread; null if none does.
  [[nodiscard]] const EnclosingEntry* innermost(std::uint32_t thread, Nanoseconds begin,
                                                Nanoseconds end) const;

 private:
  std::vector<EnclosingEntry> entries_;  // by sequence, then begin, outer ones first
  std::vector<std::uint32_t> sequence_of_thread_;
};

/// Describes a loop whose first line is not known: its function, if the code shows it, and the call
/// chains of an iteration's directives. The chains are those of the first execution of each
/// directive.
UnplacedLoop unplaced_loop(const Trace& trace, const Loop& loop,
                           const std::vector<Index<Site>>& sites);

/// Where the loop begins in the source; empty if that is not known, or nothing can be written
/// there.
SourcePlace source_place(const Trace& trace, const Loop& loop);

/// The same, and whether the compiler left a loop there.
facts::LoopPlace place_of_loop(const Trace& trace, const Loop& loop);

/// A line of the loop's function: declarations after it are in the loop. It is the loop's own line,
/// or that of its first directive there; empty where the loop is not in the code.
SourcePlace body_place(const Trace& trace, const DirectiveTable& directives, const Loop& loop);

/// Whether the loop's code makes arrays on the host, which its directives may map.
inline MakesMemory makes_memory(const Trace& trace, const Loop& loop) {
  return loop.code ? trace.loops[loop.code.value].makes_memory : MakesMemory::kUnknown;
}

/// The loops around a loop in its function, innermost first, that have no row of their own: the
/// recording shows nothing else in them. None if the number of entries into the loop is known.
std::vector<Index<CodeLoop>> loops_around(const Trace& trace, const LoopTable& loops,
                                          const Loop& loop);

/// The loop as an anchor of edits. `sites`: those of an iteration.
Anchor loop_anchor(const Trace& trace, const Loop& loop, const std::vector<Index<Site>>& sites);

/// Fills Edit::calls of a finding's insertions that name data of another function, from the call
/// paths in the finding's loops.
void tell_calls(const Trace& trace, const LoopTable& table, Finding& finding);

}  // namespace ompdm::analysis
