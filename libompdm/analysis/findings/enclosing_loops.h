// Which loops a span of a thread's time lies in, from the innermost outwards. Inside the analysis
// library only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/repeats.h"

namespace ompdm::analysis {

/// One entry into a loop, and the one around it.
struct EnclosingEntry {
  std::size_t loop = 0;  ///< position in the loops given
  std::uint32_t sequence = 0;
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
  std::uint64_t passes = 0;
  std::uint32_t parent = kNoEntry;

  static constexpr std::uint32_t kNoEntry = 0xffffffff;
};

class EnclosingLoops {
 public:
  explicit EnclosingLoops(const LoopTable& loops);

  [[nodiscard]] const std::vector<EnclosingEntry>& entries() const { return entries_; }

  /// Position of the innermost entry that holds [begin, end] of the thread; kNoEntry if none does.
  [[nodiscard]] std::uint32_t innermost(std::uint32_t thread, Nanoseconds begin,
                                        Nanoseconds end) const;

 private:
  std::vector<EnclosingEntry> entries_;  // by sequence, then begin, outer ones first
  std::vector<std::uint32_t> sequence_of_thread_;
};

}  // namespace ompdm::analysis
