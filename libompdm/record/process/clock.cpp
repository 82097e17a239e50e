#include "record/process/clock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace ompdm::record {

namespace {

#if defined(__x86_64__)
bool processor_has_invariant_tsc() noexcept {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid(0x80000007U, &a, &b, &c, &d) != 0 && (d & (1U << 8U)) != 0;
}

// A kernel that has found the counter to drift between sockets no longer lists it as a clock
// source.
bool kernel_trusts_tsc() noexcept {
  const int file = open("/sys/devices/system/clocksource/clocksource0/available_clocksource",
                        O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return true;
  }
  char text[256] = {};
  const ssize_t size = read(file, text, sizeof(text) - 1);
  close(file);
  return size <= 0 || strstr(text, "tsc") != nullptr;
}
#endif

}  // namespace

std::uint64_t nanoseconds_of(clockid_t clock) noexcept {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

void choose_clock() noexcept {
#if defined(__x86_64__)
  recorder.clock_is_tsc = processor_has_invariant_tsc() && kernel_trusts_tsc();
#endif
}

spool::ClockTriple clock_triple() noexcept {
  spool::ClockTriple triple{};
  std::uint64_t tightest = ~std::uint64_t{0};
  // The first reading may meet a page fault or an interrupt: the tightest of a few is kept.
  constexpr int kReadings = 3;
  for (int i = 0; i < kReadings; ++i) {
    const std::uint64_t before = ticks();
    const std::uint64_t monotonic = nanoseconds_of(CLOCK_MONOTONIC);
    const std::uint64_t after = ticks();
    if (after - before < tightest) {
      tightest = after - before;
      triple.monotonic_ns = monotonic;
      triple.ticks = recorder.clock_is_tsc ? before + (after - before) / 2 : monotonic;
      triple.realtime_ns = nanoseconds_of(CLOCK_REALTIME);
    }
  }
  return triple;
}

}  // namespace ompdm::record
