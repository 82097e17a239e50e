// Events of a trace: regions, data operations, launches and device activities.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <tuple>

#include "ompdm/columns.h"
#include "ompdm/definitions.h"

namespace ompdm {

/// Where an interval's clock was read.
enum class Clock : std::uint8_t {
  kHost,     ///< by the host around a synchronous operation
  kDevice,   ///< by the device (CUPTI)
  kEnqueue,  ///< by the host around the submission only; the operation itself ended later
  kModel,    ///< by none: computed from a model of a link (ompdm/link.h)
};

/// One execution of a directive on one thread.
struct Region {
  Index<Site> site;
  std::uint32_t thread = 0;  ///< position in Trace::threads
  std::int32_t device = -1;  ///< of a host_fallback the one that was asked for, -1 if not known
  Nanoseconds begin = 0;
  Nanoseconds end = 0;  ///< if unfinished: the last instant known of the recording
  std::uint32_t map_list = std::numeric_limits<std::uint32_t>::max();  ///< in Trace::map_lists
  bool ends_data = false;      ///< the end of a `target data`, not its begin
  bool unfinished = false;     ///< was running when the process died
  bool host_fallback = false;  ///< a kernel call after which no target region came: begin == end
  bool nowait = false;
  /// Of the time between `begin` and `end`, what the recorder spent on contents: the directive
  /// without the recorder would have taken end - begin - hashing. Operations have none in theirs.
  Nanoseconds hashing = 0;
  Nanoseconds hashing_after = 0;  ///< what it spent right after `end`, on what had come back
  std::uint32_t components = 0;   ///< that a `declare mapper` made of its items
  Index<CallPath> path;           ///< of its directive's call of the runtime; none: not known
  /// Of a directive that a task ran (`nowait`), if that is known: when the task was made, which
  /// `path` led to, and by whom (position in Trace::threads). 0: no such.
  Nanoseconds made = 0;
  std::uint32_t maker = 0;
  /// When, and by whom, the program asked for it.
  [[nodiscard]] Nanoseconds asked() const { return made != 0 ? made : begin; }
  [[nodiscard]] std::uint32_t asker() const { return made != 0 ? maker : thread; }
  bool operator==(const Region&) const = default;
};

template <>
struct RowParts<Region> {
  struct Rare {
    Nanoseconds hashing = 0;
    Nanoseconds hashing_after = 0;
    Nanoseconds made = 0;
    std::uint32_t components = 0;
    bool operator==(const Rare&) const = default;
  };
  static Rare take(Region& row) {
    const Rare rare{row.hashing, row.hashing_after, row.made, row.components};
    row.hashing = row.hashing_after = row.made = 0;
    row.components = 0;
    return rare;
  }
  static void give(const Rare& rare, Region& row) {
    row.hashing = rare.hashing;
    row.hashing_after = rare.hashing_after;
    row.made = rare.made;
    row.components = rare.components;
  }
  static auto repeated(const Region& row) {
    return std::tie(row.site, row.path, row.map_list, row.thread, row.device, row.ends_data,
                    row.unfinished, row.host_fallback, row.nowait, row.maker);
  }
};

/// What a data operation does.
enum class OpKind : std::uint8_t {
  kAlloc,
  kHtoD,
  kDtoH,
  kDtoD,
  kMemset,
  kDelete,
  kAssociate,
  kDisassociate,
};

/// One data operation. Devices that are the host are Trace::host_device.
struct DataOp {
  OpKind kind = OpKind::kAlloc;
  Clock clock = Clock::kHost;
  bool internal = false;  ///< the runtime's own traffic: in no total but runtime_internal
  bool unfinished = false;
  bool trivial = false;  ///< all bytes of the content that were looked at are equal
  std::uint32_t thread = 0;
  Index<Region> region;  ///< none for API calls and what comes after a region's end
  Index<Site> site;      ///< of the region, or of the API call
  Index<Variable> variable;
  /// Of allocations and associations: equal where they stand for the same host storage, which an
  /// address alone does not tell (local variables and freed memory take turns). 0: not known.
  std::uint32_t storage = 0;
  /// Equal for the operations of one API call (a rectangle is copied row by row); 0: of none, or of
  /// one that is not known.
  std::uint32_t call = 0;
  std::uint32_t map_type =
      0;  ///< low 16 bits of libomptarget's map type of the clause, 0 if unknown
  std::int32_t src_device = -1;
  std::int32_t dst_device = -1;
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
  std::uint64_t bytes = 0;
  std::uint64_t src = 0;
  std::uint64_t dst = 0;
  /// Of what crossed, of transfers between host and device: a hash of up to 64 blocks of 4 KiB that
  /// are spread over it. Of two equal sizes, different fingerprints are certainly different
  /// contents, equal ones likely the same. 0: not taken.
  std::uint64_t fingerprint = 0;
  std::uint64_t hash = 0;  ///< XXH3-64 of all of it; 0: not taken
  Index<CallPath> path;    ///< of the API call; none: not known, or of a region
  bool operator==(const DataOp&) const = default;
};

template <>
struct RowParts<DataOp> {
  struct Rare {
    std::uint64_t fingerprint = 0;
    std::uint64_t hash = 0;
    std::uint32_t call = 0;
    bool trivial = false;
    bool operator==(const Rare&) const = default;
  };
  static Rare take(DataOp& row) {
    const Rare rare{row.fingerprint, row.hash, row.call, row.trivial};
    row.fingerprint = row.hash = 0;
    row.call = 0;
    row.trivial = false;
    return rare;
  }
  static void give(const Rare& rare, DataOp& row) {
    row.fingerprint = rare.fingerprint;
    row.hash = rare.hash;
    row.call = rare.call;
    row.trivial = rare.trivial;
  }
  static auto repeated(const DataOp& row) {
    return std::tie(row.kind, row.site, row.src, row.dst, row.bytes, row.variable, row.storage,
                    row.path, row.thread, row.map_type, row.src_device, row.dst_device, row.clock,
                    row.internal, row.unfinished);
  }
};

/// One kernel launch, as the host saw it.
struct Launch {
  Index<Region> region;
  Index<Site> site;
  Index<Kernel> kernel;
  std::uint32_t thread = 0;
  std::int32_t device = -1;
  Clock clock = Clock::kHost;
  bool unfinished = false;
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
  std::uint32_t requested_teams = 0;  ///< as OMPT tells; 0: the runtime chooses
  std::uint32_t num_teams = 0;        ///< the clause; 0: none, 0xffffffff: no teams construct
  std::uint32_t thread_limit = 0;     ///< the clause; 0: none
  std::uint64_t trip_count = 0;       ///< of the associated loops; 0: unknown
  bool operator==(const Launch&) const = default;
};

template <>
struct RowParts<Launch> {
  struct Rare {
    bool operator==(const Rare&) const = default;
  };
  static Rare take(Launch& /*row*/) { return {}; }
  static void give(Rare /*rare*/, Launch& /*row*/) {}
  static auto repeated(const Launch& row) {
    return std::tie(row.site, row.kernel, row.thread, row.device, row.clock, row.unfinished,
                    row.requested_teams, row.num_teams, row.thread_limit, row.trip_count);
  }
};

/// That the program asked for the device address of some storage (omp_get_mapped_ptr), at any time:
/// it may reach the copy without naming it.
struct MappedPointer {
  std::int32_t device = -1;  ///< that it asked for
  std::uint64_t host = 0;
  bool operator==(const MappedPointer&) const = default;
};

/// That a device was initialised or finalised, or an image loaded onto it.
struct DeviceEvent {
  enum class Kind : std::uint8_t { kInitialize, kFinalize, kLoad };
  Kind kind = Kind::kInitialize;
  std::int32_t device = -1;
  Nanoseconds time = 0;
  std::uint64_t bytes = 0;
  bool operator==(const DeviceEvent&) const = default;
};

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
