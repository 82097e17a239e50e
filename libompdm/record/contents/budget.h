// How much of what crosses may be looked at: a share of the bytes, whatever the clock says, and a
// net of time below it. Called in callbacks; no lock and no floating point.
#pragma once

#include <cstdint>

#include "record/process/config.h"
#include "spool_format/format.h"

namespace ompdm::record {

/// The share is advanced to each thread for as many bytes, before they have crossed: short programs
/// are looked at closely.
inline constexpr std::uint64_t kAdvancedFor = std::uint64_t{16} << 30U;
/// The net: looking may take so many times its share of the time since attach, and less than this
/// is no matter. Memory is read faster than it is sent (STREAM, 10 GB/s a core and more), so that
/// the share of the bytes takes less than the share of the time.
inline constexpr std::uint64_t kNetShares = 5;
inline constexpr std::uint64_t kNetNanoseconds = 500'000'000;

/// What a thread has looked at so far.
struct Looked {
  std::uint64_t bytes;  ///< that the rule decided to look at
  std::uint64_t ticks;  ///< that it took
};

/// All instants and durations are in the recorder's ticks.
class Budget {
 public:
  /// `net` is kNetNanoseconds in ticks.
  void start(std::uint32_t share, std::uint64_t attach, std::uint64_t net) noexcept;
  /// The same from `attach` on, for a fork's child.
  void restart(std::uint64_t attach) noexcept { start(share_, attach, net_); }

  [[nodiscard]] bool off() const noexcept { return share_ == kHashNothing; }
  [[nodiscard]] bool unlimited() const noexcept { return share_ == kHashEverything; }

  /// Bytes that a thread may look at before it has to keep to the share.
  [[nodiscard]] std::uint64_t advance() const noexcept { return advance_; }
  /// Where each time `read` bytes are looked at of `bytes`: the smallest power of two so that to do
  /// it each such time keeps to the share.
  [[nodiscard]] std::uint32_t times_apart(std::uint64_t read, std::uint64_t bytes) const noexcept;
  /// Whether the net holds a thread that has spent so much.
  [[nodiscard]] bool lasts(std::uint64_t now, std::uint64_t spent) const noexcept;

 private:
  std::uint32_t share_ = kHashNothing;
  std::uint64_t advance_ = 0;
  std::uint64_t attach_ = 0;
  std::uint64_t net_ = 0;
};

extern Budget budget;

/// Starts it at `attach`, which was a moment ago: the net begins as a time, so the rate of the
/// ticks must be known, by two instants a little apart. Takes 20 us at most.
void start_budget(std::uint32_t share, const spool::ClockTriple& attach) noexcept;

}  // namespace ompdm::record
