#include "trace/code/loop_nest.h"

#include <algorithm>
#include <utility>

namespace ompdm::trace {

LoopNest::LoopNest(const BlockGraph& graph)
    : graph_(graph),
      order_(graph.size(), kNoLoop),
      innermost_(graph.size(), kNoLoop),
      in_other_cycle_(graph.size()) {
  if (graph.empty()) return;
  number_blocks();
  find_dominators();
  find_loops();
  nest_loops();
  find_other_cycles();
}

void LoopNest::number_blocks() {
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
  before_.resize(graph_.size());
  for (const std::uint32_t block : sorted_) {
    for (const std::uint32_t to : graph_[block]) before_[to].push_back(block);
  }
}

// Cooper, Harvey, Kennedy, A Simple, Fast Dominance Algorithm (2001).
void LoopNest::find_dominators() {
  dominator_.assign(graph_.size(), kNoLoop);
  dominator_[0] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::uint32_t block : sorted_) {
      if (block == 0) continue;
      std::uint32_t found = kNoLoop;
      for (std::uint32_t from : before_[block]) {
        if (dominator_[from] == kNoLoop) continue;
        if (found == kNoLoop) {
          found = from;
          continue;
        }
        while (from != found) {
          while (order_[from] > order_[found]) from = dominator_[from];
          while (order_[found] > order_[from]) found = dominator_[found];
        }
      }
      changed = changed || dominator_[block] != found;
      dominator_[block] = found;
    }
  }
}

bool LoopNest::dominates(std::uint32_t above, std::uint32_t block) const {
  while (order_[block] > order_[above]) block = dominator_[block];
  return block == above;
}

// One a header, in the order of headers: outer loops come before their inner ones.
void LoopNest::find_loops() {
  for (const std::uint32_t header : sorted_) {
    NaturalLoop loop;
    loop.header = header;
    for (const std::uint32_t from : before_[header]) {
      if (order_[from] < order_[header]) continue;
      if (dominates(header, from)) loop.latches.push_back(from);
    }
    if (loop.latches.empty()) continue;
    std::vector<bool> in(graph_.size());
    in[header] = true;
    std::vector<std::uint32_t> left = loop.latches;
    while (!left.empty()) {
      const std::uint32_t block = left.back();
      left.pop_back();
      if (in[block]) continue;
      in[block] = true;
      left.insert(left.end(), before_[block].begin(), before_[block].end());
    }
    for (std::uint32_t block = 0; block < graph_.size(); ++block) {
      if (in[block]) loop.blocks.push_back(block);
    }
    loops_.push_back(std::move(loop));
  }
}

void LoopNest::nest_loops() {
  for (std::uint32_t i = 0; i < loops_.size(); ++i) {
    loops_[i].parent = innermost_[loops_[i].header];
    for (const std::uint32_t block : loops_[i].blocks) innermost_[block] = i;
  }
}

// An edge that leads back to a block which other ways go around closes a cycle without a header:
// what lies between the two within a pass of the innermost loop around both.
void LoopNest::find_other_cycles() {
  for (const std::uint32_t entry : sorted_) {
    for (const std::uint32_t from : before_[entry]) {
      if (order_[from] < order_[entry] || dominates(entry, from)) continue;
      const std::uint32_t around = common(innermost_[from], innermost_[entry]);
      const std::vector<bool> after = in_pass(graph_, entry, around);
      const std::vector<bool> before = in_pass(before_, from, around);
      for (std::uint32_t block = 0; block < graph_.size(); ++block) {
        if (after[block] && before[block] && innermost_[block] == around) {
          in_other_cycle_[block] = true;
        }
      }
    }
  }
}

bool LoopNest::contains(std::uint32_t loop, std::uint32_t block) const {
  return loop == kNoLoop || std::ranges::binary_search(loops_[loop].blocks, block);
}

bool LoopNest::is_joined(std::uint32_t loop, std::vector<std::uint32_t> blocks) const {
  std::vector<bool> seen(graph_.size());
  while (!blocks.empty()) {
    const std::uint32_t from = blocks.back();
    blocks.pop_back();
    if (reached(from) || seen[from]) continue;
    seen[from] = true;
    for (const std::uint32_t to : graph_[from]) {
      if (reached(to) && contains(loop, to)) return true;
      blocks.push_back(to);
    }
  }
  return false;
}

std::uint32_t LoopNest::common(std::uint32_t loop, std::uint32_t other) const {
  while (loop != kNoLoop && !(other != kNoLoop && contains(loop, loops_[other].header))) {
    loop = loops_[loop].parent;
  }
  return loop;
}

std::vector<bool> LoopNest::onward(std::uint32_t block, std::uint32_t loop) const {
  return in_pass(graph_, block, loop);
}

/// What `ways` lead to from the block before the pass ends; the block itself where they come back.
std::vector<bool> LoopNest::in_pass(const BlockGraph& ways, std::uint32_t block,
                                    std::uint32_t loop) const {
  std::vector<bool> found(graph_.size());
  std::vector<std::uint32_t> left = {block};
  while (!left.empty()) {
    const std::uint32_t from = left.back();
    left.pop_back();
    for (const std::uint32_t to : ways[from]) {
      if (found[to] || !contains(loop, to)) continue;
      if (loop != kNoLoop && to == loops_[loop].header) continue;  // another pass
      found[to] = true;
      left.push_back(to);
    }
  }
  return found;
}

std::vector<bool> LoopNest::until(const std::vector<bool>& marked, std::uint32_t loop) const {
  const std::uint32_t entry = loop == kNoLoop ? 0 : loops_[loop].header;
  std::vector<bool> found(graph_.size());
  found[entry] = true;
  std::vector<std::uint32_t> left = {entry};
  while (!left.empty()) {
    const std::uint32_t from = left.back();
    left.pop_back();
    if (marked[from]) continue;
    for (const std::uint32_t to : graph_[from]) {
      if (found[to] || !contains(loop, to)) continue;
      found[to] = true;
      left.push_back(to);
    }
  }
  return found;
}

std::vector<bool> LoopNest::since(const std::vector<bool>& marked, std::uint32_t loop) const {
  std::vector<bool> found(graph_.size());
  std::vector<std::uint32_t> left;
  const auto add = [&](std::uint32_t block) {
    if (found[block] || !contains(loop, block)) return;
    found[block] = true;
    left.push_back(block);
  };
  if (loop != kNoLoop) {
    for (const std::uint32_t latch : loops_[loop].latches) add(latch);
  } else {
    for (const std::uint32_t block : sorted_) {
      if (graph_[block].empty()) add(block);
    }
  }
  while (!left.empty()) {
    const std::uint32_t to = left.back();
    left.pop_back();
    const bool begins_pass = loop != kNoLoop && to == loops_[loop].header;
    if (marked[to] || begins_pass) continue;
    for (const std::uint32_t from : before_[to]) add(from);
  }
  return found;
}

}  // namespace ompdm::trace
