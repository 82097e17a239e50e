#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ranges>

#include "ompdm/report.h"
#include "report/findings.h"
#include "report/units.h"

namespace ompdm::report {

namespace {

using analysis::Analysis;
using analysis::LoopRow;
using analysis::VariableRow;

std::string variable_name(const VariableRow& row, const SourceNames& names) {
  std::string text = row.name.empty() ? fmt::format("{:#x}", row.address) : row.name;
  // One clause may stand for different data: members of several objects, instantiations of a
  // template.
  std::vector<std::string> several;
  if (row.pieces > 1) several.push_back(fmt::format("{} addresses", row.pieces));
  if (row.least_bytes != 0) {
    several.push_back(
        fmt::format("{} to {}", spoken_size(row.least_bytes), spoken_size(row.bytes)));
  }
  if (!several.empty()) text += fmt::format(" ({})", fmt::join(several, ", "));
  if (!row.aliases.empty()) text += fmt::format(" (also {})", fmt::join(row.aliases, ", "));
  const std::string place = names.place(row.file, row.line);
  return place.empty() ? text : text + ' ' + place;
}

/// Each loop is followed by the loops in it.
std::vector<LoopRow> as_tree(const Analysis& one) {
  const std::vector<LoopRow>& rows = one.loops;
  std::vector<std::vector<std::size_t>> within(rows.size());
  std::vector<std::size_t> open;  // the next loop is the last of these
  for (std::size_t i = rows.size(); i-- > 0;) {
    (rows[i].parent == analysis::kNoRow ? open : within[rows[i].parent]).push_back(i);
  }
  std::vector<LoopRow> order;
  while (!open.empty()) {
    const std::size_t next = open.back();
    open.pop_back();
    order.push_back(rows[next]);
    open.insert(open.end(), within[next].begin(), within[next].end());
  }
  return order;
}

/// Where the loop is, indented by each loop around it. Only a loop without a line has its function,
/// so that a row fits into one line of a screen.
std::string loop_cell(const Analysis& one, const LoopRow& row, const SourceNames& names) {
  if (!row.from_code) return "(by order)";
  std::string text;
  for (std::size_t at = row.parent; at != analysis::kNoRow; at = one.loops[at].parent) {
    text += "  ";
  }
  const bool by_line = row.line > 0 && !row.unrolled;
  if (by_line) return text + names.place(row.file, row.line);
  return text + (row.inside > 0 ? "around " + names.place(row.file, row.inside) : names.place(row));
}

/// An iteration as a bar of its wall time: '#' copies, '=' kernels, '.' neither.
Cell share_bar(const Analysis& one, const LoopRow& row) {
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

/// In the list of recordings.
std::size_t position_of(Analyses analyses, const Analysis& one) {
  return static_cast<std::size_t>(&one - analyses.data());
}

/// ">= 30" if some may not have been recorded.
Cell at_least(std::uint64_t count, bool may_be_more) {
  return may_be_more ? Cell(fmt::format(">= {}", count)) : number(count);
}

using analysis::DirectiveFigures;
using analysis::DirectivePath;
using analysis::DirectiveRow;

/// Call paths of a row that have lines of their own. The others are summed in one line.
constexpr std::size_t kMostPaths = 8;

void add_figures(TableRow& row, Analyses analyses, const Analysis& one,
                 const DirectiveFigures& sum) {
  row.add({"count", "Executions"}, number(sum.count));
  row.add({"HtoD_bytes", "HtoD"}, moved(one, sum.htod.bytes));
  row.add({"HtoD_count", "Copies"}, moved(one, sum.htod.count));
  row.add({"DtoH_bytes", "DtoH"}, moved(one, sum.dtoh.bytes));
  row.add({"DtoH_count", "Copies"}, moved(one, sum.dtoh.count));
  row.add(if_any("DtoD_bytes", "DtoD"), moved(one, sum.dtod.bytes));
  row.add(if_any("DtoD_count", "Copies"), moved(one, sum.dtod.count));
  // If the runtime reports no transfers, only the bytes that the clauses name are known.
  const bool no_transfers = !std::ranges::all_of(analyses, analysis::knows_transfers);
  const Audience mapped = no_transfers ? Audience::kAll : Audience::kData;
  row.add({"mapped_bytes", "Mapped", Unit::kBytes, mapped}, number(sum.mapped_bytes));
  row.add({.key = "alloc_count", .title = "Allocs", .drop_if_empty = true, .drop_priority = 3},
          moved(one, sum.alloc_count));
  row.add(sparable(3, "kernel_count", "Kernels"), moved(one, sum.kernel_count));
  row.add(if_any("fallback_count", "On host"), number(sum.fallback_count));
  row.add(sparable(1, "transfer_ns", "Copy time"), timed(one, sum.timed, transfer_time(sum)));
  row.add(sparable(2, "time_ns", "Time"), timed(one, true, sum.time));
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

/// A directive, or a call path beneath it.
struct DirectiveLine {
  DirectiveRow row;
  std::string path = {};  ///< of a call path, whose figures the row has
};

/// The directives of a recording, each followed by its call paths if there are several.
std::vector<DirectiveLine> opened_lines(const Analysis& one, const SourceNames& names) {
  std::vector<DirectiveLine> lines;
  for (const DirectiveRow& row : one.directives) {
    lines.push_back({row});
    const std::size_t count = row.paths.size();
    if (count < 2) continue;
    const std::size_t shown = count > kMostPaths + 1 ? kMostPaths : count;
    for (const DirectivePath& path : row.paths | std::views::take(shown)) {
      add(lines.emplace_back().row, path);
      lines.back().path = path_text(path, names);
    }
    if (shown == count) continue;
    DirectiveLine& rest = lines.emplace_back();
    for (const DirectivePath& path : row.paths | std::views::drop(shown)) add(rest.row, path);
    rest.path = fmt::format("({} other call paths)", count - shown);
  }
  return lines;
}

/// With the position of each path's directive.
std::vector<std::pair<std::size_t, DirectivePath>> paths_of(const Analysis& one) {
  std::vector<std::pair<std::size_t, DirectivePath>> paths;
  for (std::size_t row = 0; row < one.directives.size(); ++row) {
    for (const DirectivePath& path : one.directives[row].paths) paths.emplace_back(row, path);
  }
  return paths;
}

}  // namespace

Table variables_table(Analyses analyses, const SourceNames& names) {
  const auto shown = [](const Analysis& one) {
    std::vector<VariableRow> rows = one.variables;
    // Most of these are structs that hold mapped pointers.
    std::erase_if(rows, [&](const VariableRow& row) {
      return row.name.empty() && analysis::knows_transfers(one) &&
             row.htod.count + row.dtoh.count == 0;
    });
    return rows;
  };
  Table table =
      by_recording(analyses, "variables", "Movement by variable", shown,
                   [&](TableRow& row, const Analysis& one, const VariableRow& of) {
                     row.add({"HtoD_bytes", "HtoD"}, moved(one, of.htod.bytes));
                     row.add({"HtoD_count", "Copies"}, moved(one, of.htod.count));
                     row.add({"DtoH_bytes", "DtoH"}, moved(one, of.dtoh.bytes));
                     row.add({"DtoH_count", "Copies"}, moved(one, of.dtoh.count));
                     row.add(sparable(2, "transfer_ns", "Copy time"),
                             timed(one, of.timed, of.htod.time + of.dtoh.time));
                     row.add(sparable(1, "bytes", "Size"), number(of.bytes));
                     row.add(reader_only("variable", "Variable"), variable_name(of, names));
                     row.add(data_only("name"), of.name);
                     row.add(data_only("file"), of.file);
                     row.add(data_only("line"), std::int64_t{of.line});
                     row.add(data_only("aliases"), fmt::format("{}", fmt::join(of.aliases, " ")));
                   });
  table.has_total = analyses.size() == 1;
  return table;
}

Table loops_table(Analyses analyses, const SourceNames& names) {
  const std::vector<std::size_t> offsets = directive_offsets(analyses);
  return by_recording(
      analyses, "iterations",
      "Loops: cost of an iteration after the first (bar: # copies, = kernels, . other)", as_tree,
      [&](TableRow& row, const Analysis& one, const LoopRow& of) {
        row.add(data_only("count"), number(of.count));
        row.add(reader_only("passes", "Iterations", Unit::kCount), at_least(of.count, of.at_least));
        row.add(data_only("entries", Unit::kCount), number(of.entries));
        row.add(data_only("devices", Unit::kCount), number(std::uint64_t{of.devices}));
        const bool is_entered_again = of.entries > 1 || of.entries_at_least;
        row.add({"entered", "Entered", Unit::kCount, Audience::kReader, true},
                is_entered_again ? at_least(of.entries, of.entries_at_least) : Cell());
        row.add({"HtoD_bytes", "HtoD"}, moved(one, of.steady.htod_bytes));
        row.add({"DtoH_bytes", "DtoH"}, moved(one, of.steady.dtoh_bytes));
        row.add(data_only("invariant_bytes"),
                of.invariant_bytes ? number(*of.invariant_bytes) : Cell());
        row.add({"allocations", "Allocs", Unit::kCount, Audience::kAll, true, true},
                number(of.steady.allocations));
        row.add(sparable(1, "transfer_ns", "Copy time"), timed(one, of.timed, of.steady.transfer));
        row.add(sparable(3, "kernel_ns", "Kernel time"), timed(one, of.timed, of.steady.kernel));
        row.add({"wall_ns", "Wall"}, of.steady.wall);
        Column bar = reader_only("share", "Bar");
        bar.drop_priority = 2;
        row.add(std::move(bar), share_bar(one, of));
        row.add(data_only("first_HtoD_bytes"), moved(one, of.first.htod_bytes));
        row.add(data_only("first_DtoH_bytes"), moved(one, of.first.dtoh_bytes));
        row.add(data_only("first_transfer_ns"), timed(one, of.timed, of.first.transfer));
        row.add(data_only("first_kernel_ns"), timed(one, of.timed, of.first.kernel));
        row.add(sparable(4, "first_wall_ns", "1st wall"), of.first.wall);
        row.add(reader_only("loop", "Loop"), loop_cell(one, of, names));
        std::string over = names.places(one, of.directives);
        if (of.devices > 1) over += fmt::format(" on {} devices", of.devices);
        row.add({"over", "Directives", Unit::kText, Audience::kReader, false, true},
                std::move(over));
        std::vector<std::size_t> positions = of.directives;
        for (std::size_t& directive : positions) directive += offsets[position_of(analyses, one)];
        row.add(data_only("directives"), fmt::format("{}", fmt::join(positions, " ")));
      });
}

Table findings_table(Analyses analyses, const SourceNames& names) {
  return by_recording(analyses, "findings", "Findings", &Analysis::findings,
                      [&](TableRow& row, const Analysis&, const analysis::Finding& finding) {
                        row.add({"pattern", "Pattern"}, finding.pattern);
                        row.add(reader_only("place", "Where"),
                                names.place(finding.file, finding.line));
                        row.add(data_only("file"), finding.file);
                        row.add(data_only("line"), std::int64_t{finding.line});
                        row.add({"variable", "Variable"}, finding.variable);
                        row.add({"count", "Count"}, number(finding.count));
                        row.add({"wasted_bytes", "Redundant"}, number(finding.wasted_bytes));
                        row.add({"wasted_ns", "Redundant time"},
                                finding.timed ? Cell(finding.wasted_time) : Cell());
                        row.add({"confidence", "Confidence"}, std::string(confidence_of(finding)));
                        row.add({"examined", "Examined", Unit::kCount}, number(finding.examined));
                        row.add({"of", "Of", Unit::kCount}, number(finding.of));
                        row.add({"evidence", "Evidence"}, evidence_text(finding));
                        row.add({"advice", "Advice"}, advice_text(finding));
                        if (!are_inputs(analyses)) return;
                        for (const auto& [verdict, runs] : runs_by_verdict(finding)) {
                          row.add(data_only(fmt::format("runs_{}", verdict)),
                                  fmt::format("{}", fmt::join(runs, " ")));
                        }
                      });
}

Table directives_table(Analyses analyses, const SourceNames& names, bool opened) {
  if (!opened) {
    Table table = by_recording(
        analyses, "directives", "Movement by directive", &Analysis::directives,
        [&](TableRow& row, const Analysis& one, const DirectiveRow& of) {
          add_figures(row, analyses, one, of);
          row.add(reader_only("place", "Where"), names.place(of));
          row.add({"what", "Directive", Unit::kText, Audience::kReader, true},
                  SourceNames::directive(of));
          row.add({"in", "In", Unit::kText, Audience::kReader, true, true}, known_function(of));
          row.add(data_only("directive"), std::string(analysis::directive_name(of.directive)));
          row.add(data_only("file"), of.file);
          row.add(data_only("line"), std::int64_t{of.line});
          row.add(data_only("function"), of.function);
        });
    table.has_total = analyses.size() == 1;
    return table;
  }
  return by_recording(
      analyses, "directives", "Movement by directive and call path",
      [&](const Analysis& one) { return opened_lines(one, names); },
      [&](TableRow& row, const Analysis& one, const DirectiveLine& line) {
        add_figures(row, analyses, one, line.row);
        row.add(reader_only("place", "Where < called by"),
                line.path.empty() ? opened_place(line.row, names) : line.path);
      });
}

Table directive_paths_table(Analyses analyses) {
  const std::vector<std::size_t> offsets = directive_offsets(analyses);
  return by_recording(
      analyses, "directive_paths", "Movement by call path", paths_of,
      [&](TableRow& row, const Analysis& one,
          const std::pair<std::size_t, DirectivePath>& directive_and_path) {
        const auto& [directive, path] = directive_and_path;
        add_figures(row, analyses, one, path);
        row.add({"directive", "Row", Unit::kCount},
                number(offsets[position_of(analyses, one)] + directive));
        std::vector<std::string> calls;
        for (const Frame& frame : path.frames) {
          calls.push_back(frame.file.empty()
                              ? frame.function
                              : fmt::format("{} {}:{}", frame.function, frame.file, frame.line));
        }
        row.add({"path", "In < called by"}, fmt::format("{}", fmt::join(calls, " < ")));
      });
}

std::string openable(Analyses analyses) {
  std::size_t several = 0;
  for (const Analysis& one : analyses) {
    several += static_cast<std::size_t>(std::ranges::count_if(
        one.directives, [](const DirectiveRow& row) { return row.paths.size() > 1; }));
  }
  if (several == 0) return {};
  return fmt::format(
      "{} reached by several call paths: --paths shows each",
      several == 1 ? "one directive was" : fmt::format("{} directives were", several));
}

}  // namespace ompdm::report
