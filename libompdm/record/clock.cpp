#include "record/clock.h"

#include <string.h>

#include <charconv>
#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "record/process_facts.h"

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

// A kernel that has found the counter to drift between sockets no longer lists it.
bool kernel_trusts_tsc() noexcept {
  char text[256];
  return read_text("/sys/devices/system/clocksource/clocksource0/available_clocksource", text,
                   sizeof(text)) <= 0 ||
         strstr(text, "tsc") != nullptr;
}
#endif

// The length of a tick in 2^-32 nanoseconds; 0: not measured yet.
std::atomic<std::uint64_t> tick_length{0};

constexpr std::uint64_t kSoon = 1'000'000;  // ticks, a third of a millisecond

spool::FileHeader& header() noexcept { return *recorder.header.load(std::memory_order_acquire); }

// Measured since attach: the longer the process has run, the more exact.
std::uint64_t find_tick_length() noexcept {
  const spool::ClockTriple first = recorder.draft.attach;
  constexpr std::uint64_t kEnough = 1'000'000;
  spool::ClockTriple now = clock_triple();
  while (now.monotonic_ns - first.monotonic_ns < kEnough) {
    now = clock_triple();
  }
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((Wide{now.monotonic_ns - first.monotonic_ns} << 32U) /
                                    (now.ticks - first.ticks));
}

std::uint64_t since_attach() noexcept {
  return nanoseconds_of(CLOCK_MONOTONIC) - recorder.draft.attach.monotonic_ns;
}

std::atomic<std::uint64_t> window_end{0};  // nanoseconds since attach; 0: none
std::atomic<bool> opened{false};

// Opens the window, once: a late thread must not open it again after it was closed.
void start_recording_events(std::uint64_t now) noexcept {
  if (opened.exchange(true)) {
    return;
  }
  __atomic_store_n(&header().recorded_from, now, __ATOMIC_RELAXED);
  recorder.aggregating.store(false, std::memory_order_relaxed);
  if (recorder.config.duration != 0) {
    window_end.store(since_attach() + recorder.config.duration);
  }
}

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

std::uint64_t nanoseconds(std::uint64_t ticks) noexcept {
  if (!recorder.clock_is_tsc) {
    return ticks;
  }
  std::uint64_t length = tick_length.load(std::memory_order_relaxed);
  if (length == 0) [[unlikely]] {
    length = find_tick_length();
    tick_length.store(length, std::memory_order_relaxed);
  }
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(Wide{ticks} * length >> 32U);
}

void start_window() noexcept {
  const Config& config = recorder.config;
  spool::FileHeader& draft = recorder.draft;
  if (!config.events) {
    draft.detail = spool::Detail::kNone;
    draft.recorded_to = draft.attach.ticks;
    recorder.aggregating.store(true);
    return;
  }
  if (config.after == 0 && config.duration == 0 && config.until_file == nullptr) {
    return;
  }
  draft.detail = spool::Detail::kWindow;
  if (config.after != 0) {
    draft.recorded_from = spool::kNotYet;
    recorder.aggregating.store(true);
  } else if (config.duration != 0) {
    window_end.store(config.duration);
  }
  if (config.after != 0 || config.duration != 0) {
    recorder.next_window_check.store(draft.attach.ticks);
  }
}

void update_window(std::uint64_t now) noexcept {
  const std::uint64_t end = window_end.load();
  const std::uint64_t wanted = end != 0 ? end : recorder.config.after;
  const std::uint64_t passed = since_attach();
  if (passed < wanted) {
    // A tick is a third of a nanosecond to one nanosecond long: each check comes nearer to the
    // instant and none comes after it.
    const std::uint64_t left = (wanted - passed) / 2;
    recorder.next_window_check.store(now + (left < kSoon ? 0 : left), std::memory_order_relaxed);
    return;
  }
  recorder.next_window_check.store(now, std::memory_order_relaxed);
  if (end != 0) {
    return stop_recording_events(spool::Detail::kWindow);
  }
  start_recording_events(now);
  if (recorder.config.duration == 0) {
    recorder.next_window_check.store(~std::uint64_t{0}, std::memory_order_relaxed);
  }
}

void stop_recording_events(spool::Detail why) noexcept {
  std::uint64_t none = 0;
  if (__atomic_compare_exchange_n(&header().recorded_to, &none, ticks(), false, __ATOMIC_RELAXED,
                                  __ATOMIC_RELAXED)) {
    if (!opened.exchange(true) && recorder.config.after != 0) {
      // The window never opened.
      __atomic_store_n(&header().recorded_from, header().recorded_to, __ATOMIC_RELAXED);
    }
    header().detail = why;
  }
  recorder.next_window_check.store(~std::uint64_t{0}, std::memory_order_relaxed);
  recorder.aggregating.store(true, std::memory_order_relaxed);
}

void check_until(const char* psource) noexcept {
  const std::string_view wanted = recorder.config.until_file;
  const std::string_view place = psource != nullptr ? psource : "";
  const std::size_t file_end = place.find(';', 1);
  const std::size_t function_end = place.find(';', file_end + 1);
  if (!place.starts_with(';') || function_end == place.npos || file_end == place.npos) {
    return;
  }
  const std::string_view file(place.data() + 1, file_end - 1);
  std::uint64_t line = 0;
  std::from_chars(place.data() + function_end + 1, place.data() + place.size(), line);
  const bool is_file =
      file == wanted || (file.ends_with(wanted) && file[file.size() - wanted.size() - 1] == '/');
  if (is_file && line == recorder.config.until_line) {
    stop_recording_events(spool::Detail::kWindow);
  }
}

}  // namespace ompdm::record
