#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "report/units.h"

namespace ompdm::report {
namespace {

bool is_empty(const Cell& cell) {
  if (const auto* number = std::get_if<std::int64_t>(&cell)) return *number == 0;
  if (const auto* text = std::get_if<std::string>(&cell)) return text->empty();
  return std::holds_alternative<std::monostate>(cell);
}

bool all_empty(const Table& table, std::size_t column) {
  return std::ranges::all_of(table.rows, [&](const auto& row) { return is_empty(row[column]); });
}

template <class Keep>
Table select(const Table& table, Keep keep) {
  Table chosen{table.name, table.title, {}, std::vector<std::vector<Cell>>(table.rows.size())};
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    if (!keep(column)) continue;
    chosen.columns.push_back(table.columns[column]);
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      chosen.rows[row].push_back(table.rows[row][column]);
    }
  }
  return chosen;
}

bool continues_code_point(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// The bytes of the first `count` code points, or from the one that leaves `count` at the end.
std::string first(const std::string& text, std::size_t count) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (!continues_code_point(text[at]) && count-- == 0) break;
  }
  return text.substr(0, at);
}

std::string last(const std::string& text, std::size_t count) {
  std::size_t at = text.size();
  while (at > 0 && count > 0) {
    --at;
    if (!continues_code_point(text[at])) --count;
  }
  return text.substr(at);
}

std::string padded(const std::string& text, std::size_t width, bool to_left) {
  const std::size_t used = display_width(text);
  const std::string blanks(width > used ? width - used : 0, ' ');
  return to_left ? text + blanks : blanks + text;
}

using Cells = std::vector<std::vector<std::string>>;  // by row, the heading first

constexpr std::size_t kGap = 2;
/// A text column is not made narrower than its longest word, nor, if it must, than this.
constexpr std::size_t kLongestWord = 40;
constexpr std::size_t kLeast = 12;

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t blank = std::min(text.find(' ', at), text.size());
    if (blank > at) words.push_back(text.substr(at, blank - at));
    at = blank + 1;
  }
  return words;
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

std::size_t longest_word(const Cells& cells, std::size_t column) {
  std::size_t longest = 0;
  for (const auto& row : cells) {
    for (const std::string& word : words_of(row[column]))
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

/// Column widths for which no text is shortened, if there are any that fit into `width`; else as
/// narrow as words allow.
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

/// The column that a narrow page is spared next, or none.
std::optional<std::size_t> least_missed(const Table& table) {
  std::optional<std::size_t> found;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const int spare = table.columns[column].spare;
    if (spare > 0 && (!found || spare > table.columns[*found].spare)) found = column;
  }
  return found;
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

}  // namespace

std::string reader_text(const Cell& cell, Unit unit) {
  if (std::holds_alternative<std::monostate>(cell)) return "-";
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* number = std::get_if<double>(&cell)) return percent_text(*number);
  const std::int64_t number = std::get<std::int64_t>(cell);
  if (unit == Unit::kBytes) return size_text(static_cast<std::uint64_t>(number));
  if (unit == Unit::kTime) return time_text(number);
  return fmt::format("{}", number);
}

std::string data_text(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* number = std::get_if<double>(&cell)) return fmt::format("{:.4f}", *number);
  if (const auto* number = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *number);
  return {};
}

Table for_readers(const Table& table) {
  return select(table, [&](std::size_t column) {
    const Column& heading = table.columns[column];
    if (heading.audience == Audience::kData) return false;
    return !(heading.drop_if_empty && all_empty(table, column));
  });
}

Table for_data(const Table& table) {
  return select(table, [&](std::size_t column) {
    return table.columns[column].audience != Audience::kReader;
  });
}

std::string shortened(const std::string& text, std::size_t width) {
  const std::size_t used = display_width(text);
  if (used <= width) return text;
  if (width <= 3) return std::string(width, '.');
  const std::size_t kept = width - 3;
  return first(text, kept - kept / 2) + "..." + last(text, kept / 2);
}

std::vector<std::string> set_in_lines(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return {text};
  std::vector<std::string> lines;
  for (const std::string& word : words_of(text)) {
    if (!lines.empty() && display_width(lines.back()) + 1 + display_width(word) <= width) {
      lines.back() += ' ' + word;
    } else {
      lines.push_back(shortened(word, width));
    }
  }
  return lines;
}

std::size_t display_width(const std::string& text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, continues_code_point));
}

std::string aligned(const Table& whole, std::size_t width, bool may_spare) {
  Table table = whole;
  Cells cells = cells_of(table);
  if (needed(natural(cells)) > width) {
    table = select(table, [&](std::size_t column) { return !whole.columns[column].gives_way; });
    cells = cells_of(table);
  }
  std::vector<std::size_t> widths = fitting(table, cells, width);
  std::string spared;
  while (may_spare && needed(widths) > width) {
    const std::optional<std::size_t> column = least_missed(table);
    if (!column) break;
    spared += (spared.empty() ? "" : ", ") + table.columns[*column].title;
    table = select(table, [&](std::size_t other) { return other != *column; });
    cells = cells_of(table);
    widths = fitting(table, cells, width);
  }
  for (std::size_t column = 0; may_spare && column < widths.size() && needed(widths) > width;
       ++column) {
    if (table.columns[column].unit != Unit::kText) continue;
    const std::size_t over = needed(widths) - width;
    widths[column] =
        std::max(widths[column] - std::min(widths[column], over), std::min(widths[column], kLeast));
  }
  // Lines that are set in may leave some of their width unused.
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

std::string csv(const Table& table) {
  const auto quoted = [](const std::string& field) {
    if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
    std::string text = "\"";
    for (const char byte : field) {
      if (byte == '"') text += '"';
      text += byte;
    }
    return text + '"';
  };
  std::string lines;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    lines += (column == 0 ? "" : ",") + quoted(table.columns[column].key);
  }
  lines += '\n';
  for (const auto& row : table.rows) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      lines += (column == 0 ? "" : ",") + quoted(data_text(row[column]));
    }
    lines += '\n';
  }
  return lines;
}

std::string markdown(const Table& table) {
  const auto escaped = [](const std::string& text) {
    std::string safe;
    for (const char byte : text) {
      if (byte == '|' || byte == '\\' || byte == '*' || byte == '_' || byte == '`' || byte == '<')
        safe += '\\';
      safe += byte == '\n' ? ' ' : byte;
    }
    return safe;
  };
  std::string lines = "|";
  for (const Column& column : table.columns) lines += ' ' + escaped(column.title) + " |";
  lines += "\n|";
  for (const Column& column : table.columns)
    lines += column.unit == Unit::kText ? " --- |" : " ---: |";
  lines += '\n';
  for (const auto& row : table.rows) {
    lines += '|';
    for (std::size_t column = 0; column < row.size(); ++column) {
      lines += ' ' + escaped(reader_text(row[column], table.columns[column].unit)) + " |";
    }
    lines += '\n';
  }
  return lines;
}

}  // namespace ompdm::report
