// Loops in a sequence of symbols, found from the sequence alone: repeated neighbours are folded
// while reading, innermost first, so that what is before, after and between loops does not
// disturb them. A symbol costs a bounded number of constant-time tests, and each comparison of
// bodies is paid for by the symbols that it folds away.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ompdm/analysis.h"

namespace ompdm::analysis {

/// One executed directive: its symbol, its span, and what it cost. LoopFinder reads neither
/// `cost.wall` nor `device`.
struct Step {
  std::uint32_t symbol = 0;
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
  PassCost cost;
  std::int32_t device = 0;
  Index<CallPath> path;
};

/// One time that a loop was entered and left.
struct LoopEntry {
  std::uint32_t sequence = 0;  ///< which one, in the order in which they were ended
  Nanoseconds begin = 0;       ///< of its first pass
  Nanoseconds end = 0;         ///< of its last pass's last step
  std::uint64_t passes = 0;
};

/// When a pass of an entry began.
struct PassBegin {
  std::uint32_t span = 0;  ///< position in Loop::spans
  Nanoseconds time = 0;
};

/// A loop, all of its entries together.
struct Loop {
  std::vector<std::uint32_t>
      symbols;  ///< of a pass in their order, each once, those of inner loops included
  std::uint32_t devices = 1;  ///< that a pass goes over
  Index<CodeLoop> code;  ///< the loop of the program's code; none: found from the order of events
  Frame place;           ///< where a reader finds that
  ByOrder by_order;      ///< why there is no `code`
  bool begin_unknown = false;  ///< that is a place in it, and it begins in another one
  Index<CodeLoop> parent;      ///< `code` of the row that all of its entries were passes of
  bool at_least =
      false;  ///< passes in which nothing was recorded may be among those counted as one
  std::uint64_t passes = 0;
  std::uint64_t entries = 0;
  bool entries_at_least = false;       ///< it may have been left and entered anew unseen
  Nanoseconds begin = 0;               ///< of the first pass of the first entry
  PassCost first;                      ///< the first pass of the first entry
  PassCost first_passes;               ///< summed over entries: the first pass of each
  PassCost total;                      ///< summed over all passes
  std::vector<LoopEntry> spans;        ///< one an entry, in the order in which they were recognized
  std::vector<PassBegin> pass_begins;  ///< one a pass, of each entry in order of time
};

/// Adds `cost` to `sum`.
void add(PassCost& sum, const PassCost& cost);

/// Adds the entries of a loop that does the same; `symbols` stay as they are.
void add(Loop& sum, const Loop& loop);

/// Loops, and whose sequences they are of.
struct LoopTable {
  std::vector<Loop> rows;
  std::vector<std::uint32_t> sequence_of_thread;  ///< by position in Trace::threads
};

/// Folds one sequence (thread) after the other. Two passes are equal when they are the same symbols
/// in the same order, where a symbol or an inner loop counts as one however often it is repeated in
/// place. Between two such passes of a loop there may be one that is alike: most of the symbols in
/// their order, with others in between (a probe every tenth step) or some left out, not the last;
/// what is only in such passes is in the loop's cost, and not among its symbols. A sequence that is
/// one pass of a loop of other sequences is an entry of that loop too.
class LoopFinder {
 public:
  /// Symbols are 0 ... symbol_count - 1.
  explicit LoopFinder(std::uint32_t symbol_count);

  /// The next directive of the current sequence.
  void append(const Step& step);

  /// How many steps and loops the current sequence has been folded to so far.
  [[nodiscard]] std::size_t left() const { return stack_.size(); }

  /// Ends the current sequence: what follows is never folded with it.
  void end_sequence();

  /// Every loop seen in any sequence, equal ones together, in order of their first pass.
  [[nodiscard]] std::vector<Loop> loops() const;

 private:
  /// A symbol or a folded loop. Nodes lie on a stack, oldest first.
  struct Node {
    std::uint32_t shape =
        0;  ///< the symbol, or symbol_count_ + the number of a body of several nodes
    std::uint32_t loop = kNone;  ///< in loops_, once it is one
    std::uint32_t span = kNone;  ///< in that loop's spans
    std::uint32_t tail =
        kNone;  ///< in tails_: last node of the latest pass, which may yet be repeated in place
    std::uint32_t body_below =
        kNone;  ///< on the stack: nearest node below with a body of several nodes
    Nanoseconds begin = 0;
    Nanoseconds end = 0;
    Nanoseconds pass_begin = 0;  ///< of the latest pass
    Nanoseconds pass_wall = 0;   ///< of the latest pass, as accounted so far
    bool in_first_pass = false;  ///< the latest pass is the first of this entry
    PassCost cost;
  };
  static constexpr std::uint32_t kNone = Index<Loop>::kNone;
  static constexpr std::size_t kLongestAlike = 64;            // passes that need not be equal
  static constexpr std::uint64_t kBase = 0x9e3779b97f4a7c15;  // of the hashes

  void push(Node node);
  void pop(std::size_t count);
  bool fold();
  bool extend_loop_at(std::size_t at);
  bool make_loop(std::size_t period);
  bool take_alike_pass_at(std::size_t at);
  bool enter_inner_loop_at(std::size_t at);
  void start_entry(Node& node);
  void add_pass(Node& node, const Node& pass);
  void lengthen_pass(Node& node, const Node& part);
  Node take_pass(std::size_t count);
  void release(std::uint32_t tail);
  std::uint32_t intern_body(std::size_t at, std::size_t count);
  [[nodiscard]] bool matches_above(const Node& node, std::size_t at) const;
  [[nodiscard]] std::uint64_t hash_of(std::size_t at, std::size_t count);
  [[nodiscard]] std::vector<std::uint32_t> symbols_of(std::uint32_t shape) const;
  void append_once(std::uint32_t shape, std::vector<std::uint32_t>& symbols) const;
  [[nodiscard]] bool are_alike(const std::vector<std::uint32_t>& body, std::size_t begin,
                               std::size_t end) const;
  [[nodiscard]] std::uint32_t known_shape(const std::vector<std::uint32_t>& body) const;
  /// The same of a body with that hash.
  [[nodiscard]] std::uint32_t shape_of(const std::vector<std::uint32_t>& body,
                                       std::uint64_t hash) const;
  void keep_single_pass();

  std::uint32_t symbol_count_;
  std::uint32_t sequence_ = 0;
  std::vector<Node> stack_;
  std::vector<std::uint64_t> prefixes_;  ///< beside stack_: hash of the shapes up to there
  std::vector<Node> tails_;
  std::vector<std::uint32_t> free_tails_;
  std::vector<std::uint64_t> powers_{1};            ///< of the hash's base
  std::vector<std::vector<std::uint32_t>> places_;  ///< by shape: such nodes on the stack, upwards
  std::uint32_t top_body_ = kNone;                  ///< highest node with a body of several nodes
  std::vector<std::vector<std::uint32_t>> bodies_;  ///< shapes, by shape - symbol_count_
  std::unordered_multimap<std::uint64_t, std::uint32_t> shape_of_body_;  ///< by hash
  std::vector<std::uint32_t> loop_of_shape_;                             ///< in loops_
  std::vector<Loop> loops_;
  struct SinglePass {
    std::vector<std::uint32_t> body;
    LoopEntry span;
    PassCost cost;
  };
  std::vector<SinglePass> single_passes_;  ///< short sequences in which nothing is repeated
};

}  // namespace ompdm::analysis
