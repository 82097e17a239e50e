// The analysis of a trace: totals, tables, loops and findings. Pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ompdm/findings.h"
#include "ompdm/link.h"
#include "ompdm/staging.h"
#include "ompdm/trace.h"

namespace ompdm::analysis {

/// Operations of one sort, summed. `time` is the sum of their durations, overlaps counted twice, on
/// the operations' own clocks; use Headline for shares.
struct Flow {
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
  Nanoseconds time = 0;
  bool operator==(const Flow&) const = default;
};

/// Executions of one directive (or one API call site), summed.
struct DirectiveFigures {
  std::uint64_t count = 0;  ///< executions; a `target data` region is one; API rows: calls
  Flow htod;
  Flow dtoh;
  Flow dtod;
  std::uint64_t alloc_count = 0;
  std::uint64_t kernel_count = 0;
  std::uint64_t fallback_count = 0;  ///< executions whose kernel ran on the host instead
  std::uint64_t mapped_bytes = 0;    ///< sum of the extents of its maps, sent or not
  Nanoseconds kernel_time = 0;       ///< sum of its launches' durations
  /// Sum of its executions' durations on the host's clock; of API rows: of its operations'.
  Nanoseconds time = 0;
  bool timed = true;  ///< false: a transfer or kernel has but an enqueue time; trust `time` alone
};

/// Adds `other` to `sum`.
void add(DirectiveFigures& sum, const DirectiveFigures& other);

/// Executions that were reached by the same calls.
struct DirectivePath : DirectiveFigures {
  std::string id;  ///< by its frames; unique in its row
  /// The directive's place, then the calls that led to it, the innermost first; functions that were
  /// inlined count as called. Calls within a library without debug information are one frame, whose
  /// function is the library's name in brackets. Empty: not known.
  std::vector<Frame> frames;
};

/// One directive of the source, all of its executions summed.
struct DirectiveRow : DirectiveFigures {
  /// By its sort, place and function: equal in another run of the same build.
  std::string id;
  Directive directive = Directive::kRuntime;
  std::string file;  ///< as the compiler was given it; empty if unknown
  int line = 0;      ///< of the #pragma; 0 if unknown
  int column = 0;
  std::string function;
  std::string api;            ///< the API routine of a Directive::kApi row, empty if unknown
  std::string module;         ///< path of the binary, for rows whose line is unknown
  std::uint64_t address = 0;  ///< in that binary, of one of its sites
  /// The call paths, which add up to the row; most bytes first, then longest. Empty: none is known.
  std::vector<DirectivePath> paths;
};

/// Position in a table that means "no row".
inline constexpr std::size_t kNoRow = std::numeric_limits<std::size_t>::max();

/// What one iteration of a loop costs.
struct IterationCost {
  std::uint64_t htod_bytes = 0;
  std::uint64_t dtoh_bytes = 0;
  Nanoseconds transfer = 0;  ///< sum of the transfers' durations
  Nanoseconds kernel = 0;    ///< sum of the launches' durations
  /// From the iteration's first directive to the next iteration's (of the last iteration: to its
  /// own end), less `hashing`.
  Nanoseconds wall = 0;
  Nanoseconds hashing = 0;  ///< what the recorder spent on contents meanwhile
  std::uint64_t allocations = 0;
};

/// What a text like "a (jacobi.cpp:75)" stands for.
struct CrossedItem {
  std::vector<std::size_t> variables;  ///< rows of Analysis::variables
  std::size_t directive = kNoRow;      ///< row of Analysis::directives
};

/// Data that was transferred again and again in a loop, mostly with the content that it had before.
struct Recurring {
  std::string item;  ///< "a (jacobi.cpp:75)"; empty if its name is not known
  CrossedItem of;
  std::uint64_t bytes = 0;      ///< of all its transfers
  std::uint64_t unchanged = 0;  ///< transfers that carried what the one before had, of
  std::uint64_t compared = 0;   ///< this many
};

/// Why a loop was found from the order of events alone.
struct ByOrder {
  enum class Why : std::uint8_t {
    kNot,         ///< it is one of the code
    kNoCalls,     ///< the calls that led to some directive of its thread are not known
    kCodeUnread,  ///< some code of the call path to one is not known
  };
  Why why = Why::kNot;
  std::string function;  ///< whose code that is; empty: not known
  bool operator==(const ByOrder&) const = default;
};

/// A group of directives that was executed again and again on one thread: a loop of the program.
struct LoopRow {
  /// By its place, or by its directives where it has none: equal in another run of the same build.
  std::string id;
  /// File, line and function of its `for` or `while`. Empty and 0 if it was found from the order of
  /// events alone, or if the compiler left no line.
  std::string file;
  int line = 0;
  int inside = 0;  ///< a line in the loop, if the line of its begin is not known
  std::string function;
  bool unrolled = false;   ///< repeats of one source line: the code has no loop there (any more)
  bool from_code = false;  ///< found in the program's code, not from the order of events
  ByOrder by_order = {};
  bool at_least = false;        ///< there may have been more iterations, without events
  std::size_t parent = kNoRow;  ///< row of the loop that all of its iterations were in
  /// Rows of Analysis::directives in the order of an iteration, each once.
  std::vector<std::size_t> directives;
  std::uint64_t count = 0;        ///< iterations in all, first and last included
  std::uint64_t entries = 0;      ///< how many times the loop was entered, over all threads
  bool entries_at_least = false;  ///< it may have been entered more often, without events
  std::uint32_t devices = 1;      ///< that each iteration goes over, one after the other
  IterationCost steady;           ///< mean over the iterations that are not the first of an entry
  IterationCost first;            ///< the first iteration of the first entry
  /// Bytes an iteration, both ways, of pieces whose content was the same in every iteration that
  /// was hashed; none if no contents were compared.
  std::optional<std::uint64_t> invariant_bytes;
  std::vector<std::string> invariant_items;  ///< their names: "a (jacobi.cpp:75)", most first
  std::vector<CrossedItem> invariant_rows;   ///< the same as rows, item by item
  /// Items whose content changed, but mostly did not; most bytes first.
  std::vector<Recurring> recurring;
  bool timed = true;  ///< false: a transfer or kernel has but an enqueue time; trust `wall` alone
};

/// All operations, each once. The runtime's own are in `runtime_internal` and nowhere else.
struct Totals {
  Flow htod;
  Flow dtoh;
  Flow dtod;
  Flow memset;
  Flow alloc;
  Flow remove;  ///< deletes; bytes are 0 where the runtime does not tell them
  Flow kernel;  ///< launches; bytes are 0
  Flow region;  ///< executions of directives (a `target data` is one), host clock; bytes are 0
  Flow runtime_internal;  ///< pointer-attach shadows and their like
  bool operator==(const Totals&) const = default;
};

/// Sizes of the transfers of one direction: nsys's operations by size.
struct CopySizes {
  OpKind kind = OpKind::kHtoD;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::uint64_t least = 0;  ///< of one transfer, as the next
  std::uint64_t most = 0;
};

enum class ActivityType : std::uint8_t { kHtoD, kDtoH, kDtoD, kMemset, kKernel, kAlloc, kDelete };

/// Operations of one type, name and clock: a row of nvprof's summary.
struct Activity {
  std::string id;  ///< by type, clock, and of kernels name and place
  ActivityType type = ActivityType::kHtoD;
  std::string function;  ///< kernels: the demangled function of the region, or the entry's name
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
  /// Of the summed `total` of the rows listed with it; none on Clock::kEnqueue.
  std::optional<double> percent;
};

/// One piece of host storage (Trace::variables), with its transfers.
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
enum class Confidence : std::uint8_t {
  kCertain,   ///< a fact of this run
  kProven,    ///< the program's source allows the edits, on any input
  kLikely,    ///< what was compared is equal
  kPossible,  ///< a caveat is left
};

/// Their names in reports, in the order of Confidence.
inline constexpr std::array<const char*, 4> kConfidences = {"certain", "proven", "likely",
                                                            "possible"};

/// The same of facts::ClauseEffect::Stake.
inline constexpr std::array<const char*, 3> kStakes = {"wrong_values", "hazard", "no_effect"};

/// What one of several runs of a program, on several inputs, says of a finding (agree).
enum class RunVerdict : std::uint8_t {
  kHolds,       ///< it is redundant there, too, and nothing there speaks against the edits
  kNeeded,      ///< it executed the finding's directives, and there they were not redundant
  kOtherEdits,  ///< it is redundant there, too, and would take other edits
  kOtherWork,   ///< at the place of the edits it executed directives that this run did not
  kUnreached,   ///< it executed none of the finding's directives
  kUnrecorded,  ///< it executed them, but shows too little: once only, or with less recorded
};

/// Whether a run's verdict takes the edits from a finding.
constexpr bool speaks_against_edits(RunVerdict verdict) {
  return verdict == RunVerdict::kNeeded || verdict == RunVerdict::kOtherEdits ||
         verdict == RunVerdict::kOtherWork;
}

/// Redundant operations of one pattern, with what they cost and what to write instead.
struct Finding {
  std::string pattern;  ///< design vocabulary: "round_trip_transfer", "per_iteration_mapping"
  std::string file;
  int line = 0;
  std::string variable;            ///< names of the data, "u, u_tmp"; empty if none or unknown
  std::uint64_t count = 0;         ///< redundant operations (or launches, or regions)
  std::uint64_t wasted_bytes = 0;  ///< that need not have been transferred
  std::uint64_t transfers = 0;     ///< of these bytes; `count` may be of one direction alone
  /// Of repeated_allocation, unused_allocation and device_leak: device memory that need not have
  /// been allocated, or left there.
  std::uint64_t allocated_bytes = 0;
  /// Sum of the redundant operations' durations; of mapper_walk the host's time besides them.
  Nanoseconds wasted_time = 0;
  bool timed = true;  ///< false if some have only an enqueue time: then wasted_time is not known
  bool with_allocations = false;  ///< some of them are allocations or deletes
  Confidence confidence = Confidence::kPossible;
  /// Operations or executions that were examined (for findings on content: compared),
  std::uint64_t examined = 0;
  std::uint64_t of = 0;         ///< of this many
  Facts facts;                  ///< what it rests on
  std::vector<Caveat> caveats;  ///< empty, unless the confidence is kPossible
  /// Equal in another run of the program, and where its lines have moved: 16 hexadecimal digits.
  std::string id;
  std::vector<EditData> data;         ///< what the edits name
  std::vector<Edit> edits;            ///< in the order in which a reader makes them
  std::vector<Unless> unless;         ///< each once
  std::vector<SourceAnswer> answers;  ///< of the source, to conditions, those of `unless` first
  /// Unexecuted directives in the code of the loop that edits would rest on. If there are any,
  /// there are no edits.
  std::vector<UnreachedDirective> unreached;
  /// Edits that only the source can resolve. They concern
  /// - code that the run did not execute,
  /// - directives that must not run at times (Remark::Kind::kRunsAtTimes),
  /// - data that has its name in a loop alone (Remark::Kind::kMakeOnce),
  /// - old copies (Caveat::Kind::kOldCopy).
  std::vector<Edit> withheld_edits;
  std::vector<Remark> remarks;
  SourcePatch patch;  ///< the edits in the program's sources, if these were read
  /// Device memory that the edits keep at one time, beyond what single directives had there.
  std::uint64_t memory_bytes = 0;
  std::vector<std::size_t> directives;  ///< rows of Analysis::directives that it is about
  std::vector<std::size_t> variables;   ///< rows of Analysis::variables
  std::vector<std::size_t> loops;       ///< rows of Analysis::loops that it happened in
  std::vector<RunVerdict> runs;         ///< one a run, its own too; empty: of one run alone
};

/// How far the rules of facts::ClauseEffect could be checked.
struct ClauseChecks {
  std::uint64_t directives = 0;  ///< that map or update data
  std::uint64_t checked = 0;     ///< of these: the items of their clauses are known
  /// Events of the run are missing: no rule on absent events is applied.
  bool is_part = false;
  bool need_sources = false;  ///< the source of target regions, which was not read, would show more
  /// Results that were not copied back, where the source does not show whether the host reads them:
  /// "p at help.c:7: its name stands for several pieces of data". Each once.
  std::set<std::string> unjudged;
};

/// The savings of findings below the threshold for Analysis::findings. Each of them saves less than
/// a hundredth of the run's bytes, and few of its operations.
struct Withheld {
  std::uint64_t findings = 0;
  std::uint64_t transfers = 0;  ///< their transfers, each once, that no other finding has
  std::uint64_t bytes = 0;      ///< that these transfers moved
  std::uint64_t allocations = 0;
  /// Transfers of at most 256 bytes that no finding has: most detectors leave these out.
  std::uint64_t small_transfers = 0;
};

/// Transfers of content that was there already, and that no finding is about. A kernel may have
/// changed the data though the maps do not show it, or no edit is known that avoids them.
struct Doubt {
  enum class Reason : std::uint8_t {
    kNoChangeKnown,
    kDeviceAddress,         ///< the program was given the data's address on the device
    kMappedPointer,         ///< a mapped pointer points to it
    kDeclareTargetPointer,  ///< pointers in `declare target` variables may
    kPointerTable,          ///< pointers in mapped data, or in device memory, may
    kUnnamedData,  ///< clauses of kernels are not known, or kernels may name a global variable
  };
  Reason reason = Reason::kNoChangeKnown;
  std::uint64_t transfers = 0;
  std::uint64_t bytes = 0;
};

/// The times of the run without the redundant operations of findings, each left out once; to be
/// compared with Analysis::program_wall.
struct Prediction {
  Nanoseconds wall = 0;
  Nanoseconds transfer = 0;            ///< sum of the remaining transfers' durations
  std::uint64_t spared_transfers = 0;  ///< that would not take place
  std::uint64_t spared_bytes = 0;      ///< that would not be transferred
  /// Some of these are copies back that are needed if the host reads them.
  bool at_most = false;
};

/// Unions of intervals: time during which at least one such operation was running on any device.
struct Headline {
  bool measured = false;      ///< false if a transfer or kernel has only an enqueue time: no shares
  bool host_clock = false;    ///< some of these intervals are from the host's clock
  bool device_clock = false;  ///< some are from the device's
  bool model_clock = false;   ///< some are from a model of a link
  /// The time that shares are of: Analysis::program_wall. If the recording has only a part of the
  /// run (Recording::detail): the length of that part.
  Nanoseconds span = 0;
  Nanoseconds transfer = 0;  ///< HtoD, DtoH and DtoD of the program
  /// `transfer`, allocations, deletes, and data directives from begin to end.
  Nanoseconds movement = 0;
  Nanoseconds kernel = 0;
  Nanoseconds device = 0;    ///< transfers, memsets and kernels together
  std::size_t top = kNoRow;  ///< the row of Analysis::directives that moved most bytes
};

/// Whether data movement is what takes a run's time.
enum class Verdict : std::uint8_t {
  kDominates,
  kMatters,    ///< it costs time, and most time goes elsewhere
  kNoProblem,  ///< whatever of it is redundant, the run is not slow because of it
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

/// How long the host waited at one directive, in CUDA calls that return when the device is done.
struct HostWait {
  std::size_t directive = kNoRow;  ///< row of Analysis::directives; kNoRow: at none that is known
  std::uint64_t count = 0;
  Nanoseconds total = 0;
  Nanoseconds average = 0;
  Nanoseconds maximum = 0;
  Nanoseconds kernels = 0;  ///< of `total`: a kernel ran that the host waited for
  Nanoseconds copies = 0;   ///< a copy or memset ran that the host waited for, and no such kernel
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

/// Device memory of one directive, variable and caller.
struct MemoryHolder {
  std::string name;         ///< of the variable; empty: not known
  SourcePlace place = {};   ///< of the directive that allocated it
  SourcePlace caller = {};  ///< that called the directive's function; no file: not known
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
};

/// Device memory of a device over the run.
struct MemoryRow {
  std::int32_t device = -1;
  std::uint64_t peak = 0;                  ///< most bytes at one time
  Nanoseconds at = 0;                      ///< when they were first reached
  SourcePlace place = {};                  ///< of the directive that allocated them last
  std::vector<MemoryHolder> holders = {};  ///< of the peak, most bytes first
  std::vector<MemoryHolder> left = {};     ///< at the process's end, if that was recorded
};

/// The results for one trace.
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
  /// The wall time of the process, less the time that hashing by the recorder added to it.
  Nanoseconds program_wall = 0;
  Recording recording;
  std::int32_t host_device = -1;
  std::vector<Device> devices;
  std::vector<Loss> losses;
  Totals totals;
  std::vector<CopySizes> copy_sizes;     ///< of directions that have transfers
  std::vector<Activity> activities;      ///< copies, memsets and kernels, longest first
  std::vector<Activity> api_calls;       ///< allocations and deletes, longest first
  std::vector<DirectiveRow> directives;  ///< most bytes first
  std::vector<VariableRow> variables;    ///< most bytes first
  std::vector<LoopRow> loops;            ///< in order of the first iteration
  std::vector<Finding> findings;         ///< what would save most time first
  /// Data clauses that did not do what they say (facts::ClauseEffect), wrong values first.
  std::vector<Finding> mapping;
  ClauseChecks clause_checks;  ///< how far these were checked
  Withheld withheld;           ///< savings of the findings in `too_small`
  /// Findings below threshold: another run of the program may report them.
  std::vector<Finding> too_small;
  std::vector<Doubt> doubts;  ///< by reason
  /// Operations that were redundant in this run, and that the program needs by its source.
  /// Finding::answers says why.
  std::vector<Finding> refuted;
  /// Whether some transfers are needed only if kernels change data that their clauses let them
  /// write: contents were the same, or all zero.
  bool kernels_decide = false;
  bool sources_asked = false;  ///< findings are judged by the program's sources, too
  /// Questions on findings that the sources could answer, and Trace::host_facts does not.
  std::vector<SourceQuestion> source_questions;
  std::optional<Prediction> prediction;  ///< without findings that are certain, proven or likely
  /// The same, also without findings that are kPossible; none if no such finding saves anything.
  std::optional<Prediction> possible_prediction;
  Headline headline;
  std::vector<MemoryRow> memory;      ///< by device; of what was recorded event by event
  std::vector<DeviceUse> device_use;  ///< by device; empty without records of CUPTI
  /// Longest first, then those at no known directive; empty without records of CUPTI.
  std::vector<HostWait> host_waits;
  std::vector<StartLatency> start_latencies;  ///< by type; empty without records of CUPTI
  std::vector<UnfinishedRegion> unfinished;
  /// Of the first of a job's ranks that are reported together: the data that these staged through
  /// the host.
  std::vector<Staging> staging;
};

/// The sums alone: totals, activities, directives, variables, and the process. No loops, findings,
/// shares or unfinished regions. Linear in the number of operations.
Analysis tabulate(const Trace& trace);

/// Everything above of one trace. Linear in the number of operations, but for a sort of durations.
Analysis analyze(const Trace& trace);

/// Adds `other` to `sum`.
void add(Totals& sum, const Totals& other);

/// Whether any directive was executed or any operation was seen: if not, nothing can be said of the
/// program.
bool has_target_events(const Analysis& analysis);

/// Whether the runtime's data operations could be delivered to the recorder. If they could not, or
/// without EMI callbacks, zeros in the tables mean "not known".
bool knows_transfers(const Analysis& analysis);

/// The same of a recording by itself.
bool has_transfers(const Recording& recording);

/// Whether events of the run are missing: some were lost, or the trace is cut short. Figures are of
/// what is left then.
bool lacks_events(const Analysis& analysis);

/// Whether all of the run is recorded event by event (ompdm/trace.h), and nothing is missing.
bool is_recorded_whole(const Analysis& analysis);

/// Whether a prediction is of a wall time that is a hundredth less than the run's or better.
bool saves_time(const Analysis& analysis, const std::optional<Prediction>& prediction);

/// Whether there is a prediction, of a wall time that is a hundredth less than the run's or better:
/// runs differ by that of themselves.
bool saves_time(const Analysis& analysis);

/// The verdict on recordings that are reported together, their times added up. Times have to be
/// those of a device: by its own clock, or by a model of a link and of kernels.
/// - kDominates: movement took half of the wall time. Or it took a tenth of the wall time, and
///   transfers took half of the device's time.
/// - kNoProblem: movement took less than a twentieth of the wall time, and transfers took less than
///   half of the device's time.
/// On host devices only kNoProblem is judged: there is at most a transfer in ten launches, and at
/// most 256 bytes a launch.
Verdict verdict_of(std::span<const Analysis> analyses);

/// Whether the times of these are those of a device: by its own clock, or by a model of link and
/// kernels. Shares of such times are valid elsewhere, too.
bool has_device_times(std::span<const Analysis> analyses);

/// A directive as OpenMP spells it without the sentinel: "target enter data"; "api" and "runtime"
/// for the others.
std::string_view directive_name(Directive directive);

/// "HtoD", "DtoH", "DtoD", "memset", "kernel", "alloc" or "delete".
std::string_view activity_type_name(ActivityType type);

/// What an iteration's time went into. At an instant at which several run, it is the first of
/// these.
enum class IterationPart : std::uint8_t {
  kKernel,
  kHtoD,
  kDtoH,
  kOnDevice,    ///< copies between devices, memsets
  kAllocation,  ///< allocations and deletes
  kHost,        ///< none of these
};
inline constexpr std::size_t kIterationParts = 6;

/// One iteration of a loop, or several neighbours summed.
struct Iteration {
  std::uint64_t count = 1;
  Nanoseconds begin = 0;
  Nanoseconds end =
      0;  ///< the next iteration's begin; of an entry's last iteration the end of its last step
  bool first = false;    ///< of its entry
  Nanoseconds wall = 0;  ///< end - begin - hashing; of several the sum of each
  /// By part: they add up to `wall`.
  std::array<Nanoseconds, kIterationParts> time{};
  /// Of `time`, that of operations which findings call redundant.
  std::array<Nanoseconds, kIterationParts> needless{};
  Nanoseconds hashing = 0;  ///< what the recorder spent on contents meanwhile
  std::uint64_t htod_bytes = 0;
  std::uint64_t dtoh_bytes = 0;
  std::uint64_t needless_bytes = 0;  ///< of both
};

/// Positions are those in the trace on its devices' clock (analysis/device_clock.h), rows those of
/// the analysis made with it.
struct Picture {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::vector<std::uint32_t> finding_of_op;      ///< row of Analysis::findings that has it, kNone
  std::vector<std::uint32_t> directive_of_site;  ///< row of Analysis::directives, kNone
  /// By row of Analysis::loops, in order of time. Overlaps of threads that share a loop are in
  /// each of their iterations.
  std::vector<std::vector<Iteration>> iterations;
};

/// As analyze(trace), and what a picture of it needs.
Analysis analyze(const Trace& trace, Picture& picture);

/// Adds `finding` to Analysis::findings, before those that would save less time. Its pattern is a
/// name of the detector's own in snake_case ("oversized_transfer"); the report says it with blanks.
/// Its rows (`directives`, `variables`, `loops`) are positions in the analysis's tables. An empty
/// id is made of pattern, file and variable, so that it is the same in another run. Predictions and
/// a picture of the run do not change, since the finding's operations are not known. Throws Error
/// if the pattern is no such name or if a row does not exist; then nothing is added.
void add_finding(Analysis& analysis, Finding finding);

/// A hash of what a row is recognised by: 16 hexadecimal digits.
std::string row_id(std::string_view what);

/// Ids of a table's rows: those that have all of `what` in common are told apart by their order.
class RowIds {
 public:
  std::string of(const std::string& what);

 private:
  std::map<std::string, std::uint64_t> known_;
};

}  // namespace ompdm::analysis
