// The tables of an analysis. Inside the analysis library only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ompdm/aggregates.h"
#include "ompdm/analysis.h"
#include "ompdm/trace.h"

namespace ompdm::analysis {

/// The directive table, and the row of each site.
struct DirectiveTable {
  std::vector<DirectiveRow> rows;
  std::vector<std::uint32_t>
      row_of_site;            ///< by position in Trace::sites; kNoDirective if never executed
  std::uint32_t no_site = 0;  ///< row of operations without a site, kNoDirective if there are none
};
inline constexpr std::uint32_t kNoDirective = Index<Site>::kNone;

/// One executed directive: its symbol, its span, and what it cost, but for `cost.wall`.
struct Step {
  std::uint32_t symbol = 0;
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
  IterationCost cost;
  std::int32_t device = 0;
  Index<CallPath> path;
};

/// One entry into a loop.
struct LoopEntry {
  std::uint32_t sequence = 0;  ///< its number, in the order in which sequences were ended
  Nanoseconds begin = 0;       ///< of its first iteration
  Nanoseconds end = 0;         ///< of its last iteration's last step
  std::uint64_t iterations = 0;
};

/// When an iteration of an entry began.
struct IterationBegin {
  std::uint32_t span = 0;  ///< position in Loop::spans
  Nanoseconds time = 0;
};

/// A loop, all of its entries together.
struct Loop {
  /// Of an iteration in their order, each once, those of inner loops included.
  std::vector<std::uint32_t> symbols;
  std::uint32_t devices = 1;  ///< that an iteration goes over
  Index<CodeLoop> code;  ///< the loop of the program's code; none: found from the order of events
  Frame place;           ///< its place in the source
  ByOrder by_order;      ///< why there is no `code`
  bool begin_unknown = false;  ///< `place` is a line in the loop, whose begin is another line
  Index<CodeLoop> parent;      ///< `code` of the row whose iterations contain all of its entries
  bool at_least = false;       ///< there may have been more iterations, without events
  std::uint64_t iterations = 0;
  std::uint64_t entries = 0;
  bool entries_at_least = false;   ///< it may have been left and entered again without an event
  Nanoseconds begin = 0;           ///< of the first iteration of the first entry
  IterationCost first;             ///< the first iteration of the first entry
  IterationCost first_iterations;  ///< summed over entries: the first iteration of each
  IterationCost total;             ///< summed over all iterations
  std::vector<LoopEntry> spans;    ///< one an entry, in the order in which they were recognized
  std::vector<IterationBegin>
      iteration_begins;  ///< one an iteration, of each entry in order of time
};

/// Adds `cost` to `sum`.
void add(IterationCost& sum, const IterationCost& cost);

/// Loops, and the sequences of threads that they are of.
struct LoopTable {
  std::vector<Loop> rows;
  std::vector<std::uint32_t> sequence_of_thread;  ///< by position in Trace::threads
};

/// Who asked for an operation, and when. For operations of a task: who made the task, and when.
struct Asker {
  std::uint32_t thread = 0;
  Nanoseconds time = 0;
};
/// `op` is a position in Trace::ops.
inline Asker asker_of(const Trace& trace, std::uint32_t op) {
  const Nanoseconds begin = trace.ops.begin_of(op);
  const Index<Region> region = trace.ops.region_of(op);
  if (!region) return {trace.ops.common(op).thread, begin};
  const Region& common = trace.regions.common(region.value);
  const Nanoseconds made = trace.regions.rare(region.value).made;
  return made != 0 ? Asker{common.maker, made} : Asker{common.thread, begin};
}

/// Whether a site is one of that directive.
inline bool is_of(const Trace& trace, Index<Site> site, Directive directive) {
  return site && trace.sites[site.value].directive == directive;
}

/// Row of a site in the table, kNoDirective if it has none.
std::uint32_t row_of(const DirectiveTable& table, Index<Site> site);

/// What the times of an aggregate add up to.
inline Nanoseconds sum_of(const Distribution& times) { return static_cast<Nanoseconds>(times.sum); }

/// How the tables treat an operation of a kind.
struct KindOfOp {
  std::optional<ActivityType> type = {};  ///< the device's activity for it; none: there is none
  Flow Totals::* total = nullptr;
  Flow DirectiveFigures::* flow = nullptr;  ///< of transfers
  IterationPart part = IterationPart::kHost;
};
/// In the order of OpKind.
inline constexpr KindOfOp kKindsOfOp[] = {
    {ActivityType::kAlloc, &Totals::alloc, nullptr, IterationPart::kAllocation},
    {ActivityType::kHtoD, &Totals::htod, &DirectiveFigures::htod, IterationPart::kHtoD},
    {ActivityType::kDtoH, &Totals::dtoh, &DirectiveFigures::dtoh, IterationPart::kDtoH},
    {ActivityType::kDtoD, &Totals::dtod, &DirectiveFigures::dtod, IterationPart::kOnDevice},
    {ActivityType::kMemset, &Totals::memset, nullptr, IterationPart::kOnDevice},
    {ActivityType::kDelete, &Totals::remove, nullptr, IterationPart::kAllocation},
    {},
    {}};
constexpr const KindOfOp& described(OpKind kind) {
  return kKindsOfOp[static_cast<std::size_t>(kind)];
}

/// Whether a kind moves the program's data between memories.
constexpr bool is_transfer(OpKind kind) { return described(kind).flow != nullptr; }

/// Adds `other` to `sum`.
inline void add(Flow& sum, const Flow& other) {
  sum.bytes += other.bytes;
  sum.count += other.count;
  sum.time += other.time;
}

/// Calls `take` with each distinct operation and the sum of those like it, recorded one by one or
/// aggregated.
template <class Take>
void sum_up_ops(const Trace& trace, Take take) {
  sum_up(trace.ops, [&](const DataOp& op, std::uint64_t count, Nanoseconds time) {
    take(op, Flow{count * op.bytes, count, time});
  });
  for (const OpAggregate& aggregate : trace.op_aggregates) {
    take(aggregate.like, Flow{aggregate.bytes, aggregate.times.count, sum_of(aggregate.times)});
  }
}

Totals totals_of(const Trace& trace);

std::vector<CopySizes> copy_sizes_of(const Trace& trace);

/// Copies, memsets and kernels (`api_calls` false), or allocations and deletes (true).
std::vector<Activity> activities_of(const Trace& trace, bool api_calls);

/// Adds the durations of all of these, by their rows' ids.
void add_activities(const Trace& trace, std::map<std::string, Distribution>& durations);

DirectiveTable directives_of(const Trace& trace);

std::vector<VariableRow> variables_of(const Trace& trace);

/// Loops worth reporting, from each thread's sequence of directives. Symbols are twice the
/// directive's row, plus 1 for the end of a `target data`. Threads among which the runtime spreads
/// a loop's deferred directives have one sequence.
LoopTable loops_of(const Trace& trace, const DirectiveTable& directives);

std::vector<LoopRow> loops_of(const Trace& trace, const LoopTable& loops,
                              const DirectiveTable& directives);

/// From the intervals of activities; empty without them.
std::vector<DeviceUse> device_use_of(const Trace& trace);

/// Device memory, by device.
std::vector<MemoryRow> device_memory_of(const Trace& trace);

/// From the synchronizations, and from the activities of the device meanwhile.
std::vector<HostWait> host_waits_of(const Trace& trace, const DirectiveTable& directives);

/// Needs a trace that is not on the device's clock yet.
std::vector<StartLatency> start_latencies_of(const Trace& trace);

/// The wall time of the process without the time for hashing. Threads that transfer data hash at
/// the same time.
Nanoseconds program_wall_of(const Trace& trace);

Headline headline_of(const Trace& trace, const std::vector<DirectiveRow>& directives);

/// Fills in, for each loop of loops_of(), the items whose content was the same in every iteration
/// that was hashed. Also fills in those that changed now and then. Nothing is filled in for loops
/// of which no content was compared. A piece is host storage that is transferred to or from one
/// device. Each entry into a loop is compared by itself. Variables are positions in
/// Trace::variables.
void add_invariants(const Trace& trace, const LoopTable& loops, const DirectiveTable& directives,
                    std::vector<LoopRow>& rows);

/// By row of `loops`; `finding_of_op` by position in Trace::ops, Picture::kNone for an
/// operation of no finding.
std::vector<std::vector<Iteration>> iterations_of(const Trace& trace, const LoopTable& loops,
                                                  const std::vector<std::uint32_t>& finding_of_op);

/// Gives ids to directives and their call paths. Equal rows differ by their order, which is that of
/// the sites in the program.
void identify(std::vector<DirectiveRow>& rows);

/// Gives ids to loops in order of their first iteration; the directives have their ids.
void identify(std::vector<LoopRow>& rows, const std::vector<DirectiveRow>& directives);

/// Follows a trace's operations in their order.
class ApiCalls {
 public:
  /// Whether the operation before this one on its `thread` was of the same `call` (DataOp).
  bool goes_on(std::uint32_t thread, std::uint32_t call) {
    if (last_.size() <= thread) last_.resize(thread + 1);
    const bool same = call != 0 && call == last_[thread];
    last_[thread] = call;
    return same;
  }

 private:
  std::vector<std::uint32_t> last_;  // by thread
};

/// By the rows' ids, in nanoseconds. Unfinished ones are left out; of a `target data` the begin
/// counts.
struct Durations {
  std::map<std::string, Distribution> activities;  ///< allocations and deletes too
  std::map<std::string, Distribution> directives;  ///< of executions, on the host's clock
};

/// `analysis` and `picture` are this trace's.
Durations durations_of(const Trace& trace, const Analysis& analysis, const Picture& picture);

}  // namespace ompdm::analysis
