#include "fix/times.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/units.h"

namespace ompdm::cli {

namespace {

using Durations = std::vector<Times::Duration>;

std::string spoken(Times::Duration duration) { return report::spoken_time(duration.count()); }

Times::Duration median(Durations all) {
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::ranges::nth_element(all, middle);
  return *middle;
}

/// Whether the first run is shorter in nearly all pairs.
bool are_shorter(const Durations& ones, const Durations& others) {
  std::size_t shorter = 0;
  for (const auto one : ones) {
    shorter += static_cast<std::size_t>(
        std::ranges::count_if(others, [&](const auto other) { return one < other; }));
  }
  constexpr double kNearlyAll = 0.9;
  const auto pairs = static_cast<double>(ones.size() * others.size());
  return !ones.empty() && static_cast<double>(shorter) >= kNearlyAll * pairs;
}

}  // namespace

void Times::add(Duration before, Duration after) {
  before_.push_back(before);
  after_.push_back(after);
}

bool Times::is_faster() const { return turns() >= kJudged && are_shorter(after_, before_); }

bool Times::is_slower() const {
  constexpr double kLayout = 1.05;
  return turns() >= kJudged && are_shorter(before_, after_) &&
         median(after_) > median(before_) * kLayout;
}

std::string Times::figures() const {
  return fmt::format("{} instead of {}", spoken(median(after_)), spoken(median(before_)));
}

std::string Times::sentence() const {
  if (turns() == 0) return "the time of the run was not compared";
  if (turns() < kJudged) {
    return fmt::format("the run takes {} ({} of each {} too few to judge)", figures(),
                       turns() == 1 ? "1 run" : fmt::format("{} runs", turns()),
                       turns() == 1 ? "is" : "are");
  }
  if (is_faster()) return "the run takes " + figures();
  Durations all = before_;
  all.insert(all.end(), after_.begin(), after_.end());
  const auto [shortest, longest] = std::ranges::minmax(all);
  constexpr int kTooMuch = 2;
  const char* what =
      longest > kTooMuch * shortest ? "times differ too much to compare" : "no difference in time";
  return fmt::format("{} (runs of {} to {})", what, spoken(shortest), spoken(longest));
}

/// More turns are needed where the changed program seems slower, or where the final decision is not
/// clear yet.
bool TimeComparison::needs_more() const {
  constexpr std::size_t kClear = 5;
  constexpr std::size_t kMost = 15;
  constexpr std::chrono::seconds kEnough{5};
  const std::size_t turns = together_.turns();
  if (turns < least(asked_.turns)) return true;
  if (asked_.turns || turns >= kMost) return false;
  const bool is_clear =
      !asked_.is_final || spent_ >= kEnough || (turns >= kClear && together_.is_faster());
  return !is_clear || slower();
}

void TimeComparison::add(const std::vector<Turn>& turns) {
  Turn all{};
  for (std::size_t i = 0; i < each_.size(); ++i) {
    const auto [before, after] = turns.at(i);
    each_[i].add(before, after);
    all.before += before;
    all.after += after;
  }
  together_.add(all.before, all.after);
  spent_ += all.before + all.after;
}

std::optional<std::size_t> TimeComparison::slower() const {
  const auto at = std::ranges::find_if(each_, &Times::is_slower);
  if (at == each_.end()) return std::nullopt;
  return static_cast<std::size_t>(at - each_.begin());
}

}  // namespace ompdm::cli
