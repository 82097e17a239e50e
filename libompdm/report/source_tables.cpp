#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ompdm/report.h"
#include "report/findings.h"
#include "report/tables.h"
#include "report/units.h"

namespace ompdm::report {

namespace {

std::string variable_name(const analysis::VariableRow& row, const SourceNames& names) {
  std::string text = row.name.empty() ? fmt::format("{:#x}", row.address) : row.name;
  // One clause may stand for different data: members of several objects, instances of a template.
  std::vector<std::string> several;
  if (row.pieces > 1) several.push_back(fmt::format("{} pieces", row.pieces));
  if (row.least_bytes != 0) {
    several.push_back(
        fmt::format("{} to {}", spoken_size(row.least_bytes), spoken_size(row.bytes)));
  }
  if (!several.empty()) text += fmt::format(" ({})", fmt::join(several, ", "));
  if (!row.aliases.empty()) text += fmt::format(" (also {})", fmt::join(row.aliases, ", "));
  const std::string place = names.place(row.file, row.line);
  return place.empty() ? text : text + ' ' + place;
}

}  // namespace

Table variables_table(Analyses analyses, const SourceNames& names) {
  TableBuilder table(
      analyses,
      {"variables",
       "Movement by variable",
       {{"HtoD_bytes", "HtoD", Unit::kBytes},
        {"HtoD_count", "Calls", Unit::kCount},
        {"DtoH_bytes", "DtoH", Unit::kBytes},
        {"DtoH_count", "Calls", Unit::kCount},
        {.key = "transfer_ns", .title = "Transfers", .unit = Unit::kTime, .drop_priority = 2},
        {.key = "bytes", .title = "Size", .unit = Unit::kBytes, .drop_priority = 1},
        {"variable", "Variable", Unit::kText, Audience::kReader},
        {"name", "", Unit::kText, Audience::kData},
        {"file", "", Unit::kText, Audience::kData},
        {"line", "", Unit::kCount, Audience::kData},
        {"aliases", "", Unit::kText, Audience::kData}},
       {}});
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    const bool is_known = analysis::knows_transfers(analyses[i]);
    for (const auto& row : analyses[i].variables) {
      // Most of these are structs that hold mapped pointers.
      if (row.name.empty() && is_known && row.htod.count + row.dtoh.count == 0) continue;
      table.add(i, {moved(analyses[i], row.htod.bytes), moved(analyses[i], row.htod.count),
                    moved(analyses[i], row.dtoh.bytes), moved(analyses[i], row.dtoh.count),
                    timed(analyses[i], row.timed, row.htod.time + row.dtoh.time), number(row.bytes),
                    variable_name(row, names), row.name, row.file, std::int64_t{row.line},
                    fmt::format("{}", fmt::join(row.aliases, " "))});
    }
  }
  return table.take();
}

namespace {

/// Positions of loops: each loop is followed by the loops in it.
std::vector<std::size_t> as_tree(const std::vector<analysis::Iteration>& rows) {
  std::vector<std::vector<std::size_t>> within(rows.size());
  std::vector<std::size_t> open;  // the next loop is the last of these
  for (std::size_t i = rows.size(); i-- > 0;) {
    (rows[i].parent == analysis::kNoRow ? open : within[rows[i].parent]).push_back(i);
  }
  std::vector<std::size_t> order;
  while (!open.empty()) {
    order.push_back(open.back());
    open.pop_back();
    const std::vector<std::size_t>& inner = within[order.back()];
    open.insert(open.end(), inner.begin(), inner.end());
  }
  return order;
}

/// Where the loop is, indented by each loop around it. Only a loop without a line has its function,
/// so that a row fits into one line of a screen.
std::string loop_cell(const std::vector<analysis::Iteration>& rows, const analysis::Iteration& row,
                      const SourceNames& names) {
  if (!row.from_code) return "(by order)";
  std::string text;
  for (std::size_t at = row.parent; at != analysis::kNoRow; at = rows[at].parent) {
    text += "  ";
  }
  const bool by_line = row.line > 0 && !row.unrolled;
  if (by_line) return text + names.place(row.file, row.line);
  return text + (row.inside > 0 ? "around " + names.place(row.file, row.inside) : names.place(row));
}

/// A pass as a bar of its wall time: '#' copies, '=' kernels, '.' neither.
Cell share_bar(const analysis::Analysis& one, const analysis::Iteration& row) {
  constexpr std::size_t kWidth = 18;
  if (!row.timed || row.steady.wall <= 0 || !analysis::knows_transfers(one)) return {};
  const auto columns = [&](Nanoseconds part) {
    const double share = static_cast<double>(part) / static_cast<double>(row.steady.wall);
    return static_cast<std::size_t>(std::lround(kWidth * std::clamp(share, 0.0, 1.0)));
  };
  const std::size_t copies = columns(row.steady.transfer);
  // If copies and kernels overlap, copies are drawn.
  const std::size_t kernels = std::min(columns(row.steady.kernel), kWidth - copies);
  return std::string(copies, '#') + std::string(kernels, '=') +
         std::string(kWidth - copies - kernels, '.');
}

/// ">= 30" if some may not have been recorded.
Cell at_least(std::uint64_t count, bool may_be_more) {
  return may_be_more ? Cell(fmt::format(">= {}", count)) : number(count);
}

}  // namespace

Table iterations_table(Analyses analyses, const SourceNames& names) {
  const std::vector<std::size_t> offsets = directive_offsets(analyses);
  TableBuilder table(
      analyses,
      {"iterations",
       "Loops: cost of a pass after the first",
       {{"count", "", Unit::kCount, Audience::kData},
        {"passes", "Passes", Unit::kCount, Audience::kReader},
        {"entries", "", Unit::kCount, Audience::kData},
        {"devices", "", Unit::kCount, Audience::kData},
        {"entered", "Entered", Unit::kCount, Audience::kReader, true},
        {"HtoD_bytes", "HtoD", Unit::kBytes},
        {"DtoH_bytes", "DtoH", Unit::kBytes},
        {"invariant_bytes", "", Unit::kBytes, Audience::kData},
        {.key = "allocations",
         .title = "Allocs",
         .unit = Unit::kCount,
         .drop_if_empty = true,
         .drop_if_tight = true},
        {.key = "transfer_ns", .title = "Transfers", .unit = Unit::kTime, .drop_priority = 1},
        {.key = "kernel_ns", .title = "Kernels", .unit = Unit::kTime, .drop_priority = 2},
        {"wall_ns", "Wall", Unit::kTime},
        {"share", "# copies = kernels", Unit::kText, Audience::kReader},
        {"first_HtoD_bytes", "", Unit::kBytes, Audience::kData},
        {"first_DtoH_bytes", "", Unit::kBytes, Audience::kData},
        {"first_transfer_ns", "", Unit::kTime, Audience::kData},
        {"first_kernel_ns", "", Unit::kTime, Audience::kData},
        {.key = "first_wall_ns", .title = "1st wall", .unit = Unit::kTime, .drop_priority = 3},
        {"loop", "Loop", Unit::kText, Audience::kReader},
        {.key = "over", .title = "Over", .audience = Audience::kReader, .drop_if_tight = true},
        {"directives", "", Unit::kText, Audience::kData}},
       {}});
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    for (const std::size_t position : as_tree(analyses[i].iterations)) {
      const analysis::Iteration& row = analyses[i].iterations[position];
      std::string over = names.places(analyses[i], row.directives);
      if (row.devices > 1) over += fmt::format(" on {} devices", row.devices);
      std::vector<std::size_t> positions = row.directives;
      for (std::size_t& directive : positions) directive += offsets[i];
      table.add(
          i, {number(row.count),
              at_least(row.count, row.at_least),
              number(row.entries),
              number(std::uint64_t{row.devices}),
              row.entries > 1 || row.entries_at_least ? at_least(row.entries, row.entries_at_least)
                                                      : Cell(),
              moved(analyses[i], row.steady.htod_bytes),
              moved(analyses[i], row.steady.dtoh_bytes),
              row.invariant_bytes ? number(*row.invariant_bytes) : Cell(),
              number(row.steady.allocations),
              timed(analyses[i], row.timed, row.steady.transfer),
              timed(analyses[i], row.timed, row.steady.kernel),
              row.steady.wall,
              share_bar(analyses[i], row),
              moved(analyses[i], row.first.htod_bytes),
              moved(analyses[i], row.first.dtoh_bytes),
              timed(analyses[i], row.timed, row.first.transfer),
              timed(analyses[i], row.timed, row.first.kernel),
              row.first.wall,
              loop_cell(analyses[i].iterations, row, names),
              std::move(over),
              fmt::format("{}", fmt::join(positions, " "))});
    }
  }
  return table.take();
}

Table findings_table(Analyses analyses, const SourceNames& names) {
  std::vector<Column> columns = {{"pattern", "Pattern"},
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
                                 {"advice", "Advice"}};
  if (are_inputs(analyses)) {
    for (const auto& [verdict, runs] : runs_by_verdict({})) {
      columns.push_back({fmt::format("runs_{}", verdict), "", Unit::kText, Audience::kData});
    }
  }
  TableBuilder table(analyses, {"findings", "Findings", std::move(columns), {}});
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    for (const auto& row : analyses[i].findings) {
      std::vector<Cell> cells = {row.pattern,
                                 names.place(row.file, row.line),
                                 row.file,
                                 std::int64_t{row.line},
                                 row.variable,
                                 number(row.count),
                                 number(row.wasted_bytes),
                                 row.timed ? Cell(std::int64_t{row.wasted_time}) : Cell(),
                                 std::string(confidence_of(row)),
                                 number(row.examined),
                                 number(row.of),
                                 evidence_text(row),
                                 advice_text(row)};
      if (are_inputs(analyses)) {
        for (const auto& [verdict, runs] : runs_by_verdict(row)) {
          cells.push_back(fmt::format("{}", fmt::join(runs, " ")));
        }
      }
      table.add(i, std::move(cells));
    }
  }
  return table.take();
}

namespace {

using analysis::DirectiveFigures;
using analysis::DirectivePath;
using analysis::DirectiveRow;

/// Call paths of a row that have lines of their own. The others are summed in one line.
constexpr std::size_t kMostPaths = 8;

std::vector<Column> figure_columns(Analyses analyses) {
  // If the runtime reports no transfers, only the bytes that the clauses name are known.
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
           .drop_priority = 3},
          {.key = "kernel_count", .title = "Kernels", .unit = Unit::kCount, .drop_priority = 2},
          {"fallback_count", "On host", Unit::kCount, Audience::kAll, true},
          {.key = "transfer_ns", .title = "Transfers", .unit = Unit::kTime, .drop_priority = 1},
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

/// The function, unless it is in the row's place.
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

/// A call path for a line beneath its directive's row.
std::string path_text(const DirectivePath& path, const SourceNames& names) {
  if (path.frames.empty()) return "(call path not known)";
  const std::string text = callers(path, names);
  return text.empty() ? "in " + without_parameters(path.frames.front().function) : text.substr(1);
}

/// A row's place, directive and function in one cell, so that there is room for paths beneath.
std::string opened_place(const DirectiveRow& row, const SourceNames& names) {
  const std::string function = known_function(row);
  std::string text = names.place(row) + ' ' + SourceNames::directive(row);
  if (!function.empty()) text += " in " + function;
  return row.paths.size() == 1 ? text + callers(row.paths.front(), names) : text;
}

/// Adds a line for readers: the figures of a call path, or of the remaining ones.
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
                                       .drop_if_tight = true},
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
