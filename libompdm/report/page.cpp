#include "report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <variant>
#include <vector>

#include "report/aligned_table.h"
#include "report/fitted_text.h"

namespace ompdm::report {
namespace {

std::string marked(const std::string& text, const char* attribute, const Layout& layout) {
  return layout.color ? fmt::format("\x1b[{}m{}\x1b[0m", attribute, text) : text;
}

/// What a row is foremost by; nothing where its cell is none of a figure.
double figure_of(const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return -1;
}

/// The rows that are first by time, by bytes and by count, by turns, in the table's order.
std::vector<std::vector<Cell>> foremost(const Table& table, std::size_t most) {
  std::vector<std::vector<std::size_t>> orders;
  for (const Unit unit : {Unit::kTime, Unit::kBytes, Unit::kCount}) {
    std::vector<double> sums(table.rows.size());
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      const Column& by = table.columns[column];
      // What data takes is no figure of what was done with it.
      if (by.unit != unit || by.audience == Audience::kData || by.key == "bytes") continue;
      for (std::size_t row = 0; row < table.rows.size(); ++row) {
        sums[row] = std::max(sums[row], figure_of(table.rows[row][column]));
      }
    }
    std::vector<std::size_t>& order = orders.emplace_back(table.rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [&](std::size_t row) { return sums[row]; });
  }
  std::set<std::size_t> kept;
  for (std::size_t turn = 0; kept.size() < most && turn < table.rows.size(); ++turn) {
    for (const auto& order : orders) {
      if (kept.size() < most) kept.insert(order[turn]);
    }
  }
  std::vector<std::vector<Cell>> rows;
  for (const std::size_t row : kept) rows.push_back(table.rows[row]);
  return rows;
}

}  // namespace

std::string title(const std::string& text, const Layout& layout) {
  return marked(text, "1", layout);
}
std::string warning(const std::string& text, const Layout& layout) {
  return marked("! " + text, "33", layout);
}

std::string wrapped(const std::string& line, std::size_t width, std::size_t indent) {
  std::string text;
  std::size_t used = 0;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t blank = std::min(line.find(' ', at), line.size());
    const std::string word = line.substr(at, blank - at);
    if (used > 0 && used + 1 + display_width(word) > width) {
      text += '\n' + std::string(indent, ' ') + word;
      used = indent + display_width(word);
    } else {
      text += (used > 0 ? " " : "") + word;
      used += (used > 0 ? 1 : 0) + display_width(word);
    }
    at = blank + 1;
  }
  return text;
}

std::string fact(const std::string& name, const std::string& value, const Layout& layout) {
  constexpr std::size_t kValueAt = 9;
  constexpr std::size_t kMostLines = 5;
  const std::string told = shortened(value, kMostLines * (layout.width - kValueAt));
  return wrapped(fmt::format("{:<{}}{}", name, kValueAt, told), layout.width, kValueAt) + '\n';
}

std::string titled(Table table, const Layout& layout, bool opened) {
  if (table.rows.empty()) return {};
  constexpr std::size_t kOpened = 10;
  const std::size_t most = layout.rows == 0 ? table.rows.size()
                           : opened         ? kOpened * layout.rows
                                            : layout.rows;
  const std::size_t hidden = table.rows.size() > most ? table.rows.size() - most : 0;
  if (hidden > 0 && !opened) table.rows = foremost(table, most);
  table.rows.resize(table.rows.size() - (opened ? hidden : 0));
  std::string text = '\n' + title(wrapped(table.title, layout.width), layout) + '\n' +
                     aligned(for_readers(table), layout.width, layout.narrow);
  if (hidden > 0) text += fmt::format("  ... and {} more rows: --all shows them\n", hidden);
  return text;
}

}  // namespace ompdm::report
