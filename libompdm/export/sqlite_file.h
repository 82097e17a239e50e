// A trace and its report as an SQLite database.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include "ompdm/analysis.h"
#include "ompdm/trace.h"

namespace ompdm {

namespace sqlite {
class Database;
}  // namespace sqlite

/// A new database. It takes one recording at a time, so that its maker need not hold them all. It
/// lies under another name until it is complete, and replaces an older file then. Each function
/// throws Error if the database cannot be written. After an error, or a signal that ends the
/// process, nothing is left of it.
class SqliteFile {
 public:
  explicit SqliteFile(const std::filesystem::path& path);
  ~SqliteFile();
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;

  /// Adds what was recorded.
  void add(const Trace& trace);
  /// Changes the order of the recordings: that which was added as the order[n]-th one becomes the
  /// n-th. Adds the report of each in that order, and gives the file its name. Nothing is added
  /// after that.
  void finish(std::span<const std::size_t> order, std::span<const analysis::Analysis> analyses);

 private:
  std::unique_ptr<sqlite::Database> database_;
  std::size_t count_ = 0;  ///< of recordings
};

}  // namespace ompdm
