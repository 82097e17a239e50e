#include "analysis/repeats.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "analysis/order.h"

namespace ompdm::analysis {
namespace {

constexpr std::size_t kMostCandidates = 64;
/// Passes that are only alike are looked for among the nearest loops.
constexpr int kMostLoopsAlike = 4;

}  // namespace

void add(PassCost& sum, const PassCost& cost) {
  sum.htod_bytes += cost.htod_bytes;
  sum.dtoh_bytes += cost.dtoh_bytes;
  sum.transfer += cost.transfer;
  sum.kernel += cost.kernel;
  sum.hashing += cost.hashing;
  sum.allocations += cost.allocations;
}

void add(Loop& sum, const Loop& loop) {
  if (loop.begin < sum.begin) {
    sum.begin = loop.begin;
    sum.first = loop.first;
  }
  sum.passes += loop.passes;
  sum.entries += loop.entries;
  add(sum.first_passes, loop.first_passes);
  add(sum.total, loop.total);
  sum.first_passes.wall += loop.first_passes.wall;
  sum.total.wall += loop.total.wall;
  for (PassBegin pass : loop.pass_begins) {
    pass.span += static_cast<std::uint32_t>(sum.spans.size());
    sum.pass_begins.push_back(pass);
  }
  sum.spans.insert(sum.spans.end(), loop.spans.begin(), loop.spans.end());
}

LoopFinder::LoopFinder(std::uint32_t symbol_count)
    : symbol_count_(symbol_count), places_(symbol_count), loop_of_shape_(symbol_count, kNone) {}

void LoopFinder::append(const Step& step) {
  Node node;
  node.shape = step.symbol;
  node.begin = step.begin;
  node.end = step.end;
  node.cost = step.cost;
  node.cost.wall = 0;
  push(node);
  while (fold()) {
  }
}

void LoopFinder::end_sequence() {
  keep_single_pass();
  pop(stack_.size());
  tails_.clear();
  free_tails_.clear();
  ++sequence_;
}

std::vector<Loop> LoopFinder::loops() const {
  std::vector<Loop> loops = loops_;
  for (const SinglePass& single : single_passes_) {
    const std::uint32_t shape = known_shape(single.body);
    if (shape == kNone || loop_of_shape_[shape] == kNone) continue;
    Loop entry;
    entry.passes = 1;
    entry.entries = 1;
    entry.begin = single.span.begin;
    entry.first = entry.first_passes = entry.total = single.cost;
    entry.spans = {single.span};
    entry.pass_begins = {{0, single.span.begin}};
    add(loops[loop_of_shape_[shape]], entry);
  }
  sort_rows(loops, std::mem_fn(&Loop::begin));
  return loops;
}

void LoopFinder::push(Node node) {
  const auto at = static_cast<std::uint32_t>(stack_.size());
  const std::uint64_t below = prefixes_.empty() ? 0 : prefixes_.back();
  prefixes_.push_back(below * kBase + node.shape + 1);
  places_[node.shape].push_back(at);
  node.body_below = top_body_;
  if (node.shape >= symbol_count_) top_body_ = at;
  stack_.push_back(node);
}

void LoopFinder::pop(std::size_t count) {
  for (; count > 0; --count) {
    places_[stack_.back().shape].pop_back();
    top_body_ = stack_.back().body_below;
    stack_.pop_back();
    prefixes_.pop_back();
  }
}

/// One step of folding at the top of the stack; false when there is nothing to fold.
bool LoopFinder::fold() {
  const std::size_t top = stack_.size() - 1;
  if (top == 0) return false;
  if (extend_loop_at(top - 1)) return true;
  std::uint32_t body = stack_[top].body_below;
  for (std::size_t tries = 0; body != kNone && tries < kMostCandidates; ++tries) {
    if (body + 1 < top && extend_loop_at(body)) return true;
    body = stack_[body].body_below;
  }
  const std::vector<std::uint32_t>& same = places_[stack_[top].shape];
  for (std::size_t i = 1; i < same.size() && i <= kMostCandidates; ++i) {
    const std::size_t period = top - same[same.size() - 1 - i];
    if (2 * period > stack_.size()) return false;
    if (period > 1 && make_loop(period)) return true;
  }
  body = stack_[top].body_below;
  for (int tries = 0; body != kNone && tries < kMostLoopsAlike; ++tries) {
    if (enter_inner_loop_at(body) || take_alike_pass_at(body)) return true;
    body = stack_[body].body_below;
  }
  return false;
}

/// Whether the nodes above `at` are one more pass of `node`.
bool LoopFinder::matches_above(const Node& node, std::size_t at) const {
  const std::size_t count = stack_.size() - at - 1;
  if (node.shape < symbol_count_) return count == 1 && stack_.back().shape == node.shape;
  const std::vector<std::uint32_t>& body = bodies_[node.shape - symbol_count_];
  if (body.size() != count) return false;
  for (std::size_t i = 0; i < count; ++i) {
    if (stack_[at + 1 + i].shape != body[i]) return false;
  }
  return true;
}

/// Takes the nodes above `at` as one more pass of that node, or of what ends its latest pass.
bool LoopFinder::extend_loop_at(std::size_t at) {
  Node* node = &stack_[at];
  while (!matches_above(*node, at)) {
    if (node->tail == kNone) return false;
    node = &tails_[node->tail];
  }
  const std::size_t count = stack_.size() - at - 1;
  const std::uint32_t shape = node->shape;
  Node pass = take_pass(count);
  // take_pass may have moved the nodes: walk down again.
  Node* outer = &stack_[at];
  while (outer->shape != shape) {
    lengthen_pass(*outer, pass);
    outer = &tails_[outer->tail];
  }
  if (outer->loop == kNone) start_entry(*outer);
  release(std::exchange(outer->tail, kNone));
  outer->tail = pass.tail;
  add_pass(*outer, pass);
  return true;
}

/// Folds the topmost `period` nodes with the equal ones below them into a loop of two passes.
bool LoopFinder::make_loop(std::size_t period) {
  const std::size_t second = stack_.size() - period;
  const std::size_t first = second - period;
  // Most candidates differ before their last node already, which is cheaper to see.
  if (hash_of(second - 2, 2) != hash_of(stack_.size() - 2, 2)) return false;
  if (hash_of(first, period) != hash_of(second, period)) return false;
  for (std::size_t i = 0; i < period; ++i) {
    if (stack_[first + i].shape != stack_[second + i].shape) return false;
  }
  const std::uint32_t shape = intern_body(first, period);
  const Node pass = take_pass(period);
  Node node = take_pass(period);
  release(std::exchange(node.tail, pass.tail));
  node.shape = shape;
  start_entry(node);
  add_pass(node, pass);
  push(node);
  return true;
}

/// Removes the topmost nodes and sums them up; their last one lives on as the tail of the sum.
LoopFinder::Node LoopFinder::take_pass(std::size_t count) {
  const std::size_t at = stack_.size() - count;
  Node pass;
  pass.begin = stack_[at].begin;
  pass.end = stack_[at].end;
  for (std::size_t i = at; i < stack_.size(); ++i) {
    add(pass.cost, stack_[i].cost);
    pass.end = std::max(pass.end, stack_[i].end);
    if (i + 1 < stack_.size()) release(stack_[i].tail);
  }
  // A pass of one node repeats as that loop itself, and needs no tail.
  if (count > 1) {
    if (free_tails_.empty()) {
      pass.tail = static_cast<std::uint32_t>(tails_.size());
      tails_.push_back(stack_.back());
    } else {
      pass.tail = free_tails_.back();
      free_tails_.pop_back();
      tails_[pass.tail] = stack_.back();
    }
  } else {
    pass.tail = stack_.back().tail;
  }
  pop(count);
  return pass;
}

void LoopFinder::release(std::uint32_t tail) {
  while (tail != kNone) {
    free_tails_.push_back(tail);
    tail = tails_[tail].tail;
  }
}

/// Makes a node the first pass of a new entry into its loop.
void LoopFinder::start_entry(Node& node) {
  if (loop_of_shape_[node.shape] == kNone) {
    loop_of_shape_[node.shape] = static_cast<std::uint32_t>(loops_.size());
    Loop loop;
    loop.symbols = symbols_of(node.shape);
    loops_.push_back(std::move(loop));
  }
  node.loop = loop_of_shape_[node.shape];
  node.pass_begin = node.begin;
  node.pass_wall = node.end - node.begin;
  node.in_first_pass = true;
  Loop& loop = loops_[node.loop];
  node.span = static_cast<std::uint32_t>(loop.spans.size());
  loop.spans.push_back({sequence_, node.begin, node.end, 1});
  loop.pass_begins.push_back({node.span, node.begin});
  PassCost cost = node.cost;
  cost.wall = node.pass_wall;
  if (loop.entries == 0) {
    loop.first = cost;
    loop.begin = node.begin;
  }
  ++loop.entries;
  ++loop.passes;
  add(loop.first_passes, cost);
  add(loop.total, cost);
  loop.first_passes.wall += cost.wall;
  loop.total.wall += cost.wall;
}

void LoopFinder::add_pass(Node& node, const Node& pass) {
  Loop& loop = loops_[node.loop];
  // Now that the previous pass has a successor, the host's time between the two is its own.
  const Nanoseconds gap = pass.begin - node.pass_begin - node.pass_wall;
  loop.total.wall += gap;
  if (std::exchange(node.in_first_pass, false)) {
    loop.first_passes.wall += gap;
    if (loop.entries == 1) loop.first.wall += gap;
  }
  node.pass_begin = pass.begin;
  node.pass_wall = pass.end - pass.begin;
  node.end = pass.end;
  add(node.cost, pass.cost);
  ++loop.passes;
  ++loop.spans[node.span].passes;
  loop.spans[node.span].end = pass.end;
  loop.pass_begins.push_back({node.span, pass.begin});
  add(loop.total, pass.cost);
  loop.total.wall += node.pass_wall;
}

/// An inner loop at the end of the latest pass went on.
void LoopFinder::lengthen_pass(Node& node, const Node& part) {
  Loop& loop = loops_[node.loop];
  const Nanoseconds longer = part.end - node.end;
  node.end = part.end;
  node.pass_wall += longer;
  add(node.cost, part.cost);
  loop.spans[node.span].end = part.end;
  add(loop.total, part.cost);
  loop.total.wall += longer;
}

}  // namespace ompdm::analysis
