// A trace and its report as an SQLite database.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ompdm/analysis.h"
#include "ompdm/columns.h"
#include "ompdm/trace.h"
#include "trace_files/atomic_file.h"

struct sqlite3;
struct sqlite3_stmt;

namespace ompdm::sqlite {

/// Nothing, a text, a whole number or another one.
using Value = std::variant<std::monostate, std::string, std::int64_t, double>;

class Database {
 public:
  /// Makes one in an empty file, and begins the transaction. Errors name `wanted`, which it is for.
  Database(const std::filesystem::path& path, std::string wanted);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Rows are of this trace from here on; `rank` is -1 if it has none.
  void begin_trace(std::size_t number, std::int32_t rank);
  /// A statement by itself.
  void run(const std::string& sql);
  /// Of rows that have been written, `trace` becomes the position at which `order` has it.
  void renumber(const std::vector<std::size_t>& order);
  /// Ends the transaction and closes the file.
  void close();

 private:
  friend class TableWriter;
  [[noreturn]] void fail() const;
  sqlite3* handle_ = nullptr;
  std::string wanted_;
  std::set<std::string> tables_;
  std::int64_t trace_ = 0;
  std::int32_t rank_ = -1;
};

/// A table and its rows.
class TableWriter {
 public:
  /// Creates the table if it is not there: `trace` and `rank`, then these columns, as SQL defines
  /// them: "begin_ns INTEGER".
  TableWriter(Database& database, const std::string& name, const std::vector<std::string>& columns);
  ~TableWriter();
  TableWriter(const TableWriter&) = delete;
  TableWriter& operator=(const TableWriter&) = delete;

  /// A row, with a value for each column.
  template <class... Values>
  void add(const Values&... values) {
    std::size_t column = 0;
    (set(column++, values), ...);
    put();
  }

  /// The value of a column from 0 on, in the row to come: a whole number (those from 2^63 on as
  /// what has the same bits), a text that lasts until put(), a reference to a row (NULL where there
  /// is none), or a Value.
  template <std::integral T>
  void set(std::size_t column, T value) {
    set_number(column, static_cast<std::int64_t>(value));
  }
  void set(std::size_t column, std::string_view text);
  void set(std::size_t column, const std::string& text) { set(column, std::string_view(text)); }
  void set(std::size_t column, const char* text) { set(column, std::string_view(text)); }
  template <class Row>
  void set(std::size_t column, Index<Row> index) {
    index ? set_number(column, index.value) : set(column, Value());
  }
  void set(std::size_t column, const Value& value);
  /// Writes the row.
  void put();

 private:
  static int place_of(std::size_t column);
  void set_number(std::size_t column, std::int64_t number);

  Database& database_;
  sqlite3_stmt* insert_ = nullptr;
};

}  // namespace ompdm::sqlite

namespace ompdm {

/// A new database. It takes one recording at a time, so that its maker need not hold them all. It
/// lies under another name until it is whole, and replaces what has its name then; where it cannot
/// be written (Error, from every function), or a signal ends the process, nothing is left of it.
class SqliteFile {
 public:
  explicit SqliteFile(const std::filesystem::path& path);

  /// What was recorded: the n-th such call's rows have `trace` n, from 0.
  void add(const Trace& trace);
  /// Makes the recording that was added as the order[n]-th one the n-th.
  void put_in_order(std::span<const std::size_t> order);
  /// The report of each recording, in their order.
  void add_reports(std::span<const analysis::Analysis> analyses);
  /// Gives the file its name; nothing is added after that.
  void finish();

 private:
  trace::Replacement file_;
  sqlite::Database database_;
  std::vector<std::int32_t> ranks_;
};

}  // namespace ompdm
