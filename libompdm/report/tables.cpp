#include "report/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ompdm::report {
namespace {

using analysis::Analysis;
using analysis::Flow;

/// A table whose rows are put together from those of each recording.
class Builder {
 public:
  Builder(Analyses analyses, Table table) : ranks_(ranks_of(analyses)), table_(std::move(table)) {
    if (ranks_.key.empty()) return;
    const std::string title = ranks_.key == "rank" ? "Rank" : "PID";
    table_.columns.insert(table_.columns.begin(), {ranks_.key, title, Unit::kCount});
  }

  void add(std::size_t recording, std::vector<Cell> row) {
    std::vector<Cell>& whole = table_.rows.emplace_back();
    whole.reserve(row.size() + 1);
    if (!ranks_.key.empty()) whole.push_back(ranks_.labels[recording]);
    for (Cell& cell : row) whole.push_back(std::move(cell));
  }

  Table take() { return std::move(table_); }

 private:
  Ranks ranks_;
  Table table_;
};

Cell number(std::uint64_t value) { return static_cast<std::int64_t>(value); }

std::string clock_name(Clock clock) {
  switch (clock) {
    case Clock::kHost:
      return "host";
    case Clock::kDevice:
      return "device";
    case Clock::kEnqueue:
      break;
  }
  return "enqueue";
}

/// "target enter data in main".
std::string described(const analysis::DirectiveRow& row) {
  const std::string text = SourceNames::directive(row);
  return row.function.empty() || row.line == 0 ? text : text + " in " + row.function;
}

/// Bytes or a number of transfers; unknown where the runtime reports none.
Cell moved(const Analysis& one, std::uint64_t value) {
  return analysis::knows_transfers(one) ? number(value) : Cell();
}

/// A duration that is known only if transfers are, and more than their enqueueing was timed.
Cell timed(const Analysis& one, bool known, Nanoseconds duration) {
  if (!analysis::knows_transfers(one)) return {};
  return known ? Cell(std::int64_t{duration}) : Cell(std::string("enqueue"));
}

std::string variable_name(const analysis::VariableRow& row, const SourceNames& names) {
  std::string text = row.name.empty() ? fmt::format("{:#x}", row.address) : row.name;
  if (!row.aliases.empty()) text += fmt::format(" (also {})", fmt::join(row.aliases, ", "));
  const std::string place = names.place(row.file, row.line);
  return place.empty() ? text : text + ' ' + place;
}

}  // namespace

Ranks ranks_of(Analyses analyses) {
  Ranks ranks;
  if (analyses.size() < 2) return ranks;
  ranks.key = "rank";
  std::set<std::int32_t> distinct;
  for (const Analysis& analysis : analyses) {
    if (analysis.process.rank < 0 || !distinct.insert(analysis.process.rank).second) {
      ranks.key = "pid";
    }
  }
  for (const Analysis& analysis : analyses) {
    ranks.labels.push_back(ranks.key == "rank" ? std::int64_t{analysis.process.rank}
                                               : std::int64_t{analysis.process.pid});
  }
  return ranks;
}

std::vector<std::size_t> directive_offsets(Analyses analyses) {
  std::vector<std::size_t> offsets;
  std::size_t offset = 0;
  for (const Analysis& analysis : analyses) {
    offsets.push_back(offset);
    offset += analysis.directives.size();
  }
  return offsets;
}

analysis::Totals totals_of(Analyses analyses) {
  analysis::Totals totals;
  for (const Analysis& analysis : analyses) analysis::add(totals, analysis.totals);
  return totals;
}

Table traces_table(Analyses analyses) {
  Builder table(analyses, {"traces",
                           "Recordings",
                           {{"wall_ns", "Wall", Unit::kTime},
                            {"HtoD_bytes", "HtoD", Unit::kBytes},
                            {"DtoH_bytes", "DtoH", Unit::kBytes},
                            {"transfer_union_ns", "Movement", Unit::kTime},
                            {"kernel_union_ns", "Kernels", Unit::kTime},
                            {"host", "Host"},
                            {"program", "Program", Unit::kText, Audience::kData},
                            {"file", "File"}},
                           {}});
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    const Analysis& one = analyses[i];
    table.add(
        i, {one.process.wall, moved(one, one.totals.htod.bytes), moved(one, one.totals.dtoh.bytes),
            timed(one, one.headline.measured, one.headline.transfer),
            timed(one, one.headline.measured, one.headline.kernel), one.process.host,
            one.process.program, one.file});
  }
  return table.take();
}

Table totals_table(Analyses analyses) {
  Table table{"totals",
              "Totals",
              {{"quantity", "What"},
               {"count", "Count", Unit::kCount},
               {"bytes", "Bytes", Unit::kBytes},
               {"time_ns", "Time", Unit::kTime}},
              {}};
  const analysis::Totals totals = totals_of(analyses);
  const auto add = [&](const char* name, const Flow& flow, bool has_bytes) {
    table.rows.push_back(
        {name, number(flow.count), has_bytes ? number(flow.bytes) : Cell(), flow.time});
  };
  add("HtoD", totals.htod, true);
  add("DtoH", totals.dtoh, true);
  add("DtoD", totals.dtod, true);
  add("memset", totals.memset, true);
  add("alloc", totals.alloc, true);
  add("delete", totals.remove, true);
  add("kernel", totals.kernel, false);
  add("region", totals.region, false);
  add("runtime_internal", totals.runtime_internal, true);
  return table;
}

Table activities_table(Analyses analyses, const SourceNames& names, bool api_calls) {
  Builder table(analyses, {api_calls ? "api_calls" : "activities",
                           api_calls ? "Allocations and deletes" : "GPU activities",
                           {{"type", "Type", Unit::kText, Audience::kData},
                            {"percent", "Time(%)", Unit::kPercent},
                            {"total_ns", "Time", Unit::kTime},
                            {"count", "Calls", Unit::kCount},
                            {"avg_ns", "Avg", Unit::kTime},
                            {"med_ns", "Med", Unit::kTime},
                            {"min_ns", "Min", Unit::kTime},
                            {"max_ns", "Max", Unit::kTime},
                            {"stddev_ns", "StdDev", Unit::kTime},
                            {"bytes", "Bytes", Unit::kBytes, Audience::kAll, true},
                            {"clock", "Clock"},
                            {"name", "Name"}},
                           {}});
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    for (const auto& row : api_calls ? analyses[i].api_calls : analyses[i].activities) {
      table.add(i, {std::string(analysis::activity_type_name(row.type)),
                    row.percent ? Cell(*row.percent) : Cell(), row.total, number(row.count),
                    row.average, row.median, row.minimum, row.maximum, row.deviation,
                    number(row.bytes), clock_name(row.clock), names.activity(row)});
    }
  }
  return table.take();
}

Table directives_table(Analyses analyses, const SourceNames& names) {
  // Where the runtime tells no transfers, what the clauses name is all there is.
  const bool no_transfers = !std::ranges::all_of(analyses, analysis::knows_transfers);
  const Audience mapped = no_transfers ? Audience::kAll : Audience::kData;
  Builder table(analyses, {"directives",
                           "Movement by directive",
                           {{"count", "Count", Unit::kCount},
                            {"HtoD_bytes", "HtoD", Unit::kBytes},
                            {"HtoD_count", "Calls", Unit::kCount},
                            {"DtoH_bytes", "DtoH", Unit::kBytes},
                            {"DtoH_count", "Calls", Unit::kCount},
                            {"DtoD_bytes", "DtoD", Unit::kBytes, Audience::kAll, true},
                            {"DtoD_count", "Calls", Unit::kCount, Audience::kAll, true},
                            {"mapped_bytes", "Mapped", Unit::kBytes, mapped},
                            {"alloc_count", "Allocs", Unit::kCount, Audience::kAll, true},
                            {"kernel_count", "Kernels", Unit::kCount},
                            {"fallback_count", "On host", Unit::kCount, Audience::kAll, true},
                            {"transfer_ns", "Transfers", Unit::kTime},
                            {"time_ns", "Time", Unit::kTime},
                            {"place", "Where", Unit::kText, Audience::kReader},
                            {"what", "Directive", Unit::kText, Audience::kReader},
                            {"directive", "", Unit::kText, Audience::kData},
                            {"file", "", Unit::kText, Audience::kData},
                            {"line", "", Unit::kCount, Audience::kData},
                            {"function", "", Unit::kText, Audience::kData}},
                           {}});
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    for (const auto& row : analyses[i].directives) {
      table.add(i, {number(row.count), moved(analyses[i], row.htod.bytes),
                    moved(analyses[i], row.htod.count), moved(analyses[i], row.dtoh.bytes),
                    moved(analyses[i], row.dtoh.count), moved(analyses[i], row.dtod.bytes),
                    moved(analyses[i], row.dtod.count), number(row.mapped_bytes),
                    moved(analyses[i], row.alloc_count), moved(analyses[i], row.kernel_count),
                    number(row.fallback_count),
                    timed(analyses[i], row.timed, row.htod.time + row.dtoh.time + row.dtod.time),
                    row.time, names.place(row), described(row),
                    std::string(analysis::directive_name(row.directive)), row.file,
                    std::int64_t{row.line}, row.function});
    }
  }
  return table.take();
}

Table variables_table(Analyses analyses, const SourceNames& names) {
  Builder table(analyses, {"variables",
                           "Movement by variable",
                           {{"HtoD_bytes", "HtoD", Unit::kBytes},
                            {"HtoD_count", "Calls", Unit::kCount},
                            {"DtoH_bytes", "DtoH", Unit::kBytes},
                            {"DtoH_count", "Calls", Unit::kCount},
                            {"transfer_ns", "Transfers", Unit::kTime},
                            {"bytes", "Size", Unit::kBytes},
                            {"variable", "Variable", Unit::kText, Audience::kReader},
                            {"name", "", Unit::kText, Audience::kData},
                            {"file", "", Unit::kText, Audience::kData},
                            {"line", "", Unit::kCount, Audience::kData},
                            {"aliases", "", Unit::kText, Audience::kData}},
                           {}});
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    for (const auto& row : analyses[i].variables) {
      table.add(i, {moved(analyses[i], row.htod.bytes), moved(analyses[i], row.htod.count),
                    moved(analyses[i], row.dtoh.bytes), moved(analyses[i], row.dtoh.count),
                    timed(analyses[i], row.timed, row.htod.time + row.dtoh.time), number(row.bytes),
                    variable_name(row, names), row.name, row.file, std::int64_t{row.line},
                    fmt::format("{}", fmt::join(row.aliases, " "))});
    }
  }
  return table.take();
}

Table iterations_table(Analyses analyses, const SourceNames& names) {
  const std::vector<std::size_t> offsets = directive_offsets(analyses);
  Builder table(analyses, {"iterations",
                           "Loops: cost of a pass after the first",
                           {{"count", "Passes", Unit::kCount},
                            {"entries", "", Unit::kCount, Audience::kData},
                            {"entered", "Entered", Unit::kCount, Audience::kReader, true},
                            {"HtoD_bytes", "HtoD", Unit::kBytes},
                            {"DtoH_bytes", "DtoH", Unit::kBytes},
                            {"transfer_ns", "Transfers", Unit::kTime},
                            {"kernel_ns", "Kernels", Unit::kTime},
                            {"wall_ns", "Wall", Unit::kTime},
                            {"first_HtoD_bytes", "1st HtoD", Unit::kBytes},
                            {"first_DtoH_bytes", "1st DtoH", Unit::kBytes},
                            {"first_transfer_ns", "", Unit::kTime, Audience::kData},
                            {"first_kernel_ns", "", Unit::kTime, Audience::kData},
                            {"first_wall_ns", "1st wall", Unit::kTime},
                            {"loop", "Loop over", Unit::kText, Audience::kReader},
                            {"directives", "", Unit::kText, Audience::kData}},
                           {}});
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    for (const auto& row : analyses[i].iterations) {
      std::vector<std::string> places;
      std::vector<std::size_t> positions;
      for (const std::size_t directive : row.directives) {
        places.push_back(names.place(analyses[i].directives[directive]));
        positions.push_back(offsets[i] + directive);
      }
      table.add(
          i,
          {number(row.count), number(row.entries), row.entries > 1 ? number(row.entries) : Cell(),
           moved(analyses[i], row.steady.htod_bytes), moved(analyses[i], row.steady.dtoh_bytes),
           timed(analyses[i], row.timed, row.steady.transfer),
           timed(analyses[i], row.timed, row.steady.kernel), row.steady.wall,
           moved(analyses[i], row.first.htod_bytes), moved(analyses[i], row.first.dtoh_bytes),
           timed(analyses[i], row.timed, row.first.transfer),
           timed(analyses[i], row.timed, row.first.kernel), row.first.wall,
           fmt::format("{}", fmt::join(places, ", ")),
           fmt::format("{}", fmt::join(positions, " "))});
    }
  }
  return table.take();
}

Table findings_table(Analyses analyses, const SourceNames& names) {
  constexpr const char* kConfidence[] = {"certain", "likely", "possible"};
  Builder table(analyses, {"findings",
                           "Findings",
                           {{"pattern", "Pattern"},
                            {"place", "Where", Unit::kText, Audience::kReader},
                            {"file", "", Unit::kText, Audience::kData},
                            {"line", "", Unit::kCount, Audience::kData},
                            {"variable", "Variable"},
                            {"count", "Count", Unit::kCount},
                            {"wasted_bytes", "Wasted", Unit::kBytes},
                            {"wasted_ns", "Wasted time", Unit::kTime},
                            {"confidence", "Confidence"},
                            {"examined", "Examined", Unit::kCount},
                            {"of", "Of", Unit::kCount},
                            {"evidence", "Evidence"},
                            {"advice", "Advice"}},
                           {}});
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    for (const auto& row : analyses[i].findings) {
      table.add(i, {row.pattern, names.place(row.file, row.line), row.file, std::int64_t{row.line},
                    row.variable, number(row.count), number(row.wasted_bytes), row.wasted_time,
                    kConfidence[static_cast<std::size_t>(row.confidence)], number(row.examined),
                    number(row.of), row.evidence, row.advice});
    }
  }
  return table.take();
}

Table losses_table(Analyses analyses) {
  Builder table(analyses,
                {"losses", "Losses", {{"name", "Name"}, {"count", "Count", Unit::kCount}}, {}});
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    for (const Loss& loss : analyses[i].losses) table.add(i, {loss.name, number(loss.count)});
  }
  return table.take();
}

std::vector<Table> all_tables(Analyses analyses, const SourceNames& names) {
  return {traces_table(analyses),
          totals_table(analyses),
          activities_table(analyses, names, false),
          activities_table(analyses, names, true),
          directives_table(analyses, names),
          variables_table(analyses, names),
          iterations_table(analyses, names),
          findings_table(analyses, names),
          losses_table(analyses)};
}

}  // namespace ompdm::report
