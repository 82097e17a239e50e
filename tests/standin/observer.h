// The interface between the stand-in driver and the stand-in CUPTI. The driver reports each call as
// it returns, each piece of work once it is done, and each wait of the host. A real driver and a
// real CUPTI share as much.
#pragma once

#include <cstddef>
#include <cstdint>

namespace standin {

enum class Work { kCopy, kPeerCopy, kMemset, kKernel };

/// CUPTI's numbers for kinds of copies and of memory (cupti_activity.h).
enum CopyKind : std::uint8_t { kHtoD = 1, kDtoH = 2, kDtoD = 8, kPtoP = 10 };
enum MemoryKind : std::uint8_t { kPageable = 1, kPinned = 2, kDevice = 3 };

/// CUPTI's numbers for kinds of synchronization.
enum class Wait : std::uint32_t {
  kEventSynchronize = 1,
  kStreamWaitEvent = 2,
  kStreamSynchronize = 3,
  kContextSynchronize = 4,
};

/// Of streams and events that a wait has none of (CUPTI_SYNCHRONIZATION_INVALID_VALUE).
inline constexpr std::uint32_t kNotApplicable = 0xffffffff;

/// A driver call that asked for work or waited; times are CLOCK_MONOTONIC nanoseconds.
struct Call {
  std::uint32_t cbid;  ///< CUPTI's number for the driver's function
  std::uint32_t correlation;
  std::uint64_t begin;
  std::uint64_t end;
};

/// Work that the device has done.
struct Done {
  Work work;
  CopyKind copy;
  MemoryKind source;
  MemoryKind destination;
  std::uint32_t correlation;
  std::uint32_t device;
  std::uint32_t stream;
  std::uint32_t from_device;
  std::uint32_t to_device;
  std::uint64_t bytes;
  std::uint64_t begin;
  std::uint64_t end;
  std::uint32_t grid[3];
  std::uint32_t block[3];
  std::uint32_t dynamic_shared;
  const char* kernel;  ///< valid as long as the process lives
};

/// A wait that has ended.
struct Waited {
  Wait kind;
  std::uint32_t correlation;
  std::uint32_t device;
  std::uint32_t stream;
  std::uint32_t event;
  std::uint64_t begin;
  std::uint64_t end;
};

struct Observer {
  void (*called)(const Call& call);      ///< on the calling thread
  void (*done)(const Done& done);        ///< on whichever thread found the work done
  void (*waited)(const Waited& waited);  ///< on the calling thread
};

}  // namespace standin

/// Sets the one observer; null: none.
extern "C" void standin_observe(const standin::Observer* observer);
