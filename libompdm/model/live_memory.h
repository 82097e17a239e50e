// Device memory at a time of a run: which block is at an address. For all that follow a trace's
// allocations and deletes in their order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

namespace ompdm {

/// `Block` has a member `bytes`, and whatever its user has to say of a block.
template <class Block>
class LiveMemory {
 public:
  using Place = std::pair<std::int32_t, std::uint64_t>;  ///< device and address

  /// Adds a block. Returns the block that was at its address: that one was freed unseen.
  std::optional<Block> allocate(std::int32_t device, std::uint64_t address, Block block) {
    const auto [at, is_new] = blocks_.try_emplace({device, address}, block);
    if (is_new) return std::nullopt;
    return std::exchange(at->second, std::move(block));
  }

  /// Removes the block that begins at an address; none: it is not known.
  std::optional<Block> release(std::int32_t device, std::uint64_t address) {
    auto node = blocks_.extract({device, address});
    if (node.empty()) return std::nullopt;
    return std::move(node.mapped());
  }

  /// The block that holds an address, null if none does. A block of 0 bytes holds its own.
  [[nodiscard]] const Block* find(std::int32_t device, std::uint64_t address) const {
    const auto after = blocks_.upper_bound({device, address});
    if (after == blocks_.begin()) return nullptr;
    const auto& [place, block] = *std::prev(after);
    const bool holds =
        place.first == device && address - place.second < std::max<std::uint64_t>(block.bytes, 1);
    return holds ? &block : nullptr;
  }

  /// The blocks that are there, by device and address.
  [[nodiscard]] const std::map<Place, Block>& blocks() const { return blocks_; }

 private:
  std::map<Place, Block> blocks_;
};

}  // namespace ompdm
