// How busy devices were, how long the host waited for them, and how long operations took. Inside
// the analysis library only.
#pragma once

#include <map>
#include <string>

#include "ompdm/aggregates.h"
#include "ompdm/analysis.h"

namespace ompdm::analysis {

/// By the rows' ids, in nanoseconds. Of what had not ended none; of a `target data` its begin.
struct Durations {
  std::map<std::string, Distribution> activities;  ///< allocations and deletes too
  std::map<std::string, Distribution> directives;  ///< of instances, on the host's clock
};

/// `analysis` and `picture` are this trace's.
Durations durations_of(const Trace& trace, const Analysis& analysis, const Picture& picture);

}  // namespace ompdm::analysis
