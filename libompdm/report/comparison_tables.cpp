#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "analysis/row_figures.h"
#include "report/comparison.h"
#include "report/figure_table.h"
#include "report/units.h"

namespace ompdm::report {

namespace {

using analysis::Activity;
using analysis::Analysis;
using analysis::DirectiveRow;
using analysis::Finding;
using analysis::Iteration;
using analysis::RowChain;
using analysis::VariableRow;
using Shown = FigureColumn::Shown;

/// A row's figures and properties by name.
using Values = std::vector<std::pair<std::string, Cell>>;

/// One row in each version; null where a version lacks it.
template <class Row>
using RowOf = std::vector<const Row*>;

Values values_of(const analysis::RowFigures& figures) {
  Values values;
  for (const analysis::RowFigure& one : figures) {
    values.emplace_back(one.name, one.value           ? Cell(*one.value)
                                  : one.only_enqueued ? Cell("enqueue")
                                                      : Cell());
  }
  return values;
}

/// The directives that a loop goes over.
std::string loop_over(const SourceNames& sources, const Analysis& of, const Iteration& row) {
  std::vector<std::string> places;
  for (const std::size_t at : row.directives) places.push_back(sources.place(of.directives[at]));
  return fmt::format("{}", fmt::join(places, ", "));
}

template <class Row>
Values values_of(const SourceNames& sources, const Analysis& of, const Row& row) {
  Values values = values_of(analysis::figures_of(of, row));
  values.emplace_back("file", row.file);
  values.emplace_back("line", std::int64_t{row.line});
  if constexpr (requires { row.function; }) values.emplace_back("function", row.function);
  if constexpr (std::is_same_v<Row, Iteration>) {
    values.emplace_back("loop", loop_over(sources, of, row));
  }
  return values;
}

Values values_of(const SourceNames& sources, const Analysis& of, const Activity& row) {
  const bool is_timed = row.clock != Clock::kEnqueue;
  return {{"count", number(row.count)},
          {"total_ns", timed(of, is_timed, row.total)},
          {"avg_ns", timed(of, is_timed, row.average)},
          {"name", sources.activity(row)}};
}

/// The sum of a column's figures; unknown if one of them is.
Cell cell_of(const Values& values, const FigureColumn& column) {
  std::optional<std::int64_t> sum;
  const std::vector<std::string> names = column.names();
  for (const std::string& name : names) {
    const auto found = std::ranges::find(values, name, &Values::value_type::first);
    if (found == values.end()) return {};
    const auto* number = std::get_if<std::int64_t>(&found->second);
    if (number == nullptr) return names.size() == 1 ? found->second : Cell();
    sum = sum.value_or(0) + *number;
  }
  return sum ? Cell(*sum) : Cell();
}

/// A factor for readers, and as a number.
std::vector<Cell> factor_cells(const std::optional<double>& factor) {
  if (!factor) return {Cell(), Cell()};
  return {ratio_text(*factor), *factor};
}

/// "gone" or "new" for readers where only one version has the row.
std::vector<Cell> ratio_cells(const std::vector<std::optional<Values>>& row,
                              const FigureColumn& column) {
  if (!row.front() || !row.back()) return {row.back() ? "new" : "gone", Cell()};
  const Cell first = cell_of(*row.front(), column);
  const Cell last = cell_of(*row.back(), column);
  const auto* before = std::get_if<std::int64_t>(&first);
  const auto* after = std::get_if<std::int64_t>(&last);
  if (before == nullptr || after == nullptr) return {Cell(), Cell()};
  if (*before == 0) return {*after > 0 ? Cell("from 0") : Cell(), Cell()};
  return factor_cells(static_cast<double>(*after) / static_cast<double>(*before));
}

/// The columns of a figure: one a version.
class Heads {
 public:
  explicit Heads(const Versions& versions) : versions_(versions) {
    constexpr std::size_t kWidest = 12;  // of a version's column, which is as wide as its figures
    names_fit_ = std::ranges::all_of(
        versions.names, [](const std::string& name) { return display_width(name) <= kWidest; });
  }

  std::vector<Column> operator()(const FigureColumn& of) const {
    const Column& own = of.column;
    if (of.shown == Shown::kRatio) {
      return {{own.key, "x", Unit::kCount, Audience::kReader},
              {own.key, "", Unit::kCount, Audience::kData}};
    }
    if (versions_.are_two()) {
      return {{"before_" + own.key, own.title, own.unit, own.audience},
              {"after_" + own.key, "after", own.unit, own.audience}};
    }
    std::vector<Column> columns;
    for (std::size_t i = 0; i < versions_.size(); ++i) {
      const std::string number = std::to_string(i + 1);
      columns.push_back(
          {"rung_" + number, names_fit_ ? versions_.names[i] : number, own.unit, own.audience});
    }
    return columns;
  }

 private:
  const Versions& versions_;
  bool names_fit_ = false;
};

/// The cells of a figure: one a version, or their ratio.
std::vector<Cell> figure_cells(const Versions& versions,
                               const std::vector<std::optional<Values>>& row,
                               const FigureColumn& column) {
  if (column.shown == Shown::kRatio) {
    return versions.are_whole ? ratio_cells(row, column) : std::vector<Cell>(2);
  }
  std::vector<Cell> cells;
  bool was_there = false;
  for (const std::optional<Values>& values : row) {
    const bool is_solved = column.shown == Shown::kRest && !values && was_there;
    cells.push_back(values ? cell_of(*values, column) : is_solved ? Cell(std::int64_t{0}) : Cell());
    was_there = was_there || values;
  }
  return cells;
}

/// A table with a row a chain. `labels(rows)`: what the columns that are labels say of a row.
template <class Row, class Labels>
Table rows_table(const Versions& versions, const char* name, const char* title,
                 std::vector<FigureColumn> columns, const std::vector<RowChain>& chains,
                 std::vector<Row> Analysis::* rows_of, Labels labels) {
  FigureTable table(name, title, std::move(columns), Heads(versions));
  for (const RowChain& chain : chains) {
    RowOf<Row> rows;
    std::vector<std::optional<Values>> values(chain.size());
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const Analysis& own = versions.recordings[i];
      rows.push_back(chain[i] == analysis::kNoRow ? nullptr : &(own.*rows_of)[chain[i]]);
      if (rows.back() != nullptr) values[i] = values_of(versions.sources, own, *rows.back());
    }
    table.add(labels(rows),
              [&](const FigureColumn& column) { return figure_cells(versions, values, column); });
  }
  return table.take();
}

/// The last version that has the row.
template <class Row>
std::size_t last_with(const RowOf<Row>& rows) {
  std::size_t at = rows.size() - 1;
  while (rows[at] == nullptr) --at;
  return at;
}

template <class Row>
const Row& last_of(const RowOf<Row>& rows) {
  return *rows[last_with(rows)];
}

/// ":41" of "heat.cpp:41" beside "heat.cpp:46"; else `was` as it is.
std::string shorter(const std::string& was, const std::string& place) {
  const std::size_t colon = was.rfind(':');
  if (colon == std::string::npos || place.substr(0, colon + 1) != was.substr(0, colon + 1)) {
    return was;
  }
  const bool are_lines =
      (was + place.substr(colon + 1)).find_first_not_of("0123456789", colon + 1) ==
      std::string::npos;
  return are_lines ? was.substr(colon) : was;
}

/// "heat.cpp:46 (was :41)": the place in the last version that has the row, and earlier places.
/// `text(version, row)`: the place in a version.
template <class Row, class Text>
std::string with_earlier(const RowOf<Row>& rows, Text text) {
  const std::size_t last = last_with(rows);
  const std::string place = text(last, *rows[last]);
  std::vector<std::string> earlier;
  for (std::size_t i = 0; i < last; ++i) {
    std::string was = rows[i] == nullptr ? place : text(i, *rows[i]);
    if (was == place) continue;
    was = shorter(was, place);
    if (std::ranges::find(earlier, was) == earlier.end()) earlier.push_back(std::move(was));
  }
  return earlier.empty() ? place : fmt::format("{} (was {})", place, fmt::join(earlier, ", "));
}

template <class Row>
std::string with_earlier(const Versions& versions, const RowOf<Row>& rows) {
  return with_earlier(rows, [&](std::size_t, const Row& row) {
    return versions.sources.place(row.file, row.line);
  });
}

std::string with_earlier(const Versions& versions, const RowOf<DirectiveRow>& rows) {
  return with_earlier(
      rows, [&](std::size_t, const DirectiveRow& row) { return versions.sources.place(row); });
}

/// Which of two versions have the row.
template <class Row>
std::string presence(const RowOf<Row>& rows) {
  if (rows.front() != nullptr && rows.back() != nullptr) return "both";
  return rows.front() != nullptr ? "before" : "after";
}

std::string fate(const RowOf<Finding>& rows) {
  if (rows.back() == nullptr) return "went";
  return rows.front() == nullptr ? "came" : "stays";
}

/// A finding that went is no open one: it is solved, in the version that first lacks it.
std::string fate_for_readers(const Versions& versions, const RowOf<Finding>& rows) {
  if (rows.back() != nullptr) return fate(rows);
  return versions.are_two() ? "✓ solved"
                            : fmt::format("✓ solved in {}", versions.names[last_with(rows) + 1]);
}

std::string variable_name(const VariableRow& row) {
  return row.name.empty() ? fmt::format("{:#x}", row.address) : row.name;
}

FigureColumn text_label(const char* key, const char* title) {
  return FigureColumn::label({key, title});
}

FigureColumn reader_label(const char* key, const char* title) {
  return FigureColumn::label({key, title, Unit::kText, Audience::kReader});
}

FigureColumn data_label(const char* key) {
  return FigureColumn::label({key, "", Unit::kText, Audience::kData});
}

FigureColumn data_value(const char* key, Unit unit) { return {{key, "", unit, Audience::kData}}; }

FigureColumn ratio_of(const char* key, std::vector<std::string> figures) {
  return {{key, ""}, Shown::kRatio, std::move(figures)};
}

Table compared_totals(const Versions& versions) {
  std::vector<FigureColumn> columns = {text_label("quantity", "What")};
  for (const auto& [key, title, unit] :
       {std::tuple("count", "Count", Unit::kCount), std::tuple("bytes", "Bytes", Unit::kBytes),
        std::tuple("time_ns", "Time", Unit::kTime)}) {
    columns.push_back({{key, title, unit}});
    columns.push_back(ratio_of((std::string(key) + "_ratio").c_str(), {key}));
  }
  FigureTable table("totals", "Totals", std::move(columns), Heads(versions));
  std::vector<Values> totals;
  for (const Analysis& one : versions.recordings) {
    totals.push_back(values_of(analysis::figures_of(one)));
    for (auto& [name, value] : totals.back()) {
      if (name.ends_with("_union_ns") && !is_recorded_whole(one)) value = {};
    }
  }
  const auto add = [&](const char* name, const std::vector<const char*>& figures) {
    std::vector<std::optional<Values>> row;
    for (const Values& all : totals) {
      Values& own = row.emplace_back().emplace();
      for (const char* figure : figures) {
        const std::string_view key = std::string_view(figure).ends_with("_count")   ? "count"
                                     : std::string_view(figure).ends_with("_bytes") ? "bytes"
                                                                                    : "time_ns";
        own.emplace_back(key, cell_of(all, {{figure, ""}}));
      }
    }
    table.add({name},
              [&](const FigureColumn& column) { return figure_cells(versions, row, column); });
  };
  add("HtoD", {"HtoD_count", "HtoD_bytes", "HtoD_ns"});
  add("DtoH", {"DtoH_count", "DtoH_bytes", "DtoH_ns"});
  if (versions.first().totals.dtod.count + versions.last().totals.dtod.count > 0) {
    add("DtoD", {"DtoD_count", "DtoD_bytes", "DtoD_ns"});
  }
  add("alloc", {"alloc_count", "alloc_bytes", "alloc_ns"});
  add("kernel", {"kernel_count", "kernel_ns"});
  add("region", {"region_count", "region_ns"});
  add("movement (union)", {"transfer_union_ns"});
  add("kernels (union)", {"kernel_union_ns"});
  add("wall", {"program_wall_ns"});
  return table.take();
}

Table compared_directives(const Versions& versions) {
  return rows_table(versions, "directives", "Movement by directive: before, after",
                    {{{"count", "Count", Unit::kCount}},
                     {{"HtoD_bytes", "HtoD", Unit::kBytes}},
                     data_value("HtoD_count", Unit::kCount),
                     {{"DtoH_bytes", "DtoH", Unit::kBytes}},
                     data_value("DtoH_count", Unit::kCount),
                     data_value("DtoD_bytes", Unit::kBytes),
                     ratio_of("bytes_ratio", {"HtoD_bytes", "DtoH_bytes", "DtoD_bytes"}),
                     data_value("transfer_ns", Unit::kTime),
                     data_value("kernel_count", Unit::kCount),
                     {{"time_ns", "Time", Unit::kTime}},
                     ratio_of("time_ratio", {"time_ns"}),
                     reader_label("place", "Where"),
                     data_label("directive"),
                     data_label("rows"),
                     data_value("file", Unit::kText),
                     data_value("line", Unit::kCount),
                     data_value("function", Unit::kText)},
                    versions.rows.directives, &Analysis::directives,
                    [&](const RowOf<DirectiveRow>& rows) -> std::vector<Cell> {
                      const std::string directive = SourceNames::directive(last_of(rows));
                      return {with_earlier(versions, rows) + ' ' + directive, directive,
                              presence(rows)};
                    });
}

Table compared_variables(const Versions& versions) {
  return rows_table(versions, "variables", "Movement by variable: before, after",
                    {{{"HtoD_bytes", "HtoD", Unit::kBytes}},
                     data_value("HtoD_count", Unit::kCount),
                     {{"DtoH_bytes", "DtoH", Unit::kBytes}},
                     data_value("DtoH_count", Unit::kCount),
                     {{"calls", "Calls", Unit::kCount, Audience::kReader},
                      Shown::kValue,
                      {"HtoD_count", "DtoH_count"}},
                     ratio_of("bytes_ratio", {"HtoD_bytes", "DtoH_bytes"}),
                     {{"transfer_ns", "Transfers", Unit::kTime}},
                     ratio_of("transfer_ratio", {"transfer_ns"}),
                     reader_label("variable", "Variable"),
                     data_label("rows"),
                     data_label("name"),
                     data_value("file", Unit::kText),
                     data_value("line", Unit::kCount)},
                    versions.rows.variables, &Analysis::variables,
                    [&](const RowOf<VariableRow>& rows) -> std::vector<Cell> {
                      const VariableRow& row = last_of(rows);
                      return {variable_name(row) + ' ' + with_earlier(versions, rows),
                              presence(rows), row.name};
                    });
}

Table compared_kernels(const Versions& versions) {
  std::vector<RowChain> kernels;
  for (const RowChain& chain : versions.rows.activities) {
    for (std::size_t i = 0; i < chain.size(); ++i) {
      if (chain[i] == analysis::kNoRow) continue;
      const Activity& row = versions.recordings[i].activities[chain[i]];
      if (row.type == analysis::ActivityType::kKernel) kernels.push_back(chain);
      break;
    }
  }
  return rows_table(versions, "kernels", "Kernels: before, after",
                    {{{"count", "Launches", Unit::kCount}},
                     {{"total_ns", "Time", Unit::kTime}},
                     ratio_of("total_ratio", {"total_ns"}),
                     {{"avg_ns", "Avg", Unit::kTime}},
                     ratio_of("avg_ratio", {"avg_ns"}),
                     text_label("name", "Kernel"),
                     data_label("rows"),
                     data_value("name", Unit::kText)},
                    kernels, &Analysis::activities,
                    [&](const RowOf<Activity>& rows) -> std::vector<Cell> {
                      const auto name = [&](std::size_t, const Activity& row) {
                        return versions.sources.activity(row);
                      };
                      return {with_earlier(rows, name), presence(rows)};
                    });
}

Table compared_loops(const Versions& versions) {
  return rows_table(versions, "iterations", "Loops, cost of a pass after the first: before, after",
                    {{{"count", "Passes", Unit::kCount}},
                     {{"HtoD_bytes", "HtoD", Unit::kBytes}},
                     {{"DtoH_bytes", "DtoH", Unit::kBytes}},
                     ratio_of("bytes_ratio", {"HtoD_bytes", "DtoH_bytes"}),
                     data_value("transfer_ns", Unit::kTime),
                     data_value("kernel_ns", Unit::kTime),
                     {{"wall_ns", "Wall", Unit::kTime}},
                     ratio_of("wall_ratio", {"wall_ns"}),
                     reader_label("loop", "Loop over"),
                     data_label("rows"),
                     data_value("loop", Unit::kText)},
                    versions.rows.iterations, &Analysis::iterations,
                    [&](const RowOf<Iteration>& rows) -> std::vector<Cell> {
                      const auto loop = [&](std::size_t version, const Iteration& row) {
                        return loop_over(versions.sources, versions.recordings[version], row);
                      };
                      return {with_earlier(rows, loop), presence(rows)};
                    });
}

Table compared_findings(const Versions& versions) {
  std::vector<FigureColumn> columns = {
      reader_label("state", "Finding"), data_label("state"), text_label("pattern", "Pattern"),
      reader_label("place", "Where"), text_label("variable", "Variable")};
  for (const auto& [key, title, unit] : {std::tuple("count", "Count", Unit::kCount),
                                         std::tuple("wasted_bytes", "Wasted", Unit::kBytes),
                                         std::tuple("wasted_ns", "Wasted time", Unit::kTime)}) {
    columns.push_back({{key, title, unit, Audience::kReader}, Shown::kRest});
    columns.push_back(data_value(key, unit));
  }
  columns.push_back(data_value("file", Unit::kText));
  columns.push_back(data_value("line", Unit::kCount));
  return rows_table(versions, "findings", "Findings: before, after", std::move(columns),
                    versions.rows.findings, &Analysis::findings,
                    [&](const RowOf<Finding>& rows) -> std::vector<Cell> {
                      const Finding& row = last_of(rows);
                      return {fate_for_readers(versions, rows), fate(rows), row.pattern,
                              with_earlier(versions, rows), row.variable};
                    });
}

/// A row a version: what it moves, how long it takes, and how much faster that is than the version
/// before and than the first.
Table versions_table(const Versions& versions) {
  Table table{.name = "rungs",
              .title = "Rung by rung",
              .columns = {{"number", "", Unit::kCount},
                          {"name", "Rung"},
                          {"HtoD_bytes", "HtoD", Unit::kBytes},
                          {"DtoH_bytes", "DtoH", Unit::kBytes},
                          {"transfers", "Copies", Unit::kCount},
                          {"transfer_ns", "Transfers", Unit::kTime},
                          {"kernel_ns", "Kernels", Unit::kTime},
                          {"wall_ns", "Wall", Unit::kTime},
                          {"step", "Step", Unit::kCount, Audience::kReader},
                          {"step", "", Unit::kCount, Audience::kData},
                          {"speedup", "Speedup", Unit::kCount, Audience::kReader},
                          {"speedup", "", Unit::kCount, Audience::kData},
                          {"needless_bytes", "Needless", Unit::kBytes},
                          {"findings", "Findings", Unit::kCount},
                          {"file", "", Unit::kText, Audience::kData}},
              .rows = {}};
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const Analysis& one = versions.recordings[i];
    const analysis::Totals& totals = one.totals;
    const bool told = is_recorded_whole(one);
    const auto if_told = [&](Cell cell) { return told ? std::move(cell) : Cell(); };
    const std::vector<Cell> step = factor_cells(speedup(versions, i, i - 1));
    const std::vector<Cell> all = factor_cells(speedup(versions, i, 0));
    table.rows.push_back({static_cast<std::int64_t>(i + 1), versions.names[i],
                          moved(one, totals.htod.bytes), moved(one, totals.dtoh.bytes),
                          moved(one, totals.htod.count + totals.dtoh.count + totals.dtod.count),
                          if_told(timed(one, one.headline.measured, one.headline.transfer)),
                          if_told(timed(one, one.headline.measured, one.headline.kernel)),
                          one.program_wall, step[0], step[1], all[0], all[1],
                          if_told(number(redundant_bytes(one))),
                          if_told(number(one.findings.size())), one.file});
  }
  return table;
}

Table directives_by_version(const Versions& versions) {
  return rows_table(
      versions, "directives", "Moved by directive, rung by rung",
      {{{"", "", Unit::kBytes}, Shown::kValue, {"HtoD_bytes", "DtoH_bytes", "DtoD_bytes"}},
       reader_label("place", "Where"),
       data_label("place"),
       text_label("directive", "Directive")},
      versions.rows.directives, &Analysis::directives,
      [&](const RowOf<DirectiveRow>& rows) -> std::vector<Cell> {
        const DirectiveRow& row = last_of(rows);
        return {with_earlier(versions, rows), versions.sources.place(row),
                SourceNames::directive(row)};
      });
}

Table variables_by_version(const Versions& versions) {
  return rows_table(versions, "variables", "Moved by variable, rung by rung",
                    {{{"", "", Unit::kBytes}, Shown::kValue, {"HtoD_bytes", "DtoH_bytes"}},
                     text_label("name", "Variable"),
                     reader_label("place", "Mapped first"),
                     data_label("place")},
                    versions.rows.variables, &Analysis::variables,
                    [&](const RowOf<VariableRow>& rows) -> std::vector<Cell> {
                      const VariableRow& row = last_of(rows);
                      return {variable_name(row), with_earlier(versions, rows),
                              versions.sources.place(row.file, row.line)};
                    });
}

Table loops_by_version(const Versions& versions, const char* name, const char* title,
                       FigureColumn figure) {
  const auto loop = [&](std::size_t version, const Iteration& row) {
    const std::string place = versions.sources.place(row);
    return place.empty() ? "over " + loop_over(versions.sources, versions.recordings[version], row)
                         : place;
  };
  return rows_table(versions, name, title,
                    {std::move(figure), reader_label("loop", "Loop"), data_label("loop")},
                    versions.rows.iterations, &Analysis::iterations,
                    [&](const RowOf<Iteration>& rows) -> std::vector<Cell> {
                      return {with_earlier(rows, loop), loop(last_with(rows), last_of(rows))};
                    });
}

Table findings_by_version(const Versions& versions) {
  return rows_table(versions, "findings", "Findings, needless bytes rung by rung",
                    {{{"", "", Unit::kBytes, Audience::kReader}, Shown::kRest, {"wasted_bytes"}},
                     {{"", "", Unit::kBytes, Audience::kData}, Shown::kValue, {"wasted_bytes"}},
                     reader_label("state", "Finding"),
                     text_label("pattern", "Pattern"),
                     reader_label("place", "Where"),
                     data_label("place"),
                     text_label("variable", "Variable")},
                    versions.rows.findings, &Analysis::findings,
                    [&](const RowOf<Finding>& rows) -> std::vector<Cell> {
                      const Finding& row = last_of(rows);
                      return {fate_for_readers(versions, rows), row.pattern,
                              with_earlier(versions, rows),
                              versions.sources.place(row.file, row.line), row.variable};
                    });
}

}  // namespace

std::vector<Table> comparison_tables(const Versions& versions) {
  if (versions.are_two()) {
    return {compared_totals(versions),  compared_directives(versions), compared_variables(versions),
            compared_kernels(versions), compared_loops(versions),      compared_findings(versions)};
  }
  return {versions_table(versions),
          directives_by_version(versions),
          variables_by_version(versions),
          loops_by_version(versions, "iterations", "Moved by a pass after the first, rung by rung",
                           {{"", "", Unit::kBytes}, Shown::kValue, {"HtoD_bytes", "DtoH_bytes"}}),
          loops_by_version(versions, "passes", "Wall of a pass after the first, rung by rung",
                           {{"", "", Unit::kTime}, Shown::kValue, {"wall_ns"}}),
          findings_by_version(versions)};
}

}  // namespace ompdm::report
