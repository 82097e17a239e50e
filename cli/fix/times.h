// The times of a program and of a changed program, run by turns: whether the changed one is faster,
// and when that is clear.
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

  /// Whether the changed program is faster in nearly all pairs of runs: single runs on a busy
  /// machine decide nothing.
  [[nodiscard]] bool is_faster() const;
  /// Whether it is slower, by more than a different memory layout may cost.
  [[nodiscard]] bool is_slower() const;
  /// "70.1 ms instead of 152 ms".
  [[nodiscard]] std::string figures() const;
  /// "the run takes 70.1 ms instead of 152 ms", or that there is no difference, or why no
  /// difference is known.
  [[nodiscard]] std::string sentence() const;

 private:
  std::vector<Duration> before_;
  std::vector<Duration> after_;
};

/// The number of turns that the user wants. Nullopt: as many as the decision needs.
using TimedRuns = std::optional<std::size_t>;

/// Times of one or more inputs, and whether more turns are needed.
class TimeComparison {
 public:
  struct Asked {
    std::size_t inputs = 1;
    TimedRuns turns = {};
    /// The comparison decides about the patch: turns continue until the program is clearly faster.
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

  /// The times of all inputs, added up.
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
