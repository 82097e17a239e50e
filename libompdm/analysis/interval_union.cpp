#include "analysis/interval_union.h"

#include <algorithm>
#include <limits>

namespace ompdm::analysis {

Nanoseconds union_length(std::vector<Interval> intervals) {
  const auto earlier = [](const Interval& a, const Interval& b) { return a.begin < b.begin; };
  if (!std::is_sorted(intervals.begin(), intervals.end(), earlier)) {
    std::sort(intervals.begin(), intervals.end(), earlier);
  }
  Nanoseconds covered_until = std::numeric_limits<Nanoseconds>::min();
  Nanoseconds length = 0;
  for (const Interval& interval : intervals) {
    const Nanoseconds begin = std::max(interval.begin, covered_until);
    if (interval.end <= begin) continue;
    length += interval.end - begin;
    covered_until = interval.end;
  }
  return length;
}

}  // namespace ompdm::analysis
