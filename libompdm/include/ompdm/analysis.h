// What one recording says, as plain figures: totals, tables and shares computed from a const Trace.
// Nothing here prints, reads a file or knows how a figure is shown. Durations are nanoseconds,
// sizes bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ompdm/directives.h"
#include "ompdm/edits.h"
#include "ompdm/facts.h"
#include "ompdm/iterations.h"
#include "ompdm/link.h"
#include "ompdm/trace.h"

namespace ompdm::analysis {

/// What really crossed, each byte once. The runtime's own traffic is in `runtime_internal` and
/// nowhere else.
struct Totals {
  Flow htod;
  Flow dtoh;
  Flow dtod;
  Flow memset;
  Flow alloc;
  Flow remove;  ///< deletes; bytes are 0 where the runtime does not tell them
  Flow kernel;  ///< launches; bytes are 0
  Flow region;  ///< instances of directives (a `target data` is one), host clock; bytes are 0
  Flow runtime_internal;  ///< pointer-attach shadows and their like
  bool operator==(const Totals&) const = default;
};

enum class ActivityType : std::uint8_t { kHtoD, kDtoH, kDtoD, kMemset, kKernel, kAlloc, kDelete };

/// Operations of one type, name and clock: a row of nvprof's summary.
struct Activity {
  std::string id;  ///< by type, clock, and of kernels name and place
  ActivityType type = ActivityType::kHtoD;
  std::string function;  ///< kernels: demangled function that holds the region, or the entry's name
                         ///< if unknown
  std::string file;      ///< kernels: source file, empty if unknown
  int line = 0;          ///< kernels: line of the #pragma, 0 if unknown
  Clock clock = Clock::kHost;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  Nanoseconds total = 0;
  Nanoseconds average = 0;
  Nanoseconds median = 0;
  Nanoseconds minimum = 0;
  Nanoseconds maximum = 0;
  Nanoseconds deviation = 0;  ///< of the sample (n - 1); 0 for a single operation
  std::optional<double>
      percent;  ///< of the summed `total` of the rows listed with it; none on Clock::kEnqueue
};

/// One piece of host storage (Trace::variables), with what crossed of it.
struct VariableRow {
  std::string id;          ///< by name and place
  Index<Variable> piece;   ///< position in Trace::variables
  std::string name;        ///< by which it was first mapped; empty if unknown
  std::string expression;  ///< as that clause has it
  std::string file;
  int line = 0;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;        ///< largest extent that was mapped
  std::uint64_t least_bytes = 0;  ///< smallest extent that was mapped; 0: all were alike
  std::uint32_t pieces = 1;       ///< distinct pieces of storage under this name
  std::vector<std::string> aliases;
  Flow htod;
  Flow dtoh;
  bool timed = true;  ///< false if a transfer has only an enqueue time
};

/// How sure a finding is.
enum class Confidence : std::uint8_t { kCertain, kLikely, kPossible };

/// What one of several runs of a program, on several inputs, says of a finding (ompdm/agreement.h).
enum class RunVerdict : std::uint8_t {
  kHolds,       ///< it is needless there too, and nothing there speaks against the edits
  kNeeded,      ///< it reached what the finding is about, and there it was not needless
  kOtherEdits,  ///< it is needless there too, and would take other edits
  kOtherWork,   ///< it came to where edits would be, and from there to directives unseen here
  kUnreached,   ///< it came to none of the finding's directives
  kUntold,      ///< it reached them, and tells too little: once only, or with less recorded
};

/// Whether a run's verdict takes the edits from a finding.
constexpr bool speaks_against_edits(RunVerdict verdict) {
  return verdict == RunVerdict::kNeeded || verdict == RunVerdict::kOtherEdits ||
         verdict == RunVerdict::kOtherWork;
}

/// A pattern of needless movement, with what it wasted and what to write instead.
struct Finding {
  std::string pattern;  ///< design vocabulary: "round_trip_transfer", "per_iteration_mapping"
  std::string file;
  int line = 0;
  std::string variable;            ///< those concerned, "u, u_tmp"; empty if none or unknown
  std::uint64_t count = 0;         ///< needless operations (or launches, or regions)
  std::uint64_t wasted_bytes = 0;  ///< that need not have crossed
  /// Of repeated_allocation, unused_allocation and device_leak: device memory that need not have
  /// been allocated, or left there.
  std::uint64_t allocated_bytes = 0;
  /// Sum of the needless operations' durations; of mapper_walk the host's time besides them.
  Nanoseconds wasted_time = 0;
  bool timed = true;  ///< false if some have only an enqueue time: then wasted_time is not known
  bool with_allocations = false;  ///< some of them are allocations or deletes
  Confidence confidence = Confidence::kPossible;
  /// Instances that were looked into (compared, where the claim is on content),
  std::uint64_t examined = 0;
  std::uint64_t of = 0;         ///< of this many
  Facts facts;                  ///< what it rests on
  std::vector<Caveat> caveats;  ///< none unless it is possible only
  /// Equal in another run of the program, and where its lines have moved: 16 hexadecimal digits.
  std::string id;
  std::vector<EditData> data;  ///< what the edits name
  std::vector<Edit> edits;     ///< in the order in which a reader makes them
  std::vector<Unless> unless;  ///< each once
  /// Directives in the code of the loop that edits would rest on, which this run did not reach: so
  /// there are none.
  std::vector<UnreachedDirective> unreached;
  std::vector<Edit> withheld_edits;  ///< what they would be but for these
  std::vector<Remark> remarks;
  /// Device memory that the edits keep at one time, beyond what single directives had there.
  std::uint64_t memory_bytes = 0;
  std::vector<std::size_t> directives;  ///< rows of Analysis::directives that it is about
  std::vector<std::size_t> variables;   ///< rows of Analysis::variables
  std::vector<std::size_t> loops;       ///< rows of Analysis::iterations that it happened in
  std::vector<RunVerdict> runs;         ///< one a run, its own too; empty: of one run alone
};

/// What findings would save that are not among Analysis::findings: each saves less than a hundredth
/// of the run's bytes, and few of its operations.
struct Withheld {
  std::uint64_t findings = 0;
  std::uint64_t transfers = 0;  ///< their operations, each once, that no finding claims
  std::uint64_t bytes = 0;      ///< that these transfers moved
  std::uint64_t allocations = 0;
  /// Transfers of at most 256 bytes that no finding claims: most detectors do not look at these.
  std::uint64_t small_transfers = 0;
};

/// Transfers that carried what was there already, and that no finding is about: because a kernel
/// may have changed the data in a way that the maps do not show, or because no change of the
/// directives is known that avoids them.
struct Doubt {
  static constexpr const char* kNoChangeKnown = "no_change_known";
  /// "device_address": the program was given the data's address on the device; "mapped_pointer": a
  /// mapped pointer points to it; "declare_target_pointer" and "pointer_table": pointers in such
  /// variables, or in mapped data, may; "unnamed_data": kernels whose clauses are not known, or
  /// that may name a global variable; kNoChangeKnown.
  std::string reason;
  std::uint64_t transfers = 0;
  std::uint64_t bytes = 0;
};

/// What the run would have taken without the waste that findings name, no operation taken away
/// twice: against Analysis::program_wall.
struct Prediction {
  Nanoseconds wall = 0;
  Nanoseconds transfer = 0;            ///< sum of the remaining transfers' durations
  std::uint64_t spared_transfers = 0;  ///< that would not have been
  std::uint64_t spared_bytes = 0;      ///< that would not have crossed
  /// Copies back are among these that are needed where the host reads them.
  bool at_most = false;
};

/// Unions of intervals: time during which at least one such operation was running on any device.
struct Headline {
  bool measured =
      false;  ///< false if any transfer or kernel has only an enqueue time: no share can be told
  bool host_clock = false;    ///< some of these intervals are from the host's clock
  bool device_clock = false;  ///< some are from the device's
  bool model_clock = false;   ///< some are from a model of a link
  /// What a share of the wall is of: Analysis::program_wall, or of a recording that tells a part of
  /// the run only (Recording::detail) the length of that.
  Nanoseconds span = 0;
  Nanoseconds transfer = 0;  ///< HtoD, DtoH and DtoD of the program
  /// These, allocations, deletes, and data directives from begin to end.
  Nanoseconds movement = 0;
  Nanoseconds kernel = 0;
  Nanoseconds device = 0;    ///< transfers, memsets and kernels together
  std::size_t top = kNoRow;  ///< the row of Analysis::directives that moved most bytes
};

/// Whether data movement is what a run's time goes into.
enum class Verdict : std::uint8_t {
  kDominates,
  kMatters,    ///< it costs time, and most time goes elsewhere
  kNoProblem,  ///< whatever is needless of it, the run is not slow because of it
  kUnjudged,   ///< the times are not those of a device, or events are missing
};

/// A region that was running when the recording ended.
struct UnfinishedRegion {
  std::size_t directive = kNoRow;  ///< row of Analysis::directives
  Nanoseconds elapsed = 0;         ///< from its begin to the last instant known
};

/// How a device spent its time, on its own clock: unions of intervals. Copies between two devices
/// are both devices'.
struct DeviceUse {
  std::int32_t device = -1;
  Nanoseconds span = 0;     ///< from the begin of its first activity to the end of its last
  Nanoseconds copies = 0;   ///< at least one copy was running
  Nanoseconds kernels = 0;  ///< at least one kernel was running
  Nanoseconds both = 0;     ///< a copy and a kernel were running
  Nanoseconds idle = 0;     ///< of the span: neither was
};

/// What the host stood still for at one directive: CUDA calls that return when the device is done.
struct HostWait {
  std::size_t directive = kNoRow;  ///< row of Analysis::directives; kNoRow: at none that is known
  std::uint64_t count = 0;
  Nanoseconds total = 0;
  Nanoseconds average = 0;
  Nanoseconds maximum = 0;
  Nanoseconds kernels = 0;  ///< of `total`: a kernel ran that was waited for
  Nanoseconds copies = 0;   ///< a copy or memset ran that was waited for, and no such kernel
  Nanoseconds neither = 0;  ///< starting work, and noticing that it is done
};

/// How long it took from the host's request (the begin of a submit or of a data operation) to the
/// device's begin, of all requests of one type.
struct StartLatency {
  ActivityType type = ActivityType::kHtoD;
  std::uint64_t count = 0;
  Nanoseconds minimum = 0;
  Nanoseconds average = 0;
  Nanoseconds maximum = 0;
  std::uint64_t queued = 0;  ///< that found earlier work of their stream unfinished
};

/// All that is said of one trace.
struct Analysis {
  std::string file;
  bool truncated = false;
  bool running = false;  ///< set by callers that read the spool of a process that still runs
  /// Set by callers that re-timed the trace: the times of transfers are this model's.
  std::optional<Link> link;
  Process process;
  std::vector<Module> modules;      ///< loaded objects that directives, or calls to them, are in
  std::vector<SourceFile> sources;  ///< what the compiler read, where that is known
  /// Set by agree(): which of several runs of one program this is, from 1; 0: of one run alone.
  std::size_t run = 0;
  /// The wall time of the process, less what the recorder's looking at contents added to it.
  Nanoseconds program_wall = 0;
  Recording recording;
  std::int32_t host_device = -1;
  std::vector<Device> devices;
  std::vector<Loss> losses;
  Totals totals;
  std::vector<Activity> activities;      ///< copies, memsets and kernels, longest first
  std::vector<Activity> api_calls;       ///< allocations and deletes, longest first
  std::vector<DirectiveRow> directives;  ///< most bytes first
  std::vector<VariableRow> variables;    ///< most bytes first
  std::vector<Iteration> iterations;     ///< in order of the first pass
  std::vector<Finding> findings;         ///< what would save most time first
  Withheld withheld;                     ///< findings too small to be told
  std::vector<Finding> too_small;        ///< these: another run of the program may tell of them
  std::vector<Doubt> doubts;             ///< by reason
  std::optional<Prediction> prediction;  ///< without what is certain or likely
  /// Without what is possible only, too; none where no such finding saves anything.
  std::optional<Prediction> possible_prediction;
  Headline headline;
  std::vector<DeviceUse> device_use;  ///< by device; empty where CUPTI told nothing
  /// Longest first, then what is of no directive; empty where CUPTI told none.
  std::vector<HostWait> host_waits;
  std::vector<StartLatency> start_latencies;  ///< by type; empty where CUPTI told nothing
  std::vector<UnfinishedRegion> unfinished;
};

/// What needs no more than adding up: totals, activities, directives, variables, and whose they
/// are. No loops, findings, shares or unfinished regions. Linear in the number of operations.
Analysis tabulate(const Trace& trace);

/// Everything above of one trace. Linear in the number of operations, but for a sort of durations.
Analysis analyze(const Trace& trace);

/// Adds `other` to `sum`.
void add(Totals& sum, const Totals& other);

/// Whether any directive was executed or any operation was seen: if not, nothing can be said of the
/// program.
bool has_target_events(const Analysis& analysis);

/// Whether the runtime's data operations could reach the recorder: without its EMI callbacks, or
/// out of their reach, zeros in the tables mean "not known".
bool knows_transfers(const Analysis& analysis);

/// The same of a recording by itself.
bool has_transfers(const Recording& recording);

/// Whether events of the run are missing: some were lost, or the trace is cut short. Figures are of
/// what is left then.
bool lacks_events(const Analysis& analysis);

/// Whether all of the run is told event by event (ompdm/told_part.h), and none of it is missing.
bool is_told_whole(const Analysis& analysis);

/// Whether a prediction is of a wall time that is a hundredth less than the run's or better.
bool saves_time(const Analysis& analysis, const std::optional<Prediction>& prediction);

/// Whether there is a prediction, of a wall time that is a hundredth less than the run's or better:
/// runs differ by that of themselves.
bool saves_time(const Analysis& analysis);

/// Of recordings that are reported together, their times added up. By a device's own clock, or by a
/// model of a link and of kernels: movement dominates if its transfers took at least half of the
/// device's time and it took a tenth of the wall time, or at least half of the wall time; it is no
/// problem if it took less than a twentieth of the wall time, and its transfers less than half of
/// the device's. On host devices nothing but that is
/// judged: movement is no problem if there is at most a transfer in ten launches, and at most 256
/// bytes a launch.
Verdict verdict_of(std::span<const Analysis> analyses);

/// Whether the times of these are those of a device, by its own clock or by a model of link and
/// kernels: shares of them mean something elsewhere.
bool has_device_times(std::span<const Analysis> analyses);

/// A directive as OpenMP spells it without the sentinel: "target enter data"; "api" and "runtime"
/// for the others.
std::string_view directive_name(Directive directive);

/// "HtoD", "DtoH", "DtoD", "memset", "kernel", "alloc" or "delete".
std::string_view activity_type_name(ActivityType type);

}  // namespace ompdm::analysis
