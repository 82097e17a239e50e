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

/// Whether of nearly all pairs the first one is shorter.
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

bool Times::is_faster() const { return are_shorter(after_, before_); }

bool Times::is_slower() const {
  constexpr double kLayout = 1.05;
  return are_shorter(before_, after_) && median(after_) > median(before_) * kLayout;
}

std::string Times::figures() const {
  return fmt::format("{} instead of {}", spoken(median(after_)), spoken(median(before_)));
}

std::string Times::sentence() const {
  if (is_faster()) return "the run takes " + figures();
  Durations all = before_;
  all.insert(all.end(), after_.begin(), after_.end());
  const auto [shortest, longest] = std::ranges::minmax(all);
  return fmt::format("no difference in time (runs of {} to {})", spoken(shortest), spoken(longest));
}

}  // namespace ompdm::cli
