#include <algorithm>

#include "analysis/tables.h"
#include "ompdm/analysis.h"
#include "ompdm/summary.h"
#include "trace_files/trace_schema.h"

namespace ompdm::summary {
namespace {

using analysis::Analysis;
using analysis::Flow;

std::uint64_t length(Nanoseconds duration) {
  return static_cast<std::uint64_t>(std::max(Nanoseconds{0}, duration));
}

/// Of one rank.
class Summarizer {
 public:
  Summarizer(const Analysis& analysis, std::int32_t rank) : of_(analysis), rank_(rank) {}

  Summary summary(const analysis::Durations& durations) {
    all_.ranks = RankSet(rank_);
    add_process();
    add_totals();
    for (const auto& row : of_.activities) add(row, durations);
    for (const auto& row : of_.api_calls) add(row, durations);
    for (const auto& row : of_.directives) add(row, durations);
    for (const auto& row : of_.variables) add(row);
    for (const auto& row : of_.iterations) add(row);
    for (const auto& row : of_.findings) add(row);
    return std::move(all_);
  }

 private:
  using Figures = std::map<std::string, Figure>;

  void put(Figures& figures, const std::string& name, std::uint64_t value) {
    figures[name].add(rank_, value);
  }

  void put(Figures& figures, const std::string& name, const Flow& flow) {
    put(figures, name + "_bytes", flow.bytes);
    put(figures, name + "_count", flow.count);
  }

  void fact(const std::string& name, const std::string& value) {
    if (!value.empty()) all_.facts[name][value] = RankSet(rank_);
  }

  Row& row_in(Rows& rows, const std::string& id) {
    Row& row = rows[id];
    row.ranks = RankSet(rank_);
    return row;
  }

  static void say(Row& row, const std::string& what, std::string_view value) {
    if (!value.empty()) row.what[what] = value;
  }

  void add_process() {
    const Process& process = of_.process;
    all_.rank_count = process.rank < 0 ? 1 : process.rank_count;
    all_.begin_ns = process.start_realtime_ns;
    all_.end_ns = process.start_realtime_ns + process.wall;
    all_.processes = {{process.host, process.pid, process.process_group, process.session,
                       process.start_realtime_ns, std::max(Nanoseconds{0}, process.wall)}};
    if (!of_.recording.finished) all_.killed = RankSet(rank_);
    if (of_.truncated) all_.truncated = RankSet(rank_);
    fact("host", process.host);
    fact("program", process.program);
    fact("ompdm_version", of_.recording.ompdm_version);
    fact("runtime", of_.recording.runtime);
    fact("reach", of_.recording.reach);
    fact("hashing", of_.recording.hashing);
    fact("detail", of_.recording.detail);
    for (const Loss& loss : of_.losses) put(all_.losses, loss.name, loss.count);
  }

  // What is known: zeros mean something else where the runtime tells of no transfers.
  void add_totals() {
    put(all_.totals, "process_count", 1);
    put(all_.totals, "wall_ns", length(of_.process.wall));
    put(all_.totals, "program_wall_ns", length(of_.program_wall));
    const analysis::Totals& totals = of_.totals;
    put(all_.totals, "region_count", totals.region.count);
    put(all_.totals, "region_ns", length(totals.region.time));
    if (!analysis::knows_transfers(of_)) return;
    for (const auto& [name, flow] : {std::pair("HtoD", totals.htod),
                                     {"DtoH", totals.dtoh},
                                     {"DtoD", totals.dtod},
                                     {"memset", totals.memset},
                                     {"alloc", totals.alloc},
                                     {"delete", totals.remove},
                                     {"runtime_internal", totals.runtime_internal}}) {
      put(all_.totals, name, flow);
      put(all_.totals, name + std::string("_ns"), length(flow.time));
    }
    put(all_.totals, "kernel_count", totals.kernel.count);
    put(all_.totals, "kernel_ns", length(totals.kernel.time));
    if (!of_.headline.measured) return;
    put(all_.totals, "transfer_union_ns", length(of_.headline.transfer));
    put(all_.totals, "kernel_union_ns", length(of_.headline.kernel));
  }

  void add(const analysis::Activity& activity, const analysis::Durations& durations) {
    Row& row = row_in(all_.activities, activity.id);
    say(row, "type", analysis::activity_type_name(activity.type));
    say(row, "clock", trace_schema::name_of(trace_schema::kClocks, activity.clock));
    say(row, "function", activity.function);
    say(row, "file", activity.file);
    row.line = activity.line;
    put(row.figures, "count", activity.count);
    put(row.figures, "bytes", activity.bytes);
    put(row.figures, "total_ns", length(activity.total));
    row.durations = durations.activities.at(activity.id);
  }

  void add(const analysis::DirectiveRow& directive, const analysis::Durations& durations) {
    Row& row = row_in(all_.directives, directive.id);
    say(row, "directive", analysis::directive_name(directive.directive));
    say(row, "file", directive.file);
    say(row, "function", directive.function);
    say(row, "api", directive.api);
    if (directive.line == 0) say(row, "module", directive.module);
    row.line = directive.line;
    put(row.figures, "count", directive.count);
    put(row.figures, "time_ns", length(directive.time));
    if (analysis::knows_transfers(of_)) {
      put(row.figures, "HtoD", directive.htod);
      put(row.figures, "DtoH", directive.dtoh);
      put(row.figures, "DtoD", directive.dtod);
      put(row.figures, "alloc_count", directive.alloc_count);
      put(row.figures, "kernel_count", directive.kernel_count);
      if (directive.timed) {
        put(row.figures, "transfer_ns",
            length(directive.htod.time + directive.dtoh.time + directive.dtod.time));
        put(row.figures, "kernel_ns", length(directive.kernel_time));
      }
    }
    row.durations = durations.directives.at(directive.id);
  }

  void add(const analysis::VariableRow& variable) {
    Row& row = row_in(all_.variables, variable.id);
    say(row, "name", variable.name);
    say(row, "file", variable.file);
    row.line = variable.line;
    put(row.figures, "bytes", variable.bytes);
    put(row.figures, "HtoD", variable.htod);
    put(row.figures, "DtoH", variable.dtoh);
    if (variable.timed) {
      put(row.figures, "transfer_ns", length(variable.htod.time + variable.dtoh.time));
    }
  }

  void add(const analysis::Iteration& loop) {
    Row& row = row_in(all_.loops, loop.id);
    say(row, "file", loop.file);
    say(row, "function", loop.function);
    row.line = loop.line;
    put(row.figures, "count", loop.count);
    put(row.figures, "entries", loop.entries);
    put(row.figures, "HtoD_bytes", loop.steady.htod_bytes);
    put(row.figures, "DtoH_bytes", loop.steady.dtoh_bytes);
    put(row.figures, "wall_ns", length(loop.steady.wall));
    if (!loop.timed) return;
    put(row.figures, "transfer_ns", length(loop.steady.transfer));
    put(row.figures, "kernel_ns", length(loop.steady.kernel));
  }

  void add(const analysis::Finding& finding) {
    constexpr const char* kConfidence[] = {"certain", "likely", "possible"};
    Row& row = row_in(all_.findings, finding.id);
    say(row, "pattern", finding.pattern);
    say(row, "file", finding.file);
    say(row, "variable", finding.variable);
    row.line = finding.line;
    put(row.figures, "count", finding.count);
    put(row.figures, "wasted_bytes", finding.wasted_bytes);
    if (finding.timed) put(row.figures, "wasted_ns", length(finding.wasted_time));
    row.confidences[kConfidence[static_cast<std::size_t>(finding.confidence)]] = 1;
  }

  const Analysis& of_;
  std::int32_t rank_;
  Summary all_;
};

}  // namespace

Summary summarize(const Trace& trace) {
  analysis::Picture picture;
  const Analysis analysis = analysis::analyze(trace, picture);
  return Summarizer(analysis, std::max(trace.process.rank, 0))
      .summary(analysis::durations_of(trace, analysis, picture));
}

}  // namespace ompdm::summary
