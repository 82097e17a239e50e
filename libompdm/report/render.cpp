#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>

#include "ompdm/error.h"
#include "ompdm/report.h"
#include "report/clauses.h"
#include "report/comparison.h"
#include "report/findings.h"
#include "report/json_rows.h"
#include "report/sentences.h"
#include "report/staging.h"
#include "report/text_layout.h"
#include "report/units.h"

namespace ompdm::report {

namespace {

using analysis::Activity;
using analysis::Analysis;

constexpr std::size_t kTypeWidth = 16;
constexpr std::size_t kShareWidth = 9;
constexpr std::size_t kFigureWidth = 10;
constexpr std::size_t kRankWidth = 9;
constexpr std::size_t kLeastName = 24;
constexpr const char* kFigures[] = {"Time", "Calls", "Avg", "Min", "Max"};

/// How many figures fit before the name, and where the name begins.
struct Columns {
  std::size_t figures = std::size(kFigures);
  std::size_t name_at = 0;
  std::size_t name_width = kLeastName;
};

Columns columns_of(std::size_t width, bool ranks) {
  constexpr std::size_t kLeastFigures = 2;
  Columns columns;
  for (;; --columns.figures) {
    columns.name_at =
        (ranks ? kRankWidth : 0) + kTypeWidth + kShareWidth + columns.figures * kFigureWidth + 2;
    if (columns.name_at + kLeastName <= width) columns.name_width = width - columns.name_at;
    if (columns.name_at + kLeastName <= width || columns.figures == kLeastFigures) return columns;
  }
}

/// A row of the block: an activity, or several kernels of one function.
struct BlockRow {
  Activity row;
  std::size_t kernels = 1;
};

/// Adds another kernel of the same function.
void fold(const Activity& more, BlockRow& folded) {
  Activity& row = folded.row;
  ++folded.kernels;
  row.count += more.count;
  row.total += more.total;
  row.minimum = std::min(row.minimum, more.minimum);
  row.maximum = std::max(row.maximum, more.maximum);
  row.average = row.total / static_cast<Nanoseconds>(std::max<std::uint64_t>(row.count, 1));
  if (row.percent && more.percent) *row.percent += *more.percent;
}

/// By their times. Of more than `most` (0: any number) the kernels of a function are one row.
std::vector<BlockRow> block_rows(const std::vector<Activity>& rows, std::size_t most) {
  std::vector<BlockRow> folded;
  std::map<std::pair<std::string, Clock>, std::size_t> known;  // by function
  for (const Activity& row : rows) {
    const bool folds = most > 0 && rows.size() > most &&
                       row.type == analysis::ActivityType::kKernel && !row.function.empty();
    const auto at = folds ? known.try_emplace({row.function, row.clock}, folded.size())
                          : std::pair(known.end(), true);
    if (at.second) {
      folded.push_back({row});
    } else {
      fold(row, folded[at.first->second]);
    }
  }
  std::ranges::stable_sort(folded, std::ranges::greater(),
                           [](const BlockRow& one) { return one.row.total; });
  return folded;
}

std::string name_of(const BlockRow& one, const SourceNames& names) {
  if (one.kernels == 1) return names.activity(one.row);
  return fmt::format("{} ({} kernels)", without_parameters(one.row.function), one.kernels);
}

void append_rows(const std::vector<Activity>& all, std::size_t most, const char* title,
                 const std::string& rank, const SourceNames& names, const Columns& columns,
                 std::string& text) {
  std::vector<BlockRow> rows = block_rows(all, most);
  std::size_t hidden = 0;
  // Copies have few rows, and the report is about them: kernels alone are hidden.
  for (std::size_t at = rows.size(); most > 0 && rows.size() > most && at-- > 0;) {
    if (rows[at].row.type != analysis::ActivityType::kKernel) continue;
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(at));
    ++hidden;
  }
  for (const BlockRow& one : rows) {
    const Activity& row = one.row;
    const std::string model = row.clock == Clock::kModel ? " (model)" : "";
    const std::string figures[] = {spoken_time(row.total), fmt::format("{}", row.count),
                                   spoken_time(row.average), spoken_time(row.minimum),
                                   spoken_time(row.maximum)};
    fmt::format_to(std::back_inserter(text), "{}{:>{}}{:>{}}", rank,
                   &one == rows.data() ? title : "", kTypeWidth,
                   row.percent ? percent_text(*row.percent) : "enqueue", kShareWidth);
    for (std::size_t i = 0; i < columns.figures; ++i) {
      fmt::format_to(std::back_inserter(text), "{:>{}}", figures[i], kFigureWidth);
    }
    text += "  ";
    const auto lines = set_in_lines(name_of(one, names) + model, columns.name_width);
    for (const std::string& line : lines) {
      if (&line != lines.data()) text += std::string(columns.name_at, ' ');
      text += line + '\n';
    }
  }
  if (hidden > 0) {
    text += fmt::format("{:>{}} ... and {} more rows: --all shows them\n", "", kTypeWidth, hidden);
  }
}

/// nvprof's title, or that the host emulates the device.
const char* device_title(const Analysis& one) {
  const bool emulates = std::ranges::any_of(one.devices, &Device::emulated);
  const bool is_real = std::ranges::any_of(
      one.devices, [](const Device& device) { return !device.is_host && !device.emulated; });
  return emulates && !is_real ? "Host device:" : "GPU activities:";
}

/// Heading, ` GPU activities:` and `      API calls:` of each recording, as nvprof has them; the
/// name is shortened to fit `width`. A row of which only the enqueueing was timed has `enqueue` for
/// its share. Of more than `most_rows` (0: all are shown) only the first are shown.
std::string nvprof_block(Analyses analyses, const SourceNames& names, std::size_t width,
                         std::size_t most_rows) {
  const Ranks ranks = ranks_of(analyses);
  const Columns columns = columns_of(width, !ranks.key.empty());
  std::string text;
  if (!ranks.key.empty()) text = fmt::format("{:>{}}", ranks.title, kRankWidth);
  fmt::format_to(std::back_inserter(text), "{:>{}}{:>{}}", "Type", kTypeWidth, "Time(%)",
                 kShareWidth);
  for (std::size_t i = 0; i < columns.figures; ++i) {
    fmt::format_to(std::back_inserter(text), "{:>{}}", kFigures[i], kFigureWidth);
  }
  text += "  Name\n";
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    const std::string rank =
        ranks.key.empty() ? std::string() : fmt::format("{:>{}}", ranks.labels[i], kRankWidth);
    append_rows(analyses[i].activities, most_rows, device_title(analyses[i]), rank, names, columns,
                text);
    append_rows(analyses[i].api_calls, most_rows, "API calls:", rank, names, columns, text);
  }
  return text;
}

std::string moved_text(const analysis::Totals& totals) {
  return fmt::format("HtoD {} in {}, DtoH {} in {}, {}", spoken_size(totals.htod.bytes),
                     counted(totals.htod.count, "copy", "copies"), spoken_size(totals.dtoh.bytes),
                     counted(totals.dtoh.count, "copy", "copies"),
                     counted(totals.kernel.count, "kernel"));
}

/// "HtoD 12.0 MB/s": of what came between two looks.
std::string rate_text(const char* name, std::uint64_t now, std::uint64_t before, Nanoseconds time) {
  const double seconds = static_cast<double>(time) / 1e9;
  const double rate = static_cast<double>(now - std::min(now, before)) / seconds;
  return fmt::format("{} {}/s", name, spoken_size(static_cast<std::uint64_t>(rate)));
}

bool has_activities(const Analysis& one) {
  return !one.activities.empty() || !one.api_calls.empty();
}

bool any_lost(Analyses analyses) { return std::ranges::any_of(analyses, has_losses); }

/// What limits the figures, of all recordings.
std::vector<std::string> all_warnings(Analyses analyses, const SourceNames& names) {
  std::vector<std::string> lines =
      prefixed(analyses, [&](const Analysis& one) { return warnings(one, names); });
  if (any_lost(analyses)) lines.push_back("Lost: " + losses(analyses));
  return lines;
}

/// Facts of all recordings. Those that only `ompdm info` shows are left out; those of each
/// recording are in a table if there are several.
std::vector<std::pair<std::string, std::string>> facts_of_all(Analyses analyses) {
  std::vector<std::pair<std::string, std::string>> facts = header(analyses.front());
  const bool of_one = ranks_of(analyses).key.empty();
  std::erase_if(facts, [&](const auto& one) {
    const bool is_memory = one.first == "Memory" || one.first == "Left";
    return one.first == "Process" || is_memory || (!of_one && one.first == "Wall");
  });
  if (of_one) {
    // One line for the program and its run; `ompdm info` has the path.
    const Process& process = analyses.front().process;
    std::string& command = facts.front().second;
    const std::size_t first = command.find(' ');
    const std::size_t slash = command.substr(0, first).rfind('/');
    if (command.starts_with('/') && slash != std::string::npos) command.erase(0, slash + 1);
    const std::string rank = process.rank < 0 ? ""
                             : process.rank_count > 0
                                 ? fmt::format("; rank {} of {}", process.rank, process.rank_count)
                                 : fmt::format("; rank {}", process.rank);
    const std::string devices = header_value(analyses.front(), "Devices");
    facts.front().second +=
        fmt::format("; {}; {}{}", header_value(analyses.front(), "Wall"),
                    devices == "not known" ? "devices not known" : devices, rank);
    std::erase_if(facts,
                  [](const auto& one) { return one.first == "Devices" || one.first == "Wall"; });
    return facts;
  }
  // The arguments of runs on several inputs are in the table.
  const Process& process = analyses.front().process;
  if (are_inputs(analyses) && !process.arguments.empty()) {
    for (auto& [name, value] : facts) {
      if (name == "Program") value = process.arguments.front();
    }
  }
  const std::string differ = are_inputs(analyses) ? "" : differences(analyses, ", ");
  if (!differ.empty()) facts.emplace_back("Differ", differ);
  return facts;
}

/// "Copy sizes: HtoD 20, 8.00 MB on average (8 B to 16.0 MB)": nsys's operations by size, in a
/// line.
std::string copy_sizes(const Analysis& one) {
  std::vector<std::string> parts;
  for (const analysis::CopySizes& sizes : one.copy_sizes) {
    const char* direction = sizes.kind == OpKind::kHtoD   ? "HtoD"
                            : sizes.kind == OpKind::kDtoH ? "DtoH"
                                                          : "DtoD";
    const std::string span =
        sizes.least == sizes.most
            ? fmt::format("{} each", spoken_size(sizes.most))
            : fmt::format("{} on average ({} to {})", spoken_size(sizes.bytes / sizes.count),
                          spoken_size(sizes.least), spoken_size(sizes.most));
    parts.push_back(fmt::format("{} {}, {}", direction, sizes.count, span));
  }
  return parts.empty() ? "" : fmt::format("Copy sizes: {}", fmt::join(parts, "; "));
}

/// Peaks of device memory and what was left there, of one recording: several have a table.
std::vector<std::string> memory_sentences(Analyses analyses) {
  std::vector<std::string> lines;
  if (!ranks_of(analyses).key.empty()) return lines;
  for (const auto& [name, value] : header(analyses.front())) {
    if (name == "Memory") lines.push_back("Device memory: " + value);
    if (name == "Left") lines.push_back("Left in device memory: " + value);
  }
  return lines;
}

std::vector<std::string> unchecked_clauses(const Analysis& one) { return {clauses_unchecked(one)}; }

std::string text_report(Analyses analyses, const SourceNames& names, const Layout& layout) {
  const Ranks ranks = ranks_of(analyses);
  // The first line is not broken unless it goes to a terminal: programs read it.
  const std::string first = headline(analyses, names);
  std::string text = title(layout.narrow ? wrapped(first, layout.width) : first, layout) + '\n';
  text += wrapped_lines({headline_basis(analyses)}, layout.width);
  text += warnings_text(all_warnings(analyses, names), layout);
  for (const auto& [name, value] : facts_of_all(analyses)) text += fact(name, value, layout);
  if (!ranks.key.empty()) text += titled(traces_table(analyses), layout);
  if (std::ranges::any_of(analyses, analysis::has_target_events)) {
    text += clauses_text(analyses, names, layout);
    text += findings_summary(analyses, names, layout);
    text += staging_text(analyses, names, layout);
    if (std::ranges::any_of(analyses, has_activities)) {
      text += '\n' + nvprof_block(analyses, names, layout.width, layout.rows);
    }
    text += ranks.key.empty() ? wrapped_lines({copy_sizes(analyses.front())}, layout.width)
                              : titled(copy_sizes_table(analyses), layout);
    if (!ranks.key.empty()) text += titled(memory_table(analyses, names), layout);
    text += titled(device_use_table(analyses), layout);
    text += titled(host_waits_table(analyses, names), layout);
    text += titled(start_latencies_table(analyses), layout);
    text += titled(directives_table(analyses, names, layout.paths), layout, layout.paths);
    const std::string hint = layout.paths ? std::string() : openable(analyses);
    if (!hint.empty()) text += wrapped("  (" + hint + ')', layout.width) + '\n';
    text += titled(variables_table(analyses, names), layout);
    text += titled(loops_table(analyses, names), layout);
    text += wrapped_lines(by_order_sentences(analyses), layout.width);
    text += wrapped_lines(invariant_sentences(analyses, names), layout.width);
    text += short_findings(analyses, names, layout);
  }
  const std::string closing =
      wrapped_lines(memory_sentences(analyses), layout.width) +
      wrapped_lines({runtime_traffic(analyses), unexamined(analyses)}, layout.width) +
      wrapped_lines(prefixed(analyses, unchecked_clauses), layout.width);
  return closing.empty() ? text : text + '\n' + closing;
}

/// The same for a document: tables in full, nothing shortened.
std::string markdown_report(Analyses analyses, const SourceNames& names, const Layout& layout) {
  const Ranks ranks = ranks_of(analyses);
  std::string text = "**" + headline(analyses, names) + "**\n\n";
  text += paragraphs({headline_basis(analyses)}) + paragraphs(all_warnings(analyses, names), "> ");
  for (const auto& [name, value] : facts_of_all(analyses)) {
    text += fmt::format("* {}: `{}`\n", name, value);
  }
  text += '\n';
  const bool any_events = std::ranges::any_of(analyses, analysis::has_target_events);
  if (any_events) {
    text += clauses_markdown(analyses, names) + findings_summary_markdown(analyses, names) +
            staging_markdown(analyses, names);
  }
  for (Table& table : all_tables(analyses, names, layout.paths)) {
    if (table.name == "totals") {
      std::erase_if(table.rows, [](const std::vector<Cell>& row) { return row[1] == number(0); });
    }
    // Tables for programs, and those whose rows are in the lines above.
    const bool is_left_out = table.name == "directive_paths" || table.name == "losses" ||
                             (table.name == "traces" && ranks.key.empty());
    if (table.name == "findings") text += findings_markdown(analyses, names);
    const bool is_told = table.name == "findings" || table.name == "mapping";
    if (table.rows.empty() || is_told || is_left_out) continue;
    text += markdown_section(table);
    if (table.name != "iterations") continue;
    for (const std::string& line : invariant_sentences(analyses, names)) {
      text += in_markdown(line) + "\n\n";
    }
  }
  return text + paragraphs(memory_sentences(analyses)) +
         paragraphs({runtime_traffic(analyses), unexamined(analyses)}) +
         paragraphs(prefixed(analyses, unchecked_clauses));
}

}  // namespace

std::string render_look(const Analysis& now, const Analysis* before, const Layout& layout) {
  std::string text = fmt::format("{} of process {}: {}\n", spoken_time(now.process.wall),
                                 now.process.pid, moved_text(now.totals));
  if (now.recording.detail != Recording::Detail::kEvents) text += recorded_part(now) + '\n';
  if (before != nullptr && now.process.wall > before->process.wall) {
    const Nanoseconds time = now.process.wall - before->process.wall;
    const analysis::Totals& old = before->totals;
    text += fmt::format(
        "in the last {}: {}, {}, {}\n", spoken_time(time),
        rate_text("HtoD", now.totals.htod.bytes, old.htod.bytes, time),
        rate_text("DtoH", now.totals.dtoh.bytes, old.dtoh.bytes, time),
        counted(now.totals.kernel.count - std::min(now.totals.kernel.count, old.kernel.count),
                "kernel"));
  }
  const std::span<const Analysis> one{&now, 1};
  Table table = directives_table(one, SourceNames(one), false);
  const std::size_t all = table.rows.size();
  if (layout.rows != 0 && all > layout.rows) table.rows.resize(layout.rows);
  text += '\n' + aligned(for_readers(table), layout.width, layout.narrow);
  if (table.rows.size() < all) {
    text += fmt::format("and {} more\n", counted(all - table.rows.size(), "directive"));
  }
  return text;
}

std::string render(Analyses analyses, Format format, const Layout& layout) {
  if (analyses.empty()) throw Error("no trace to report on", Error::Kind::kUsage);
  const SourceNames names(analyses);
  if (format == Format::kJson) return document_text(report_json(analyses));
  if (format == Format::kCsv) {
    return csv_sections(all_tables(analyses, names, false), layout.section);
  }
  if (format == Format::kMarkdown) return markdown_report(analyses, names, layout);
  Layout usable = layout;
  usable.width = std::max<std::size_t>(layout.width, 60);
  return text_report(analyses, names, usable);
}

}  // namespace ompdm::report
