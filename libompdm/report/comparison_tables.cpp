#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <tuple>
#include <type_traits>

#include "analysis/row_figures.h"
#include "report/clauses.h"
#include "report/comparison.h"
#include "report/units.h"

namespace ompdm::report {

namespace {

using analysis::Activity;
using analysis::Analysis;
using analysis::DirectiveRow;
using analysis::Finding;
using analysis::LoopRow;
using analysis::RowChain;
using analysis::VariableRow;

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

template <class Row>
Values values_of(const SourceNames& sources, const Analysis& of, const Row& row) {
  Values values = values_of(analysis::figures_of(of, row));
  values.emplace_back("file", row.file);
  values.emplace_back("line", std::int64_t{row.line});
  if constexpr (requires { row.function; }) values.emplace_back("function", row.function);
  if constexpr (std::is_same_v<Row, LoopRow>) {
    values.emplace_back("loop", sources.places(of, row.directives));
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

/// The sum of figures; unknown if one of them is.
Cell sum_of(const Values& values, const std::vector<std::string>& names) {
  std::optional<std::int64_t> sum;
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
void add_factor(TableRow& row, const Column& column, const std::optional<double>& factor) {
  row.add(column, factor ? Cell(ratio_text(*factor)) : Cell());
  row.add(data_only(column.key, Unit::kCount), factor ? Cell(*factor) : Cell());
}

/// A row while it is filled: a figure has a column a version, or the versions' ratio.
class FigureRow {
 public:
  FigureRow(const Versions& versions, TableRow& row, std::vector<std::optional<Values>> values)
      : versions_(versions), row_(row), values_(std::move(values)) {
    constexpr std::size_t kWidest = 12;  // of a version's column, which is as wide as its figures
    names_fit_ = std::ranges::all_of(
        versions.names, [](const std::string& name) { return display_width(name) <= kWidest; });
  }

  void add(Column column, Cell cell) { row_.add(std::move(column), std::move(cell)); }

  /// `figures` are added up; none: the figure of the column's key. `is_waste`: it is 0 in a version
  /// that lacks a row which an earlier version has.
  void add(const Column& own, std::vector<std::string> figures = {}, bool is_waste = false) {
    if (figures.empty()) figures = {own.key};
    bool was_there = false;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const Cell none = is_waste && was_there ? Cell(std::int64_t{0}) : Cell();
      const auto& value = values_[i];
      row_.add(head_of(own, i), value ? sum_of(*value, figures) : none);
      was_there = was_there || value;
    }
  }

  /// Of the last version's sum of figures over the first's; "gone" or "new" for readers where only
  /// one of them has the row. `drop_priority`: of the column.
  void add_ratio(const std::string& key, const std::vector<std::string>& figures,
                 int drop_priority = 0) {
    Column column = reader_only(key, "x", Unit::kCount);
    column.drop_priority = drop_priority;
    const auto add_word = [&](Cell word) {
      row_.add(column, std::move(word));
      row_.add(data_only(key, Unit::kCount), Cell());
    };
    if (!versions_.are_whole) return add_word({});
    const auto& first_row = values_.front();
    const auto& last_row = values_.back();
    if (!first_row || !last_row) return add_word(last_row ? "new" : "gone");
    const Cell first = sum_of(*first_row, figures);
    const Cell last = sum_of(*last_row, figures);
    const auto* before = std::get_if<std::int64_t>(&first);
    const auto* after = std::get_if<std::int64_t>(&last);
    if (before == nullptr || after == nullptr) return add_word({});
    if (*before == 0) return add_word(*after > 0 ? Cell("from 0") : Cell());
    add_factor(row_, column, static_cast<double>(*after) / static_cast<double>(*before));
  }

 private:
  [[nodiscard]] Column head_of(const Column& own, std::size_t version) const {
    if (!versions_.are_two()) {
      const std::string number = std::to_string(version + 1);
      return {"rung_" + number, names_fit_ ? versions_.names[version] : number, own.unit,
              own.audience};
    }
    Column column = own;
    column.key = (version == 0 ? "before_" : "after_") + own.key;
    if (version > 0) column.title = "after";
    return column;
  }

  const Versions& versions_;
  TableRow& row_;
  std::vector<std::optional<Values>> values_;
  bool names_fit_ = false;
};

/// A table with a row a chain. `fill(FigureRow&, rows)`: of a row's rows by version.
template <class Row, class Fill>
Table rows_table(const Versions& versions, const char* name, const char* title,
                 const std::vector<RowChain>& chains, std::vector<Row> Analysis::* rows_of,
                 Fill fill) {
  return table_of(name, title, chains, [&](TableRow& cells, const RowChain& chain) {
    static const Row kHeading;
    RowOf<Row> rows(versions.size(), &kHeading);
    std::vector<std::optional<Values>> values(versions.size());
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const Analysis& own = versions.recordings[i];
      rows[i] = chain[i] == analysis::kNoRow ? nullptr : &(own.*rows_of)[chain[i]];
      if (rows[i] != nullptr) values[i] = values_of(versions.sources, own, *rows[i]);
    }
    FigureRow row(versions, cells, std::move(values));
    fill(row, rows);
  });
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
    if constexpr (std::is_same_v<Row, DirectiveRow>) {
      return versions.sources.place(row);
    } else {
      return versions.sources.place(row.file, row.line);
    }
  });
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

/// "✓ fixed", in a series with the version that first lacks the finding; "unchanged", "new".
std::string fate_for_readers(const Versions& versions, const RowOf<Finding>& rows) {
  if (rows.back() != nullptr) return rows.front() == nullptr ? "new" : "unchanged";
  return versions.are_two() ? "✓ fixed"
                            : fmt::format("✓ fixed in {}", versions.names[last_with(rows) + 1]);
}

std::string variable_name(const VariableRow& row) {
  return row.name.empty() ? fmt::format("{:#x}", row.address) : row.name;
}

Table compared_totals(const Versions& versions) {
  struct Line {
    const char* name = "";
    std::vector<const char*> figures = {};
  };
  std::vector<Line> lines = {{"HtoD", {"HtoD_count", "HtoD_bytes", "HtoD_ns"}},
                             {"DtoH", {"DtoH_count", "DtoH_bytes", "DtoH_ns"}},
                             {"alloc", {"alloc_count", "alloc_bytes", "alloc_ns"}},
                             {"kernel", {"kernel_count", "kernel_ns"}},
                             {"region", {"region_count", "region_ns"}},
                             {"movement (union)", {"transfer_union_ns"}},
                             {"kernels (union)", {"kernel_union_ns"}},
                             {"wall", {"program_wall_ns"}}};
  if (versions.first().totals.dtod.count + versions.last().totals.dtod.count > 0) {
    lines.insert(lines.begin() + 2, {"DtoD", {"DtoD_count", "DtoD_bytes", "DtoD_ns"}});
  }
  return table_of("totals", "Totals", lines, [&](TableRow& cells, const Line& line) {
    std::vector<std::optional<Values>> values;
    for (const Analysis& one : versions.recordings) {
      const Values all = values_of(analysis::figures_of(one));
      Values& own = values.emplace_back().emplace();
      for (const std::string name : line.figures) {
        const bool is_known = !name.ends_with("_union_ns") || is_recorded_whole(one);
        const Unit unit = unit_of(name);
        own.emplace_back(unit == Unit::kCount   ? "count"
                         : unit == Unit::kBytes ? "bytes"
                                                : "time_ns",
                         is_known ? sum_of(all, {name}) : Cell());
      }
    }
    FigureRow row(versions, cells, std::move(values));
    row.add({"quantity", "What"}, line.name);
    row.add({"count", "Count"});
    row.add_ratio("count_ratio", {"count"}, 1);
    row.add({"bytes", "Bytes"});
    row.add_ratio("bytes_ratio", {"bytes"});
    row.add({"time_ns", "Time"});
    row.add_ratio("time_ns_ratio", {"time_ns"});
  });
}

Table compared_directives(const Versions& versions) {
  return rows_table(
      versions, "directives", "Movement by directive: before, after", versions.rows.directives,
      &Analysis::directives, [&](FigureRow& row, const RowOf<DirectiveRow>& rows) {
        row.add(sparable(2, "count", "Count"));
        row.add({"HtoD_bytes", "HtoD"});
        row.add(data_only("HtoD_count"));
        row.add({"DtoH_bytes", "DtoH"});
        row.add(data_only("DtoH_count"));
        row.add(data_only("DtoD_bytes"));
        row.add_ratio("bytes_ratio", {"HtoD_bytes", "DtoH_bytes", "DtoD_bytes"});
        row.add(data_only("transfer_ns"));
        row.add(data_only("kernel_count"));
        row.add(sparable(1, "time_ns", "Time"));
        row.add_ratio("time_ratio", {"time_ns"}, 1);
        const std::string directive = SourceNames::directive(last_of(rows));
        row.add(reader_only("place", "Where"), with_earlier(versions, rows) + ' ' + directive);
        row.add(data_only("directive"), directive);
        row.add(data_only("rows"), presence(rows));
        row.add(data_only("file"));
        row.add(data_only("line"));
        row.add(data_only("function"));
      });
}

Table compared_variables(const Versions& versions) {
  return rows_table(versions, "variables", "Movement by variable: before, after",
                    versions.rows.variables, &Analysis::variables,
                    [&](FigureRow& row, const RowOf<VariableRow>& rows) {
                      row.add({"HtoD_bytes", "HtoD"});
                      row.add(data_only("HtoD_count"));
                      row.add({"DtoH_bytes", "DtoH"});
                      row.add(data_only("DtoH_count"));
                      Column copies = reader_only("calls", "Copies", Unit::kCount);
                      copies.drop_priority = 2;
                      row.add(copies, {"HtoD_count", "DtoH_count"});
                      row.add_ratio("bytes_ratio", {"HtoD_bytes", "DtoH_bytes"});
                      row.add(sparable(1, "transfer_ns", "Copy time"));
                      row.add_ratio("transfer_ratio", {"transfer_ns"}, 1);
                      const VariableRow& last = last_of(rows);
                      row.add(reader_only("variable", "Variable"),
                              variable_name(last) + ' ' + with_earlier(versions, rows));
                      row.add(data_only("rows"), presence(rows));
                      row.add(data_only("name"), last.name);
                      row.add(data_only("file"));
                      row.add(data_only("line"));
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
  const auto name = [&](std::size_t, const Activity& row) {
    return versions.sources.activity(row);
  };
  return rows_table(versions, "kernels", "Kernels: before, after", kernels, &Analysis::activities,
                    [&](FigureRow& row, const RowOf<Activity>& rows) {
                      row.add({"count", "Launches"});
                      row.add({"total_ns", "Time"});
                      row.add_ratio("total_ratio", {"total_ns"});
                      row.add(sparable(1, "avg_ns", "Avg"));
                      row.add_ratio("avg_ratio", {"avg_ns"}, 1);
                      row.add({"name", "Kernel"}, with_earlier(rows, name));
                      row.add(data_only("rows"), presence(rows));
                      row.add(data_only("name"));
                    });
}

Table compared_loops(const Versions& versions) {
  const auto loop = [&](std::size_t version, const LoopRow& row) {
    return versions.sources.places(versions.recordings[version], row.directives);
  };
  return rows_table(
      versions, "iterations", "Loops, cost of an iteration after the first: before, after",
      versions.rows.loops, &Analysis::loops, [&](FigureRow& row, const RowOf<LoopRow>& rows) {
        row.add(sparable(2, "count", "Iterations"));
        row.add({"HtoD_bytes", "HtoD"});
        row.add({"DtoH_bytes", "DtoH"});
        row.add_ratio("bytes_ratio", {"HtoD_bytes", "DtoH_bytes"});
        row.add(data_only("transfer_ns"));
        row.add(data_only("kernel_ns"));
        row.add(sparable(1, "wall_ns", "Wall"));
        row.add_ratio("wall_ratio", {"wall_ns"}, 1);
        row.add(reader_only("loop", "Loop over"), with_earlier(rows, loop));
        row.add(data_only("rows"), presence(rows));
        row.add(data_only("loop"));
      });
}

Table compared_findings(const Versions& versions) {
  return rows_table(versions, "findings", "Findings: before, after", versions.rows.findings,
                    &Analysis::findings, [&](FigureRow& row, const RowOf<Finding>& rows) {
                      row.add(reader_only("state", "Finding"), fate_for_readers(versions, rows));
                      row.add(data_only("state"), fate(rows));
                      row.add({"pattern", "Pattern"}, last_of(rows).pattern);
                      row.add(reader_only("place", "Where"), with_earlier(versions, rows));
                      row.add({"variable", "Variable"}, last_of(rows).variable);
                      using Figure = std::tuple<const char*, const char*, int>;
                      for (const auto& [key, title, priority] :
                           {Figure("count", "Count", 2), Figure("wasted_bytes", "Redundant", 0),
                            Figure("wasted_ns", "Redundant time", 1)}) {
                        Column column = reader_only(key, title, unit_of(key));
                        column.drop_priority = priority;
                        row.add(column, {}, true);
                        row.add(data_only(key));
                      }
                      row.add(data_only("file"));
                      row.add(data_only("line"));
                    });
}

Table compared_clauses(const Versions& versions) {
  return rows_table(versions, "mapping", "Data clauses that do not do what they say, compared",
                    versions.rows.mapping, &Analysis::mapping,
                    [&](FigureRow& row, const RowOf<Finding>& rows) {
                      const Finding& last = last_of(rows);
                      row.add(reader_only("state", "Finding"), fate_for_readers(versions, rows));
                      row.add(data_only("state"), fate(rows));
                      row.add({"stake", "Stake"}, std::string(stake_of(last)));
                      row.add({"pattern", "Pattern"}, last.pattern);
                      row.add(reader_only("place", "Where"), with_earlier(versions, rows));
                      row.add({"variable", "Variable"}, last.variable);
                      row.add(data_only("file"));
                      row.add(data_only("line"));
                    });
}

/// A row a version: what it moves, how long it takes, and how much faster that is than the version
/// before and than the first.
Table versions_table(const Versions& versions) {
  const auto numbers = std::views::iota(std::size_t{0}, versions.size());
  return table_of(
      "rungs", "Versions, one after the other", numbers, [&](TableRow& row, std::size_t i) {
        const Analysis& one = versions.recordings[i];
        const analysis::Totals& totals = one.totals;
        const auto if_recorded = [&](Cell cell) {
          return is_recorded_whole(one) ? std::move(cell) : Cell();
        };
        row.add({"number", "", Unit::kCount}, number(i + 1));
        row.add({"name", "Version"}, versions.names[i]);
        row.add({"HtoD_bytes", "HtoD"}, moved(one, totals.htod.bytes));
        row.add({"DtoH_bytes", "DtoH"}, moved(one, totals.dtoh.bytes));
        row.add({"transfers", "Copies", Unit::kCount},
                moved(one, totals.htod.count + totals.dtoh.count + totals.dtod.count));
        row.add({"transfer_ns", "Copy time"},
                if_recorded(timed(one, one.headline.measured, one.headline.transfer)));
        row.add({"kernel_ns", "Kernel time"},
                if_recorded(timed(one, one.headline.measured, one.headline.kernel)));
        row.add({"wall_ns", "Wall"}, one.program_wall);
        add_factor(row, reader_only("step", "Step", Unit::kCount), speedup(versions, i, i - 1));
        add_factor(row, reader_only("speedup", "Speedup", Unit::kCount), speedup(versions, i, 0));
        row.add({"needless_bytes", "Redundant"}, if_recorded(number(redundant_bytes(one))));
        row.add({"findings", "Findings", Unit::kCount}, if_recorded(number(one.findings.size())));
        row.add(data_only("file"), one.file);
      });
}

Table directives_by_version(const Versions& versions) {
  return rows_table(versions, "directives", "Moved by directive, in each version",
                    versions.rows.directives, &Analysis::directives,
                    [&](FigureRow& row, const RowOf<DirectiveRow>& rows) {
                      row.add({"bytes", ""}, {"HtoD_bytes", "DtoH_bytes", "DtoD_bytes"});
                      row.add(reader_only("place", "Where"), with_earlier(versions, rows));
                      row.add(data_only("place"), versions.sources.place(last_of(rows)));
                      row.add({"directive", "Directive"}, SourceNames::directive(last_of(rows)));
                    });
}

Table variables_by_version(const Versions& versions) {
  return rows_table(versions, "variables", "Moved by variable, in each version",
                    versions.rows.variables, &Analysis::variables,
                    [&](FigureRow& row, const RowOf<VariableRow>& rows) {
                      const VariableRow& last = last_of(rows);
                      row.add({"bytes", ""}, {"HtoD_bytes", "DtoH_bytes"});
                      row.add({"name", "Variable"}, variable_name(last));
                      row.add(reader_only("place", "Mapped first"), with_earlier(versions, rows));
                      row.add(data_only("place"), versions.sources.place(last.file, last.line));
                    });
}

Table loops_by_version(const Versions& versions, const char* name, const char* title,
                       const Column& figure, const std::vector<std::string>& sum) {
  const auto loop = [&](std::size_t version, const LoopRow& row) {
    const std::string place = versions.sources.place(row);
    if (!place.empty()) return place;
    return "over " + versions.sources.places(versions.recordings[version], row.directives);
  };
  return rows_table(versions, name, title, versions.rows.loops, &Analysis::loops,
                    [&](FigureRow& row, const RowOf<LoopRow>& rows) {
                      row.add(figure, sum);
                      row.add(reader_only("loop", "Loop"), with_earlier(rows, loop));
                      row.add(data_only("loop"), loop(last_with(rows), last_of(rows)));
                    });
}

Table findings_by_version(const Versions& versions) {
  return rows_table(versions, "findings", "Findings, redundant bytes in each version",
                    versions.rows.findings, &Analysis::findings,
                    [&](FigureRow& row, const RowOf<Finding>& rows) {
                      const Finding& last = last_of(rows);
                      row.add(reader_only("wasted_bytes", "", Unit::kBytes), {}, true);
                      row.add(data_only("wasted_bytes"));
                      row.add(reader_only("state", "Finding"), fate_for_readers(versions, rows));
                      row.add({"pattern", "Pattern"}, last.pattern);
                      row.add(reader_only("place", "Where"), with_earlier(versions, rows));
                      row.add(data_only("place"), versions.sources.place(last.file, last.line));
                      row.add({"variable", "Variable"}, last.variable);
                    });
}

}  // namespace

std::vector<Table> comparison_tables(const Versions& versions) {
  if (versions.are_two()) {
    return {compared_totals(versions),  compared_directives(versions), compared_variables(versions),
            compared_kernels(versions), compared_loops(versions),      compared_findings(versions),
            compared_clauses(versions)};
  }
  return {versions_table(versions),
          directives_by_version(versions),
          variables_by_version(versions),
          loops_by_version(versions, "iterations",
                           "Moved by an iteration after the first, in each version", {"bytes", ""},
                           {"HtoD_bytes", "DtoH_bytes"}),
          loops_by_version(versions, "passes",
                           "Wall time of an iteration after the first, in each version",
                           {"wall_ns", ""}, {"wall_ns"}),
          findings_by_version(versions),
          compared_clauses(versions)};
}

}  // namespace ompdm::report
