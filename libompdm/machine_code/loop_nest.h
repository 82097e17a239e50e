// The loops of a function's blocks, and the paths between the blocks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

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

/// The blocks that can be reached from the blocks `from` along `ways`: each step that
/// `may_step(from, to)` allows is taken. A block of `from` is one of them only if a path leads back
/// to it.
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

/// The blocks that a call of the function may come to without those that are closed.
inline std::vector<bool> reached_without(const BlockGraph& graph, const std::vector<bool>& closed) {
  if (closed[0]) return std::vector<bool>(closed.size());
  std::vector<bool> reached =
      blocks_behind(graph, {0}, [&](std::uint32_t, std::uint32_t to) { return !closed[to]; });
  reached[0] = true;
  return reached;
}

class LoopNest {
 public:
  /// `graph` must outlive this.
  explicit LoopNest(const BlockGraph& graph)
      : graph_(graph),
        order_(graph.size(), kNoLoop),
        before_(graph.size()),
        innermost_(graph.size(), kNoLoop),
        in_other_cycle_(graph.size()) {
    if (graph.empty()) return;
    number_blocks();
    find_loops();
  }

  [[nodiscard]] const std::vector<NaturalLoop>& loops() const { return loops_; }
  /// Predecessors of each block, without those that cannot be reached from the entry.
  [[nodiscard]] const BlockGraph& before() const { return before_; }
  /// The innermost loop that the block lies in, kNoLoop if it lies in none.
  [[nodiscard]] std::uint32_t innermost(std::uint32_t block) const { return innermost_[block]; }
  /// Whether any path from the entry leads there.
  [[nodiscard]] bool reached(std::uint32_t block) const { return order_[block] != kNoLoop; }
  /// Whether one of `blocks` leads into the loop by paths that begin in no reached block.
  [[nodiscard]] bool is_joined(std::uint32_t loop, std::vector<std::uint32_t> blocks) const {
    const std::vector<bool> found =
        blocks_behind(graph_, std::move(blocks),
                      [this](std::uint32_t block, std::uint32_t) { return !reached(block); });
    return std::ranges::any_of(loops_[loop].blocks,
                               [&](std::uint32_t block) { return found[block]; });
  }

  /// Whether the block lies in a cycle that is no loop: it is entered at several places and has no
  /// header. Blocks of loops in such a cycle do not count.
  [[nodiscard]] bool in_other_cycle(std::uint32_t block) const { return in_other_cycle_[block]; }
  /// The innermost loop that both lie in; of loops themselves.
  [[nodiscard]] std::uint32_t common(std::uint32_t loop, std::uint32_t other) const {
    while (loop != kNoLoop && !(other != kNoLoop && contains(loop, loops_[other].header))) {
      loop = loops_[loop].parent;
    }
    return loop;
  }

  /// The blocks that may follow after `block` in an iteration of `loop` (kNoLoop: in a call of the
  /// function). `block` itself is one of them only if it can be repeated within the iteration.
  [[nodiscard]] std::vector<bool> onward(std::uint32_t block, std::uint32_t loop) const {
    return in_iteration(graph_, block, loop);
  }

  /// Whether the block lies in the loop; all do in kNoLoop.
  [[nodiscard]] bool contains(std::uint32_t loop, std::uint32_t block) const {
    return loop == kNoLoop || std::ranges::binary_search(loops_[loop].blocks, block);
  }

  /// The blocks that may come in an iteration of `loop` (kNoLoop: in a call of the function) before
  /// it has left a marked block. The first marked ones are included.
  [[nodiscard]] std::vector<bool> until(const std::vector<bool>& marked, std::uint32_t loop) const {
    const std::uint32_t entry = loop == kNoLoop ? 0 : loops_[loop].header;
    std::vector<bool> found =
        blocks_behind(graph_, {entry}, [&](std::uint32_t block, std::uint32_t to) {
          return !marked[block] && contains(loop, to);
        });
    found[entry] = true;
    return found;
  }

  /// The blocks from which an iteration may come to its end (a call to its return) without going
  /// through another marked block.
  [[nodiscard]] std::vector<bool> since(const std::vector<bool>& marked, std::uint32_t loop) const {
    std::vector<std::uint32_t> ends;
    if (loop != kNoLoop) {
      ends = loops_[loop].latches;
    } else {
      std::ranges::copy_if(sorted_, std::back_inserter(ends),
                           [this](std::uint32_t block) { return graph_[block].empty(); });
    }
    std::vector<bool> found =
        blocks_behind(before_, ends, [&](std::uint32_t block, std::uint32_t to) {
          const bool begins_iteration = loop != kNoLoop && block == loops_[loop].header;
          return !marked[block] && !begins_iteration && contains(loop, to);
        });
    for (const std::uint32_t end : ends) found[end] = true;
    return found;
  }

 private:
  void number_blocks() {
    std::vector<std::pair<std::uint32_t, std::size_t>> path = {{0, 0}};
    std::vector<bool> seen(graph_.size());
    seen[0] = true;
    while (!path.empty()) {
      auto& [block, next] = path.back();
      if (next == graph_[block].size()) {
        sorted_.push_back(block);
        path.pop_back();
        continue;
      }
      const std::uint32_t to = graph_[block][next++];
      if (!seen[to]) {
        seen[to] = true;
        path.emplace_back(to, 0);
      }
    }
    std::ranges::reverse(sorted_);
    for (std::uint32_t i = 0; i < sorted_.size(); ++i) order_[sorted_[i]] = i;
    for (const std::uint32_t block : sorted_) {
      for (const std::uint32_t to : graph_[block]) before_[to].push_back(block);
    }
  }

  // One a header, in the order of headers: outer loops come before their inner ones.
  void find_loops() {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> others;  // edges that lead back elsewhere
    for (const std::uint32_t header : sorted_) {
      std::vector<std::uint32_t> back;
      std::ranges::copy_if(before_[header], std::back_inserter(back),
                           [&](std::uint32_t from) { return order_[from] >= order_[header]; });
      if (back.empty()) continue;
      std::vector<bool> closed(graph_.size());
      closed[header] = true;
      // A block dominates those that no way around it leads to.
      const std::vector<bool> around = reached_without(graph_, closed);
      NaturalLoop loop{header, innermost_[header], {}, {}};
      for (const std::uint32_t from : back) {
        if (around[from]) others.emplace_back(header, from);
        if (!around[from]) loop.latches.push_back(from);
      }
      if (loop.latches.empty()) continue;
      std::vector<bool> in =
          blocks_behind(before_, loop.latches,
                        [header](std::uint32_t block, std::uint32_t) { return block != header; });
      in[header] = true;
      for (const std::uint32_t latch : loop.latches) in[latch] = true;
      for (std::uint32_t block = 0; block < graph_.size(); ++block) {
        if (!in[block]) continue;
        loop.blocks.push_back(block);
        innermost_[block] = static_cast<std::uint32_t>(loops_.size());
      }
      loops_.push_back(std::move(loop));
    }
    for (const auto& [entry, from] : others) find_other_cycle(entry, from);
  }

  // An edge to a block that does not dominate its origin closes a cycle without a header. The cycle
  // is what lies between the two within an iteration of the innermost loop around both.
  void find_other_cycle(std::uint32_t entry, std::uint32_t from) {
    const std::uint32_t around = common(innermost_[from], innermost_[entry]);
    const std::vector<bool> after = in_iteration(graph_, entry, around);
    const std::vector<bool> before = in_iteration(before_, from, around);
    for (std::uint32_t block = 0; block < graph_.size(); ++block) {
      if (after[block] && before[block] && innermost_[block] == around) {
        in_other_cycle_[block] = true;
      }
    }
  }

  /// The blocks that can be reached from the block along `ways` before the iteration ends. The
  /// block itself is one of them if it can be reached again.
  [[nodiscard]] std::vector<bool> in_iteration(const BlockGraph& ways, std::uint32_t block,
                                               std::uint32_t loop) const {
    const std::uint32_t header = loop == kNoLoop ? kNoLoop : loops_[loop].header;
    return blocks_behind(ways, {block}, [&](std::uint32_t, std::uint32_t to) {
      return to != header && contains(loop, to);
    });
  }

  const BlockGraph& graph_;
  std::vector<std::uint32_t> order_;   // of each block: its place in reverse postorder
  std::vector<std::uint32_t> sorted_;  // blocks in that order
  BlockGraph before_;
  std::vector<NaturalLoop> loops_;
  std::vector<std::uint32_t> innermost_;
  std::vector<bool> in_other_cycle_;
};

}  // namespace ompdm::trace
