#include "analysis/findings/enclosing_loops.h"

#include <algorithm>
#include <tuple>

namespace ompdm::analysis {

EnclosingLoops::EnclosingLoops(const LoopTable& loops)
    : sequence_of_thread_(loops.sequence_of_thread) {
  for (std::size_t loop = 0; loop < loops.rows.size(); ++loop) {
    for (const LoopEntry& span : loops.rows[loop].spans) {
      entries_.push_back({loop, span.sequence, span.begin, span.end, span.passes});
    }
  }
  const auto key = [](const EnclosingEntry& entry) {
    return std::tuple(entry.sequence, entry.begin, -entry.end, entry.passes, entry.loop);
  };
  std::ranges::sort(entries_, {}, key);
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    EnclosingEntry& entry = entries_[i];
    while (!open.empty() && (entries_[open.back()].sequence != entry.sequence ||
                             entries_[open.back()].end < entry.end)) {
      open.pop_back();
    }
    if (!open.empty()) entry.parent = open.back();
    open.push_back(i);
  }
}

std::uint32_t EnclosingLoops::innermost(std::uint32_t thread, Nanoseconds begin,
                                        Nanoseconds end) const {
  const std::uint32_t sequence =
      thread < sequence_of_thread_.size() ? sequence_of_thread_[thread] : thread;
  const auto after = std::ranges::upper_bound(
      entries_, std::pair(sequence, begin), {},
      [](const EnclosingEntry& entry) { return std::pair(entry.sequence, entry.begin); });
  if (after == entries_.begin()) return EnclosingEntry::kNoEntry;
  auto at = static_cast<std::uint32_t>(after - entries_.begin() - 1);
  if (entries_[at].sequence != sequence) return EnclosingEntry::kNoEntry;
  while (at != EnclosingEntry::kNoEntry && entries_[at].end < end) at = entries_[at].parent;
  return at;
}

}  // namespace ompdm::analysis
