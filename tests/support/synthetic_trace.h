// A made-up recording of any size: the same options give the same trace, on every machine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ompdm/trace.h"

namespace ompdm::test {

struct SyntheticOptions {
  std::size_t events =
      1000;  ///< regions, operations and launches together; rounded up to whole iterations
  std::uint32_t threads =
      1;  ///< host threads that offload at the same time, so that their slices overlap
  std::int32_t devices = 1;
  std::uint64_t seed = 1;
};

/// A stencil code as a beginner writes it. In each iteration every thread maps two arrays to a
/// kernel and back. A third is kept on the device and updated. An iteration has 12 events: 2
/// regions, 2 allocations, 3 transfers there, 2 back, 1 launch, 2 deletions.
Trace synthetic_trace(const SyntheticOptions& options);

}  // namespace ompdm::test
