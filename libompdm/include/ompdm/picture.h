// What a picture over time needs besides a trace and what is said of it. Part of the analysis
// (ompdm/analysis.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "ompdm/analysis.h"

namespace ompdm::analysis {

/// What a pass's time went into. At an instant at which several run, it is the first of these.
enum class PassPart : std::uint8_t {
  kKernel,
  kHtoD,
  kDtoH,
  kOnDevice,    ///< copies between devices, memsets
  kAllocation,  ///< allocations and deletes
  kHost,        ///< none of these
};
inline constexpr std::size_t kPassParts = 6;

/// One pass of a loop, or several neighbours summed.
struct Pass {
  std::uint64_t count = 1;
  Nanoseconds begin = 0;
  Nanoseconds end = 0;  ///< the next pass's begin; of an entry's last pass the end of its last step
  bool first = false;   ///< of its entry
  Nanoseconds wall = 0;  ///< end - begin - hashing; of several the sum of each
  /// By part: they add up to `wall`.
  std::array<Nanoseconds, kPassParts> time{};
  /// Of `time`, that of operations which findings call needless.
  std::array<Nanoseconds, kPassParts> needless{};
  Nanoseconds hashing = 0;  ///< what the recorder spent on contents meanwhile
  std::uint64_t htod_bytes = 0;
  std::uint64_t dtoh_bytes = 0;
  std::uint64_t needless_bytes = 0;  ///< of both
};

/// Positions are those in the trace on its devices' clock (analysis/device_clock.h), rows those of
/// the analysis made with it.
struct Picture {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::vector<std::uint32_t> finding_of_op;  ///< row of Analysis::findings that claims it, kNone
  std::vector<std::uint32_t> directive_of_site;  ///< row of Analysis::directives, kNone
  /// By row of Analysis::iterations, in order of time. Overlaps of threads that share a loop are in
  /// each of their passes.
  std::vector<std::vector<Pass>> passes;
};

/// As analyze(trace), and what a picture of it needs.
Analysis analyze(const Trace& trace, Picture& picture);

}  // namespace ompdm::analysis
