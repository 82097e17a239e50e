// Tables of a run: totals, variables, activities. Inside the analysis library only.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/repeats.h"
#include "ompdm/analysis.h"

namespace ompdm::analysis {

/// The directive table with the way back from sites to its rows.
struct DirectiveTable {
  std::vector<DirectiveRow> rows;
  std::vector<std::uint32_t>
      row_of_site;            ///< by position in Trace::sites; kNoDirective if never executed
  std::uint32_t no_site = 0;  ///< row of operations without a site, kNoDirective if there are none
};
inline constexpr std::uint32_t kNoDirective = Index<Site>::kNone;

/// Who asked for an operation, and when: for what a task runs, where the task was made.
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

/// Row of a site in the table, kNoDirective if it has none.
std::uint32_t row_of(const DirectiveTable& table, Index<Site> site);

/// What the times of a tally add up to.
inline Nanoseconds sum_of(const Distribution& times) { return static_cast<Nanoseconds>(times.sum); }

/// Whether a kind moves the program's data between memories.
bool is_transfer(OpKind kind);

Totals totals_of(const Trace& trace);

/// What the device does for an operation; none where it does nothing.
std::optional<ActivityType> type_of(OpKind kind);

/// What a kernel's row is called: its type, function, place and clock.
Activity describe_kernel(const Trace& trace, Index<Kernel> kernel, Index<Site> site, Clock clock);

/// Copies, memsets and kernels (`api_calls` false), or allocations and deletes (true).
std::vector<Activity> activities_of(const Trace& trace, bool api_calls);

DirectiveTable directives_of(const Trace& trace);

std::vector<VariableRow> variables_of(const Trace& trace);

/// Loops worth a line, from each thread's sequence of directives: symbols are twice the directive's
/// row, plus 1 for the end of a `target data`. Threads among which the runtime spreads a loop's
/// deferred directives have one sequence.
LoopTable loops_of(const Trace& trace, const DirectiveTable& directives);

std::vector<Iteration> iterations_of(const Trace& trace, const LoopTable& loops,
                                     const DirectiveTable& directives);

/// From the activities' intervals; empty without them.
std::vector<DeviceUse> device_use_of(const Trace& trace);

/// From the synchronizations, what the device did meanwhile from the activities.
std::vector<HostWait> host_waits_of(const Trace& trace, const DirectiveTable& directives);

/// Needs a trace that is not on the device's clock yet.
std::vector<StartLatency> start_latencies_of(const Trace& trace);

/// The wall time of the process, less what looking at contents added to it: threads that move data
/// do so side by side.
Nanoseconds program_wall_of(const Trace& trace);

Headline headline_of(const Trace& trace, const std::vector<DirectiveRow>& directives);

}  // namespace ompdm::analysis
