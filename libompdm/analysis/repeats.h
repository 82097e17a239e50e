// Loops in a sequence of symbols, found from the sequence alone. Repeated neighbours are folded
// while reading, innermost first. So symbols before, after and between loops do not disturb them. A
// symbol costs a bounded number of constant-time tests. Each comparison of bodies is paid for by
// the symbols that it folds away.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/order.h"
#include "analysis/tables.h"

namespace ompdm::analysis {

/// Adds the entries of a loop that does the same; `symbols` remain as they are.
inline void add(Loop& sum, const Loop& loop) {
  if (loop.begin < sum.begin) {
    sum.begin = loop.begin;
    sum.first = loop.first;
  }
  sum.iterations += loop.iterations;
  sum.entries += loop.entries;
  add(sum.first_iterations, loop.first_iterations);
  add(sum.total, loop.total);
  for (IterationBegin iteration : loop.iteration_begins) {
    iteration.span += static_cast<std::uint32_t>(sum.spans.size());
    sum.iteration_begins.push_back(iteration);
  }
  sum.spans.insert(sum.spans.end(), loop.spans.begin(), loop.spans.end());
}

/// Folds one sequence (thread) after the other. Two iterations are equal if they have the same
/// symbols in the same order. A symbol or an inner loop counts once, however often it is repeated
/// in place. Between two equal iterations of a loop there may be one that is alike. It has most of
/// the symbols in their order. There may be others in between (a probe every tenth step), or some
/// may be missing, but not the last. Symbols that only such iterations have are in the loop's cost,
/// and not among its symbols. A sequence that is one iteration of another sequence's loop is an
/// entry of that loop, too.
class LoopFinder {
 public:
  /// Symbols are 0 ... symbol_count - 1.
  explicit LoopFinder(std::uint32_t symbol_count)
      : symbol_count_(symbol_count), places_(symbol_count), loop_of_shape_(symbol_count, kNone) {}

  /// The next directive of the current sequence.
  void append(const Step& step) {
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

  /// How many steps and loops the current sequence has been folded to so far.
  [[nodiscard]] std::size_t left() const { return stack_.size(); }

  /// Ends the current sequence: what follows is never folded with it.
  void end_sequence() {
    keep_single_iteration();
    pop(stack_.size());
    tails_.clear();
    free_tails_.clear();
    ++sequence_;
  }

  /// Every loop seen in any sequence, equal ones together, in order of their first iteration.
  [[nodiscard]] std::vector<Loop> loops() const {
    std::vector<Loop> loops = loops_;
    for (const SingleIteration& single : single_iterations_) {
      const std::uint32_t shape = known_shape(single.body);
      if (shape == kNone || loop_of_shape_[shape] == kNone) continue;
      Loop entry;
      entry.iterations = 1;
      entry.entries = 1;
      entry.begin = single.span.begin;
      entry.first = entry.first_iterations = entry.total = single.cost;
      entry.spans = {single.span};
      entry.iteration_begins = {{0, single.span.begin}};
      add(loops[loop_of_shape_[shape]], entry);
    }
    sort_rows(loops, &Loop::begin);
    return loops;
  }

 private:
  using Body = std::vector<std::uint32_t>;  ///< shapes
  static constexpr std::uint32_t kNone = Index<Loop>::kNone;

  /// A symbol or a folded loop. Nodes lie on a stack, oldest first.
  struct Node {
    std::uint32_t shape = 0;     ///< the symbol, or symbol_count_ + the number of a longer body
    std::uint32_t loop = kNone;  ///< in loops_, once it is one
    std::uint32_t span = kNone;  ///< in that loop's spans
    std::uint32_t tail =
        kNone;  ///< in tails_: last node of the latest iteration, which may yet repeat
    std::uint32_t body_below = kNone;  ///< on the stack: nearest node below with a longer body
    Nanoseconds begin = 0;
    Nanoseconds end = 0;
    Nanoseconds iteration_begin = 0;  ///< of the latest iteration
    Nanoseconds iteration_wall = 0;   ///< of the latest iteration, as accounted so far
    bool in_first_iteration = false;  ///< the latest iteration is the first of this entry
    IterationCost cost;
  };
  /// A short sequence in which nothing is repeated.
  struct SingleIteration {
    Body body;
    LoopEntry span;
    IterationCost cost;
  };
  static constexpr std::size_t kMostCandidates = 64;
  static constexpr int kMostLoopsAlike = 4;  // the nearest, that an iteration may be alike to
  static constexpr std::size_t kLongestAlike = 64;            // iterations that need not be equal
  static constexpr std::uint64_t kBase = 0x9e3779b97f4a7c15;  // of the hashes

  void push(Node node) {
    const auto at = static_cast<std::uint32_t>(stack_.size());
    const std::uint64_t below = prefixes_.empty() ? 0 : prefixes_.back();
    prefixes_.push_back(below * kBase + node.shape + 1);
    places_[node.shape].push_back(at);
    node.body_below = top_body_;
    if (node.shape >= symbol_count_) top_body_ = at;
    stack_.push_back(node);
  }

  void pop(std::size_t count) {
    for (; count > 0; --count) {
      places_[stack_.back().shape].pop_back();
      top_body_ = stack_.back().body_below;
      stack_.pop_back();
      prefixes_.pop_back();
    }
  }

  /// One step of folding at the top of the stack; false when there is nothing to fold.
  bool fold() {
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
      if (enter_inner_loop_at(body) || take_alike_iteration_at(body)) return true;
      body = stack_[body].body_below;
    }
    return false;
  }

  /// The shapes that a loop of several nodes repeats.
  [[nodiscard]] const Body& body_of(std::uint32_t shape) const {
    return bodies_[shape - symbol_count_];
  }

  /// Whether the nodes from `at` to the top are those of a body.
  [[nodiscard]] bool ends_with(const Body& body, std::size_t at) const {
    return std::equal(body.begin(), body.end(), stack_.begin() + static_cast<std::ptrdiff_t>(at),
                      stack_.end(),
                      [](std::uint32_t shape, const Node& node) { return shape == node.shape; });
  }

  /// Whether the nodes above `at` are one more iteration of `node`.
  [[nodiscard]] bool matches_above(const Node& node, std::size_t at) const {
    if (node.shape >= symbol_count_) return ends_with(body_of(node.shape), at + 1);
    return stack_.size() == at + 2 && stack_.back().shape == node.shape;
  }

  /// Takes the nodes above `at` as one more iteration of that node, or of what ends its latest
  /// iteration.
  bool extend_loop_at(std::size_t at) {
    Node* node = &stack_[at];
    while (!matches_above(*node, at)) {
      if (node->tail == kNone) return false;
      node = &tails_[node->tail];
    }
    const std::uint32_t shape = node->shape;
    Node iteration = take_iteration(stack_.size() - at - 1);
    // take_iteration() may have moved the nodes, so the search is repeated.
    Node* outer = &stack_[at];
    while (outer->shape != shape) {
      lengthen_iteration(*outer, iteration);
      outer = &tails_[outer->tail];
    }
    if (outer->loop == kNone) start_entry(*outer);
    release(std::exchange(outer->tail, kNone));
    outer->tail = iteration.tail;
    add_iteration(*outer, iteration);
    return true;
  }

  /// Folds the topmost `period` nodes with the equal ones below them into a loop of two iterations.
  bool make_loop(std::size_t period) {
    const std::size_t second = stack_.size() - period;
    const std::size_t first = second - period;
    // Most candidates differ before their last node already, which is cheaper to see.
    if (hash_of(second - 2, 2) != hash_of(stack_.size() - 2, 2)) return false;
    if (hash_of(first, period) != hash_of(second, period)) return false;
    Body body;
    for (std::size_t i = first; i < second; ++i) body.push_back(stack_[i].shape);
    if (!ends_with(body, second)) return false;
    const std::uint32_t shape = intern_body(std::move(body), hash_of(first, period));
    const Node iteration = take_iteration(period);
    Node node = take_iteration(period);
    release(std::exchange(node.tail, iteration.tail));
    node.shape = shape;
    start_entry(node);
    add_iteration(node, iteration);
    push(node);
    return true;
  }

  /// Removes the topmost nodes and sums them up; their last one lives on as the tail of the sum.
  Node take_iteration(std::size_t count) {
    const std::size_t at = stack_.size() - count;
    Node iteration;
    iteration.begin = stack_[at].begin;
    iteration.end = stack_[at].end;
    for (std::size_t i = at; i < stack_.size(); ++i) {
      add(iteration.cost, stack_[i].cost);
      iteration.end = std::max(iteration.end, stack_[i].end);
      if (i + 1 < stack_.size()) release(stack_[i].tail);
    }
    // An iteration of one node repeats as that loop itself, and needs no tail.
    if (count == 1) {
      iteration.tail = stack_.back().tail;
    } else if (free_tails_.empty()) {
      iteration.tail = static_cast<std::uint32_t>(tails_.size());
      tails_.push_back(stack_.back());
    } else {
      iteration.tail = free_tails_.back();
      free_tails_.pop_back();
      tails_[iteration.tail] = stack_.back();
    }
    pop(count);
    return iteration;
  }

  void release(std::uint32_t tail) {
    while (tail != kNone) {
      free_tails_.push_back(tail);
      tail = tails_[tail].tail;
    }
  }

  /// Makes a node the first iteration of a new entry into its loop.
  void start_entry(Node& node) {
    if (loop_of_shape_[node.shape] == kNone) {
      loop_of_shape_[node.shape] = static_cast<std::uint32_t>(loops_.size());
      loops_.emplace_back().symbols = symbols_of(node.shape);
    }
    node.loop = loop_of_shape_[node.shape];
    node.iteration_begin = node.begin;
    node.iteration_wall = node.end - node.begin;
    node.in_first_iteration = true;
    Loop& loop = loops_[node.loop];
    node.span = static_cast<std::uint32_t>(loop.spans.size());
    loop.spans.push_back({sequence_, node.begin, node.end, 1});
    loop.iteration_begins.push_back({node.span, node.begin});
    IterationCost cost = node.cost;
    cost.wall = node.iteration_wall;
    if (loop.entries == 0) {
      loop.first = cost;
      loop.begin = node.begin;
    }
    ++loop.entries;
    ++loop.iterations;
    add(loop.first_iterations, cost);
    add(loop.total, cost);
  }

  void add_iteration(Node& node, const Node& iteration) {
    Loop& loop = loops_[node.loop];
    // Now that the previous iteration has a successor, the host's time between the two is its own.
    const Nanoseconds gap = iteration.begin - node.iteration_begin - node.iteration_wall;
    loop.total.wall += gap;
    if (std::exchange(node.in_first_iteration, false)) {
      loop.first_iterations.wall += gap;
      if (loop.entries == 1) loop.first.wall += gap;
    }
    node.iteration_begin = iteration.begin;
    node.iteration_wall = 0;
    node.end = iteration.begin;
    ++loop.iterations;
    ++loop.spans[node.span].iterations;
    loop.iteration_begins.push_back({node.span, iteration.begin});
    lengthen_iteration(node, iteration);
  }

  /// Adds a part to the latest iteration, as an inner loop at its end does.
  void lengthen_iteration(Node& node, const Node& part) {
    Loop& loop = loops_[node.loop];
    const Nanoseconds longer = part.end - node.end;
    node.end = part.end;
    node.iteration_wall += longer;
    add(node.cost, part.cost);
    loop.spans[node.span].end = part.end;
    add(loop.total, part.cost);
    loop.total.wall += longer;
  }

  /// Takes the nodes above `at` as two more iterations of that loop. The upper nodes have to be
  /// exactly one iteration, and the others alike. So an iteration that differs stands between two
  /// that do not.
  bool take_alike_iteration_at(std::size_t at) {
    const Body& body = body_of(stack_[at].shape);
    const std::size_t above = stack_.size() - at - 1;
    if (above <= body.size() || above > kLongestAlike) return false;
    const std::size_t exact = stack_.size() - body.size();
    if (!ends_with(body, exact) || !are_alike(body, at + 1, exact)) return false;
    const Node last = take_iteration(body.size());
    const Node alike = take_iteration(above - body.size());
    Node& loop = stack_[at];
    release(alike.tail);
    release(std::exchange(loop.tail, last.tail));
    add_iteration(loop, alike);
    add_iteration(loop, last);
    return true;
  }

  /// The loop at `at` may have an inner loop of several nodes next. If the topmost nodes are one
  /// iteration of that, takes them as its only iteration. So an iteration that enters the inner
  /// loop once equals the others.
  bool enter_inner_loop_at(std::size_t at) {
    const Body& body = body_of(stack_[at].shape);
    const std::size_t above = stack_.size() - at - 1;
    if (above > kLongestAlike) return false;
    std::size_t done = 0;
    while (done < std::min(body.size(), above) && stack_[at + 1 + done].shape == body[done]) ++done;
    if (done == body.size() || body[done] < symbol_count_) return false;
    const std::uint32_t inner = body[done];
    if (loop_of_shape_[inner] == kNone || !ends_with(body_of(inner), at + 1 + done)) return false;
    Node node = take_iteration(above - done);
    node.shape = inner;
    start_entry(node);
    push(node);
    return true;
  }

  /// Whether the nodes in [begin, end) are most of the body's symbols in their order, and few
  /// others, inner loops taken once.
  [[nodiscard]] bool are_alike(const Body& body, std::size_t begin, std::size_t end) const {
    std::vector<std::uint32_t> expected;
    for (const std::uint32_t shape : body) append_once(shape, expected);
    std::vector<std::uint32_t> found;
    for (std::size_t i = begin; i < end; ++i) append_once(stack_[i].shape, found);
    if (expected.size() > kLongestAlike || found.size() > 2 * expected.size()) return false;
    // Another loop of these symbols is no iteration of this one, however often it was repeated.
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

  /// Remembers a short sequence in which nothing was folded: it may turn out to be one iteration of
  /// a loop of other sequences.
  void keep_single_iteration() {
    if (stack_.empty() || stack_.size() > kLongestAlike) return;
    SingleIteration single;
    single.span = {sequence_, stack_.front().begin, stack_.back().end, 1};
    for (const Node& node : stack_) {
      if (node.loop != kNone) return;
      single.body.push_back(node.shape);
      single.span.end = std::max(single.span.end, node.end);
      add(single.cost, node.cost);
    }
    single.cost.wall = single.span.end - single.span.begin;
    single_iterations_.push_back(std::move(single));
  }

  std::uint32_t intern_body(Body body, std::uint64_t hash) {
    if (const std::uint32_t known = shape_of(body, hash); known != kNone) return known;
    const auto shape = static_cast<std::uint32_t>(symbol_count_ + bodies_.size());
    shape_of_body_.emplace(hash, shape);
    bodies_.push_back(std::move(body));
    places_.emplace_back();
    loop_of_shape_.push_back(kNone);
    return shape;
  }

  /// The hash of the shapes of `count` nodes from `at` on.
  [[nodiscard]] std::uint64_t hash_of(std::size_t at, std::size_t count) {
    while (powers_.size() <= count) powers_.push_back(powers_.back() * kBase);
    const std::uint64_t below = at == 0 ? 0 : prefixes_[at - 1];
    return prefixes_[at + count - 1] - below * powers_[count];
  }

  [[nodiscard]] std::vector<std::uint32_t> symbols_of(std::uint32_t shape) const {
    std::vector<std::uint32_t> symbols;
    std::unordered_set<std::uint32_t> seen;
    Body open = {shape};
    while (!open.empty()) {
      const std::uint32_t next = open.back();
      open.pop_back();
      if (!seen.insert(next).second) continue;
      if (next < symbol_count_) {
        symbols.push_back(next);
      } else {
        open.insert(open.end(), body_of(next).rbegin(), body_of(next).rend());
      }
    }
    return symbols;
  }

  /// The symbols of a shape, inner loops taken once.
  void append_once(std::uint32_t shape, std::vector<std::uint32_t>& symbols) const {
    if (symbols.size() > 2 * kLongestAlike) return;
    if (shape < symbol_count_) {
      symbols.push_back(shape);
      return;
    }
    for (const std::uint32_t part : body_of(shape)) append_once(part, symbols);
  }

  /// The shape of a loop's body; kNone if there is no such loop.
  [[nodiscard]] std::uint32_t known_shape(const Body& body) const {
    if (body.size() == 1) return body.front();
    std::uint64_t hash = 0;
    for (const std::uint32_t shape : body) hash = hash * kBase + shape + 1;
    return shape_of(body, hash);
  }

  /// The same of a body with that hash.
  [[nodiscard]] std::uint32_t shape_of(const Body& body, std::uint64_t hash) const {
    const auto [begin, end] = shape_of_body_.equal_range(hash);
    for (auto known = begin; known != end; ++known) {
      if (body_of(known->second) == body) return known->second;
    }
    return kNone;
  }

  std::uint32_t symbol_count_;
  std::uint32_t sequence_ = 0;
  std::vector<Node> stack_;
  std::vector<std::uint64_t> prefixes_;  ///< parallel to stack_: hash of the shapes up to there
  std::vector<Node> tails_;
  std::vector<std::uint32_t> free_tails_;
  std::vector<std::uint64_t> powers_{1};            ///< of the hash's base
  std::vector<std::vector<std::uint32_t>> places_;  ///< by shape: such nodes on the stack, upwards
  std::uint32_t top_body_ = kNone;                  ///< highest node with a body of several nodes
  std::vector<Body> bodies_;                        ///< by shape - symbol_count_
  std::unordered_multimap<std::uint64_t, std::uint32_t> shape_of_body_;  ///< by hash
  std::vector<std::uint32_t> loop_of_shape_;                             ///< in loops_
  std::vector<Loop> loops_;
  std::vector<SingleIteration> single_iterations_;
};

}  // namespace ompdm::analysis
