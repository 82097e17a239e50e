#include <fmt/format.h>

#include <algorithm>

#include "ompdm/report.h"
#include "report/comparison_sentences.h"
#include "report/differences.h"
#include "report/ladder.h"
#include "report/losses.h"
#include "report/page.h"
#include "report/sentences.h"

namespace ompdm::report {
namespace {

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
