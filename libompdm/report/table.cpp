#include "report/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ompdm/error.h"
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

/// Blanks that begin it are kept: they tell what is within what.
std::string cell_in_markdown(const std::string& text) {
  const std::size_t blanks = std::min(text.find_first_not_of(' '), text.size());
  std::string safe;
  for (std::size_t i = 0; i < blanks; ++i) safe += "&nbsp;";
  return safe + in_markdown(text.substr(blanks));
}

}  // namespace

Table select(const Table& table, const std::function<bool(std::size_t)>& keep) {
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

std::string reader_text(const Cell& cell, Unit unit) {
  if (std::holds_alternative<std::monostate>(cell)) return "-";
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* number = std::get_if<double>(&cell)) return percent_text(*number);
  const std::int64_t number = std::get<std::int64_t>(cell);
  if (unit == Unit::kBytes) return spoken_size(static_cast<std::uint64_t>(number));
  if (unit == Unit::kTime) return spoken_time(number);
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

std::string csv_line(const std::vector<Cell>& cells) {
  std::string line;
  for (const Cell& cell : cells) {
    if (&cell != cells.data()) line += ',';
    const std::string field = data_text(cell);
    const bool is_quoted = field.find_first_of(",\"\r\n") != std::string::npos;
    if (is_quoted) line += '"';
    for (const char byte : field) line.append(byte == '"' ? 2 : 1, byte);
    if (is_quoted) line += '"';
  }
  return line + '\n';
}

std::string csv(const Table& table) {
  std::vector<Cell> keys;
  for (const Column& column : table.columns) keys.emplace_back(column.key);
  std::string lines = csv_line(keys);
  for (const auto& row : table.rows) lines += csv_line(row);
  return lines;
}

std::string csv_sections(const std::vector<Table>& tables, const std::string& section) {
  std::string text;
  std::vector<std::string> known;
  for (const Table& table : tables) {
    if (table.name == section) return csv(for_data(table));
    known.push_back(table.name);
    if (!text.empty()) text += '\n';
    text += "# " + table.name + '\n' + csv(for_data(table));
  }
  if (section.empty()) return text;
  throw Error(
      fmt::format("there is no section {}: name one of {}", section, fmt::join(known, ", ")),
      Error::Kind::kUsage);
}

std::string in_markdown(const std::string& text) {
  std::string safe;
  for (const char byte : text) {
    if (byte == '<') {
      safe += "&lt;";
      continue;
    }
    if (byte == '|' || byte == '\\' || byte == '*' || byte == '_' || byte == '`') safe += '\\';
    safe += byte == '\n' ? ' ' : byte;
  }
  return safe;
}

std::string markdown(const Table& table) {
  std::string lines = "|";
  for (const Column& column : table.columns) lines += ' ' + in_markdown(column.title) + " |";
  lines += "\n|";
  for (const Column& column : table.columns)
    lines += column.unit == Unit::kText ? " --- |" : " ---: |";
  lines += '\n';
  for (const auto& row : table.rows) {
    lines += '|';
    for (std::size_t column = 0; column < row.size(); ++column) {
      lines += ' ' + cell_in_markdown(reader_text(row[column], table.columns[column].unit)) + " |";
    }
    lines += '\n';
  }
  return lines;
}

std::string markdown_section(const Table& table) {
  if (table.rows.empty()) return {};
  return "## " + in_markdown(table.title) + "\n\n" + markdown(for_readers(table)) + '\n';
}

}  // namespace ompdm::report
