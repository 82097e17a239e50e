#include "analysis/order.h"

namespace ompdm::analysis {

std::vector<Interval> merged(std::vector<Interval> intervals) {
  const auto earlier = [](const Interval& a, const Interval& b) { return a.begin < b.begin; };
  if (!std::is_sorted(intervals.begin(), intervals.end(), earlier)) {
    std::sort(intervals.begin(), intervals.end(), earlier);
  }
  std::size_t count = 0;
  for (const Interval& interval : intervals) {
    if (interval.end <= interval.begin) continue;
    if (count > 0 && interval.begin <= intervals[count - 1].end) {
      intervals[count - 1].end = std::max(intervals[count - 1].end, interval.end);
    } else {
      intervals[count++] = interval;
    }
  }
  intervals.resize(count);
  return intervals;
}

Nanoseconds union_length(std::vector<Interval> intervals) {
  Nanoseconds length = 0;
  for (const Interval& interval : merged(std::move(intervals))) {
    length += interval.end - interval.begin;
  }
  return length;
}

Nanoseconds overlap(const std::vector<Interval>& merged, Interval within) {
  Nanoseconds length = 0;
  auto at = std::ranges::upper_bound(merged, within.begin, std::less<>{}, &Interval::end);
  for (; at != merged.end() && at->begin < within.end; ++at) {
    length += std::min(at->end, within.end) - std::max(at->begin, within.begin);
  }
  return length;
}

}  // namespace ompdm::analysis
