// Events of a trace: regions, data operations, launches and device activities.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "ompdm/columns.h"
#include "ompdm/definitions.h"
#include "ompdm/fields.h"

namespace ompdm {

/// Where an interval's clock was read.
enum class Clock : std::uint8_t {
  kHost,     ///< by the host around a synchronous operation
  kDevice,   ///< by the device (CUPTI)
  kEnqueue,  ///< by the host around the submission only; the operation itself ended later
  kModel,    ///< by none: computed from a model of a link (ompdm/link.h)
};

/// Fields of a region that few regions have.
struct RegionRare {
  /// The recorder's time for contents between `begin` and `end`. Without the recorder the directive
  /// would have taken end - begin - hashing. Times of operations have no such share.
  Nanoseconds hashing = 0;
  Nanoseconds hashing_after = 0;  ///< such time right after `end`, for data that was copied back
  /// Of a directive that a task ran (`nowait`): when the task was made, which `path` led to. 0: no
  /// task, or not known.
  Nanoseconds made = 0;
  std::uint32_t components = 0;  ///< that a `declare mapper` made of its items
  bool operator==(const RegionRare&) const = default;
};

/// One execution of a directive on one thread.
struct Region : RegionRare {
  using Rare = RegionRare;
  Index<Site> site;
  Index<CallPath> path;  ///< of its directive's call of the runtime; none: not known
  std::uint32_t map_list = std::numeric_limits<std::uint32_t>::max();  ///< in Trace::map_lists
  std::uint32_t thread = 0;    ///< position in Trace::threads
  std::int32_t device = -1;    ///< of a host_fallback the one that was asked for, -1 if not known
  std::uint32_t maker = 0;     ///< of a directive that a task ran: the thread that made the task
  bool ends_data = false;      ///< the end of a `target data`, not its begin
  bool unfinished = false;     ///< was running when the process died
  bool host_fallback = false;  ///< a kernel call after which no target region came: begin == end
  bool nowait = false;
  Nanoseconds begin = 0;
  Nanoseconds end = 0;  ///< if unfinished: the last instant known of the recording
  /// When, and by whom, the program asked for it.
  [[nodiscard]] Nanoseconds asked() const { return made != 0 ? made : begin; }
  [[nodiscard]] std::uint32_t asker() const { return made != 0 ? maker : thread; }
  bool operator==(const Region&) const = default;
};

template <class Visit, RowOf<Region> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("site", row.site, {.shape = 0});
  visit("path", row.path, {.shape = 1});
  visit("made_ns", row.made, {.rare = 2, .as = FieldRule::kInstant});
  visit("maker", row.maker, {.shape = 9, .as = FieldRule::kThread});
  visit("thread", row.thread, {.shape = 3, .as = FieldRule::kThread});
  visit("device", row.device, {.shape = 4, .absent = -1});
  visit("map_list", row.map_list, {.shape = 2, .as = FieldRule::kMapList});
  visit("ends_data", row.ends_data, {.shape = 5});
  visit("unfinished", row.unfinished, {.shape = 6});
  visit("host_fallback", row.host_fallback, {.shape = 7});
  visit("nowait", row.nowait, {.shape = 8});
  visit("hashing_ns", row.hashing, {.rare = 0});
  visit("hashing_after_ns", row.hashing_after, {.rare = 1});
  visit("components", row.components, {.rare = 3});
  visit("begin_ns", row.begin, {.as = FieldRule::kTime});
  visit("end_ns", row.end, {.as = FieldRule::kTime});
}

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

/// Fields of a data operation that few operations have.
struct DataOpRare {
  /// Of transfers between host and device: a hash of up to 64 blocks of 4 KiB that are spread over
  /// the content. Contents of equal size with different fingerprints differ for certain; with equal
  /// ones they are likely the same. 0: not taken.
  std::uint64_t fingerprint = 0;
  std::uint64_t hash = 0;  ///< XXH3-64 of all of it; 0: not taken
  /// Equal for the operations of one API call (a rectangle is copied row by row); 0: of none, or of
  /// one that is not known.
  std::uint32_t call = 0;
  bool trivial = false;  ///< all hashed bytes of the content are equal
  bool operator==(const DataOpRare&) const = default;
};

/// One data operation. Devices that are the host are Trace::host_device.
struct DataOp : DataOpRare {
  using Rare = DataOpRare;
  OpKind kind = OpKind::kAlloc;
  Clock clock = Clock::kHost;
  bool internal = false;  ///< the runtime's own traffic: in no total but runtime_internal
  bool unfinished = false;
  std::uint32_t thread = 0;
  Index<Region> region;  ///< none: an API call, or an operation after a region's end
  Index<Site> site;      ///< of the region, or of the API call
  Index<CallPath> path;  ///< of the API call; none: not known, or of a region
  Index<Variable> variable;
  /// Of allocations and associations: the number of the host storage. An address alone does not
  /// identify storage, since local variables and freed memory use it in turn. 0: not known.
  std::uint32_t storage = 0;
  std::uint32_t map_type =
      0;  ///< low 16 bits of libomptarget's map type of the clause, 0 if unknown
  std::int32_t src_device = -1;
  std::int32_t dst_device = -1;
  std::uint64_t bytes = 0;
  std::uint64_t src = 0;
  std::uint64_t dst = 0;
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
  bool operator==(const DataOp&) const = default;
};

template <class Visit, RowOf<DataOp> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("kind", row.kind, {.shape = 0, .as = FieldRule::kCategory});
  visit("bytes", row.bytes, {.shape = 4});
  visit("site", row.site, {.shape = 1});
  visit("path", row.path, {.shape = 7});
  visit("variable", row.variable, {.shape = 5});
  visit("storage", row.storage, {.shape = 6});
  visit("region", row.region, {.as = FieldRule::kOwner});
  visit("thread", row.thread, {.shape = 8, .as = FieldRule::kThread});
  visit("from", row.src_device, {.shape = 10, .as = FieldRule::kSide, .absent = -1});
  visit("to", row.dst_device, {.shape = 11, .as = FieldRule::kSide, .absent = -1});
  visit("src", row.src, {.shape = 2, .as = FieldRule::kAddress});
  visit("dst", row.dst, {.shape = 3, .as = FieldRule::kAddress});
  visit("call", row.call, {.rare = 2});
  visit("map_type", row.map_type, {.shape = 9});
  visit("fingerprint", row.fingerprint, {.rare = 0, .as = FieldRule::kAddress});
  visit("hash", row.hash, {.rare = 1, .as = FieldRule::kAddress});
  visit("trivial", row.trivial, {.rare = 3});
  visit("clock", row.clock, {.shape = 12});
  visit("internal", row.internal, {.shape = 13});
  visit("unfinished", row.unfinished, {.shape = 14});
  visit("begin_ns", row.begin, {.as = FieldRule::kTime});
  visit("end_ns", row.end, {.as = FieldRule::kTime});
}

/// One kernel launch, as the host saw it.
struct Launch : NoRare {
  using Rare = NoRare;
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

template <class Visit, RowOf<Launch> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("site", row.site, {.shape = 0});
  visit("kernel", row.kernel, {.shape = 1});
  visit("region", row.region, {.as = FieldRule::kOwner});
  visit("thread", row.thread, {.shape = 2, .as = FieldRule::kThread});
  visit("device", row.device, {.shape = 3, .absent = -1});
  visit("requested_teams", row.requested_teams, {.shape = 6});
  visit("num_teams", row.num_teams, {.shape = 7});
  visit("thread_limit", row.thread_limit, {.shape = 8});
  visit("trip_count", row.trip_count, {.shape = 9});
  visit("clock", row.clock, {.shape = 4});
  visit("unfinished", row.unfinished, {.shape = 5});
  visit("begin_ns", row.begin, {.as = FieldRule::kTime});
  visit("end_ns", row.end, {.as = FieldRule::kTime});
}

/// The program asked for the device address of some storage (omp_get_mapped_ptr), at any time. It
/// may use the copy without naming it.
struct MappedPointer {
  std::int32_t device = -1;  ///< that it asked for
  std::uint64_t host = 0;
  bool operator==(const MappedPointer&) const = default;
};

template <class Visit, RowOf<MappedPointer> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("device", row.device);
  visit("host", row.host, {.as = FieldRule::kAddress});
}

/// A map clause that sends, and whose data was present, so that nothing was sent. It has the
/// content of the host's data at that time.
struct UnsentItem {
  Index<Region> region;
  std::uint64_t host = 0;
  std::uint64_t bytes = 0;
  std::uint64_t fingerprint = 0;  ///< as of a transfer of these bytes (DataOpRare)
  bool operator==(const UnsentItem&) const = default;
};

template <class Visit, RowOf<UnsentItem> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("region", row.region);
  visit("host", row.host, {.as = FieldRule::kAddress});
  visit("bytes", row.bytes);
  visit("fingerprint", row.fingerprint, {.as = FieldRule::kAddress});
}

/// A kernel touched a block of device memory (recordings by `ompdm check`).
struct BlockTouch {
  Index<Launch> launch;
  std::uint64_t block = 0;  ///< its device address
  bool is_read = false;
  bool is_written = false;
  bool is_read_first = false;  ///< its first access was no write
  bool is_unknown = false;     ///< of this launch nothing is known
  /// Fingerprint of the host's data that the block is a copy of, when the kernel had ended; 0: not
  /// taken.
  std::uint64_t host_content = 0;
  bool operator==(const BlockTouch&) const = default;
};

template <class Visit, RowOf<BlockTouch> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("launch", row.launch);
  visit("block", row.block, {.as = FieldRule::kAddress});
  visit("read", row.is_read, {.optional = true});
  visit("written", row.is_written, {.optional = true});
  visit("read_first", row.is_read_first, {.optional = true});
  visit("unknown", row.is_unknown, {.optional = true});
  visit("host_content", row.host_content, {.as = FieldRule::kAddress, .optional = true});
}

/// An access of device memory that is wrong, the first of its kind of a block (recordings by
/// `ompdm check`).
struct BadAccess {
  enum class Of : std::uint8_t {
    kBefore,    ///< before the block
    kBehind,    ///< past its end
    kFreed,     ///< the block was freed
    kHost,      ///< by the host, outside of kernels and of the runtime
    kHostFree,  ///< no access: the host freed the memory that the block is a copy of
  };
  Of of = Of::kBehind;
  bool is_write = false;
  Nanoseconds time = 0;
  std::uint64_t block = 0;  ///< its device address
  std::uint64_t bytes = 0;  ///< of the block
  std::int64_t offset = 0;  ///< of the accessed byte, from the block's first
  bool operator==(const BadAccess&) const = default;
};

template <class Visit, RowOf<BadAccess> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("of", row.of);
  visit("write", row.is_write, {.optional = true});
  visit("time_ns", row.time);
  visit("block", row.block, {.as = FieldRule::kAddress});
  visit("bytes", row.bytes);
  visit("offset", row.offset);
}

/// That a device was initialised or finalised, or an image loaded onto it.
struct DeviceEvent {
  enum class Kind : std::uint8_t { kInitialize, kFinalize, kLoad };
  Kind kind = Kind::kInitialize;
  std::int32_t device = -1;
  Nanoseconds time = 0;
  std::uint64_t bytes = 0;
  bool operator==(const DeviceEvent&) const = default;
};

template <class Visit, RowOf<DeviceEvent> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("kind", row.kind);
  visit("device", row.device);
  visit("time_ns", row.time);
  visit("bytes", row.bytes);
}

/// What a device did.
enum class ActivityKind : std::uint8_t { kHtoD, kDtoH, kDtoD, kMemset, kKernel, kHtoH };

/// What kind of memory one side of a copy is.
enum class MemoryKind : std::uint8_t { kUnknown, kPageable, kPinned, kDevice, kArray, kManaged };

/// Something that a device did, on the device's clock (CUPTI).
struct DeviceActivity {
  ActivityKind kind = ActivityKind::kHtoD;
  MemoryKind source = MemoryKind::kUnknown;       ///< copies
  MemoryKind destination = MemoryKind::kUnknown;  ///< copies and memsets
  bool internal = false;  ///< the runtime's own: no operation or launch of OMPT belongs to it
  Index<DataOp> op;       ///< whose work it did
  Index<Launch> launch;
  Index<Region> region;  ///< during which it was requested
  Index<Kernel> kernel;
  std::int32_t device = -1;
  std::int32_t source_device = -1;  ///< copies between devices
  std::int32_t destination_device = -1;
  std::uint32_t stream = 0;
  std::uint32_t context = 0;
  std::uint32_t correlation = 0;  ///< CUPTI's number of the call that requested it
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

template <class Visit, RowOf<DeviceActivity> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("kind", row.kind, {.shape = 0, .as = FieldRule::kCategory});
  visit("bytes", row.bytes, {.shape = 14});
  visit("op", row.op, {.shape = 4});
  visit("launch", row.launch, {.shape = 5});
  visit("region", row.region, {.shape = 6, .as = FieldRule::kOwner});
  visit("kernel", row.kernel, {.shape = 7});
  visit("device", row.device, {.shape = 8, .absent = -1});
  visit("from", row.source_device, {.shape = 9, .absent = -1});
  visit("to", row.destination_device, {.shape = 10, .absent = -1});
  visit("source_kind", row.source, {.shape = 1});
  visit("destination_kind", row.destination, {.shape = 2});
  visit("context", row.context, {.shape = 12});
  visit("stream", row.stream, {.shape = 11});
  visit("correlation", row.correlation, {.shape = 13});
  visit("grid_x", row.grid[0], {.shape = 15});
  visit("grid_y", row.grid[1], {.shape = 16});
  visit("grid_z", row.grid[2], {.shape = 17});
  visit("block_x", row.block[0], {.shape = 18});
  visit("block_y", row.block[1], {.shape = 19});
  visit("block_z", row.block[2], {.shape = 20});
  visit("registers", row.registers, {.shape = 21});
  visit("static_shared", row.static_shared, {.shape = 22});
  visit("dynamic_shared", row.dynamic_shared, {.shape = 23});
  visit("internal", row.internal, {.shape = 3});
  visit("begin_ns", row.begin, {.as = FieldRule::kTime});
  visit("end_ns", row.end, {.as = FieldRule::kTime});
}

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
  /// The operation or region during which it was called. If none ran (API calls wait after their
  /// operation): the one whose work it waited for.
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

template <class Visit, RowOf<Synchronization> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("kind", row.kind, {.shape = 0, .as = FieldRule::kCategory});
  visit("op", row.op, {.shape = 1});
  visit("region", row.region, {.shape = 2});
  visit("device", row.device, {.shape = 3, .absent = -1});
  visit("context", row.context, {.shape = 4});
  visit("stream", row.stream, {.shape = 5});
  visit("correlation", row.correlation, {.shape = 6});
  visit("begin_ns", row.begin, {.as = FieldRule::kTime});
  visit("end_ns", row.end, {.as = FieldRule::kTime});
}

}  // namespace ompdm
