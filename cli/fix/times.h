// The times of a program and of a changed one, run by turns: whether one is faster, and when that
// is clear.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ompdm::cli {

class Times {
 public:
  using Duration = std::chrono::nanoseconds;
  /// With fewer turns the times are printed, but neither faster nor slower.
  static constexpr std::size_t kJudged = 3;

  /// Adds a turn: a run of the original, then one of the changed program.
  void add(Duration before, Duration after);
  [[nodiscard]] std::size_t turns() const { return before_.size(); }

  /// Whether nearly all pairs of runs agree: single runs on a busy machine decide nothing.
  [[nodiscard]] bool is_faster() const;
  /// The same, by more than another memory layout may cost.
  [[nodiscard]] bool is_slower() const;
  /// "70.1 ms instead of 152 ms".
  [[nodiscard]] std::string figures() const;
  /// "the run takes 70.1 ms instead of 152 ms", or that there is no difference, or why none is
  /// known.
  [[nodiscard]] std::string sentence() const;

 private:
  std::vector<Duration> before_;
  std::vector<Duration> after_;
};

/// Turns that the user wants; nullopt: as many as the decision needs.
using TimedRuns = std::optional<std::size_t>;

/// Times of one or more inputs, and whether more turns are needed.
class TimeComparison {
 public:
  struct Asked {
    std::size_t inputs = 1;
    TimedRuns turns = {};
    /// It decides about the patch: turns go on until the program is clearly faster.
    bool is_final = false;
  };
  /// A run of the original, and one of the changed program after it.
  struct Turn {
    Times::Duration before;
    Times::Duration after;
  };

  explicit TimeComparison(const Asked& asked) : asked_(asked), each_(asked.inputs) {}

  /// The least number of turns.
  static std::size_t least(TimedRuns asked) { return asked.value_or(Times::kJudged); }
  [[nodiscard]] bool needs_more() const;
  /// Adds one turn of each input.
  void add(const std::vector<Turn>& turns);

  /// Times of all inputs as one run.
  [[nodiscard]] const Times& together() const { return together_; }
  [[nodiscard]] const Times& of(std::size_t input) const { return each_.at(input); }
  /// The first input for which the changed program is slower. None: there is no such input.
  [[nodiscard]] std::optional<std::size_t> slower() const;

 private:
  Asked asked_;
  Times together_;
  std::vector<Times> each_;
  Times::Duration spent_{};
};

}  // namespace ompdm::cli
