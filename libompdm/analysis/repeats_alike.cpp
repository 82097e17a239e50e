#include <algorithm>
#include <utility>

#include "analysis/repeats.h"

// Passes that are not equal to their neighbours, and yet belong to the loop.
namespace ompdm::analysis {
/// Takes the nodes above `at` as two more passes of that loop, if the upper ones are exactly one
/// and the others are alike: a pass that differs stands between two that do not.
bool LoopFinder::take_alike_pass_at(std::size_t at) {
  const std::vector<std::uint32_t>& body = bodies_[stack_[at].shape - symbol_count_];
  const std::size_t above = stack_.size() - at - 1;
  if (above <= body.size() || above > kLongestAlike) return false;
  const std::size_t exact = stack_.size() - body.size();
  for (std::size_t i = body.size(); i > 0; --i) {
    if (stack_[exact + i - 1].shape != body[i - 1]) return false;
  }
  if (!are_alike(body, at + 1, exact)) return false;
  const Node last = take_pass(body.size());
  const Node alike = take_pass(above - body.size());
  Node& loop = stack_[at];
  release(alike.tail);
  release(std::exchange(loop.tail, last.tail));
  add_pass(loop, alike);
  add_pass(loop, last);
  return true;
}

/// Where the loop at `at` has an inner loop of several nodes next, takes the topmost nodes as the
/// only pass of that, if they are one: so that a pass which enters it once equals the others.
bool LoopFinder::enter_inner_loop_at(std::size_t at) {
  const std::vector<std::uint32_t>& body = bodies_[stack_[at].shape - symbol_count_];
  const std::size_t above = stack_.size() - at - 1;
  if (above > kLongestAlike) return false;
  std::size_t done = 0;
  while (done < std::min(body.size(), above) && stack_[at + 1 + done].shape == body[done]) ++done;
  if (done == body.size() || body[done] < symbol_count_) return false;
  const std::uint32_t inner = body[done];
  const std::vector<std::uint32_t>& expected = bodies_[inner - symbol_count_];
  if (above - done != expected.size() || loop_of_shape_[inner] == kNone) return false;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (stack_[at + 1 + done + i].shape != expected[i]) return false;
  }
  Node node = take_pass(expected.size());
  node.shape = inner;
  start_entry(node);
  push(node);
  return true;
}

/// Whether the nodes in [begin, end) are most of the body's symbols in their order, and few others,
/// inner loops taken once.
bool LoopFinder::are_alike(const std::vector<std::uint32_t>& body, std::size_t begin,
                           std::size_t end) const {
  std::vector<std::uint32_t> expected;
  for (const std::uint32_t shape : body) append_once(shape, expected);
  std::vector<std::uint32_t> found;
  for (std::size_t i = begin; i < end; ++i) append_once(stack_[i].shape, found);
  if (expected.size() > kLongestAlike || found.size() > 2 * expected.size()) return false;
  // Another loop of these symbols is no pass of this one, however often it was passed.
  for (std::size_t i = begin; i < end; ++i) {
    const std::uint32_t shape = stack_[i].shape;
    if (shape < symbol_count_ || std::ranges::count(body, shape) > 0) continue;
    std::vector<std::uint32_t> symbols;
    append_once(shape, symbols);
    if (std::ranges::find_first_of(symbols, expected) != symbols.end()) return false;
  }
  std::size_t matched = 0;
  auto from = expected.begin();
  for (const std::uint32_t symbol : found) {
    const auto next = std::find(from, expected.end(), symbol);
    if (next == expected.end()) continue;
    ++matched;
    from = next + 1;
  }
  return 2 * matched > expected.size() && found.size() - matched <= expected.size();
}

/// Remembers a short sequence in which nothing was folded: it may turn out to be one pass of a loop
/// of other sequences.
void LoopFinder::keep_single_pass() {
  if (stack_.empty() || stack_.size() > kLongestAlike) return;
  SinglePass single;
  single.span = {sequence_, stack_.front().begin, stack_.back().end, 1};
  for (const Node& node : stack_) {
    if (node.loop != kNone) return;
    single.body.push_back(node.shape);
    single.span.end = std::max(single.span.end, node.end);
    add(single.cost, node.cost);
  }
  single.cost.wall = single.span.end - single.span.begin;
  single_passes_.push_back(std::move(single));
}

}  // namespace ompdm::analysis
