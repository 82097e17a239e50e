// The items of map lists by the storage that they name: a list of thousands is asked for each of as
// many operations. Inside the analysis library only.
#pragma once

#include <cstdint>
#include <vector>

#include "ompdm/trace.h"

namespace ompdm::analysis {

class ListItems {
 public:
  /// The trace has to outlive this.
  explicit ListItems(const Trace& trace);

  /// The first item of a region's list that is this storage; nullptr if none is, or the region has
  /// no list.
  [[nodiscard]] const MapItem* first(Index<Region> region, std::uint64_t begin,
                                     std::uint64_t bytes) const;

  /// The first of them that the clause has a name for.
  [[nodiscard]] const MapItem* named(Index<Region> region, std::uint64_t begin,
                                     std::uint64_t bytes) const;

 private:
  template <class IsWanted>
  const MapItem* find(Index<Region> region, std::uint64_t begin, std::uint64_t bytes,
                      IsWanted is_wanted) const;

  const Trace& trace_;
  /// Positions in each long list, by begin, bytes and position; empty for short ones.
  std::vector<std::vector<std::uint32_t>> order_;
};

}  // namespace ompdm::analysis
