// The recorder's clock: the invariant time stamp counter where there is one, else CLOCK_MONOTONIC.
// Called in callbacks.
#pragma once

#include <time.h>

#include <cstdint>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "record/process/recorder.h"
#include "spool_format/format.h"

namespace ompdm::record {

[[gnu::cold]] std::uint64_t nanoseconds_of(clockid_t clock) noexcept;

/// Now, in the unit that FileHeader::clock names. About 12 ns with the counter, 21 ns without.
inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  if (recorder.clock_is_tsc) [[likely]] {
    return __rdtsc();
  }
#endif
  return nanoseconds_of(CLOCK_MONOTONIC);
}

/// One instant on all three clocks; the ticks are the middle of two readings around the others, the
/// tightest of a few.
spool::ClockTriple clock_triple() noexcept;

/// Chooses the clock: the counter only where the processor promises that it never stops or changes
/// its rate (CPUID leaf 0x80000007, bit 8) and the kernel trusts it too.
void choose_clock() noexcept;

}  // namespace ompdm::record
