// Recordings as a SQLite database (`ompdm.sqlite/1`), for pandas, DuckDB and whatever else reads
// one: a table for each kind of record and for each table of the report. Described in
// SQLITE.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "export/database.h"
#include "ompdm/analysis.h"
#include "ompdm/trace.h"
#include "trace/replacement.h"

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
