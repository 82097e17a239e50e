// The recorder's clock, and the part of the run that is recorded as events: all of it, a window,
// or up to a size of the spool. The rest is aggregated. Called in callbacks, without a lock.
#pragma once

#include <time.h>
#include <x86intrin.h>

#include <cstdint>

#include "record/recorder.h"
#include "spool_format/format.h"

#if defined(__x86_64__)
#endif

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

/// Begins as the configuration asks. Called once at attach, when the process is described.
void start_window() noexcept;

/// Opens or closes the window if it is time to: called when `now` (ticks) is past
/// Recorder::next_window_check.
[[gnu::cold, gnu::noinline]] void update_window(std::uint64_t now) noexcept;

/// To be called when a region begins, before it is decided how that is recorded.
inline void check_window() noexcept {
  const std::uint64_t at = recorder.next_window_check.load(std::memory_order_relaxed);
  if (at != ~std::uint64_t{0}) [[unlikely]] {
    if (const std::uint64_t now = ticks(); now >= at) {
      update_window(now);
    }
  }
}

/// From now on nothing is told any more; once and for all.
[[gnu::cold]] void stop_recording_events(spool::Detail why) noexcept;

/// A site's source, as the compiler passes it (";heat.cpp;step;41;1;;"), is met for the first time
/// in a buffer: nothing is told from the one on that the window ends at.
[[gnu::cold]] void check_until(const char* psource) noexcept;

/// Nanoseconds that so many ticks take, as well as the process has found out by now: to some 10^-5
/// where it has run for a millisecond.
std::uint64_t nanoseconds(std::uint64_t ticks) noexcept;

}  // namespace ompdm::record
