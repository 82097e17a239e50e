// The recorder's clock, and the part of the run that is recorded as events. This is all of it, a
// window, or the part before the spool reaches its limit. The rest is aggregated. Called in
// callbacks, without a lock.
#pragma once

#include <time.h>

#include <cstdint>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "record/recorder.h"
#include "spool_format/format.h"

namespace ompdm::record {

/// The time of a POSIX clock.
[[gnu::cold]] std::uint64_t nanoseconds_of(clockid_t clock) noexcept;

/// The current time in the unit that FileHeader::clock names. About 12 ns with the counter, 21 ns
/// without.
inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  if (recorder.clock_is_tsc) [[likely]] {
    return __rdtsc();
  }
#endif
  return nanoseconds_of(CLOCK_MONOTONIC);
}

/// One instant on all three clocks. The ticks are the middle of two readings around the others; of
/// a few attempts the tightest is returned.
spool::ClockTriple clock_triple() noexcept;

/// Chooses the clock: the time stamp counter where it is invariant (CPUID leaf 0x80000007, bit 8)
/// and the kernel trusts it, else CLOCK_MONOTONIC.
void choose_clock() noexcept;

/// Sets up the window of the configuration. Called once at attach, after describe_process().
void start_window() noexcept;

/// Opens or closes the window if it is time to. Called when `now` (ticks) is past
/// Recorder::next_window_check.
[[gnu::cold, gnu::noinline]] void update_window(std::uint64_t now) noexcept;

/// Updates the window. Called when a region begins, before Recorder::aggregating is read.
inline void check_window() noexcept {
  const std::uint64_t at = recorder.next_window_check.load(std::memory_order_relaxed);
  if (at != ~std::uint64_t{0}) [[unlikely]] {
    if (const std::uint64_t now = ticks(); now >= at) {
      update_window(now);
    }
  }
}

/// Closes the window for good: from now on everything is aggregated.
[[gnu::cold]] void stop_recording_events(spool::Detail why) noexcept;

/// Closes the window if `psource` names the directive of OMPDM_UNTIL. Called when a buffer has a
/// site for the first time, with the source location that the compiler gives
/// (";heat.cpp;step;41;1;;").
[[gnu::cold]] void check_until(const char* psource) noexcept;

/// Converts ticks to nanoseconds by the rate measured since attach: to about 10^-5 once the process
/// has run for a millisecond.
std::uint64_t nanoseconds(std::uint64_t ticks) noexcept;

}  // namespace ompdm::record
