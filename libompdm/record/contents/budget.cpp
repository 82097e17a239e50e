#include "record/contents/budget.h"

#include "record/process/clock.h"

namespace ompdm::record {

Budget budget;

namespace {

// Until something was hashed: 8 GB/s, what one core reads from memory on the machines tried.
constexpr std::uint64_t kAssumedKibInCredit = kCreditNanoseconds * 8 / 1024;
constexpr std::uint32_t kMostThinning = 20;

}  // namespace

void Budget::start(std::uint32_t share, std::uint64_t attach, std::uint64_t credit) noexcept {
  share_ = share;
  attach_ = attach;
  credit_ = credit;
  spent_.store(0, std::memory_order_relaxed);
  // As if a hundredth of the credit had been spent at the assumed rate.
  constexpr unsigned kWeight = 100;
  hashed_kib_.store(kAssumedKibInCredit / kWeight, std::memory_order_relaxed);
  hashed_ticks_.store(credit / kWeight, std::memory_order_relaxed);
  thinning_.store(0, std::memory_order_relaxed);
  changed_.store(attach, std::memory_order_relaxed);
}

std::uint64_t Budget::limit(std::uint64_t now) const noexcept {
  constexpr std::uint64_t kMillion = 1'000'000;
  // Counters of two cores may differ a little: an instant before the attach counts as the attach.
  const std::uint64_t elapsed = now > attach_ ? now - attach_ : 0;
  const std::uint64_t share = elapsed / kMillion * share_ + elapsed % kMillion * share_ / kMillion;
  return share > credit_ ? share : credit_;
}

bool Budget::allows(std::uint64_t now, std::uint64_t cost) const noexcept {
  return unlimited() || spent() + cost <= limit(now);
}

bool Budget::allows_dear(std::uint64_t now, std::uint64_t cost) const noexcept {
  return unlimited() || spent() + cost <= limit(now) / 4 * 3;
}

std::uint64_t Budget::expected(std::uint64_t bytes) const noexcept {
  const std::uint64_t kib = hashed_kib_.load(std::memory_order_relaxed);
  const std::uint64_t ticks = hashed_ticks_.load(std::memory_order_relaxed);
  // Sixteenths of a tick a KiB keep the rate exact enough on a clock of nanoseconds too.
  return (bytes / 1024 + 1) * (ticks * 16 / (kib + 1)) / 16;
}

void Budget::learn(std::uint64_t bytes, std::uint64_t ticks) noexcept {
  hashed_kib_.fetch_add(bytes / 1024, std::memory_order_relaxed);
  hashed_ticks_.fetch_add(ticks, std::memory_order_relaxed);
}

bool Budget::may_change(std::uint64_t now, std::uint64_t after) noexcept {
  std::uint64_t last = changed_.load(std::memory_order_relaxed);
  return now > last && now - last >= after &&
         changed_.compare_exchange_strong(last, now, std::memory_order_relaxed);
}

void Budget::refused(std::uint64_t now) noexcept {
  // Many sites may be refused at once; that is one reason, not many.
  if (thinning() < kMostThinning && may_change(now, credit_ / 5)) {
    thinning_.fetch_add(1, std::memory_order_relaxed);
  }
}

void Budget::afforded(std::uint64_t now) noexcept {
  if (thinning() > 0 && spent() < limit(now) / 2 && may_change(now, credit_ * 2)) {
    thinning_.fetch_sub(1, std::memory_order_relaxed);
  }
}

void start_budget(std::uint32_t share, const spool::ClockTriple& attach) noexcept {
  constexpr std::uint64_t kApart = 20'000;  // ns: the readings disagree by some tens
  spool::ClockTriple now = clock_triple();
  while (now.monotonic_ns - attach.monotonic_ns < kApart) {
    now = clock_triple();
  }
  __extension__ using Wide = unsigned __int128;
  const auto credit =
      static_cast<std::uint64_t>(static_cast<Wide>(now.ticks - attach.ticks) * kCreditNanoseconds /
                                 (now.monotonic_ns - attach.monotonic_ns));
  budget.start(share, attach.ticks, credit);
}

}  // namespace ompdm::record
