#include "record/contents/budget.h"

#include <bit>

#include "record/process/clock.h"

namespace ompdm::record {

Budget budget;

namespace {

constexpr std::uint64_t kMillion = 1'000'000;

std::uint64_t share_of(std::uint64_t amount, std::uint64_t millionths) noexcept {
  return amount / kMillion * millionths + amount % kMillion * millionths / kMillion;
}

}  // namespace

void Budget::start(std::uint32_t share, std::uint64_t attach, std::uint64_t net) noexcept {
  share_ = share;
  advance_ = share_of(kAdvancedFor, share);
  attach_ = attach;
  net_ = net;
}

std::uint32_t Budget::times_apart(std::uint64_t read, std::uint64_t bytes) const noexcept {
  // Exact up to 16 TB of each, at any share.
  const std::uint64_t allowed = bytes * share_;
  return std::bit_ceil(static_cast<std::uint32_t>((read * kMillion + allowed - 1) / allowed));
}

bool Budget::lasts(std::uint64_t now, std::uint64_t spent) const noexcept {
  if (spent <= net_ || unlimited()) {
    return true;
  }
  // Counters of two cores may differ a little: an instant before the attach counts as the attach.
  const std::uint64_t elapsed = now > attach_ ? now - attach_ : 0;
  return spent <= share_of(elapsed, kNetShares * share_);
}

void start_budget(std::uint32_t share, const spool::ClockTriple& attach) noexcept {
  constexpr std::uint64_t kApart = 20'000;  // ns: the readings disagree by some tens
  spool::ClockTriple now = clock_triple();
  while (now.monotonic_ns - attach.monotonic_ns < kApart) {
    now = clock_triple();
  }
  __extension__ using Wide = unsigned __int128;
  const auto net =
      static_cast<std::uint64_t>(static_cast<Wide>(now.ticks - attach.ticks) * kNetNanoseconds /
                                 (now.monotonic_ns - attach.monotonic_ns));
  budget.start(share, attach.ticks, net);
}

}  // namespace ompdm::record
