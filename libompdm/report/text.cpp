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

/// What the page's head says of all recordings; the rest stands in a table where there are several.
Facts facts_of_all(Analyses analyses) {
  const auto all = header(analyses.front());
  Facts facts(all.begin(), all.end());
  if (ranks_of(analyses).key.empty()) return facts;
  std::erase_if(facts,
                [](const auto& one) { return one.first != "Program" && one.first != "Devices"; });
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
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    for (const std::string& line : warnings(analyses[i], names)) {
      text += warning(wrapped(prefix(ranks, i) + line, layout.width - 2), layout) + '\n';
    }
  }
  text += '\n';
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
    for (const std::string& line : invariant_sentences(analyses, names)) {
      text += wrapped(line, layout.width) + '\n';
    }
    text += short_findings(analyses, names, layout);
  }
  text += '\n';
  const std::string internal = runtime_traffic(analyses);
  if (!internal.empty()) text += wrapped(internal, layout.width) + '\n';
  const std::string not_seen = unexamined(analyses);
  if (!not_seen.empty()) text += wrapped(not_seen, layout.width) + '\n';
  const bool lost = std::ranges::any_of(analyses, has_losses);
  const std::string loss = wrapped(losses(analyses), layout.width - 2);
  return text + (lost ? warning(loss, layout) : loss) + '\n';
}

std::string markdown_report(Analyses analyses, const SourceNames& names, const Layout& layout) {
  const Ranks ranks = ranks_of(analyses);
  std::string text = "**" + headline(analyses, names) + "**\n\n";
  const std::string basis = headline_basis(analyses);
  if (!basis.empty()) text += basis + "\n\n";
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    for (const std::string& line : warnings(analyses[i], names)) {
      text += "> " + prefix(ranks, i) + line + "\n\n";
    }
  }
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
  return text + losses(analyses) + '\n';
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
