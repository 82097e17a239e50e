#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

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

/// Takes from the columns that give way, then from the widest text, until all fit or are as narrow
/// as may be.
void fit(const Table& table, std::vector<std::size_t>& widths, std::size_t width) {
  constexpr std::size_t kLeast = 18;
  constexpr std::size_t kLeastThatGivesWay = 8;
  const auto narrow = [&](std::size_t column, std::size_t least) {
    const std::size_t used = std::accumulate(widths.begin(), widths.end(), std::size_t{0});
    if (used <= width || widths[column] <= least) return;
    widths[column] = std::max(widths[column] - std::min(widths[column], used - width), least);
  };
  std::size_t widest = widths.size();
  for (std::size_t column = 0; column < widths.size(); ++column) {
    if (table.columns[column].unit != Unit::kText) continue;
    if (table.columns[column].gives_way) narrow(column, kLeastThatGivesWay);
    if (widest == widths.size() || widths[column] > widths[widest]) widest = column;
  }
  if (widest != widths.size()) narrow(widest, kLeast);
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

std::size_t display_width(const std::string& text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, continues_code_point));
}

std::string aligned(const Table& table, std::size_t width) {
  const std::size_t count = table.columns.size();
  std::vector<std::vector<std::string>> cells(table.rows.size() + 1,
                                              std::vector<std::string>(count));
  std::vector<std::size_t> widths(count);
  for (std::size_t column = 0; column < count; ++column) {
    cells[0][column] = table.columns[column].title;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      cells[row + 1][column] = reader_text(table.rows[row][column], table.columns[column].unit);
    }
    for (const auto& row : cells)
      widths[column] = std::max(widths[column], display_width(row[column]));
  }

  constexpr std::size_t kGap = 2;
  fit(table, widths, width - std::min(width, kGap * count));

  std::string lines;
  for (const auto& row : cells) {
    std::string line;
    for (std::size_t column = 0; column < count; ++column) {
      const bool to_left = table.columns[column].unit == Unit::kText;
      line.append(kGap, ' ');
      line += padded(shortened(row[column], widths[column]), widths[column], to_left);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines += line + '\n';
  }
  return lines;
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
