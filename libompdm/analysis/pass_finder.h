// Steps of threads, and the passes of loops that they are. Inside the analysis library only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "analysis/repeats.h"
#include "analysis/tables.h"
#include "model/call_order.h"
#include "ompdm/trace.h"

namespace ompdm::analysis {

/// The steps of each thread, by position in Trace::threads, in order of time. Symbols are twice the
/// directive's row, plus 1 for the end of a `target data`. The copies that one
/// omp_target_memcpy_rect makes are one step. Of a region's step its position alone is held, since
/// there may be millions.
class Steps {
 public:
  /// Both have to outlive this.
  Steps(const Trace& trace, const DirectiveTable& directives);

  [[nodiscard]] std::size_t threads() const { return threads_.size(); }
  [[nodiscard]] std::size_t size(std::uint32_t thread) const { return threads_[thread].size(); }
  [[nodiscard]] Step at(std::uint32_t thread, std::size_t position) const {
    return step_of(threads_[thread][position]);
  }
  /// Step::path of that step, which most often is asked for alone.
  [[nodiscard]] Index<CallPath> path_at(std::uint32_t thread, std::size_t position) const;
  /// All steps of a thread.
  [[nodiscard]] std::vector<Step> all_of(std::uint32_t thread) const;

 private:
  /// Positions of rows by the region that they are of.
  struct OfRegion {
    std::vector<std::uint32_t> first;  ///< by region, in rows; one more at the end
    std::vector<std::uint32_t> rows;
  };
  template <class Row>
  [[nodiscard]] OfRegion rows_of_regions(const DedupColumn<Row>& rows) const;
  [[nodiscard]] Step step_of(std::uint32_t number) const;
  [[nodiscard]] PassCost cost_of(std::uint32_t region) const;
  [[nodiscard]] Nanoseconds begin_of(std::uint32_t number) const;

  const Trace& trace_;
  const DirectiveTable& directives_;
  OfRegion ops_;
  OfRegion launches_;
  std::vector<Step> api_steps_;
  /// By thread: regions, and from kFirstApi on API calls.
  std::vector<std::vector<std::uint32_t>> threads_;
};

/// Numbers a sequence's devices 0, 1, ... as they come, so that threads which do the same on
/// devices of their own do the same. Returns how many there are.
std::uint32_t number_devices(std::vector<Step>& steps);

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
