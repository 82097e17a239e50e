// A function's basic blocks and calls.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "machine_code/loop_nest.h"
#include "machine_code/module_code.h"

namespace ompdm::trace {

/// Of a call, those that registers hold.
inline constexpr std::size_t kKnownArguments = 6;

/// A call of whatever an instruction names.
struct CodeCall {
  std::uint64_t function = 0;  ///< by a direct call; 0: none
  std::uint64_t pointer =
      0;  ///< address of the pointer that it calls by, if that is known; 0: none
  /// Addresses that it hands over, as far as the instructions above it tell; 0: not known.
  std::array<std::uint64_t, kKnownArguments> arguments{};
};

struct FlowGraph {
  std::vector<std::uint64_t> begins;  ///< address of each block, ascending
  std::vector<std::uint64_t> lasts;   ///< address of each block's last instruction
  BlockGraph successors;
  /// By block: the function that it jumps to, which returns in this one's place; 0: none.
  std::vector<std::uint64_t> tail_calls;
  std::map<std::uint64_t, CodeCall> calls;  ///< by return address

  /// The block that holds the address; `address` must lie in the function.
  [[nodiscard]] std::uint32_t block_at(std::uint64_t address) const {
    const auto after = std::ranges::upper_bound(begins, address);
    return static_cast<std::uint32_t>(after - begins.begin()) - (after == begins.begin() ? 0 : 1);
  }
};

/// None where an instruction cannot be read, or where a jump's targets are not known.
std::optional<FlowGraph> read_flow(const ModuleCode& code, const CodeRange& function);

}  // namespace ompdm::trace
