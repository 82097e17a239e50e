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
#include "analysis/steps.h"
#include "calls/call_order.h"
#include "ompdm/trace.h"

namespace ompdm::analysis {

using calls::CallOrder;
using calls::Transition;

/// Reads one sequence of steps after the other, as LoopFinder does.
class PassFinder {
 public:
  PassFinder(const Trace& trace, const CallOrder& order, std::uint32_t symbol_count);

  /// False if the paths do not explain the sequence: then nothing of it is kept.
  bool read(const std::vector<Step>& steps, std::uint32_t sequence);
  /// The same of a thread's steps.
  bool read(const Steps& steps, std::uint32_t thread);

  /// Why the last one was not explained.
  [[nodiscard]] const ByOrder& why_not() const { return why_not_; }

  /// Every loop with more than one pass, in order of its first. To be called once, at last.
  [[nodiscard]] std::vector<Loop> take_loops();

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

  template <class PathAt, class StepAt>
  bool read(std::size_t count, PathAt path_at, StepAt step_at, std::uint32_t sequence);
  [[nodiscard]] ByOrder unread_of(Index<CallPath> before, Index<CallPath> after) const;
  void take(const Step& step, Transition transition);
  [[nodiscard]] Transition by_devices(const Step& step, const Transition& transition) const;
  [[nodiscard]] bool may_repeat(const Step& step, std::uint32_t level) const;
  void enter(const Step& step, std::uint32_t level, Index<CodeLoop> code);
  void leave_to(std::size_t count);
  void end_pass(Active& active, Nanoseconds end);
  std::uint32_t row_of(Index<CodeLoop> code, Frame place);

  const Trace& trace_;
  const CallOrder& order_;
  std::uint32_t symbol_count_;
  std::vector<Loop> rows_;
  /// By place in the source, and function: two may include one text. Instances of a template are
  /// one. Of what has no place, by itself.
  std::map<std::tuple<std::string, int, int, std::string, std::uint32_t>, std::uint32_t> row_of_;
  std::vector<std::vector<bool>> has_symbol_;  // beside rows_
  std::vector<bool> over_devices_;             // each pass had a device of its own; beside rows_
  std::vector<Active> active_;
  std::uint32_t sequence_ = 0;
  ByOrder why_not_;
};

}  // namespace ompdm::analysis
