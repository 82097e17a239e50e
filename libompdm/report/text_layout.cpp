#include "report/text_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "report/units.h"

namespace ompdm::report {

namespace {

using Cells = std::vector<std::vector<std::string>>;  // by row, the heading first

constexpr std::size_t kGap = 2;
/// A text column is at least as wide as its longest word, or as kLongestWord. In a terminal that is
/// too narrow for that it is at least as wide as kLeastWidth.
constexpr std::size_t kLongestWord = 40;
constexpr std::size_t kLeastWidth = 12;

std::string padded(const std::string& text, std::size_t width, bool to_left) {
  const std::size_t used = display_width(text);
  const std::string blanks(width > used ? width - used : 0, ' ');
  return to_left ? text + blanks : blanks + text;
}

Cells cells_of(const Table& table) {
  Cells cells(1);
  for (const Column& column : table.columns) cells[0].push_back(column.title);
  for (const auto& row : table.rows) {
    cells.emplace_back();
    for (std::size_t column = 0; column < row.size(); ++column) {
      cells.back().push_back(reader_text(row[column], table.columns[column].unit));
    }
  }
  return cells;
}

/// What lies between blanks: an empty word between two blanks, but none at the beginning.
std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t blank = std::min(text.find(' ', at), text.size());
    if (blank > at || !words.empty()) words.push_back(text.substr(at, blank - at));
    at = blank + 1;
  }
  return words;
}

/// Lines of words with blanks between them, not wider than `width` unless a word is: the first line
/// begins with `mark`, the others with `indent`.
std::vector<std::string> filled(const std::vector<std::string>& words, std::size_t width,
                                const std::string& mark, const std::string& indent) {
  std::vector<std::string> lines;
  std::size_t used = 0;
  for (const std::string& word : words) {
    const std::size_t size = display_width(word);
    if (!lines.empty() && used + 1 + size <= width) {
      lines.back() += ' ' + word;
      used += 1 + size;
    } else {
      lines.push_back((lines.empty() ? mark : indent) + word);
      used = display_width(lines.back());
    }
  }
  return lines;
}

std::size_t longest_word(const Cells& cells, std::size_t column) {
  std::size_t longest = 0;
  for (const auto& row : cells) {
    for (const std::string& word : split_words(row[column]))
      longest = std::max(longest, display_width(word));
  }
  return longest;
}

std::size_t needed(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), kGap * widths.size());
}

/// Widths for which nothing is shortened or set in lines.
std::vector<std::size_t> natural(const Cells& cells) {
  std::vector<std::size_t> widths(cells.front().size());
  for (const auto& row : cells) {
    for (std::size_t column = 0; column < widths.size(); ++column)
      widths[column] = std::max(widths[column], display_width(row[column]));
  }
  return widths;
}

/// Column widths that fit into `width` without shortening a word; if there are none, the least
/// widths for which no word is shortened.
std::vector<std::size_t> fitting(const Table& table, const Cells& cells, std::size_t width) {
  std::vector<std::size_t> widths = natural(cells);
  std::vector<std::size_t> texts;  // the widest first
  for (std::size_t column = 0; column < widths.size(); ++column) {
    if (table.columns[column].unit == Unit::kText) texts.push_back(column);
  }
  std::ranges::sort(texts, [&](std::size_t a, std::size_t b) {
    return std::pair(widths[b], a) < std::pair(widths[a], b);
  });
  for (const std::size_t column : texts) {
    const std::size_t over = needed(widths) - std::min(needed(widths), width);
    const std::size_t least = std::min(longest_word(cells, column), kLongestWord);
    widths[column] =
        std::max(widths[column] - std::min(widths[column], over), std::min(widths[column], least));
  }
  return widths;
}

void append_row(const Table& table, const std::vector<std::string>& row,
                const std::vector<std::size_t>& widths, std::string& text) {
  std::vector<std::vector<std::string>> parts;
  std::size_t height = 1;
  for (std::size_t column = 0; column < row.size(); ++column) {
    parts.push_back(set_in_lines(row[column], widths[column]));
    height = std::max(height, parts.back().size());
  }
  for (std::size_t i = 0; i < height; ++i) {
    std::string line;
    for (std::size_t column = 0; column < row.size(); ++column) {
      line.append(kGap, ' ');
      line += padded(i < parts[column].size() ? parts[column][i] : std::string(), widths[column],
                     table.columns[column].unit == Unit::kText);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
}

std::string marked(const std::string& text, const char* attribute, const Layout& layout) {
  return layout.color ? fmt::format("\x1b[{}m{}\x1b[0m", attribute, text) : text;
}

/// The number by which rows are ranked; -1 if the cell has none.
double figure_of(const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return -1;
}

/// The rows with the largest times, bytes and counts, taken in turn, in the table's order.
std::vector<std::vector<Cell>> foremost(const Table& table, std::size_t most) {
  std::vector<std::vector<std::size_t>> orders;
  for (const Unit unit : {Unit::kTime, Unit::kBytes, Unit::kCount}) {
    std::vector<double> sums(table.rows.size());
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      const Column& by = table.columns[column];
      // The size of data is no measure of its transfers.
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

std::string aligned(const Table& whole, std::size_t width, bool may_spare) {
  Table table = whole;
  Cells cells = cells_of(table);
  if (needed(natural(cells)) > width) {
    table = select(table, [&](std::size_t column) { return !whole.columns[column].drop_if_tight; });
    cells = cells_of(table);
  }
  std::vector<std::size_t> widths = fitting(table, cells, width);
  std::string spared;
  while (may_spare && needed(widths) > width) {
    const auto least = std::ranges::max_element(table.columns, {}, &Column::drop_priority);
    if (least == table.columns.end() || least->drop_priority == 0) break;
    spared += (spared.empty() ? "" : ", ") + least->title;
    const int priority = least->drop_priority;
    table = select(
        table, [&](std::size_t column) { return table.columns[column].drop_priority != priority; });
    cells = cells_of(table);
    widths = fitting(table, cells, width);
  }
  for (std::size_t column = 0; may_spare && column < widths.size() && needed(widths) > width;
       ++column) {
    if (table.columns[column].unit != Unit::kText) continue;
    const std::size_t over = needed(widths) - width;
    widths[column] = std::max(widths[column] - std::min(widths[column], over),
                              std::min(widths[column], kLeastWidth));
  }
  // Text that is set in several lines may leave some of the column's width unused.
  for (std::size_t column = 0; column < widths.size(); ++column) {
    std::size_t used = 0;
    for (const auto& row : cells) {
      for (const std::string& line : set_in_lines(row[column], widths[column]))
        used = std::max(used, display_width(line));
    }
    widths[column] = used;
  }
  std::string text;
  for (const auto& row : cells) append_row(table, row, widths, text);
  if (!spared.empty()) text += fmt::format("  (no room for {})\n", spared);
  return text;
}

std::string title(const std::string& text, const Layout& layout) {
  return marked(text, "1", layout);
}
std::string warning(const std::string& text, const Layout& layout) {
  return marked("! " + text, "33", layout);
}

std::vector<std::string> set_in_lines(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return {text};
  constexpr std::size_t kMostLines = 4;  // the name of a C++ kernel can have a thousand letters
  const std::size_t blanks = std::min(text.find_first_not_of(' '), text.size());
  const std::string indent(std::min(blanks, width / 2), ' ');
  std::vector<std::string> words = split_words(shortened(text, kMostLines * width));
  std::erase(words, std::string());
  for (std::string& word : words) word = shortened(word, width - indent.size());
  return filled(words, width, indent, indent);
}

std::string wrapped(const std::string& line, std::size_t width, std::size_t indent) {
  return fmt::format(
      "{}", fmt::join(filled(split_words(line), width, "", std::string(indent, ' ')), "\n"));
}

std::string wrapped_lines(const std::vector<std::string>& lines, std::size_t width) {
  std::string text;
  for (const std::string& line : lines) {
    if (!line.empty()) text += wrapped(line, width) + '\n';
  }
  return text;
}

std::string warnings_text(const std::vector<std::string>& lines, const Layout& layout) {
  std::string text;
  for (const std::string& line : lines) {
    text += warning(wrapped(line, layout.width - 2), layout) + '\n';
  }
  return text;
}

std::string paragraphs(const std::vector<std::string>& lines, const std::string& mark) {
  std::string text;
  for (const std::string& line : lines) {
    if (!line.empty()) text += mark + line + "\n\n";
  }
  return text;
}

std::string paragraph(const std::string& mark, const std::string& text, std::size_t width) {
  const std::string indent(mark.size(), ' ');
  return fmt::format("{}\n", fmt::join(filled(split_words(text), width, mark, indent), "\n"));
}

std::string fact(const std::string& name, const std::string& value, const Layout& layout) {
  constexpr std::size_t kValueAt = 9;
  constexpr std::size_t kMostLines = 5;
  const std::string told = shortened(value, kMostLines * (layout.width - kValueAt));
  return wrapped(fmt::format("{:<{}}{}", name, kValueAt, told), layout.width, kValueAt) + '\n';
}

namespace {

/// Sums of the figures of all rows; "total" stands in the first column of text. Empty: the table
/// has no such row, or one row alone.
std::vector<Cell> total_of(const Table& table) {
  if (!table.has_total || table.rows.size() < 2) return {};
  std::vector<Cell> total(table.columns.size());
  bool is_named = false;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    if (column.unit == Unit::kText && column.audience != Audience::kData && !is_named) {
      total[i] = std::string("total");
      is_named = true;
    }
    // The size of a variable is no figure of the run, and directives lie in the time of others.
    const bool is_summed = column.unit != Unit::kText && column.unit != Unit::kPercent &&
                           column.key != "bytes" && column.key != "line" && column.key != "time_ns";
    std::int64_t sum = 0;
    bool is_known = false;
    for (const std::vector<Cell>& row : table.rows) {
      const auto* figure = std::get_if<std::int64_t>(&row[i]);
      if (figure == nullptr) continue;
      sum += *figure;
      is_known = true;
    }
    if (is_summed && is_known) total[i] = sum;
  }
  return total;
}

}  // namespace

std::string titled(Table table, const Layout& layout, bool opened) {
  if (table.rows.empty()) return {};
  const std::vector<Cell> total = opened ? std::vector<Cell>() : total_of(table);
  constexpr std::size_t kOpened = 10;
  const std::size_t most = layout.rows == 0 ? table.rows.size()
                           : opened         ? kOpened * layout.rows
                                            : layout.rows;
  const std::size_t hidden = table.rows.size() > most ? table.rows.size() - most : 0;
  if (hidden > 0 && !opened) table.rows = foremost(table, most);
  table.rows.resize(table.rows.size() - (opened ? hidden : 0));
  if (!total.empty()) table.rows.push_back(total);
  std::string text = '\n' + title(wrapped(table.title, layout.width), layout) + '\n' +
                     aligned(for_readers(table), layout.width, layout.narrow);
  if (hidden > 0) text += fmt::format("  ... and {} more rows: --all shows them\n", hidden);
  return text;
}

}  // namespace ompdm::report
