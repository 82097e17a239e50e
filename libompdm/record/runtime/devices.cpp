#include "record/runtime/devices.h"

#include <atomic>
#include <cstdint>

#include "record/runtime/ompt.h"
#include "spool_format/format.h"

namespace ompdm::record {
namespace {

// A bit for each number.
constexpr int kMostKnown = 64;
std::atomic<std::uint64_t> known{0};
std::atomic<std::uint64_t> emulated{0};

bool has_bit(const std::atomic<std::uint64_t>& bits, int number) noexcept {
  return number >= 0 && number < kMostKnown &&
         (bits.load(std::memory_order_relaxed) >> static_cast<unsigned>(number) & 1U) != 0;
}

}  // namespace

void learn_device(int number, const char* type) noexcept {
  if (number >= 0 && number < kMostKnown) {
    const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(number);
    // After a pause of the runtime a number may stand for another device.
    if (type != nullptr && spool::is_emulated_device(type)) {
      emulated.fetch_or(bit);
    } else {
      emulated.fetch_and(~bit);
    }
    known.fetch_or(bit);
  }
}

bool device_is_known(int number) noexcept { return has_bit(known, number); }

bool device_is_host(int number) noexcept {
  return number == kInitialDevice ||
         (number >= 0 && number < kMostKnown && !has_bit(known, number));
}

bool device_is_emulated(int number) noexcept { return has_bit(emulated, number); }

}  // namespace ompdm::record
