// What devices did by their own clock, and what waited for them, as CUPTI tells it. Part of the
// trace model (ompdm/trace.h).
#pragma once

#include <array>
#include <cstdint>

#include "ompdm/events.h"
#include "ompdm/index.h"

namespace ompdm {

/// What a device did.
enum class ActivityKind : std::uint8_t { kHtoD, kDtoH, kDtoD, kMemset, kKernel, kHtoH };

/// What kind of memory one side of a copy is.
enum class MemoryKind : std::uint8_t { kUnknown, kPageable, kPinned, kDevice, kArray, kManaged };

/// Something that a device did, on the device's clock (CUPTI).
struct DeviceActivity {
  ActivityKind kind = ActivityKind::kHtoD;
  MemoryKind source = MemoryKind::kUnknown;       ///< copies
  MemoryKind destination = MemoryKind::kUnknown;  ///< copies and memsets
  bool internal = false;  ///< the runtime's own: no operation or launch of OMPT's stands for it
  Index<DataOp> op;       ///< whose work it did
  Index<Launch> launch;
  Index<Region> region;  ///< during which it was asked for
  Index<Kernel> kernel;
  std::int32_t device = -1;
  std::int32_t source_device = -1;  ///< copies between devices
  std::int32_t destination_device = -1;
  std::uint32_t stream = 0;
  std::uint32_t context = 0;
  std::uint32_t correlation = 0;  ///< CUPTI's number of the call that asked for it
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
  std::uint64_t bytes = 0;
  std::array<std::uint32_t, 3> grid{};   ///< blocks: x, y, z
  std::array<std::uint32_t, 3> block{};  ///< threads
  std::uint32_t registers = 0;           ///< a thread
  std::uint32_t static_shared = 0;       ///< bytes a block
  std::uint32_t dynamic_shared = 0;
  bool operator==(const DeviceActivity&) const = default;
};

/// What a call of CUDA's waited for. kStreamWaitEvent lets a stream wait, and not the host.
enum class SynchronizationKind : std::uint8_t {
  kUnknown,
  kEvent,
  kStreamWaitEvent,
  kStream,
  kContext
};

/// A call of CUDA's by which the host (or a stream) waited for a device (CUPTI).
struct Synchronization {
  SynchronizationKind kind = SynchronizationKind::kUnknown;
  /// During which it was called; if none ran (API calls wait after their operation), whose work
  /// it waited for.
  Index<DataOp> op;
  Index<Region> region;
  std::int32_t device = -1;  ///< of its context, -1 if no activity told
  std::uint32_t context = 0;
  std::uint32_t stream = 0;       ///< that was waited for; 0: none in particular
  std::uint32_t correlation = 0;  ///< CUPTI's number of the call
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
  bool operator==(const Synchronization&) const = default;
};

}  // namespace ompdm
