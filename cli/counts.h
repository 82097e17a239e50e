// How much of a run was counted and not told event by event, for the lines that say what was
// written.
#pragma once

#include <cstdint>

#include "ompdm/trace.h"

namespace ompdm::cli {

/// Regions, data operations and kernels that the tallies stand for.
struct Counts {
  std::uint64_t regions = 0;
  std::uint64_t ops = 0;
  std::uint64_t launches = 0;
  [[nodiscard]] bool any() const { return regions + ops + launches != 0; }
};

/// Of a trace.
inline Counts counts_of(const Trace& trace) {
  Counts counts;
  for (const RegionTally& tally : trace.region_tallies) counts.regions += tally.times.count;
  for (const OpTally& tally : trace.op_tallies) counts.ops += tally.times.count;
  for (const LaunchTally& tally : trace.launch_tallies) counts.launches += tally.times.count;
  return counts;
}

}  // namespace ompdm::cli
