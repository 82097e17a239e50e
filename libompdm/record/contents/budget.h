// How much time may go into contents: a share of the time since attach, shared by all threads.
// Called in callbacks; no lock and no floating point.
#pragma once

#include <atomic>
#include <cstdint>

#include "record/process/config.h"
#include "spool/format.h"

namespace ompdm::record {

/// What the budget advances at the start, before its share of the time has come to as much.
inline constexpr std::uint64_t kCreditNanoseconds = 50'000'000;

/// All instants and durations are in the recorder's ticks.
class Budget {
 public:
  /// Forgets what was spent. `credit` is kCreditNanoseconds in ticks.
  void start(std::uint32_t share, std::uint64_t attach, std::uint64_t credit) noexcept;
  /// The same from `attach` on, for a fork's child.
  void restart(std::uint64_t attach) noexcept { start(share_, attach, credit_); }

  [[nodiscard]] bool off() const noexcept { return share_ == kHashNothing; }
  [[nodiscard]] bool unlimited() const noexcept { return share_ == kHashEverything; }

  /// Whether `cost` more would stay within it.
  [[nodiscard]] bool allows(std::uint64_t now, std::uint64_t cost) const noexcept;
  /// Whether `cost` more would leave a quarter of it: fingerprints, which are cheap and tell of
  /// every transfer, are not to starve for the hashes of a few large ones.
  [[nodiscard]] bool allows_dear(std::uint64_t now, std::uint64_t cost) const noexcept;

  void charge(std::uint64_t ticks) noexcept { spent_.fetch_add(ticks, std::memory_order_relaxed); }
  /// Takes back what was charged beforehand.
  void release(std::uint64_t ticks) noexcept { spent_.fetch_sub(ticks, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t spent() const noexcept {
    return spent_.load(std::memory_order_relaxed);
  }

  /// What hashing so much is expected to take, by what hashing took so far.
  [[nodiscard]] std::uint64_t expected(std::uint64_t bytes) const noexcept;
  void learn(std::uint64_t bytes, std::uint64_t ticks) noexcept;

  /// Occurrences are examined in runs, and of these each 2^thinning()-th: the same ones at all
  /// sites, so that what went over at one place can be compared with what came back at another.
  [[nodiscard]] std::uint32_t thinning() const noexcept {
    return thinning_.load(std::memory_order_relaxed);
  }
  /// A run was refused, or could be afforded twice over: the thinning follows, slowly.
  void refused(std::uint64_t now) noexcept;
  void afforded(std::uint64_t now) noexcept;

 private:
  [[nodiscard]] std::uint64_t limit(std::uint64_t now) const noexcept;
  bool may_change(std::uint64_t now, std::uint64_t after) noexcept;

  std::uint32_t share_ = kHashNothing;
  std::uint64_t attach_ = 0;
  std::uint64_t credit_ = 0;
  std::atomic<std::uint64_t> spent_{0};
  std::atomic<std::uint64_t> hashed_kib_{0};
  std::atomic<std::uint64_t> hashed_ticks_{0};
  std::atomic<std::uint32_t> thinning_{0};
  std::atomic<std::uint64_t> changed_{0};
};

extern Budget budget;

/// Starts it at `attach`, which was a moment ago: the credit is a time, so the rate of the ticks
/// must be known, by two instants a little apart. Takes 20 us at most.
void start_budget(std::uint32_t share, const spool::ClockTriple& attach) noexcept;

}  // namespace ompdm::record
