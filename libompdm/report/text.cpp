#include "report/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "ompdm/error.h"
#include "report/differences.h"
#include "report/findings.h"
#include "report/glance/needless.h"
#include "report/headline.h"
#include "report/invariant.h"
#include "report/loop_words.h"
#include "report/losses.h"
#include "report/nvprof_block.h"
#include "report/page.h"
#include "report/runs.h"
#include "report/sentences.h"

namespace ompdm::report {
namespace {

bool has_activities(const analysis::Analysis& one) {
  return !one.activities.empty() || !one.api_calls.empty();
}

/// Of a row of totals.
bool never_happened(const std::vector<Cell>& row) { return row[1] == Cell(std::int64_t{0}); }

using Facts = std::vector<std::pair<std::string, std::string>>;

bool any_lost(Analyses analyses) { return std::ranges::any_of(analyses, has_losses); }

/// What must be known before the figures are believed, of all recordings.
std::vector<std::string> all_warnings(Analyses analyses, const SourceNames& names) {
  const Ranks ranks = ranks_of(analyses);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    for (const std::string& line : warnings(analyses[i], names)) {
      lines.push_back(prefix(ranks, i) + line);
    }
  }
  if (any_lost(analyses)) lines.push_back("Lost: " + losses(analyses));
  return lines;
}

/// What the page's head says of all recordings; the rest stands in a table where there are several.
Facts facts_of_all(Analyses analyses) {
  const auto all = header(analyses.front());
  Facts facts(all.begin(), all.end());
  const bool of_one = ranks_of(analyses).key.empty();
  if (!of_one) {
    std::erase_if(facts,
                  [](const auto& one) { return one.first != "Program" && one.first != "Devices"; });
  }
  if (!any_lost(analyses)) facts.emplace_back("Lost", losses(analyses));
  if (of_one) return facts;
  // Of runs on several inputs the arguments are in the table.
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

}  // namespace

std::string text_report(Analyses analyses, const SourceNames& names, const Layout& layout) {
  const Ranks ranks = ranks_of(analyses);
  // The first line is whole for those who read it by programs.
  const std::string first = headline(analyses, names);
  std::string text = title(layout.narrow ? wrapped(first, layout.width) : first, layout) + '\n';
  const std::string basis = headline_basis(analyses);
  if (!basis.empty()) text += wrapped(basis, layout.width) + '\n';
  for (const std::string& line : all_warnings(analyses, names)) {
    text += warning(wrapped(line, layout.width - 2), layout) + '\n';
  }
  for (const auto& [name, value] : facts_of_all(analyses)) text += fact(name, value, layout);
  if (!ranks.key.empty()) text += titled(traces_table(analyses), layout);
  if (std::ranges::any_of(analyses, analysis::has_target_events)) {
    text += needless_block(analyses, names, layout);
    if (std::ranges::any_of(analyses, has_activities)) {
      text += '\n' + nvprof_block(analyses, names, layout.width, layout.rows);
    }
    text += titled(device_use_table(analyses), layout);
    text += titled(host_waits_table(analyses, names), layout);
    text += titled(start_latencies_table(analyses), layout);
    text += titled(directives_table(analyses, names, layout.paths), layout, layout.paths);
    const std::string hint = layout.paths ? std::string() : openable(analyses);
    if (!hint.empty()) text += wrapped("  (" + hint + ')', layout.width) + '\n';
    text += titled(variables_table(analyses, names), layout);
    text += titled(iterations_table(analyses, names), layout);
    for (const std::string& line : by_order_sentences(analyses)) {
      text += wrapped(line, layout.width) + '\n';
    }
    for (const std::string& line : invariant_sentences(analyses, names)) {
      text += wrapped(line, layout.width) + '\n';
    }
    text += short_findings(analyses, names, layout);
  }
  std::string closing;
  for (const std::string& line : {runtime_traffic(analyses), unexamined(analyses)}) {
    if (!line.empty()) closing += wrapped(line, layout.width) + '\n';
  }
  return closing.empty() ? text : text + '\n' + closing;
}

std::string markdown_report(Analyses analyses, const SourceNames& names, const Layout& layout) {
  const Ranks ranks = ranks_of(analyses);
  std::string text = "**" + headline(analyses, names) + "**\n\n";
  const std::string basis = headline_basis(analyses);
  if (!basis.empty()) text += basis + "\n\n";
  for (const std::string& line : all_warnings(analyses, names)) text += "> " + line + "\n\n";
  for (const auto& [name, value] : facts_of_all(analyses)) {
    text += fmt::format("* {}: `{}`\n", name, value);
  }
  text += '\n';
  const bool any_events = std::ranges::any_of(analyses, analysis::has_target_events);
  if (any_events) text += needless_markdown(analyses, names);
  for (Table& table : all_tables(analyses, names, layout.paths)) {
    if (table.name == "totals") std::erase_if(table.rows, never_happened);
    // What is for programs, and what the lines here say as well.
    const bool is_told = table.name == "directive_paths" || table.name == "losses" ||
                         (table.name == "traces" && ranks.key.empty());
    if (table.name == "findings") text += findings_markdown(analyses, names);
    if (table.rows.empty() || table.name == "findings" || is_told) continue;
    text += "## " + in_markdown(table.title) + "\n\n" + markdown(for_readers(table)) + '\n';
    if (table.name != "iterations") continue;
    for (const std::string& line : invariant_sentences(analyses, names)) {
      text += in_markdown(line) + "\n\n";
    }
  }
  for (const std::string& line : {runtime_traffic(analyses), unexamined(analyses)}) {
    if (!line.empty()) text += line + "\n\n";
  }
  return text;
}

std::string csv_report(Analyses analyses, const SourceNames& names, const std::string& section) {
  std::string text;
  std::vector<std::string> known;
  for (const Table& table : all_tables(analyses, names, false)) {
    if (table.name == section) return csv(for_data(table));
    known.push_back(table.name);
    if (!text.empty()) text += '\n';
    text += "# " + table.name + '\n' + csv(for_data(table));
  }
  if (!section.empty()) {
    throw Error(
        fmt::format("there is no section {}: name one of {}", section, fmt::join(known, ", ")),
        Error::Kind::kUsage);
  }
  return text;
}

}  // namespace ompdm::report
