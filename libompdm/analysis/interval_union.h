// Unions of time intervals, so that overlapping operations are not counted twice.
#pragma once

#include <algorithm>
#include <vector>

#include "ompdm/trace.h"

namespace ompdm::analysis {

/// A half-open interval; one whose end is not after its begin is empty.
struct Interval {
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
};

/// Time covered by at least one interval, which come in order of their begins.
class UnionLength {
 public:
  void add(Interval interval) {
    if (interval.end <= interval.begin || (!is_empty_ && interval.end <= reach_)) return;
    length_ += interval.end - (is_empty_ ? interval.begin : std::max(interval.begin, reach_));
    reach_ = interval.end;
    is_empty_ = false;
  }
  [[nodiscard]] Nanoseconds length() const { return length_; }

 private:
  Nanoseconds length_ = 0;
  Nanoseconds reach_ = 0;  ///< the latest end so far
  bool is_empty_ = true;
};

/// Time covered by at least one interval. Linear if they are in order of begin, else it sorts its
/// copy.
Nanoseconds union_length(std::vector<Interval> intervals);

/// The same time as intervals in order that do not touch.
std::vector<Interval> merged(std::vector<Interval> intervals);

/// Of the time of `merged` intervals what lies in `within`. Logarithmic in their number, linear in
/// that of those inside.
Nanoseconds overlap(const std::vector<Interval>& merged, Interval within);

}  // namespace ompdm::analysis
