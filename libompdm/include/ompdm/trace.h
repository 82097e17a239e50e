// The trace model: plain values in columns, normalised, in nanoseconds since the recorder was
// attached. What a spool is turned into, what trace.json holds, and what every analysis reads. No
// I/O and no behaviour here.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ompdm {

/// Nanoseconds since Process::start (CLOCK_MONOTONIC at attach), or a duration.
using Nanoseconds = std::int64_t;

/// A typed position in one of Trace's columns; default-constructed it points nowhere.
template <class Row>
struct Index {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t value = kNone;

  explicit operator bool() const noexcept { return value != kNone; }
  auto operator<=>(const Index&) const = default;
};

/// One source position of a call chain, innermost first.
struct Frame {
  std::string function;
  std::string file;
  int line = 0;
  int column = 0;
  bool operator==(const Frame&) const = default;
};

/// OpenMP's directives as the report names them. `target data` has two sites (begin and end) with
/// one source.
enum class Directive : std::uint8_t {
  kTarget,
  kTargetData,
  kTargetEnterData,
  kTargetExitData,
  kTargetUpdate,
  kApi,      ///< omp_target_memcpy and its like: no directive, but a line
  kRuntime,  ///< nothing in the program asked for it
};

struct Module {
  std::string path;
  std::string build_id;  ///< lower-case hexadecimal, empty if it has none
  std::uint64_t bias = 0;
  bool operator==(const Module&) const = default;
};

/// How a site's line came to be known.
enum class LineSource : std::uint8_t { kNone, kRuntime, kDwarf, kKernelName };

/// A place in the program that moved data or launched kernels. Sites with equal source are one row.
struct Site {
  Directive directive = Directive::kRuntime;
  std::string file;  ///< as the compiler was given it; empty if unknown
  int line = 0;      ///< of the #pragma; 0 if unknown
  int column = 0;
  std::string function;  ///< demangled, without parameters where the compiler gives none
  LineSource source = LineSource::kNone;
  std::string api;  ///< the API routine ("omp_target_memcpy"), empty otherwise or if unknown
  Index<Module> module;
  std::uint64_t address = 0;  ///< codeptr_ra minus the module's bias
  std::vector<Frame>
      inlined;  ///< call chain by inlining at `address`, innermost first; may be empty
  /// Who called `function` when the site was first met, innermost first, inlined calls included:
  /// the first is the caller of the function that `address` lies in. Other calls of it may have
  /// come from elsewhere. Empty if unknown.
  std::vector<Frame> callers;
  bool operator==(const Site&) const = default;
};

/// A piece of host storage, or pieces that were first mapped by one clause.
struct Variable {
  std::string name;        ///< base name as first mapped: "u", "s.p", "*p"; "" if unknown
  std::string expression;  ///< as the clause has it: "u[0:n*n]"
  std::string file;        ///< where the variable's map clause (or declaration) is, as clang tells
  int line = 0;
  std::uint64_t address = 0;         ///< of the first piece
  std::uint64_t bytes = 0;           ///< largest extent that was mapped
  std::uint32_t pieces = 1;          ///< distinct pieces of storage under this name
  std::vector<std::string> aliases;  ///< other names by which the same storage was mapped
  bool operator==(const Variable&) const = default;
};

/// A target region's code.
struct Kernel {
  std::string name;      ///< entry name: "__omp_offloading_fd00_1234__Z4heatv_l41"
  std::string function;  ///< demangled function that holds it
  std::string file;
  int line = 0;
  bool operator==(const Kernel&) const = default;
};

struct Device {
  std::int32_t number = 0;
  std::string type;  ///< as the runtime tells: "generic-64bit", "sm_90"
  std::string name;
  bool is_host = false;   ///< the initial device (its number is omp_get_num_devices())
  bool emulated = false;  ///< a host process or thread that plays a device
  // Of CUDA devices, as the driver tells; 0: unknown.
  std::uint32_t multiprocessors = 0;
  std::uint32_t threads_per_multiprocessor = 0;
  std::uint32_t blocks_per_multiprocessor = 0;
  std::uint32_t registers_per_multiprocessor = 0;
  std::uint32_t shared_per_multiprocessor = 0;  ///< bytes
  bool operator==(const Device&) const = default;
};

struct Thread {
  std::uint32_t tid = 0;  ///< kernel thread id
  bool operator==(const Thread&) const = default;
};

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
  bool operator==(const Region&) const = default;
};

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
  bool operator==(const DataOp&) const = default;
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

/// One mapped item of a directive's instance.
struct MapItem {
  Index<Variable> variable;
  std::string name;  ///< as the clause has it
  std::uint64_t base = 0;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::uint64_t type = 0;  ///< libomptarget's map type bits (OMP_TGT_MAPTYPE_*)
  bool operator==(const MapItem&) const = default;
};

struct DeviceEvent {
  enum class Kind : std::uint8_t { kInitialize, kFinalize, kLoad };
  Kind kind = Kind::kInitialize;
  std::int32_t device = -1;
  Nanoseconds time = 0;
  std::uint64_t bytes = 0;
  bool operator==(const DeviceEvent&) const = default;
};

struct Loss {
  std::string name;
  std::uint64_t count = 0;
  bool operator==(const Loss&) const = default;
};

struct Process {
  std::uint32_t pid = 0;
  std::uint32_t ppid = 0;
  std::string host;
  std::string program;
  std::vector<std::string> arguments;  ///< argv, program first
  std::string directory;
  std::int32_t rank = -1;
  std::int32_t rank_count = 0;
  std::int64_t start_realtime_ns = 0;  ///< CLOCK_REALTIME at attach
  Nanoseconds wall = 0;  ///< from attach to the trailer; if killed, to the last instant known
  bool operator==(const Process&) const = default;
};

/// How the recording was made and what it can tell.
struct Recording {
  std::string ompdm_version;
  std::string runtime;            ///< "LLVM OMP version: 5.0.20140926"
  std::uint32_t omp_version = 0;  ///< as given to ompt_start_tool
  std::string clock;              ///< "tsc" or "monotonic"
  double clock_residual_ns = 0;   ///< largest disagreement of the calibration's triples
  std::string attached_by;        ///< "OMP_TOOL_LIBRARIES", "LD_PRELOAD" or "CUDA_INJECTION64_PATH"
  std::string reach;  ///< "ok", "cured", "unreachable", "other_runtime", "no_emi", "unknown"
  std::string names;  ///< "on", "off", "failed", "unsupported"
  std::string target_offload;  ///< OMP_TARGET_OFFLOAD at attach, in lower case; empty if not set
  std::string cupti;           ///< "on", "off", "unavailable: why"; empty: no CUDA device was met
  std::uint32_t cupti_version = 0;  ///< as cuptiGetVersion tells, 0 if unknown
  double cupti_residual_ns = 0;     ///< largest disagreement of its clock with the recording's
  /// What share of the time contents might take: "off", "full", "3 %"; "" if unknown.
  std::string hashing;
  Nanoseconds hashing_ns = 0;  ///< time of all threads that contents took
  bool finished = false;       ///< the recorder wrote its trailer: the process ended by itself
  std::vector<std::pair<std::string, int>>
      registered;  ///< callback, what ompt_set_callback answered
  bool operator==(const Recording&) const = default;
};

/// A whole recording of one process. Regions, operations and launches are in order of their begin.
struct Trace {
  std::string file;        ///< where it was read from
  bool truncated = false;  ///< the file ends before its last line
  Process process;
  Recording recording;
  std::int32_t host_device = -1;  ///< the host's device number, -1 if never seen
  std::vector<Loss> losses;       ///< every known loss, zeros too
  std::vector<Device> devices;
  std::vector<Module> modules;
  std::vector<Thread> threads;
  std::vector<Site> sites;
  std::vector<Variable> variables;
  std::vector<Kernel> kernels;
  std::vector<std::vector<MapItem>> map_lists;
  std::vector<DeviceEvent> device_events;
  std::vector<Region> regions;
  std::vector<DataOp> ops;
  std::vector<Launch> launches;
  std::vector<DeviceActivity> activities;         ///< in order of their begin
  std::vector<Synchronization> synchronizations;  ///< in order of their begin
};

}  // namespace ompdm
