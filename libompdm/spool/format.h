// The byte layout of a spool: the only thing that the recorder (in the user's process) and the
// reader
// (`ompdm finish`) share. Nothing here allocates, throws or depends on more than the freestanding
// headers.
//
//   offset 0          FileHeader            8192 bytes, counters and trailer are updated in place
//   offset 8192       chunk | chunk | …     sizes differ (64 KiB … 4 MiB), each owned by one lane
//
//   chunk  =  ChunkHeader (128 bytes) | record | record | … | zero (nothing committed yet)
//   record =  head u32 { tag u8, flags u8, size u16 in units of 8 bytes } | payload … | text …
//
// A *lane* is a sequence of chunks written by one thread at a time; when a thread ends, the next
// new thread takes its lane over (a LaneThread record says so). Ids of sites, map lists and regions
// are scoped to their lane. A record is committed by one release store of its head, so whatever a
// killed process left is either whole or not there. A Region is committed *open* (end == 0) at its
// begin and closed in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ompdm::spool {

inline constexpr char kMagic[8] = {'O', 'M', 'P', 'D', 'M', 'S', 'P', '\n'};
/// Readers accept this version and older ones, and refuse newer ones naming both.
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::uint32_t kChunkMagic = 0x4b4e4843;  // "CHNK"

/// What a record is. Readers skip tags that they do not know by the record's size.
enum class Tag : std::uint8_t {
  kNone = 0,  ///< nothing committed here yet: the end of a chunk
  kLaneThread = 1,
  kModule = 2,
  kSite = 3,
  kMapList = 4,
  kRegion = 5,
  kDataOp = 6,
  kLaunch = 7,
  kEntry = 8,
  kDevice = 9,
  kFallback = 10,
  kRepeatedRegion = 11,
  kRepeatedOp = 12,
  kRegionEnd = 13,
  kMapperName = 14,
  kMapperPiece = 15,
  kContent = 16,
  kCallers = 17,
  // What CUPTI tells (spool/activities.h).
  kActivityName = 32,
  kKernelActivity = 33,
  kMemoryActivity = 34,
  kExternalId = 35,
  kCuptiClock = 36,
  kCudaDevice = 37,
  kSynchronization = 38,
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

enum class Clock : std::uint32_t {
  kMonotonic = 0,  ///< ticks are CLOCK_MONOTONIC nanoseconds
  kTsc = 1,        ///< ticks are the invariant time stamp counter; calibrate by the triples
};

/// Named losses; kept in the file header so that they survive a kill. Names as `kLossNames`.
enum class Loss : std::uint32_t {
  kRecordsNoSpace,      ///< records dropped: the spool could not grow (disk full, file size limit)
  kRecordsTooLarge,     ///< records dropped or cut: larger than a record can be
  kRecordsAfterFinish,  ///< events after the runtime's finalize, once the trace was being written
  kRecordsReentrant,    ///< events inside the recorder's own callback (signal handlers)
  kRegionsUnmatched,  ///< region ends without a begin, or begins without an end that nesting proved
                      ///< lost
  kOpsUnmatched,      ///< data operation or submit ends without a begin, or begins without an end
  kNamesUnavailable,  ///< regions whose names did not come from the runtime's arguments
  kModulesUnpatched,  ///< loaded modules with offload calls that could not be patched
  kThreadsWithoutLane,    ///< events of threads for which no lane could be made
  kForkedEvents,          ///< events in a forked child before a recording of its own could start
  kActivitiesDropped,     ///< device activities that CUPTI had no buffer for, or the spool no lane
  kActivitiesIncomplete,  ///< device activities whose end CUPTI did not know when it was asked last
  kContentsPendingOverflow,  ///< contents from devices not examined: too many waited for one region
  kContentsUnknownCompletion,  ///< contents from devices not examined: nothing tells when they have
                               ///< arrived (API calls and nowait on asynchronous devices)
  kActivitiesLate,  ///< device activities that CUPTI gave back when the recording had ended
  kCount
};
inline constexpr const char* kLossNames[] = {"records_no_space",
                                             "records_too_large",
                                             "records_after_finish",
                                             "records_reentrant",
                                             "regions_unmatched",
                                             "ops_unmatched",
                                             "names_unavailable",
                                             "modules_unpatched",
                                             "threads_without_lane",
                                             "forked_events",
                                             "activities_dropped",
                                             "activities_incomplete",
                                             "contents_pending_overflow",
                                             "contents_unknown_completion",
                                             "activities_late"};
static_assert(sizeof(kLossNames) / sizeof(kLossNames[0]) == static_cast<std::size_t>(Loss::kCount));

/// The callbacks the recorder asked for, in the order of FileHeader::registered.
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

/// How far a recording came.
enum class State : std::uint32_t {
  kRunning = 0,   ///< no trailer: the process is alive, or was killed
  kFinished = 1,  ///< the trailer is written
};

/// Whether target events can reach the recorder (ompt-facts: the `libomp.so` hole), as found at
/// attach.
enum class Reach : std::uint32_t {
  kUnknown = 0,       ///< libomptarget was not loaded yet
  kOk = 1,            ///< libomptarget is connected to the OpenMP runtime that started the recorder
  kUnreachable = 2,   ///< libomptarget could not open `libomp.so`: no target event will come
  kOtherRuntime = 3,  ///< libomptarget is connected to another copy of the OpenMP runtime
  kCured = 4,         ///< it would have been unreachable; the recorder cured it from inside
  kNoEmi = 5,  ///< the runtime has no target_emi callbacks (older than LLVM 17..19): names and
               ///< sizes only
};

/// How names are got: state of the `__tgt_*` patch.
enum class Names : std::uint32_t { kOn = 0, kOff = 1, kFailed = 2, kUnsupported = 3 };

/// First 8192 bytes of a spool. Texts are NUL-terminated; lists are NUL-separated and end with an
/// empty text.
struct FileHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t header_size;  ///< offset of the first chunk
  std::uint32_t pid;
  std::uint32_t ppid;
  std::uint64_t
      process_start;  ///< field 22 of /proc/PID/stat: with pid, it names the process for good
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
  std::uint32_t default_device_known;
  ClockTriple attach;        ///< when the recorder was started
  ClockTriple trailer;       ///< when it finished; zero until then
  std::uint64_t file_size;   ///< bytes of the file that chunks have been given out of
  std::uint64_t losses[32];  ///< by Loss; incremented atomically
  std::uint64_t regions;     ///< committed at chunk changes and at the end: for progress lines only
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
  std::uint32_t hashing;  ///< share of the time since attach that contents may take, in millionths;
                          ///< 0: none are examined, 0xffffffff: all
  char cupti[128];        ///< "on", "off", "unavailable: why"; empty: no CUDA device was met
  char reserved[1976];
};
static_assert(sizeof(FileHeader) == 8192 && std::is_trivially_copyable_v<FileHeader>);

struct ChunkHeader {
  std::uint32_t magic;
  std::uint32_t lane;
  std::uint64_t size;      ///< bytes, this header included: the next chunk begins there
  std::uint32_t sequence;  ///< within the lane, from 0
  std::uint32_t reserved0;
  ClockTriple first;  ///< when the chunk was made
  ClockTriple last;   ///< refreshed now and then, for calibration after a kill
  char reserved[56];
};
static_assert(sizeof(ChunkHeader) == 128 && std::is_trivially_copyable_v<ChunkHeader>);

/// From here on this lane is written by thread `tid`.
struct LaneThread {
  Head head;
  std::uint32_t tid;  ///< kernel thread id
  std::uint64_t ticks;
};
static_assert(sizeof(LaneThread) == 16);

/// A loaded object. Followed by build-id bytes, then the path (NUL-terminated).
struct Module {
  Head head;
  std::uint32_t id;     ///< in this lane; referenced by Site and Entry, 0 = unknown
  std::uint64_t bias;   ///< load bias (link_map l_addr): file address = pc - bias
  std::uint64_t begin;  ///< mapped range
  std::uint64_t end;
  std::uint32_t build_id_size;
  std::uint32_t path_size;  ///< NUL included
};
static_assert(sizeof(Module) == 40);

/// Which entry of the runtime a site called; kNone when only codeptr_ra is known.
enum class Entry : std::uint8_t {
  kNone,
  kDataBegin,   ///< __tgt_target_data_begin_mapper
  kDataEnd,     ///< __tgt_target_data_end_mapper
  kDataUpdate,  ///< __tgt_target_data_update_mapper
  kDataBeginNowait,
  kDataEndNowait,
  kDataUpdateNowait,
  kKernel,  ///< __tgt_target_kernel
  kKernelNowait,
  kMemcpy,           ///< omp_target_memcpy
  kMemcpyRect,       ///< omp_target_memcpy_rect
  kMemset,           ///< omp_target_memset
  kAlloc,            ///< omp_target_alloc
  kFree,             ///< omp_target_free
  kAssociate,        ///< omp_target_associate_ptr
  kDisassociate,     ///< omp_target_disassociate_ptr
  kMemcpyAsync,      ///< omp_target_memcpy_async
  kMemcpyRectAsync,  ///< omp_target_memcpy_rect_async
  kMemsetAsync,      ///< omp_target_memset_async
  kMapperPiece,      ///< __tgt_push_mapper_component: no site, a MapperPiece
  kCount
};

/// A place in the program that called the runtime. Followed by `text_size` bytes: psource (ident_t,
/// ";file;func; line;col;;"), NUL, then `name_count` argument names as clang passes them
/// (";u[0:n];heat.cpp;13;32;;"), NUL each.
struct Site {
  Head head;              ///< flags: Entry
  std::uint32_t id;       ///< in this lane, from 1
  std::uint64_t codeptr;  ///< codeptr_ra: a return address, so look up codeptr - 1
  std::uint64_t ident;    ///< address of the ident_t, 0 without names
  std::uint64_t kernel;   ///< host_ptr of the launched kernel (its Entry's address), 0 if none
  std::uint32_t module;
  std::uint32_t name_count;
  std::uint32_t text_size;
  std::uint32_t reserved;
};
static_assert(sizeof(Site) == 48);

/// A return address above a site.
struct Caller {
  std::uint64_t address;  ///< so look up address - 1
  std::uint32_t module;   ///< 0 = unknown
  std::uint32_t reserved;
};
static_assert(sizeof(Caller) == 16);

/// The call chain above a site when the lane met it first, innermost first: the first is the caller
/// of the function that the site's codeptr lies in. Followed by `count` Caller.
struct Callers {
  Head head;
  std::uint32_t site;
  std::uint32_t count;
  std::uint32_t reserved;
};
static_assert(sizeof(Callers) == 16);

/// One mapped item as passed to `__tgt_*`; `type` are libomptarget's map type bits
/// (OMP_TGT_MAPTYPE_*).
struct MapItem {
  std::uint64_t base;
  std::uint64_t begin;
  std::uint64_t size;
  std::uint64_t type;
};
static_assert(sizeof(MapItem) == 32);

/// The mapped items of a directive; equal lists of a lane are written once. Followed by `count`
/// MapItem. Values of literal arguments (type bit 0x100) are zeroed, since they are no addresses.
struct MapList {
  Head head;
  std::uint32_t id;  ///< in this lane, from 1
  std::uint32_t site;
  std::uint32_t count;
};
static_assert(sizeof(MapList) == 16);

/// Bits of Head::flags of a Region.
inline constexpr std::uint8_t kRegionKindMask =
    0x0f;  ///< ompt_target_t: 1 target, 2 enter data, 3 exit data, 4 update
inline constexpr std::uint8_t kRegionFromWrapper =
    0x10;  ///< no EMI: seen by the wrapper only, it has no end
/// One instance of a directive. `end` is 0 while it runs.
struct Region {
  Head head;
  std::uint32_t site;
  std::uint64_t begin;
  std::uint64_t end;
  std::uint32_t id;        ///< in this lane, from 1, wraps
  std::uint32_t map_list;  ///< 0 = unknown
  std::int32_t device;
  std::uint32_t reserved;
};
static_assert(sizeof(Region) == 40);

/// Bits of Head::flags of a DataOp.
inline constexpr std::uint8_t kOpInRegion =
    0x01;  ///< `owner` is a region of this lane, else a site (API call) or 0
inline constexpr std::uint8_t kOpUnfinished = 0x02;  ///< no end came
/// One data operation, as the callback's end gave it (raw: nothing is normalised here).
struct DataOp {
  Head head;
  std::uint32_t owner;
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t src;
  std::uint64_t dst;
  std::uint64_t bytes;
  std::int32_t src_device;
  std::int32_t dst_device;
  std::uint16_t optype;    ///< ompt_target_data_op_t
  std::uint16_t argument;  ///< 1 + index of the map item whose storage it touches, 0 = none matches
  std::uint32_t api_call;  ///< ordinal in the lane of the wrapped API call it belongs to, 0 = none
};
static_assert(sizeof(DataOp) == 64);

/// A region equal to an earlier one of the same chunk but for its times: what loops are made of.
/// Its id is the one after the region record before it. Followed by a RepeatedTimes for each of its
/// operations, as far as they come at once and repeat the earlier region's in their order; the
/// record grows by them in place, so its size tells how many are committed.
struct RepeatedRegion {
  Head head;                ///< flags: as the earlier one's
  std::uint32_t reference;  ///< id of the earlier Region, a whole one
  std::uint32_t since;      ///< ticks since the begin of the region record before it in the chunk
  std::uint32_t duration;   ///< ticks; 0 while it runs, kLongDuration: a RegionEnd tells the end
};
static_assert(sizeof(RepeatedRegion) == 16);
inline constexpr std::uint32_t kLongDuration = 0xffffffff;

/// When an operation of a RepeatedRegion ran.
struct RepeatedTimes {
  std::uint32_t begin;     ///< ticks since the region's begin
  std::uint32_t duration;  ///< ticks
};
static_assert(sizeof(RepeatedTimes) == 8);
/// As many operations of a region can be repeated by their times alone.
inline constexpr unsigned kMostRepeatedTimes = 8;

/// The end of a RepeatedRegion that ran longer than its own field can hold.
struct RegionEnd {
  Head head;
  std::uint32_t region;  ///< id
  std::uint64_t end;
};
static_assert(sizeof(RegionEnd) == 16);

/// A data operation of the region whose record was the lane's last, equal to an earlier operation
/// of the same chunk but for its times and its region.
struct RepeatedOp {
  Head head;
  std::uint32_t
      reference;           ///< 1 + how many DataOp records of the chunk come before the earlier one
  std::uint32_t begin;     ///< ticks since the region's begin
  std::uint32_t duration;  ///< ticks
};
static_assert(sizeof(RepeatedOp) == 16);

/// Bits of Head::flags of a Content.
inline constexpr std::uint8_t kContentTrivial = 0x01;  ///< all bytes that were read are equal
inline constexpr std::uint8_t kContentAfter =
    0x02;  ///< read after the operation's region had ended (an API call: after the operation), else
           ///< right before the operation began
/// What a transfer carried. The time that looking at it took lies outside the operation's own
/// interval, but inside that of its region unless kContentAfter is set.
struct Content {
  Head head;
  std::uint32_t back;  ///< which operation: 1 the last DataOp or RepeatedOp of the lane, 2 the one
                       ///< before it, …
  std::uint64_t fingerprint;  ///< of at most 64 blocks of 4 KiB spread over it, never 0
  std::uint64_t hash;         ///< XXH3-64 of all bytes, 0: not taken
  std::uint64_t ticks;        ///< that looking at it took
};
static_assert(sizeof(Content) == 32);

/// One kernel submission. `end` is when the submit returned.
struct Launch {
  Head head;
  std::uint32_t region;
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t kernel;           ///< host_ptr, 0 without names
  std::uint64_t trip_count;       ///< 0 = unknown
  std::uint32_t requested_teams;  ///< as the submit callback tells; 0 = the runtime chooses
  std::uint32_t num_teams;        ///< num_teams clause, 0 = none, 0xffffffff = no teams construct
  std::uint32_t thread_limit;     ///< thread_limit clause, 0 = none
  std::uint32_t reserved;
};
static_assert(sizeof(Launch) == 56);

/// A name that a `declare mapper` gives to a piece, as clang passes it. Followed by the text.
struct MapperName {
  Head head;
  std::uint32_t id;    ///< in this lane, from 1
  std::uint32_t size;  ///< NUL included
  std::uint32_t reserved;
};
static_assert(sizeof(MapperName) == 16);

/// A piece of storage that a `declare mapper` adds to a region that has begun.
struct MapperPiece {
  Head head;
  std::uint32_t region;
  std::uint64_t begin;
  std::uint64_t size;
  std::uint64_t type;  ///< OMP_TGT_MAPTYPE_*
  std::uint32_t name;  ///< MapperName::id
  std::uint32_t reserved;
};
static_assert(sizeof(MapperPiece) == 40);

/// An entry of a module's offload table: a kernel (size 0) or a `declare target` variable. Followed
/// by its name.
struct OffloadEntry {
  Head head;
  std::uint32_t module;
  std::uint64_t address;
  std::uint64_t size;
  std::uint32_t flags;
  std::uint32_t name_size;  ///< NUL included
};
static_assert(sizeof(OffloadEntry) == 32);

enum class DeviceEvent : std::uint8_t { kInitialize, kFinalize, kLoad };
/// Device initialise, finalise or image load (Head::flags: DeviceEvent). Followed by the type text
/// for initialise.
struct Device {
  Head head;
  std::int32_t number;
  std::uint64_t ticks;
  std::uint64_t bytes;  ///< image size for load
  std::uint32_t text_size;
  std::uint32_t reserved;
};
static_assert(sizeof(Device) == 32);

/// A kernel call for which no target region came: it ran on the host. Head::flags: 1 + the number
/// of the device that it asked for, 0 if that is not known.
struct Fallback {
  Head head;
  std::uint32_t site;
  std::uint64_t ticks;
};
static_assert(sizeof(Fallback) == 16);

}  // namespace ompdm::spool
