// A table of a report: rows of typed cells, whatever prints them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace ompdm::report {

enum class Unit { kText, kCount, kBytes, kTime, kPercent };

/// Who a column is for. Readers have "heat.cpp:41" in one column, programs a file and a line.
enum class Audience { kAll, kReader, kData };

/// What the figure is of that has this name: "HtoD_bytes", "wall_ns", "kernel_count"; else text.
constexpr Unit unit_of(std::string_view key) {
  if (key.ends_with("_ns")) return Unit::kTime;
  if (key == "bytes" || key.ends_with("_bytes")) return Unit::kBytes;
  const bool is_count = key == "count" || key.ends_with("_count") || key == "line";
  return is_count ? Unit::kCount : Unit::kText;
}

struct Column {
  std::string key;    ///< CSV heading, named as in the report's JSON
  std::string title;  ///< heading for readers
  Unit unit = unit_of(key);
  Audience audience = Audience::kAll;
  bool drop_if_empty = false;  ///< not for readers if each cell is 0 or unknown
  bool drop_if_tight = false;  ///< left out unless the whole table fits with it
  /// Left out if the terminal is too narrow, the highest first; 0: never. Columns of one priority
  /// go together, and are named by the first title.
  int drop_priority = 0;
};

inline Column reader_only(std::string key, std::string title, Unit unit = Unit::kText) {
  return {std::move(key), std::move(title), unit, Audience::kReader};
}

inline Column data_only(const std::string& key) {
  return {.key = key, .title = {}, .audience = Audience::kData};
}

inline Column data_only(std::string key, Unit unit) {
  return {std::move(key), {}, unit, Audience::kData};
}

/// Not for readers if each cell is 0 or unknown.
inline Column if_any(const std::string& key, const std::string& title) {
  return {.key = key, .title = title, .drop_if_empty = true};
}

/// Left out in a narrow terminal (Column::drop_priority).
inline Column sparable(int priority, const std::string& key, const std::string& title) {
  return {.key = key, .title = title, .drop_priority = priority};
}

/// Nothing (unknown), text, a count, bytes or nanoseconds, or a percentage.
using Cell = std::variant<std::monostate, std::string, std::int64_t, double>;

struct Table {
  std::string name;   ///< as in the report's JSON: "directives"
  std::string title;  ///< for readers
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  bool has_total = false;  ///< a text ends it with a row of sums
};

/// A row while it is filled: each cell with its column.
class TableRow {
 public:
  /// `columns`: takes the columns of the cells; null if they are known.
  TableRow(std::vector<Cell>& cells, std::vector<Column>* columns)
      : cells_(cells), columns_(columns) {}

  void add(Column column, Cell cell) {
    if (columns_ != nullptr) columns_->push_back(std::move(column));
    cells_.push_back(std::move(cell));
  }

 private:
  std::vector<Cell>& cells_;
  std::vector<Column>* columns_;
};

/// A table with a row for each of `rows`. `fill(TableRow&, row)` adds the same columns to each; an
/// empty row stands for the heading.
template <class Rows, class Fill>
Table table_of(std::string name, std::string title, const Rows& rows, Fill fill) {
  Table table{std::move(name), std::move(title), {}, {}};
  std::vector<Cell> unused;
  TableRow heading(unused, &table.columns);
  fill(heading, std::ranges::range_value_t<Rows>());
  for (const auto& row : rows) {
    TableRow cells(table.rows.emplace_back(), nullptr);
    fill(cells, row);
  }
  return table;
}

/// A cell for readers: scaled, "-" if unknown.
std::string reader_text(const Cell& cell, Unit unit);

/// A cell for programs: nanoseconds, bytes, empty if unknown.
std::string data_text(const Cell& cell);

/// The table with the columns for whose positions `keep` is true.
Table select(const Table& table, const std::function<bool(std::size_t)>& keep);

/// The table with the reader's columns only, empty ones dropped.
Table for_readers(const Table& table);

/// The table with the data columns only.
Table for_data(const Table& table);

/// RFC 4180, with a newline.
std::string csv_line(const std::vector<Cell>& cells);

/// The same with a heading.
std::string csv(const Table& data_table);

/// The data of each table after a line `# NAME`, with a blank line between them. If `section` names
/// a table: that table alone without its name. Throws Error (kUsage) if there is none of that name.
std::string csv_sections(const std::vector<Table>& tables, const std::string& section = {});

std::string markdown(const Table& reader_table);

/// The table for readers beneath a heading; nothing of a table without rows.
std::string markdown_section(const Table& table);

/// Text in one line, with Markdown's markup escaped.
std::string in_markdown(const std::string& text);

}  // namespace ompdm::report
