// Length of a union of time intervals, so that overlapping operations are not counted twice.
#pragma once

#include <vector>

#include "ompdm/trace.h"

namespace ompdm::analysis {

/// A half-open interval; one whose end is not after its begin is empty.
struct Interval {
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
};

/// Time covered by at least one interval. Linear if they are in order of begin, else it sorts its
/// copy.
Nanoseconds union_length(std::vector<Interval> intervals);

}  // namespace ompdm::analysis
