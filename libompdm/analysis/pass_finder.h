// Passes of the loops that the program's code has, counted by what was recorded: between two
// directives a pass began where the code leads from the one to the other by going back alone.
// Inside the analysis library only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "analysis/repeats.h"
#include "ompdm/trace.h"

namespace ompdm::analysis {

/// Of two steps that follow one another: how far out their call paths part, and what happened
/// there.
struct Transition {
  std::uint32_t level = 0;  ///< position in the call path, 0 the outermost call
  Index<CodeLoop> loop;   ///< the innermost around both calls at that level, none if there is none
  bool new_pass = false;  ///< of `loop`; else the same one went on
};

/// What the calls of a trace say of each other. Built once a trace.
class CallOrder {
 public:
  explicit CallOrder(const Trace& trace) : trace_(trace) {}

  /// The nodes of a path, outermost first; none if it is longer than any that is recorded.
  [[nodiscard]] const std::vector<Index<CallPath>>& chain(Index<CallPath> path) const;
  [[nodiscard]] const CallPlace& place(Index<CallPath> node) const {
    return trace_.call_places[trace_.call_paths[node.value].place.value];
  }
  /// The loops around a node's call in its own function, outermost first.
  [[nodiscard]] std::vector<Index<CodeLoop>> loops_of(Index<CallPath> node) const;
  /// How a step by one path was followed by a step by the other; none where no code that was read
  /// leads there.
  [[nodiscard]] std::optional<Transition> between(Index<CallPath> before,
                                                  Index<CallPath> after) const;

 private:
  [[nodiscard]] Index<CodeLoop> common_loop(const CallPlace& a, const CallPlace& b) const;

  const Trace& trace_;
  mutable std::map<std::uint32_t, std::vector<Index<CallPath>>> chains_;  // of those asked for
};

/// Reads one sequence of steps after the other, as LoopFinder does.
class PassFinder {
 public:
  PassFinder(const Trace& trace, const CallOrder& order, std::uint32_t symbol_count);

  /// False if the paths do not explain the sequence: then nothing of it is kept.
  bool read(const std::vector<Step>& steps, std::uint32_t sequence);

  /// Every loop with more than one pass, in order of its first.
  [[nodiscard]] std::vector<Loop> loops() const;

 private:
  /// A loop that is being passed.
  struct Active {
    std::uint32_t level = 0;
    Index<CodeLoop> code;
    std::uint32_t row = 0;  ///< in rows_
    std::uint32_t span = 0;
    PassCost pass;
    Nanoseconds begin = 0;                   ///< of the pass
    Nanoseconds end = 0;                     ///< of its last step so far
    bool first = true;                       ///< of this entry
    std::vector<std::int32_t> devices;       ///< of this pass
    std::vector<std::int32_t> seen_devices;  ///< of this entry
  };

  void take(const Step& step, Transition transition);
  [[nodiscard]] Transition by_devices(const Step& step, const Transition& transition) const;
  void enter(const Step& step, std::uint32_t level, Index<CodeLoop> code);
  void leave_to(std::size_t count);
  void end_pass(Active& active, Nanoseconds end);
  std::uint32_t row_of(Index<CodeLoop> code);

  const Trace& trace_;
  const CallOrder& order_;
  std::uint32_t symbol_count_;
  std::vector<Loop> rows_;
  /// By place in the source; of what has none, by itself.
  std::map<std::tuple<std::string, int, int, std::uint32_t>, std::uint32_t> row_of_;
  std::vector<std::vector<bool>> has_symbol_;  // beside rows_
  std::vector<bool> over_devices_;             // each pass had a device of its own; beside rows_
  std::vector<Active> active_;
  std::uint32_t sequence_ = 0;
};

}  // namespace ompdm::analysis
