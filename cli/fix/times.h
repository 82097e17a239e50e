// Whether one program is slower or faster than another, by runs of both that were made by turns.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace ompdm::cli {

class Times {
 public:
  using Duration = std::chrono::nanoseconds;

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
  /// "the run takes 70.1 ms instead of 152 ms", or that there is no difference.
  [[nodiscard]] std::string sentence() const;

 private:
  std::vector<Duration> before_;
  std::vector<Duration> after_;
};

}  // namespace ompdm::cli
