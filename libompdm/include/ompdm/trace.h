// The model of a recording: plain rows in nanoseconds, without behaviour.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ompdm/aggregates.h"
#include "ompdm/columns.h"
#include "ompdm/definitions.h"
#include "ompdm/events.h"
#include "ompdm/fields.h"

namespace ompdm {

/// How far a host's CLOCK_REALTIME is off, as its kernel says (adjtimex(2)).
struct RealtimeClock {
  enum class State : std::uint8_t { kUnknown, kSynchronized, kUnsynchronized };
  State state = State::kUnknown;
  Nanoseconds max_error = 0;  ///< at most
  Nanoseconds estimated_error = 0;
  bool operator==(const RealtimeClock&) const = default;
};

template <class Visit, RowOf<RealtimeClock> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("realtime", row.state, {.optional = true});
  if (row.state == RealtimeClock::State::kUnknown) return;
  visit("realtime_max_error_ns", row.max_error);
  visit("realtime_estimated_error_ns", row.estimated_error);
}

/// The process that was recorded.
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
  Nanoseconds wall = 0;    ///< from attach to the trailer; if killed, to the last instant known
  RealtimeClock realtime;  ///< at attach
  /// CLOCK_MONOTONIC at attach: of processes of one boot in one time namespace it is one clock. 0:
  /// not known.
  std::int64_t start_monotonic_ns = 0;
  std::string boot_id;               ///< /proc/sys/kernel/random/boot_id; "": not known
  std::uint64_t time_namespace = 0;  ///< inode of /proc/self/ns/time; 0: not known
  std::uint32_t process_group = 0;   ///< in which it was started; 0: not known
  std::string session;  ///< folder of the `ompdm record` that it ran under; empty: under none
  bool operator==(const Process&) const = default;
};

template <class Visit, RowOf<Process> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("pid", row.pid);
  visit("ppid", row.ppid);
  visit("host", row.host);
  visit("program", row.program);
  visit("arguments", row.arguments);
  visit("directory", row.directory);
  visit("rank", row.rank);
  visit("rank_count", row.rank_count);
  visit("start_realtime_ns", row.start_realtime_ns);
  visit("wall_ns", row.wall);
  visit("start_monotonic_ns", row.start_monotonic_ns, {.optional = true});
  visit("boot_id", row.boot_id, {.optional = true});
  visit("time_namespace", row.time_namespace, {.optional = true});
  fields(visit, row.realtime);
  visit("process_group", row.process_group, {.optional = true});
  visit("session", row.session, {.optional = true});
}

/// A callback that the recorder asked for.
struct RegisteredCallback {
  std::string callback;
  int answer = 0;  ///< what ompt_set_callback answered
  bool operator==(const RegisteredCallback&) const = default;
};

template <class Visit, RowOf<RegisteredCallback> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("callback", row.callback);
  visit("answer", row.answer);
}

/// How the recording was made and what it can show.
struct Recording {
  /// Whether target events reached the recorder. libomptarget finds the OpenMP runtime by the name
  /// `libomp.so`.
  enum class Reach : std::uint8_t {
    kUnknown,       ///< libomptarget was not loaded when the recorder looked
    kOk,            ///< libomptarget is connected to the runtime that started the recorder
    kUnreachable,   ///< libomptarget could not open `libomp.so`: no target event was delivered
    kOtherRuntime,  ///< libomptarget is connected to another copy of the runtime
    kCured,         ///< the recorder provided the missing `libomp.so`
    kNoEmi,         ///< the runtime has no target_emi callbacks: names and sizes only
  };
  /// Whether the recorder took calls of `__tgt_*`, which give variables their names.
  enum class Names : std::uint8_t { kOn, kOff, kFailed, kUnsupported };
  /// Which events are recorded one by one. The others are aggregated.
  enum class Detail : std::uint8_t {
    kEvents,      ///< all
    kAggregates,  ///< none, as configured (JSON: "tallies")
    kWindow,      ///< those of a window, as configured
    kSpoolLimit,  ///< those before the spool reached its limit
    kPart,        ///< all of a part of a run; the rest of the run is not here (window_of())
  };
  std::string ompdm_version;
  std::string runtime;            ///< "LLVM 19.1 (libomptarget.so.19.1)", or what it says of itself
  std::uint32_t omp_version = 0;  ///< as given to ompt_start_tool
  std::string clock;              ///< "tsc" or "monotonic"
  double clock_residual_ns = 0;   ///< largest disagreement of the calibration's triples
  std::string attached_by;        ///< "OMP_TOOL_LIBRARIES", "LD_PRELOAD" or "CUDA_INJECTION64_PATH"
  Reach reach = Reach::kUnknown;
  Names names = Names::kUnsupported;
  std::string target_offload;  ///< OMP_TARGET_OFFLOAD at attach, in lower case; empty if not set
  bool unified_shared_memory = false;  ///< the program `requires` it: nothing has to be copied
  std::string cupti;  ///< "on", "off", "unavailable: why"; empty: no CUDA device was met
  std::uint32_t cupti_version = 0;  ///< as cuptiGetVersion tells, 0 if unknown
  double cupti_residual_ns = 0;     ///< largest disagreement of its clock with the recording's
  /// The share of the bytes that may be hashed: "off", "full", "3 %"; "" if unknown.
  std::string hashing;
  Nanoseconds hashing_ns = 0;  ///< time of all threads that hashing took
  /// Of a recording by `ompdm check`: the byte that fills device memory, and where its fence is:
  /// "5a:behind". Empty: no such recording.
  std::string check;
  bool finished = false;  ///< the recorder wrote its trailer: the process ended by itself
  std::vector<RegisteredCallback> registered;
  Detail detail = Detail::kEvents;
  Nanoseconds recorded_from = 0;  ///< regions that began from here on are recorded
  Nanoseconds recorded_to = 0;    ///< and up to here; 0: to the end
  bool operator==(const Recording&) const = default;
  [[nodiscard]] bool is_part() const { return detail == Detail::kPart; }
};

template <class Visit, RowOf<Recording> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("ompdm_version", row.ompdm_version);
  visit("runtime", row.runtime);
  visit("omp_version", row.omp_version);
  visit("clock", row.clock);
  visit("clock_residual_ns", row.clock_residual_ns);
  visit("attached_by", row.attached_by);
  visit("reach", row.reach);
  visit("names", row.names);
  visit("target_offload", row.target_offload);
  visit("unified_shared_memory", row.unified_shared_memory, {.optional = true});
  visit("hashing", row.hashing, {.optional = true});
  visit("hashing_ns", row.hashing_ns, {.optional = true});
  visit("check", row.check, {.optional = true});
  visit("detail", row.detail, {.optional = true});
  if (row.detail != Recording::Detail::kEvents) {
    visit("told_from_ns", row.recorded_from);
    visit("told_to_ns", row.recorded_to, {.optional = true});
  }
  visit("finished", row.finished);
  visit("registered", row.registered);
  visit("cupti", row.cupti, {.optional = true});
  if (row.cupti.empty()) return;
  visit("cupti_version", row.cupti_version);
  visit("cupti_residual_ns", row.cupti_residual_ns);
}

/// How much was lost for one reason.
struct Loss {
  std::string name;
  std::uint64_t count = 0;
  bool operator==(const Loss&) const = default;
};

template <class Visit, RowOf<Loss> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("name", row.name);
  visit("count", row.count);
}

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
  std::vector<DeviceVariable> device_variables;
  std::vector<Kernel> kernels;
  std::vector<CodeLoop> loops;  ///< outer before inner
  std::vector<CallPlace> call_places;
  std::vector<CallPath> call_paths;  ///< callers before what they called
  std::vector<std::vector<MapItem>> map_lists;
  std::vector<DeviceEvent> device_events;
  std::vector<MappedPointer> mapped_pointers;  ///< in the order of their threads
  std::vector<UnsentItem> unsent_items;        ///< in the order of their regions
  std::vector<BlockTouch> block_touches;       ///< in the order of their launches
  std::vector<BadAccess> bad_accesses;         ///< in order of time
  /// Files that rows name, and whose content debug information identifies. A name that stands for
  /// several files has a row for each content.
  std::vector<SourceFile> sources;
  std::vector<SourceFact> source_facts;        ///< of the sources, where they were read; in no file
  std::vector<HostFact> host_facts;            ///< the same, of the host's code
  std::vector<KeptPatch> patches;              ///< the same, of the edits of findings
  std::vector<Index<DataOp>> unset_transfers;  ///< of find_unset_transfers(); in no file
  DedupColumn<Region> regions;
  DedupColumn<DataOp> ops;
  DedupColumn<Launch> launches;
  std::vector<RegionAggregate> region_aggregates;  ///< of events that are in none of these rows
  std::vector<OpAggregate> op_aggregates;
  std::vector<LaunchAggregate> launch_aggregates;
  std::vector<ActivityAggregate> activity_aggregates;
  std::vector<DeviceActivity> activities;         ///< in order of their begin
  std::vector<Synchronization> synchronizations;  ///< in order of their begin
};

/// Whether all of the run is recorded event by event. If not, loops, findings, waits and unions of
/// time are of a part of it, or not known.
inline bool is_recorded_whole(const Recording& recording) {
  // A window that was open from the beginning to the end left nothing out.
  return recording.detail == Recording::Detail::kEvents ||
         (recording.detail == Recording::Detail::kWindow && recording.recorded_from <= 0 &&
          recording.recorded_to == 0);
}

/// Whether none of the run is recorded event by event. `wall`: the duration of the process.
inline bool is_only_counted(const Recording& recording, Nanoseconds wall) {
  return recording.detail == Recording::Detail::kAggregates ||
         (recording.detail != Recording::Detail::kEvents &&
          recording.recorded_from >= (recording.recorded_to != 0 ? recording.recorded_to : wall));
}

/// Whether events of the run are missing for this reason. Then figures are of the remaining events.
/// Names, contents, call paths and a device's own times may be missing even if all events are
/// there.
inline bool is_of_events(const Loss& loss) {
  constexpr std::string_view kEvents[] = {"records_", "regions_", "ops_",
                                          "threads_", "forked_",  "chunks_"};
  // Of a list that is too long the first items are recorded, and so is the event.
  return loss.count > 0 && loss.name != "records_too_large" &&
         std::ranges::any_of(
             kEvents, [&](std::string_view prefix) { return loss.name.starts_with(prefix); });
}

}  // namespace ompdm
