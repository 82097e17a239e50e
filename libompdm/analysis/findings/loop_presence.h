// What else is mapped of storage that advice would keep on a device while a loop runs. Inside the
// analysis library only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analysis/findings/findings.h"

namespace ompdm::analysis {

/// Whether what counts as one entry into a loop may be several: nothing recorded tells.
bool may_be_several(const Trace& trace, const Loop& loop);

class LoopPresence {
 public:
  explicit LoopPresence(const Evidence& evidence);

  /// Besides the mappings (positions in Evidence::mappings) that an entry's passes make of one
  /// piece, in their order. Where the entry may be several the piece stays for its own mappings
  /// alone. Where several entries into a loop were found from the order of events, what lies
  /// between them may be in the program's loop too.
  OtherMappings others(const EnclosingEntry& entry, const std::vector<std::uint32_t>& mappings);

 private:
  const Evidence& evidence_;
  std::vector<Nanoseconds> ends_;  // of the last pass; beside Evidence::loops
  std::map<std::pair<std::size_t, std::uint32_t>, OtherMappings> between_;  // by loop and piece
};

/// The stay of a piece from when the first of its mappings is there until the last one goes.
Stay stay_of(const Evidence& evidence, const std::vector<std::uint32_t>& mappings);

}  // namespace ompdm::analysis
