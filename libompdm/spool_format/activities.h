// Rows of device activities in the spool.
#pragma once

#include "spool_format/format.h"

namespace ompdm::spool {

/// FileHeader::attached_by of a recording that CUDA itself started.
inline constexpr std::uint32_t kAttachedByCuda = 2;

/// The external correlation id of a recorded region, data operation or submit. It has the thread
/// buffer and the low 52 bits of the begin in ticks, so that no record needs to hold it. Bits of
/// the thread buffer above the 11th are mixed into the ticks. So two thread buffers never have
/// equal ids at one instant.
inline std::uint64_t external_id(BufferId id, std::uint64_t begin) noexcept {
  const std::uint32_t buffer = number(id);
  constexpr unsigned kTickBits = 52;
  constexpr unsigned kBufferBits = 63 - kTickBits;
  const std::uint64_t moved = begin ^ std::uint64_t{buffer >> kBufferBits} << 32U;
  constexpr std::uint64_t kBufferMask = (std::uint64_t{1} << kBufferBits) - 1;
  return (buffer & kBufferMask) << kTickBits | (moved & ((std::uint64_t{1} << kTickBits) - 1));
}

/// The external correlation id of an aggregated event: the thread buffer and the number of its
/// sample. 0: of a region, whose sample is recorded at its end.
inline constexpr std::uint64_t kCountedExternal = std::uint64_t{1} << 63U;
inline std::uint64_t counted_external_id(BufferId buffer, std::uint32_t sample) noexcept {
  return kCountedExternal | std::uint64_t{number(buffer)} << 32U | sample;
}

/// A kernel's name, for the records after it in its thread buffer. Followed by the text.
struct ActivityName {
  Head head;
  ActivityNameId id;
  std::uint32_t size;  ///< NUL included
  std::uint32_t reserved;
};
static_assert(sizeof(ActivityName) == 16);

/// CUpti_ActivityKernel.
struct KernelActivity {
  Head head;
  std::uint32_t correlation;
  std::uint64_t begin;
  std::uint64_t end;
  ActivityNameId name;  ///< none: unknown
  std::uint32_t stream;
  std::uint16_t device;  ///< CUDA's ordinal
  std::uint16_t context;
  std::uint16_t registers;  ///< a thread
  std::uint16_t block[3];
  std::uint32_t grid_x;
  std::uint16_t grid_y;
  std::uint16_t grid_z;
  std::uint32_t static_shared;  ///< bytes a block
  std::uint32_t dynamic_shared;
};
static_assert(sizeof(KernelActivity) == 64);

/// What a MemoryActivity is (Head::flags).
enum class MemoryWork : std::uint8_t { kCopy, kPeerCopy, kMemset };

/// CUpti_ActivityMemcpy, MemcpyPtoP and Memset.
struct MemoryActivity {
  Head head;
  std::uint32_t correlation;
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t bytes;
  std::uint32_t stream;
  std::uint16_t device;
  std::uint16_t context;
  std::uint16_t source_device;  ///< of a peer copy
  std::uint16_t destination_device;
  std::uint8_t copy_kind;         ///< CUpti_ActivityMemcpyKind
  std::uint8_t source_kind;       ///< CUpti_ActivityMemoryKind
  std::uint8_t destination_kind;  ///< of a memset: what it fills
  std::uint8_t reserved;
};
static_assert(sizeof(MemoryActivity) == 48);

/// CUpti_ActivitySynchronization, with its type in Head::flags: a host call that waited for a
/// device, or made a stream wait.
struct Synchronization {
  Head head;
  std::uint32_t correlation;
  std::uint64_t begin;
  std::uint64_t end;
  std::uint32_t context;
  std::uint32_t stream;  ///< 0xffffffff: none
  std::uint32_t event;   ///< 0xffffffff: none
  std::uint32_t reserved;
};
static_assert(sizeof(Synchronization) == 40);

/// Ties a driver call, by its correlation, to the external id at the time of the call.
struct ExternalId {
  Head head;
  std::uint32_t correlation;
  std::uint64_t id;
};
static_assert(sizeof(ExternalId) == 16);

/// One instant on CUPTI's clock and on CLOCK_MONOTONIC.
struct CuptiClock {
  Head head;
  std::uint32_t uncertainty;  ///< nanoseconds between the two readings around CUPTI's
  std::uint64_t cupti_ns;
  std::uint64_t monotonic_ns;
};
static_assert(sizeof(CuptiClock) == 24);

/// A CUDA device as the driver describes it; unknown counts are 0. Followed by its name.
struct CudaDevice {
  Head head;
  std::int32_t number;  ///< OpenMP's, -1 if unknown
  std::uint32_t ordinal;
  std::uint32_t size;                ///< of the name, NUL included
  std::uint32_t compute_capability;  ///< 90 for 9.0
  std::uint32_t multiprocessors;
  std::uint32_t threads_per_multiprocessor;
  std::uint32_t blocks_per_multiprocessor;
  std::uint32_t registers_per_multiprocessor;
  std::uint32_t shared_per_multiprocessor;  ///< bytes
};
static_assert(sizeof(CudaDevice) == 40);

}  // namespace ompdm::spool
