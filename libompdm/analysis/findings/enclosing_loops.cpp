#include "analysis/findings/enclosing_loops.h"

#include <algorithm>
#include <tuple>

namespace ompdm::analysis {

EnclosingLoops::EnclosingLoops(const std::vector<Loop>& loops) {
  for (std::size_t loop = 0; loop < loops.size(); ++loop) {
    for (const LoopEntry& span : loops[loop].spans) {
      entries_.push_back({loop, span.sequence, span.begin, span.end, span.passes});
    }
  }
  const auto key = [](const EnclosingEntry& entry) {
    return std::tuple(entry.thread, entry.begin, -entry.end, entry.passes, entry.loop);
  };
  std::ranges::sort(entries_, {}, key);
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    EnclosingEntry& entry = entries_[i];
    while (!open.empty() && (entries_[open.back()].thread != entry.thread ||
                             entries_[open.back()].end < entry.end)) {
      open.pop_back();
    }
    if (!open.empty()) entry.parent = open.back();
    open.push_back(i);
  }
}

std::uint32_t EnclosingLoops::innermost(std::uint32_t thread, Nanoseconds begin,
                                        Nanoseconds end) const {
  const auto after = std::ranges::upper_bound(
      entries_, std::pair(thread, begin), {},
      [](const EnclosingEntry& entry) { return std::pair(entry.thread, entry.begin); });
  if (after == entries_.begin()) return EnclosingEntry::kNoEntry;
  auto at = static_cast<std::uint32_t>(after - entries_.begin() - 1);
  if (entries_[at].thread != thread) return EnclosingEntry::kNoEntry;
  while (at != EnclosingEntry::kNoEntry && entries_[at].end < end) at = entries_[at].parent;
  return at;
}

}  // namespace ompdm::analysis
