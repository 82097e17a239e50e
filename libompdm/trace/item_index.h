// The items of a long map list by the addresses that they hold: a list of thousands is asked for
// each of as many operations.
#pragma once

#include <cstdint>
#include <vector>

#include "ompdm/trace.h"
#include "trace/map_items.h"

namespace ompdm::trace {

/// Answers as the functions of map_items.h do, in a time that grows with the logarithm of the list.
class ItemIndex {
 public:
  explicit ItemIndex(const std::vector<MapItem>& items);

  /// As item_holding().
  [[nodiscard]] std::uint32_t holding(std::uint64_t address, bool largest) const;
  [[nodiscard]] const PackedSize& packed() const { return packed_; }

 private:
  // From `begin` up to the next one's the same items hold every address.
  struct Stretch {
    std::uint64_t begin;
    std::uint32_t first;
    std::uint32_t largest;
  };
  std::vector<Stretch> stretches_;
  PackedSize packed_;
};

}  // namespace ompdm::trace
