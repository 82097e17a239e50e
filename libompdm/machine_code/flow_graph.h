// A function's basic blocks, and the loops that they are in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "machine_code/module_code.h"

namespace ompdm::trace {

/// Successors of each block; block 0 is where the function is entered.
using BlockGraph = std::vector<std::vector<std::uint32_t>>;

inline constexpr std::uint32_t kNoLoop = 0xffffffff;

/// Edges that lead back to a block that dominates them, and the blocks between (Aho, Lam, Sethi,
/// Ullman, Compilers, 2nd edition, 9.6.6).
struct NaturalLoop {
  std::uint32_t header = 0;
  std::uint32_t parent = kNoLoop;      ///< the loop around it
  std::vector<std::uint32_t> latches;  ///< where the edges back come from
  std::vector<std::uint32_t> blocks;   ///< sorted, header and inner loops included
};

/// The blocks that `ways` lead to from the blocks `from`: each step that `may_step(from, to)`
/// allows is taken. A block of `from` is one of them only where a way leads back to it.
template <class MayStep>
std::vector<bool> blocks_behind(const BlockGraph& ways, std::vector<std::uint32_t> from,
                                MayStep may_step) {
  std::vector<bool> found(ways.size());
  while (!from.empty()) {
    const std::uint32_t block = from.back();
    from.pop_back();
    for (const std::uint32_t to : ways[block]) {
      if (found[to] || !may_step(block, to)) continue;
      found[to] = true;
      from.push_back(to);
    }
  }
  return found;
}

class LoopNest {
 public:
  /// `graph` must outlive this.
  explicit LoopNest(const BlockGraph& graph);

  [[nodiscard]] const std::vector<NaturalLoop>& loops() const { return loops_; }
  /// The innermost loop that the block lies in, kNoLoop if it lies in none.
  [[nodiscard]] std::uint32_t innermost(std::uint32_t block) const { return innermost_[block]; }
  /// Whether any way from the entry leads there.
  [[nodiscard]] bool reached(std::uint32_t block) const { return order_[block] != kNoLoop; }
  /// Whether one of `blocks` leads into the loop by ways that nothing else reaches.
  [[nodiscard]] bool is_joined(std::uint32_t loop, std::vector<std::uint32_t> blocks) const;
  /// Whether the block lies in a cycle that is no loop: it is entered at several places and has no
  /// header. Blocks of loops in such a cycle do not count.
  [[nodiscard]] bool in_other_cycle(std::uint32_t block) const { return in_other_cycle_[block]; }
  /// The innermost loop that both lie in; of loops themselves.
  [[nodiscard]] std::uint32_t common(std::uint32_t loop, std::uint32_t other) const;
  /// The blocks that an iteration of `loop` (kNoLoop: a call of the function) may come to after
  /// `block`; `block` itself only where it can be repeated within the iteration.
  [[nodiscard]] std::vector<bool> onward(std::uint32_t block, std::uint32_t loop) const;
  /// Whether the block lies in the loop; all do in kNoLoop.
  [[nodiscard]] bool contains(std::uint32_t loop, std::uint32_t block) const;
  /// The blocks that an iteration of `loop` (kNoLoop: a call of the function) may come to before it
  /// has gone through a marked block, and the first marked ones.
  [[nodiscard]] std::vector<bool> until(const std::vector<bool>& marked, std::uint32_t loop) const;
  /// The blocks from which an iteration may come to its end (a call to its return) without going
  /// through another marked block.
  [[nodiscard]] std::vector<bool> since(const std::vector<bool>& marked, std::uint32_t loop) const;

 private:
  void number_blocks();
  void find_dominators();
  void find_loops();
  void nest_loops();
  void find_other_cycles();
  [[nodiscard]] std::vector<bool> in_pass(const BlockGraph& ways, std::uint32_t block,
                                          std::uint32_t loop) const;
  [[nodiscard]] bool dominates(std::uint32_t above, std::uint32_t block) const;

  const BlockGraph& graph_;
  std::vector<std::uint32_t> order_;   // of each block: its place in reverse postorder
  std::vector<std::uint32_t> sorted_;  // blocks in that order
  std::vector<std::vector<std::uint32_t>> before_;
  std::vector<std::uint32_t> dominator_;  // immediate
  std::vector<NaturalLoop> loops_;
  std::vector<std::uint32_t> innermost_;
  std::vector<bool> in_other_cycle_;
};

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
  [[nodiscard]] std::uint32_t block_at(std::uint64_t address) const;
};

/// None where an instruction cannot be read, or where a jump's targets are not known.
std::optional<FlowGraph> read_flow(const ModuleCode& code, const CodeRange& function);

}  // namespace ompdm::trace
