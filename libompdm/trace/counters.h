// Counters of the timeline: bytes that live on each device, and the rate of the transfers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ompdm/trace.h"

namespace ompdm {

/// Follows what is allocated on each device, operation by operation.
class DeviceMemory {
 public:
  struct Sample {
    std::int32_t device = -1;
    Nanoseconds time = 0;
    std::uint64_t bytes = 0;  ///< alive on the device from this instant
  };

  explicit DeviceMemory(const Trace& trace) : trace_(trace) {}

  /// What an operation changes; nothing unless it is a finished allocation, or a deletion of what
  /// was seen allocated.
  std::optional<Sample> after(const DataOp& op);

 private:
  struct Device {
    std::unordered_map<std::uint64_t, std::uint64_t> allocations;  // bytes by address
    std::uint64_t bytes = 0;
  };
  const Trace& trace_;
  std::unordered_map<std::int32_t, Device> devices_;
};

/// The mean rate of a device's transfers in one direction, from this instant to the next sample of
/// the same two.
struct RateSample {
  std::int32_t device = -1;
  OpKind direction = OpKind::kHtoD;
  Nanoseconds time = 0;
  double bytes_per_ns = 0;  ///< the same as GB/s
};

/// Rates over `bins` equal parts of the recording, in order of time and only where they change.
/// Where a device told, its activities count; transfers whose end is not known (clock enqueue,
/// unfinished) are left out.
std::vector<RateSample> transfer_rates(const Trace& trace, std::size_t bins);

}  // namespace ompdm
