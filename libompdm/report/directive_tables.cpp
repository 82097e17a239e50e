#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "report/table_builder.h"
#include "report/tables.h"

namespace ompdm::report {
namespace {

using analysis::DirectiveFigures;
using analysis::DirectivePath;
using analysis::DirectiveRow;

/// An opened row's paths that have lines of their own.
constexpr std::size_t kMostPaths = 8;

std::vector<Column> figure_columns(Analyses analyses) {
  // Where the runtime tells no transfers, what the clauses name is all there is.
  const bool no_transfers = !std::ranges::all_of(analyses, analysis::knows_transfers);
  const Audience mapped = no_transfers ? Audience::kAll : Audience::kData;
  return {{"count", "Count", Unit::kCount},
          {"HtoD_bytes", "HtoD", Unit::kBytes},
          {"HtoD_count", "Calls", Unit::kCount},
          {"DtoH_bytes", "DtoH", Unit::kBytes},
          {"DtoH_count", "Calls", Unit::kCount},
          {"DtoD_bytes", "DtoD", Unit::kBytes, Audience::kAll, true},
          {"DtoD_count", "Calls", Unit::kCount, Audience::kAll, true},
          {"mapped_bytes", "Mapped", Unit::kBytes, mapped},
          {.key = "alloc_count",
           .title = "Allocs",
           .unit = Unit::kCount,
           .drop_if_empty = true,
           .spare = 3},
          {.key = "kernel_count", .title = "Kernels", .unit = Unit::kCount, .spare = 2},
          {"fallback_count", "On host", Unit::kCount, Audience::kAll, true},
          {.key = "transfer_ns", .title = "Transfers", .unit = Unit::kTime, .spare = 1},
          {"time_ns", "Time", Unit::kTime}};
}

std::vector<Cell> figure_cells(const analysis::Analysis& one, const DirectiveFigures& sum) {
  return {number(sum.count),
          moved(one, sum.htod.bytes),
          moved(one, sum.htod.count),
          moved(one, sum.dtoh.bytes),
          moved(one, sum.dtoh.count),
          moved(one, sum.dtod.bytes),
          moved(one, sum.dtod.count),
          number(sum.mapped_bytes),
          moved(one, sum.alloc_count),
          moved(one, sum.kernel_count),
          number(sum.fallback_count),
          timed(one, sum.timed, sum.htod.time + sum.dtoh.time + sum.dtod.time),
          timed(one, true, sum.time)};
}

template <class Row>
std::vector<Row> joined(std::vector<Row> rows, std::vector<Row> more) {
  rows.insert(rows.end(), std::make_move_iterator(more.begin()),
              std::make_move_iterator(more.end()));
  return rows;
}

/// The function, where it is not already told as the place.
std::string known_function(const DirectiveRow& row) {
  return row.line > 0 ? without_parameters(row.function) : std::string();
}

/// Who called the directive's function, and who called that: " < solve a.cpp:8 < main a.cpp:12".
std::string callers(const DirectivePath& path, const SourceNames& names) {
  std::string text;
  for (std::size_t i = 1; i < path.frames.size();) {
    const Frame& frame = path.frames[i];
    std::size_t alike = i;
    while (alike < path.frames.size() && path.frames[alike] == frame) ++alike;
    const std::string function = without_parameters(frame.function);
    const std::string place = names.place(frame.file, frame.line);
    text += fmt::format(" < {}{}{}", function, function.empty() || place.empty() ? "" : " ", place);
    if (alike - i > 1) text += fmt::format(" ({} times)", alike - i);
    i = alike;
  }
  return text;
}

/// A path by itself, where its directive's row is above.
std::string path_text(const DirectivePath& path, const SourceNames& names) {
  if (path.frames.empty()) return "(call path not known)";
  const std::string text = callers(path, names);
  return text.empty() ? "in " + without_parameters(path.frames.front().function) : text.substr(1);
}

/// A row's place, directive and function together, so that there is room for paths beneath.
std::string opened_place(const DirectiveRow& row, const SourceNames& names) {
  const std::string function = known_function(row);
  std::string text = names.place(row) + ' ' + SourceNames::directive(row);
  if (!function.empty()) text += " in " + function;
  return row.paths.size() == 1 ? text + callers(row.paths.front(), names) : text;
}

/// A row for readers alone: what a path, or what is left of them, came to.
void add_opened(TableBuilder& table, const analysis::Analysis& one, std::size_t recording,
                const DirectiveFigures& sum, const std::string& path) {
  table.add(recording, joined<Cell>(figure_cells(one, sum),
                                    {path, Cell(), Cell(), Cell(), Cell(), Cell(), Cell()}));
}

void open_row(TableBuilder& table, const analysis::Analysis& one, std::size_t recording,
              const DirectiveRow& row, const SourceNames& names) {
  const std::size_t shown = row.paths.size() > kMostPaths + 1 ? kMostPaths : row.paths.size();
  for (std::size_t i = 0; i < shown; ++i) {
    add_opened(table, one, recording, row.paths[i], path_text(row.paths[i], names));
  }
  if (shown == row.paths.size()) return;
  DirectiveFigures rest;
  for (std::size_t i = shown; i < row.paths.size(); ++i) add(rest, row.paths[i]);
  add_opened(table, one, recording, rest,
             fmt::format("({} other call paths)", row.paths.size() - shown));
}

}  // namespace

Table directives_table(Analyses analyses, const SourceNames& names, bool opened) {
  TableBuilder table(analyses,
                     {"directives",
                      opened ? "Movement by directive and call path" : "Movement by directive",
                      joined<Column>(figure_columns(analyses),
                                     {{"place", opened ? "Where < called by" : "Where", Unit::kText,
                                       Audience::kReader},
                                      {"what", "Directive", Unit::kText, Audience::kReader, true},
                                      {.key = "in",
                                       .title = "In",
                                       .audience = Audience::kReader,
                                       .drop_if_empty = true,
                                       .gives_way = true},
                                      {"directive", "", Unit::kText, Audience::kData},
                                      {"file", "", Unit::kText, Audience::kData},
                                      {"line", "", Unit::kCount, Audience::kData},
                                      {"function", "", Unit::kText, Audience::kData}}),
                      {}});
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    for (const DirectiveRow& row : analyses[i].directives) {
      Cell where = names.place(row);
      Cell what = SourceNames::directive(row);
      Cell in = known_function(row);
      if (opened) {
        where = opened_place(row, names);
        what = in = Cell();
      }
      table.add(i, joined<Cell>(figure_cells(analyses[i], row),
                                {std::move(where), std::move(what), std::move(in),
                                 std::string(analysis::directive_name(row.directive)), row.file,
                                 std::int64_t{row.line}, row.function}));
      if (opened && row.paths.size() > 1) open_row(table, analyses[i], i, row, names);
    }
  }
  return table.take();
}

Table directive_paths_table(Analyses analyses) {
  const std::vector<std::size_t> offsets = directive_offsets(analyses);
  TableBuilder table(analyses, {"directive_paths",
                                "Movement by call path",
                                joined<Column>(figure_columns(analyses),
                                               {{"directive", "Row", Unit::kCount},
                                                {"path", "In < called by", Unit::kText}}),
                                {}});
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    for (std::size_t row = 0; row < analyses[i].directives.size(); ++row) {
      for (const DirectivePath& path : analyses[i].directives[row].paths) {
        std::vector<std::string> calls;
        for (const Frame& frame : path.frames) {
          calls.push_back(frame.file.empty()
                              ? frame.function
                              : fmt::format("{} {}:{}", frame.function, frame.file, frame.line));
        }
        table.add(i, joined<Cell>(
                         figure_cells(analyses[i], path),
                         {number(offsets[i] + row), fmt::format("{}", fmt::join(calls, " < "))}));
      }
    }
  }
  return table.take();
}

std::string openable(Analyses analyses) {
  std::size_t several = 0;
  for (const analysis::Analysis& one : analyses) {
    several += static_cast<std::size_t>(std::ranges::count_if(
        one.directives, [](const DirectiveRow& row) { return row.paths.size() > 1; }));
  }
  if (several == 0) return {};
  return fmt::format(
      "{} reached by several call paths: --paths tells what each moved",
      several == 1 ? "one directive was" : fmt::format("{} directives were", several));
}

}  // namespace ompdm::report
