#include <fmt/format.h>

#include <algorithm>

#include "ompdm/report.h"
#include "report/comparison_json.h"
#include "report/comparison_sentences.h"
#include "report/comparison_tables.h"
#include "report/losses.h"
#include "report/page.h"
#include "report/tables.h"

namespace ompdm::report {
namespace {

std::string text_page(const Sides& sides, const Layout& layout) {
  std::string text = title(wrapped(comparison_headline(sides), layout.width), layout) + '\n';
  for (const std::string& line : comparison_warnings(sides)) {
    text += warning(wrapped(line, layout.width - 2), layout) + '\n';
  }
  text += '\n';
  for (const auto& [name, value] : comparison_header(sides)) {
    text += fact(name, value, layout);
  }
  for (const Table& table : compared_tables(sides)) text += titled(table, layout);
  text += '\n' + wrapped(findings_sentence(sides), layout.width) + '\n';
  const std::string prediction = prediction_sentence(sides);
  if (!prediction.empty()) text += wrapped(prediction, layout.width) + '\n';
  const std::string lost = wrapped(comparison_losses(sides), layout.width - 2);
  const bool any = has_losses(sides.before) || has_losses(sides.after);
  return text + (any ? warning(lost, layout) : lost) + '\n';
}

std::string markdown_page(const Sides& sides) {
  std::string text = "**" + comparison_headline(sides) + "**\n\n";
  for (const std::string& line : comparison_warnings(sides)) text += "> " + line + "\n\n";
  for (const auto& [name, value] : comparison_header(sides)) {
    text += fmt::format("* {}{}`{}`\n", name, name.empty() ? "" : ": ", value);
  }
  text += '\n';
  for (const Table& table : compared_tables(sides)) {
    if (table.rows.empty()) continue;
    text += "## " + table.title + "\n\n" + markdown(for_readers(table)) + '\n';
  }
  text += findings_sentence(sides) + "\n\n";
  const std::string prediction = prediction_sentence(sides);
  if (!prediction.empty()) text += prediction + "\n\n";
  return text + comparison_losses(sides) + '\n';
}

std::string csv_tables(const Sides& sides) {
  std::vector<Table> tables = compared_tables(sides);
  if (sides.after.link) {
    tables.insert(tables.begin(), link_table(std::span(&sides.after, 1)));
  }
  std::string text;
  for (const Table& table : tables) {
    if (!text.empty()) text += '\n';
    text += "# " + table.name + '\n' + csv(for_data(table));
  }
  return text;
}

}  // namespace

std::string render_comparison(std::span<const analysis::Analysis, 2> recordings, Format format,
                              const Layout& layout) {
  const Sides sides(recordings);
  switch (format) {
    case Format::kJson:
      return comparison_json(sides);
    case Format::kCsv:
      return csv_tables(sides);
    case Format::kMarkdown:
      return markdown_page(sides);
    case Format::kText:
      break;
  }
  Layout usable = layout;
  usable.width = std::max<std::size_t>(layout.width, 60);
  return text_page(sides, usable);
}

}  // namespace ompdm::report
