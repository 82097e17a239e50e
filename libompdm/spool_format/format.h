// Byte layout of the spool: what the recorder writes and the reader maps. Shared by both
// processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace ompdm::spool {

enum class BufferId : std::uint32_t {};         ///< a thread buffer's stream in the spool, from 0
enum class ModuleId : std::uint32_t { kNone };  ///< in the process, never reused
enum class SiteId : std::uint32_t { kNone };    ///< in its thread buffer
enum class MapperNameId : std::uint32_t { kNone };    ///< in its thread buffer
enum class PathId : std::uint32_t { kNone };          ///< in its thread buffer
enum class DeferralId : std::uint32_t { kNone };      ///< in its thread buffer
enum class CallId : std::uint32_t { kNone };          ///< of an API call, in its thread buffer
enum class ActivityNameId : std::uint32_t { kNone };  ///< in its thread buffer

/// An id as a number.
template <class Id>
constexpr std::uint32_t number(Id id) noexcept {
  return static_cast<std::uint32_t>(id);
}

/// Makes `last` the next id, and returns it.
template <class Id>
constexpr Id give_next(Id& last) noexcept {
  return last = static_cast<Id>(number(last) + 1);
}

/// Whether a device is emulated on the host: LLVM's host plugin reports the type "generic-64bit" or
/// the host's architecture.
constexpr bool is_emulated_device(std::string_view type) noexcept {
  return type == "generic-64bit" || type.starts_with("x86_64") || type.starts_with("aarch64");
}

/// The first bytes of every spool.
inline constexpr char kMagic[8] = {'O', 'M', 'P', 'D', 'M', 'S', 'P', '\n'};
/// Readers refuse other versions, and name both.
inline constexpr std::uint32_t kVersion = 2;
/// The first word of every chunk.
inline constexpr std::uint32_t kChunkMagic = 0x4b4e4843;  // "CHNK"

/// The kind of a record. Readers skip records of unknown kinds by their size. The lowest three bits
/// are zero, which distinguishes a record from an event (stream.h).
enum class Tag : std::uint8_t {
  kNone = 0,          ///< nothing committed here yet: the end of a chunk
  kPadding = 1 << 3,  ///< one byte; records begin at multiples of 8
  kBufferThread = 2 << 3,
  kModule = 3 << 3,
  kSite = 4 << 3,
  kEntry = 5 << 3,
  kDevice = 6 << 3,
  kFallback = 7 << 3,
  kMapperName = 8 << 3,
  kMapperPiece = 9 << 3,
  kPath = 10 << 3,
  kMappedPointer = 11 << 3,
  kDeferral = 12 << 3,
  kDeferredRegion = 13 << 3,
  // Device activities (activities.h).
  kActivityName = 14 << 3,
  kKernelActivity = 15 << 3,
  kMemoryActivity = 16 << 3,
  kExternalId = 17 << 3,
  kCuptiClock = 18 << 3,
  kCudaDevice = 19 << 3,
  kSynchronization = 20 << 3,
  kAggregate = 21 << 3,          ///< aggregates.h
  kActivityAggregate = 22 << 3,  ///< aggregates.h
  kBlockTouch = 23 << 3,
  kBadAccess = 24 << 3,
};

/// First word of every record; `size` counts 8-byte units and includes this word.
struct Head {
  std::uint8_t tag;
  std::uint8_t flags;
  std::uint16_t size;
};
static_assert(sizeof(Head) == 4);

/// One instant on three clocks. `ticks` is in the unit of FileHeader::clock, the others in
/// nanoseconds.
struct ClockTriple {
  std::uint64_t ticks;
  std::uint64_t monotonic_ns;
  std::uint64_t realtime_ns;
};

/// The unit of ticks.
enum class Clock : std::uint32_t {
  kMonotonic = 0,  ///< ticks are CLOCK_MONOTONIC nanoseconds
  kTsc = 1,        ///< ticks are the invariant time stamp counter; calibrate by the triples
};

/// Named counters of lost data, with names in `kLossNames`. They lie in the file header, so that
/// they survive a kill.
enum class Loss : std::uint32_t {
  kRecordsNoSpace,      ///< records dropped, or events not counted: the spool could not grow (disk
                        ///< full, file size limit), or there was no memory
  kRecordsTooLarge,     ///< records dropped or cut: too large
  kRecordsAfterFinish,  ///< events after the trailer was written
  kRecordsReentrant,    ///< events inside the recorder's own callback (signal handlers)
  kRegionsUnmatched,  ///< region ends without a begin, or begins that nesting proved without an end
  kOpsUnmatched,      ///< data operation or submit ends without a begin, or begins without an end
  kNamesUnavailable,  ///< regions whose names did not come from the runtime's arguments
  kModulesUnpatched,  ///< loaded modules with offload calls that could not be patched (each once)
  kThreadsWithoutBuffer,  ///< events of threads without a buffer
  kPathsUntold,  ///< regions and API calls without a call path, since there are too many paths
  kActivitiesDropped,        ///< device activities without a buffer of CUPTI or of the recorder
  kActivitiesIncomplete,     ///< device activities without an end at the last flush
  kContentsPendingOverflow,  ///< contents from devices not examined: too many waited for one region
  kContentsUnknownCompletion,  ///< contents from devices not examined: nothing tells when they have
                               ///< arrived (API calls and nowait on asynchronous devices)
  kActivitiesLate,  ///< device activities that CUPTI delivered after the recording had ended
  kEntriesUnread,   ///< modules with offload calls whose file is not the one that was loaded: their
                    ///< kernels and `declare target` variables have no names
  kContentsOverTime,    ///< contents not examined, though by their occurrence they were to be:
                        ///< looking had taken too long (a slow machine)
  kBlocksUnfenced,      ///< blocks of device memory without fences, or times that a block had none:
                        ///< the process may have no more mappings
  kContentsUnreadable,  ///< contents of the host not examined, whose clause sent nothing: the
                        ///< memory cannot be read, or the system call is not allowed
  kCount
};
inline constexpr const char* kLossNames[] = {
    "records_no_space",          "records_too_large",
    "records_after_finish",      "records_reentrant",
    "regions_unmatched",         "ops_unmatched",
    "names_unavailable",         "modules_unpatched",
    "threads_without_lane",      "paths_untold",
    "activities_dropped",        "activities_incomplete",
    "contents_pending_overflow", "contents_unknown_completion",
    "activities_late",           "offload_entries_unread",
    "contents_over_time",        "blocks_unfenced",
    "contents_unreadable"};
static_assert(sizeof(kLossNames) / sizeof(kLossNames[0]) == static_cast<std::size_t>(Loss::kCount));

/// The callbacks that the recorder registers, in the order of FileHeader::registered.
enum class Callback : std::uint32_t {
  kTargetEmi,
  kTargetDataOpEmi,
  kTargetSubmitEmi,
  kDeviceInitialize,
  kDeviceFinalize,
  kDeviceLoad,
  kCount
};
inline constexpr const char* kCallbackNames[] = {"target_emi",        "target_data_op_emi",
                                                 "target_submit_emi", "device_initialize",
                                                 "device_finalize",   "device_load"};
static_assert(sizeof(kCallbackNames) / sizeof(kCallbackNames[0]) ==
              static_cast<std::size_t>(Callback::kCount));

/// The state of a recording.
enum class State : std::uint32_t {
  kRunning = 0,   ///< no trailer: the process is alive, or was killed
  kFinished = 1,  ///< the trailer is written
};

/// Which part of a run is recorded as events; the rest is aggregated (aggregates.h).
enum class Detail : std::uint32_t {
  kAll = 0,         ///< all
  kNone = 1,        ///< none, as configured
  kWindow = 2,      ///< a window, as configured
  kSpoolLimit = 3,  ///< until the spool reached its limit
};

/// FileHeader::recorded_from of a window that has not opened yet.
inline constexpr std::uint64_t kNotYet = ~std::uint64_t{0};

/// Whether target events reach the recorder, as found at attach. libomptarget connects to the
/// OpenMP runtime by the name `libomp.so`, which may not be found.
enum class Reach : std::uint32_t {
  kUnknown = 0,       ///< libomptarget was not loaded yet
  kOk = 1,            ///< libomptarget is connected to the OpenMP runtime that started the recorder
  kUnreachable = 2,   ///< libomptarget could not open `libomp.so`: no target event will come
  kOtherRuntime = 3,  ///< libomptarget is connected to another copy of the OpenMP runtime
  kCured = 4,         ///< the recorder provided the missing `libomp.so`
  kNoEmi = 5,  ///< the runtime has no target_emi callbacks (older than LLVM 17..19): names and
               ///< sizes only
};

/// The state of patching `__tgt_*`, which gives names.
enum class Names : std::uint32_t { kOn = 0, kOff = 1, kFailed = 2, kUnsupported = 3 };

/// The synchronization of CLOCK_REALTIME (adjtimex(2)).
enum class Realtime : std::uint32_t {
  kUnknown = 0,  ///< not asked, or no answer
  kSynchronized = 1,
  kUnsynchronized = 2,
};

/// First 8192 bytes of a spool. Texts are NUL-terminated; lists are NUL-separated and end with an
/// empty text.
struct FileHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t header_size;  ///< offset of the first chunk
  std::uint32_t pid;
  std::uint32_t ppid;
  std::uint64_t
      process_start;  ///< field 22 of /proc/PID/stat: with pid, names the process for good
  Clock clock;
  State state;
  std::uint32_t exec_ordinal;  ///< 0, or how many images of this pid recorded before this one
  std::int32_t rank;           ///< MPI or Slurm rank, -1 if none
  std::int32_t rank_count;
  std::uint32_t omp_version;    ///< as given to ompt_start_tool, e.g. 201611
  std::int32_t registered[16];  ///< what ompt_set_callback answered, by Callback; 5 = always, 1 =
                                ///< never, -1 = not asked
  Reach reach;
  Names names;
  std::uint32_t attached_by;  ///< 0 OMP_TOOL_LIBRARIES, 1 LD_PRELOAD, 2 CUDA_INJECTION64_PATH
  std::uint32_t
      output_named;          ///< 1: OMPDM_OUTPUT names the trace's file; 0: its folder, or nothing
  ClockTriple attach;        ///< at the start of the recorder
  ClockTriple trailer;       ///< at its end; valid if `state` is kFinished
  std::uint64_t file_size;   ///< bytes of header and chunks
  std::uint64_t losses[32];  ///< by Loss; incremented atomically
  std::uint64_t reserved1;
  char boot_id[40];  ///< /proc/sys/kernel/random/boot_id: finish may calibrate by its own clock
  char host[64];
  char runtime[128];     ///< runtime version text given to ompt_start_tool
  char session[256];     ///< OMPDM_SESSION: the directory by which `ompdm record` follows processes
  char output[1024];     ///< absolute path of the trace to be written
  char program[1024];    ///< /proc/self/exe
  char directory[1024];  ///< working directory
  char arguments[2048];  ///< /proc/self/cmdline, cut at a whole argument if longer
  char target_offload[16];      ///< OMP_TARGET_OFFLOAD at attach, empty if not set; cut if longer
  std::uint32_t cupti_version;  ///< cuptiGetVersion, 0 if it was not asked
  std::uint32_t hashing;        ///< share of the bytes that contents may be read of, in millionths;
                                ///< 0: none are examined, 0xffffffff: all
  char cupti[128];              ///< "on", "off", "unavailable: why"; empty: no CUDA device was met
  std::uint64_t pid_namespace;  ///< inode of /proc/self/ns/pid, in which `pid` counts; 0: not known
  char runtime_library[512];    ///< path that libomptarget was loaded from; empty if it was not met
  Detail detail;
  std::uint32_t process_group;  ///< in which the program was started; 0: not known
  std::uint64_t recorded_from;  ///< ticks of the first event; 0: from the beginning; kNotYet
  std::uint64_t recorded_to;    ///< up to which; 0: to the end
  Realtime realtime;            ///< at attach
  std::uint32_t realtime_max_error_us;        ///< its maximum error
  std::uint32_t realtime_estimated_error_us;  ///< its estimated error
  std::uint32_t
      check;  ///< OMPDM_CHECK: the byte that fills blocks, kChecked, kFencedBehind; 0: unset
  std::uint64_t time_namespace;  ///< inode of /proc/self/ns/time, of CLOCK_MONOTONIC; 0: not known
  char reserved[1408];
};
static_assert(sizeof(FileHeader) == 8192 && std::is_trivially_copyable_v<FileHeader>);

/// First 128 bytes of every chunk.
struct ChunkHeader {
  std::uint32_t magic;
  BufferId buffer;
  std::uint64_t size;         ///< bytes, this header included: the next chunk begins there
  std::uint32_t sequence;     ///< within the thread buffer, from 0
  std::uint32_t last_writes;  ///< odd while `last` is being written
  ClockTriple first;          ///< when the chunk was made
  ClockTriple last;           ///< updated from time to time, for calibration after a kill
  char reserved[56];
};
static_assert(sizeof(ChunkHeader) == 128 && std::is_trivially_copyable_v<ChunkHeader>);

}  // namespace ompdm::spool
