#include "export/database.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "ompdm/error.h"

namespace ompdm::sqlite {

Database::Database(const std::filesystem::path& path, std::string wanted)
    : wanted_(std::move(wanted)) {
  // Nobody else has the file, so it needs neither locks, which some file systems refuse, nor a
  // mutex.
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(path.c_str(), &handle_, kFlags, "unix-none") != SQLITE_OK) fail();
  // What is half made is thrown away: no journal, and nothing waits for the disk.
  run("PRAGMA journal_mode = OFF");
  run("PRAGMA synchronous = OFF");
  run("BEGIN");
}

Database::~Database() { sqlite3_close(handle_); }

void Database::fail() const {
  // SQLite has a word of its own for a full disk, and forgets the cause of what fails at the end.
  const int unremembered = errno;
  const int result = sqlite3_errcode(handle_);
  int cause = result == SQLITE_FULL ? ENOSPC : sqlite3_system_errno(handle_);
  if (cause == 0 && result == SQLITE_IOERR) cause = unremembered;
  throw Error(fmt::format("{}: cannot be written ({}): make room or name a file elsewhere with -o",
                          wanted_, cause != 0 ? std::strerror(cause) : sqlite3_errmsg(handle_)));
}

void Database::run(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

void Database::begin_trace(std::size_t number, std::int32_t rank) {
  trace_ = static_cast<std::int64_t>(number);
  rank_ = rank >= 0 ? Value(std::int64_t{rank}) : Value();
}

void Database::renumber(const std::vector<std::size_t>& order) {
  std::string number = "CASE trace";
  for (std::size_t i = 0; i < order.size(); ++i) {
    number += fmt::format(" WHEN {} THEN {}", order[i], i);
  }
  for (const std::string& table : tables_) {
    run(fmt::format("UPDATE {} SET trace = {} END", table, number));
  }
}

void Database::close() {
  run("COMMIT");
  if (sqlite3_close(handle_) != SQLITE_OK) fail();
  handle_ = nullptr;
}

TableWriter::TableWriter(Database& database, const std::string& name,
                         const std::vector<std::string>& columns)
    : database_(database) {
  database.tables_.insert(name);
  database.run(fmt::format("CREATE TABLE IF NOT EXISTS {} (trace INTEGER, rank INTEGER, {})", name,
                           fmt::join(columns, ", ")));
  const std::vector<const char*> marks(columns.size() + 2, "?");
  const std::string insert =
      fmt::format("INSERT INTO {} VALUES ({})", name, fmt::join(marks, ", "));
  if (sqlite3_prepare_v2(database.handle_, insert.c_str(), -1, &insert_, nullptr) != SQLITE_OK) {
    database.fail();
  }
  bind(1, database.trace_);
  bind(2, database.rank_);
}

TableWriter::~TableWriter() { sqlite3_finalize(insert_); }

void TableWriter::bind(int at, std::string_view text) {
  // The row is written before its fields are gone.
  sqlite3_bind_text(insert_, at, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
}

void TableWriter::bind_number(int at, std::int64_t number) {
  sqlite3_bind_int64(insert_, at, number);
}

void TableWriter::bind_nothing(int at) { sqlite3_bind_null(insert_, at); }

void TableWriter::bind(int at, const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return bind(at, *text);
  if (const auto* number = std::get_if<std::int64_t>(&value)) return bind_number(at, *number);
  if (const auto* number = std::get_if<double>(&value)) {
    sqlite3_bind_double(insert_, at, *number);
    return;
  }
  bind_nothing(at);
}

void TableWriter::add_row(const std::vector<Value>& row) {
  int at = kOfEveryTable;
  for (const Value& value : row) bind(++at, value);
  step();
}

void TableWriter::step() {
  if (sqlite3_step(insert_) != SQLITE_DONE) database_.fail();
  sqlite3_reset(insert_);
}

}  // namespace ompdm::sqlite
