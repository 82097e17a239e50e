#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ompdm/comparison.h"
#include "ompdm/report.h"
#include "report/comparison.h"
#include "report/comparison_tables.h"
#include "report/json_rows.h"
#include "report/sentences.h"
#include "report/tables.h"
#include "report/text_layout.h"
#include "report/units.h"

namespace ompdm::report {

namespace {

/// Refers to the recordings, which must outlive it.
struct Rungs {
  Rungs(Analyses of, std::span<const std::string> called)
      : recordings(of),
        labels(called.begin(), called.end()),
        chains(analysis::ladder_of(of)),
        ends(of, labels.front(), labels.back()) {}

  /// How many times faster a rung is `than` another, by their wall times; none if there is no such
  /// rung, or a time is not known.
  [[nodiscard]] std::optional<double> faster(std::size_t rung, std::size_t than) const;

  /// Whether all are told event by event throughout (Sides::told_whole).
  [[nodiscard]] bool told_whole() const {
    return std::ranges::all_of(recordings,
                               [](const analysis::Analysis& one) { return is_told_whole(one); });
  }

  Analyses recordings;
  std::vector<std::string> labels;  ///< what each is called
  analysis::Ladder chains;
  Sides ends;  ///< the first and the last
};

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

std::optional<double> Rungs::faster(std::size_t rung, std::size_t than) const {
  if (than >= recordings.size()) return std::nullopt;
  const Nanoseconds from = recordings[than].program_wall;
  const Nanoseconds to = recordings[rung].program_wall;
  if (from <= 0 || to <= 0) return std::nullopt;
  return static_cast<double>(from) / static_cast<double>(to);
}

/// What a rung would not have moved without what findings call needless; 0 where there are none.
std::uint64_t needless_bytes(const Analysis& one) {
  const auto& most = one.possible_prediction ? one.possible_prediction : one.prediction;
  return most ? most->spared_bytes : 0;
}

/// A row a rung: what it moves, how long it takes, and how much faster that is than the rung before
/// and than the first.
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

/// Rows by what moves or is needless, a column a rung; the first of all tables is rungs_table().
std::vector<Table> ladder_tables(const Rungs& rungs) {
  return {rungs_table(rungs),   directives_by_rung(rungs), variables_by_rung(rungs),
          loops_by_rung(rungs), passes_by_rung(rungs),     findings_by_rung(rungs)};
}

using analysis::Analysis;
using analysis::RowChain;

Json factor_json(const std::optional<double>& factor) {
  return factor ? Json(*factor) : Json(nullptr);
}

Json rung_json(const Rungs& rungs, std::size_t i) {
  const Analysis& one = rungs.recordings[i];
  return {{"name", rungs.labels[i]},
          {"trace", compared_trace_json(one)},
          {"totals", totals_json(one.totals)},
          {"needless_bytes", is_told_whole(one) ? Json(needless_bytes(one)) : Json(nullptr)},
          {"step", factor_json(rungs.faster(i, i - 1))},
          {"speedup", factor_json(rungs.faster(i, 0))}};
}

/// An array a chain, with each rung's row as in `ompdm.report/1`, or null.
template <class Row, class ToJson>
Json chains_json(const Rungs& rungs, const std::vector<RowChain>& chains,
                 std::vector<Row> Analysis::* table, ToJson to_json) {
  Json all = Json::array();
  for (const RowChain& chain : chains) {
    Json rows = Json::array();
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const Analysis& one = rungs.recordings[i];
      rows.push_back(chain[i] == analysis::kNoRow ? Json(nullptr)
                                                  : to_json((one.*table)[chain[i]], i));
    }
    all.push_back(std::move(rows));
  }
  return all;
}

/// Where a rung's directives are in the document's table.
std::vector<std::size_t> positions(const Rungs& rungs, std::size_t recording) {
  std::vector<std::size_t> positions(rungs.recordings[recording].directives.size());
  for (std::size_t i = 0; i < rungs.chains.directives.size(); ++i) {
    const std::size_t row = rungs.chains.directives[i][recording];
    if (row != analysis::kNoRow) positions[row] = i;
  }
  return positions;
}

/// `ompdm.ladder/1` (docs/formats/COMPARE.md).
std::string ladder_json(const Rungs& rungs) {
  Json json = {{"schema", kLadderSchema}, {"headline", comparison_headline(rungs.ends)}};
  const auto& link = rungs.recordings.front().link;
  if (link) json["link"] = link_json(*link);
  for (std::size_t i = 0; i < rungs.recordings.size(); ++i) {
    json["rungs"].push_back(rung_json(rungs, i));
  }
  json["directives"] = chains_json(
      rungs, rungs.chains.directives, &Analysis::directives,
      [](const analysis::DirectiveRow& row, std::size_t) { return directive_json(row); });
  json["variables"] =
      chains_json(rungs, rungs.chains.variables, &Analysis::variables,
                  [](const analysis::VariableRow& row, std::size_t) { return variable_json(row); });
  json["iterations"] =
      chains_json(rungs, rungs.chains.iterations, &Analysis::iterations,
                  [&](const analysis::Iteration& row, std::size_t recording) {
                    Json loop = iteration_json(row, rungs.recordings[recording], 0, 0);
                    const std::vector<std::size_t> at = positions(rungs, recording);
                    for (Json& directive : loop["directives"])
                      directive = at[directive.get<std::size_t>()];
                    return loop;
                  });
  json["findings"] = chains_json(rungs, rungs.chains.findings, &Analysis::findings,
                                 [&](const analysis::Finding& row, std::size_t recording) {
                                   return finding_json(row, rungs.recordings[recording]);
                                 });
  if (!rungs.told_whole()) json["iterations"] = json["findings"] = nullptr;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

/// "1 naive", "naive.json: ./heat 1000 10" of each, the devices, and what is not alike.
std::vector<std::pair<std::string, std::string>> ladder_head(const Rungs& rungs) {
  std::vector<std::pair<std::string, std::string>> lines;
  bool same_devices = true;
  for (std::size_t i = 0; i < rungs.recordings.size(); ++i) {
    const analysis::Analysis& one = rungs.recordings[i];
    lines.emplace_back(std::to_string(i + 1),
                       fmt::format("{}: {}", one.file, header_value(one, "Program")));
    same_devices = same_devices && header_value(one, "Devices") ==
                                       header_value(rungs.recordings.front(), "Devices");
  }
  for (std::size_t i = 0; i < (same_devices ? 1 : rungs.recordings.size()); ++i) {
    lines.emplace_back(i == 0 ? "Devices" : "", header_value(rungs.recordings[i], "Devices"));
  }
  const std::string differ = differences(rungs.recordings);
  lines.emplace_back("Differ",
                     differ.empty() ? "nothing: the same program with the same arguments" : differ);
  return lines;
}

std::vector<std::string> ladder_warnings(const Rungs& rungs) {
  std::vector<std::string> lines;
  const auto& link = rungs.recordings.front().link;
  if (link) lines.push_back(link_sentence(*link));
  for (std::size_t i = 0; i < rungs.recordings.size(); ++i) {
    for (const std::string& line : warnings(rungs.recordings[i], rungs.ends.names)) {
      if (!link || line != link_sentence(*link)) lines.push_back(rungs.labels[i] + ": " + line);
    }
  }
  return lines;
}

/// Of each rung that lost anything, or that none did.
std::string ladder_losses(const Rungs& rungs) {
  std::string text;
  for (std::size_t i = 0; i < rungs.recordings.size(); ++i) {
    const analysis::Analysis& one = rungs.recordings[i];
    if (!has_losses(one)) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "Lost: " : "; ", rungs.labels[i],
                        losses(std::span(&one, 1)));
  }
  return text.empty() ? fmt::format("Lost: {} in any", losses(rungs.recordings.first(1))) : text;
}

/// What is not compared of rungs, and why; empty if all is.
std::string untold_rungs(const Rungs& rungs) {
  std::vector<const analysis::Analysis*> all;
  for (const analysis::Analysis& one : rungs.recordings) all.push_back(&one);
  return untold_sentence(all, rungs.labels);
}

std::string ladder_text(const Rungs& rungs, const Layout& layout) {
  std::string text = title(wrapped(comparison_headline(rungs.ends), layout.width), layout) + '\n';
  for (const std::string& line : ladder_warnings(rungs)) {
    text += warning(wrapped(line, layout.width - 2), layout) + '\n';
  }
  text += '\n';
  for (const auto& [name, value] : ladder_head(rungs)) text += fact(name, value, layout);
  for (const Table& table : ladder_tables(rungs)) text += titled(table, layout);
  const std::string untold = untold_rungs(rungs);
  if (!untold.empty()) text += '\n' + wrapped(untold, layout.width) + '\n';
  const std::string lost = wrapped(ladder_losses(rungs), layout.width - 2);
  const bool any = std::ranges::any_of(rungs.recordings, has_losses);
  return text + '\n' + (any ? warning(lost, layout) : lost) + '\n';
}

std::string ladder_markdown(const Rungs& rungs) {
  std::string text = "**" + comparison_headline(rungs.ends) + "**\n\n";
  for (const std::string& line : ladder_warnings(rungs)) text += "> " + line + "\n\n";
  for (const auto& [name, value] : ladder_head(rungs)) {
    text += fmt::format("* {}{}`{}`\n", name, name.empty() ? "" : ": ", value);
  }
  text += '\n';
  for (const Table& table : ladder_tables(rungs)) {
    if (table.rows.empty()) continue;
    text += "## " + table.title + "\n\n" + markdown(for_readers(table)) + '\n';
  }
  const std::string untold = untold_rungs(rungs);
  if (!untold.empty()) text += untold + "\n\n";
  return text + ladder_losses(rungs) + '\n';
}

std::string ladder_csv(const Rungs& rungs) {
  std::vector<Table> tables = ladder_tables(rungs);
  if (rungs.recordings.front().link) {
    tables.insert(tables.begin(), link_table(rungs.recordings.first(1)));
  }
  std::string text;
  for (const Table& table : tables) {
    text += fmt::format("{}# {}\n{}", text.empty() ? "" : "\n", table.name, csv(for_data(table)));
  }
  return text;
}

}  // namespace

std::string render_ladder(std::span<const analysis::Analysis> recordings,
                          std::span<const std::string> names, Format format, const Layout& layout) {
  const Rungs rungs(recordings, names);
  switch (format) {
    case Format::kJson:
      return ladder_json(rungs);
    case Format::kCsv:
      return ladder_csv(rungs);
    case Format::kMarkdown:
      return ladder_markdown(rungs);
    case Format::kText:
      break;
  }
  Layout usable = layout;
  usable.width = std::max<std::size_t>(layout.width, 60);
  return ladder_text(rungs, usable);
}

}  // namespace ompdm::report
