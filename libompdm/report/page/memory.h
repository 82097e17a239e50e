// What lay on the devices, and when. Inside the report library only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "report/page/events.h"

namespace ompdm::report::page {

/// Bytes that are allocated on a device from an instant on.
struct MemorySample {
  std::int32_t device = -1;
  std::uint64_t time = 0;
  std::uint64_t bytes = 0;
};

/// A variable's storage on a device, from its allocation to its deletion.
struct Stay {
  std::uint32_t variable = kNoRow32;  ///< row of Analysis::variables
  std::int32_t device = -1;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t count = 1;  ///< stays with little between them, summed
};

struct DeviceMemory {
  std::vector<MemorySample> samples;  ///< in order of time
  std::vector<Stay> stays;            ///< in order of begin
};

/// At most about `most` rows of each: beyond, of spans of time the most bytes, and stays joined.
/// `variable` by position in Trace::variables, `end` of the picture.
DeviceMemory memory_of(const Trace& trace, const std::vector<std::uint32_t>& variable,
                       std::uint64_t end, std::size_t most = 40'000);

}  // namespace ompdm::report::page
