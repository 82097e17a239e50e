// A table of a report: rows of typed cells, whatever prints them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace ompdm::report {

enum class Unit { kText, kCount, kBytes, kTime, kPercent };

/// Who a column is for. Readers have "heat.cpp:41" in one column, programs a file and a line.
enum class Audience { kAll, kReader, kData };

struct Column {
  std::string key;    ///< CSV heading, named as in the report's JSON
  std::string title;  ///< heading for readers
  Unit unit = Unit::kText;
  Audience audience = Audience::kAll;
  bool drop_if_empty = false;  ///< not for readers if each cell is 0 or unknown
  bool drop_if_tight = false;  ///< left out unless the whole table fits with it
  int drop_priority = 0;  ///< left out if the terminal is too narrow, the highest first; 0: never
};

/// Nothing (unknown), text, a count, bytes or nanoseconds, or a percentage.
using Cell = std::variant<std::monostate, std::string, std::int64_t, double>;

struct Table {
  std::string name;   ///< as in the report's JSON: "directives"
  std::string title;  ///< for readers
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
};

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

/// The data of each table after a line `# NAME`, with a blank line between them; or, if `section`
/// names a table, that table alone without its name. Throws Error (kUsage) if there is none of that
/// name.
std::string csv_sections(const std::vector<Table>& tables, const std::string& section = {});

std::string markdown(const Table& reader_table);

/// The table for readers beneath a heading; nothing of a table without rows.
std::string markdown_section(const Table& table);

/// Text in one line, with Markdown's markup escaped.
std::string in_markdown(const std::string& text);

}  // namespace ompdm::report
