#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/fitted_text.h"
#include "report/ladder.h"
#include "report/table_builder.h"
#include "report/units.h"

namespace ompdm::report {
namespace {

using analysis::Analysis;
using analysis::Flow;
using analysis::RowChain;

constexpr std::size_t kWidestHeading = 12;  // of a rung's column, which is as wide as its figures

/// For readers, and as a number.
std::pair<Cell, Cell> factor_cells(const std::optional<double>& factor) {
  return factor ? std::pair(Cell(ratio_text(*factor)), Cell(*factor)) : std::pair<Cell, Cell>();
}

/// A table with a column for each rung between what a row is called for readers and for programs.
class Matrix {
 public:
  Matrix(const Rungs& rungs, std::string name, std::string title, Unit unit) : rungs_(rungs) {
    table_.name = std::move(name);
    table_.title = std::move(title);
    const bool fit = std::ranges::all_of(rungs.labels, [](const std::string& label) {
      return display_width(label) <= kWidestHeading;
    });
    for (std::size_t i = 0; i < rungs.labels.size(); ++i) {
      const std::string number = std::to_string(i + 1);
      table_.columns.push_back({"rung_" + number, fit ? rungs.labels[i] : number, unit});
    }
  }

  /// What a row is of, for both.
  void label(const std::string& key, const std::string& title) {
    table_.columns.push_back({key, title});
  }

  /// `figure(recording, row)` of each rung that has one, and `label(recording, row)` of the last.
  template <class Row, class Figure, class Label>
  void rows(const std::vector<RowChain>& chains, std::vector<Row> Analysis::* rows_of,
            Figure figure, Label label) {
    for (const RowChain& chain : chains) {
      std::vector<Cell>& cells = table_.rows.emplace_back();
      std::vector<Cell> called;
      for (std::size_t i = 0; i < chain.size(); ++i) {
        const Analysis& one = rungs_.recordings[i];
        if (chain[i] == analysis::kNoRow) {
          cells.emplace_back();
          continue;
        }
        const Row& row = (one.*rows_of)[chain[i]];
        cells.push_back(figure(one, row));
        called = label(one, row);
      }
      cells.insert(cells.end(), called.begin(), called.end());
    }
  }

  Table take() { return std::move(table_); }

 private:
  const Rungs& rungs_;
  Table table_;
};

std::string loop_name(const SourceNames& names, const Analysis& one,
                      const analysis::Iteration& row) {
  const std::string place = names.place(row);
  if (!place.empty()) return place;
  std::string text;
  for (const std::size_t directive : row.directives) {
    text += (text.empty() ? "over " : ", ") + names.place(one.directives[directive]);
  }
  return text;
}

Table directives_by_rung(const Rungs& rungs) {
  using analysis::DirectiveRow;
  Matrix matrix(rungs, "directives", "Moved by directive, rung by rung", Unit::kBytes);
  matrix.label("place", "Where");
  matrix.label("directive", "Directive");
  matrix.rows(
      rungs.chains.directives, &Analysis::directives,
      [](const Analysis& one, const DirectiveRow& row) {
        return moved(one, row.htod.bytes + row.dtoh.bytes + row.dtod.bytes);
      },
      [&](const Analysis&, const DirectiveRow& row) -> std::vector<Cell> {
        return {rungs.ends.names.place(row), SourceNames::directive(row)};
      });
  return matrix.take();
}

Table variables_by_rung(const Rungs& rungs) {
  using analysis::VariableRow;
  Matrix matrix(rungs, "variables", "Moved by variable, rung by rung", Unit::kBytes);
  matrix.label("name", "Variable");
  matrix.label("place", "Mapped first");
  matrix.rows(
      rungs.chains.variables, &Analysis::variables,
      [](const Analysis& one, const VariableRow& row) {
        return moved(one, row.htod.bytes + row.dtoh.bytes);
      },
      [&](const Analysis&, const VariableRow& row) -> std::vector<Cell> {
        return {row.name.empty() ? fmt::format("{:#x}", row.address) : row.name,
                rungs.ends.names.place(row.file, row.line)};
      });
  return matrix.take();
}

Table loops_by_rung(const Rungs& rungs) {
  using analysis::Iteration;
  Matrix matrix(rungs, "iterations", "Moved by a pass after the first, rung by rung", Unit::kBytes);
  matrix.label("loop", "Loop");
  matrix.rows(
      rungs.chains.iterations, &Analysis::iterations,
      [](const Analysis& one, const Iteration& row) {
        return moved(one, row.steady.htod_bytes + row.steady.dtoh_bytes);
      },
      [&](const Analysis& one, const Iteration& row) -> std::vector<Cell> {
        return {loop_name(rungs.ends.names, one, row)};
      });
  return matrix.take();
}

Table passes_by_rung(const Rungs& rungs) {
  using analysis::Iteration;
  Matrix matrix(rungs, "passes", "Wall of a pass after the first, rung by rung", Unit::kTime);
  matrix.label("loop", "Loop");
  matrix.rows(
      rungs.chains.iterations, &Analysis::iterations,
      [](const Analysis&, const Iteration& row) { return Cell(std::int64_t{row.steady.wall}); },
      [&](const Analysis& one, const Iteration& row) -> std::vector<Cell> {
        return {loop_name(rungs.ends.names, one, row)};
      });
  return matrix.take();
}

Table findings_by_rung(const Rungs& rungs) {
  using analysis::Finding;
  Matrix matrix(rungs, "findings", "Findings, needless bytes rung by rung", Unit::kBytes);
  matrix.label("pattern", "Pattern");
  matrix.label("place", "Where");
  matrix.label("variable", "Variable");
  matrix.rows(
      rungs.chains.findings, &Analysis::findings,
      [](const Analysis&, const Finding& row) { return number(row.wasted_bytes); },
      [&](const Analysis&, const Finding& row) -> std::vector<Cell> {
        return {row.pattern, rungs.ends.names.place(row.file, row.line), row.variable};
      });
  return matrix.take();
}

}  // namespace

std::optional<double> Rungs::faster(std::size_t rung, std::size_t than) const {
  if (than >= recordings.size()) return std::nullopt;
  const Nanoseconds from = recordings[than].program_wall;
  const Nanoseconds to = recordings[rung].program_wall;
  if (from <= 0 || to <= 0) return std::nullopt;
  return static_cast<double>(from) / static_cast<double>(to);
}

std::uint64_t needless_bytes(const Analysis& one) {
  const auto& most = one.possible_prediction ? one.possible_prediction : one.prediction;
  return most ? most->spared_bytes : 0;
}

Table rungs_table(const Rungs& rungs) {
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
  for (std::size_t i = 0; i < rungs.recordings.size(); ++i) {
    const Analysis& one = rungs.recordings[i];
    const analysis::Totals& totals = one.totals;
    const Nanoseconds wall = one.program_wall;
    const bool told = is_told_whole(one);
    const auto if_told = [&](Cell cell) { return told ? std::move(cell) : Cell(); };
    const auto step = factor_cells(rungs.faster(i, i - 1));
    const auto speedup = factor_cells(rungs.faster(i, 0));
    table.rows.push_back({static_cast<std::int64_t>(i + 1), rungs.labels[i],
                          moved(one, totals.htod.bytes), moved(one, totals.dtoh.bytes),
                          moved(one, totals.htod.count + totals.dtoh.count + totals.dtod.count),
                          if_told(timed(one, one.headline.measured, one.headline.transfer)),
                          if_told(timed(one, one.headline.measured, one.headline.kernel)), wall,
                          step.first, step.second, speedup.first, speedup.second,
                          if_told(number(needless_bytes(one))),
                          if_told(number(one.findings.size())), one.file});
  }
  return table;
}

std::vector<Table> ladder_tables(const Rungs& rungs) {
  return {rungs_table(rungs),   directives_by_rung(rungs), variables_by_rung(rungs),
          loops_by_rung(rungs), passes_by_rung(rungs),     findings_by_rung(rungs)};
}

}  // namespace ompdm::report
