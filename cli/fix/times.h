// Whether one program is slower or faster than another, by runs of both that were made by turns.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace ompdm::cli {

class Times {
 public:
  using Duration = std::chrono::nanoseconds;
  /// Fewer turns are told and not judged: they are neither faster nor slower.
  static constexpr std::size_t kJudged = 3;

  /// One turn: the original, and the changed program after it.
  void add(Duration before, Duration after);
  [[nodiscard]] std::size_t turns() const { return before_.size(); }

  /// Nearly every run of the one took longer than nearly every run of the other: what a busy
  /// machine does to single runs makes neither.
  [[nodiscard]] bool is_faster() const;
  /// The same, and by more than a different layout of the program's memory may cost.
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

/// Turns that the user wants; none: as many as the answer needs.
using TimedRuns = std::optional<std::size_t>;

/// Turns of one or more inputs: whether further ones are needed, and what all of them say.
class TimeComparison {
 public:
  struct Asked {
    std::size_t inputs = 1;
    TimedRuns turns = {};
    /// What it says is the last word: it goes on until the program is clearly faster.
    bool is_final = false;
  };
  /// A run of the original, and one of the changed program after it.
  struct Turn {
    Times::Duration before;
    Times::Duration after;
  };

  explicit TimeComparison(const Asked& asked) : asked_(asked), each_(asked.inputs) {}

  /// Turns that are made in any case.
  static std::size_t least(TimedRuns asked) { return asked.value_or(Times::kJudged); }
  [[nodiscard]] bool needs_more() const;
  /// One turn of each input.
  void add(const std::vector<Turn>& turns);

  /// Of all inputs as one run.
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
