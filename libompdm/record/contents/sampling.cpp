#include "record/contents/sampling.h"

#include <bit>

#include "record/contents/digest.h"

namespace ompdm::record {
namespace {

constexpr std::uint32_t kRun = 4;
constexpr std::uint64_t kSmall = 4096;

bool is_each(std::uint32_t power_of_two, std::uint32_t run) noexcept {
  return (run & (power_of_two - 1)) == 0;
}

// 1, 2, 6, 13, 26, 53, ...: about twice as far each time, and from 6 on even and odd by turns, so
// that buffers which take turns have theirs.
bool is_spread(std::uint32_t occurrence) noexcept {
  constexpr std::uint64_t kThird = 6;
  std::uint64_t at = kThird;
  while (at < occurrence) {
    at = 2 * at + (at % 2 == 0 ? 1 : 0);
  }
  return occurrence == 1 || occurrence == 2 || at == occurrence;
}

}  // namespace

void Sampling::begin_occurrence(const Looked& looked) noexcept {
  const std::uint32_t occurrence = occurrences++;
  if (occurrence % kRun != 0) {
    return;
  }
  constexpr std::uint32_t kRunsAtFirst = 16;
  run = occurrence / kRun;
  small = run < kRunsAtFirst || is_each(std::bit_floor(run / (kRunsAtFirst / 2)), run);
  advanced = looked.bytes < budget.advance();
}

Look Sampling::look_at(std::uint64_t bytes, bool to_device, Looked& looked) const noexcept {
  if (budget.unlimited()) {
    return Look::kWhole;
  }
  if (bytes <= kSmall) [[likely]] {
    return small ? Look::kFingerprint : Look::kNone;
  }
  const bool is_large = bytes > kFingerprintBytes;
  const std::uint64_t read = is_large ? kFingerprintBytes : bytes;
  if (!advanced && !is_each(budget.times_apart(read, bytes), run)) {
    return Look::kNone;
  }
  looked.bytes += read;
  if (!is_large) {
    return Look::kFingerprint;
  }
  const bool is_advanced = looked.bytes + bytes <= budget.advance() / 4 * 3 &&
                           (is_spread(occurrences) || (to_device && is_spread(occurrences - 1)));
  const bool is_shared = run != 0 && is_each(budget.times_apart(bytes, bytes), run);
  if (!is_advanced && !is_shared) {
    return Look::kFingerprint;
  }
  looked.bytes += bytes;
  return Look::kWhole;
}

}  // namespace ompdm::record
