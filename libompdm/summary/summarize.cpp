#include <algorithm>
#include <initializer_list>

#include "analysis/row_figures.h"
#include "analysis/tables.h"
#include "ompdm/analysis.h"
#include "ompdm/summary.h"
#include "trace_files/trace_schema.h"

namespace ompdm::summary {
namespace {

using analysis::Analysis;

/// The summary of one rank.
class Summarizer {
 public:
  Summarizer(const Analysis& analysis, std::int32_t rank) : of_(analysis), rank_(rank) {}

  Summary summary(const analysis::Durations& durations) {
    all_.ranks = RankSet(rank_);
    add_process();
    put(all_.totals, analysis::figures_of(of_));
    all_.totals["process_count"].add(rank_, 1);
    for (const auto* table : {&of_.activities, &of_.api_calls}) {
      for (const analysis::Activity& row : *table) {
        add(all_.activities, row, row.line,
            {{"type", analysis::activity_type_name(row.type)},
             {"clock", trace_schema::word_of(row.clock)},
             {"function", row.function},
             {"file", row.file}})
            .durations = durations.activities.at(row.id);
      }
    }
    for (const analysis::DirectiveRow& row : of_.directives) {
      add(all_.directives, row, row.line,
          {{"directive", analysis::directive_name(row.directive)},
           {"file", row.file},
           {"function", row.function},
           {"api", row.api},
           {"module", row.line == 0 ? row.module : std::string_view()}})
          .durations = durations.directives.at(row.id);
    }
    for (const analysis::VariableRow& row : of_.variables) {
      add(all_.variables, row, row.line, {{"name", row.name}, {"file", row.file}});
    }
    for (const analysis::LoopRow& row : of_.loops) {
      add(all_.loops, row, row.line, {{"file", row.file}, {"function", row.function}});
    }
    for (const analysis::Finding& row : of_.findings) {
      add(all_.findings, row, row.line,
          {{"pattern", row.pattern}, {"file", row.file}, {"variable", row.variable}})
          .confidences[word_of(row.confidence)] = 1;
    }
    for (const analysis::Finding& row : of_.mapping) {
      const auto stake = std::get<analysis::facts::ClauseEffect>(row.facts).stake;
      add(all_.mapping, row, row.line,
          {{"pattern", row.pattern},
           {"stake", analysis::kStakes[static_cast<std::size_t>(stake)]},
           {"file", row.file},
           {"variable", row.variable}})
          .confidences[word_of(row.confidence)] = 1;
    }
    return std::move(all_);
  }

 private:
  static const char* word_of(analysis::Confidence confidence) {
    return analysis::kConfidences[static_cast<std::size_t>(confidence)];
  }

  /// Figures that are not known are left out: zeros would mean something else.
  void put(std::map<std::string, Figure>& figures, const analysis::RowFigures& known) {
    for (const analysis::RowFigure& one : known) {
      if (!one.value) continue;
      figures[one.name].add(rank_,
                            static_cast<std::uint64_t>(std::max(std::int64_t{0}, *one.value)));
    }
  }

  /// Adds a row of the report, and `what` it is of.
  template <class Of>
  Row& add(Rows& rows, const Of& of, int line,
           std::initializer_list<std::pair<const char*, std::string_view>> what) {
    Row& row = rows[of.id];
    row.ranks = RankSet(rank_);
    row.line = line;
    for (const auto& [name, value] : what) {
      if (!value.empty()) row.what[name] = value;
    }
    put(row.figures, analysis::figures_of(of_, of));
    return row;
  }

  void fact(const std::string& name, const std::string& value) {
    if (!value.empty()) all_.facts[name][value] = RankSet(rank_);
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
    fact("reach", std::string(trace_schema::word_of(of_.recording.reach)));
    fact("hashing", of_.recording.hashing);
    if (of_.recording.detail != Recording::Detail::kEvents)
      fact("detail", std::string(trace_schema::word_of(of_.recording.detail)));
    for (const Loss& loss : of_.losses) all_.losses[loss.name].add(rank_, loss.count);
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
