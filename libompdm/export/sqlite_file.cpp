#include "export/sqlite_file.h"

#include <algorithm>

#include "export/tables.h"

namespace ompdm {

SqliteFile::SqliteFile(const std::filesystem::path& path)
    : file_(path), database_(file_.path(), path.string()) {
  database_.run("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)");
  database_.run("INSERT INTO meta VALUES ('schema', 'ompdm.sqlite/1')");
}

void SqliteFile::add(const Trace& trace) {
  database_.begin_trace(ranks_.size(), trace.process.rank);
  ranks_.push_back(trace.process.rank);
  sqlite::add_definitions(database_, trace);
  sqlite::add_events(database_, trace);
}

void SqliteFile::put_in_order(std::span<const std::size_t> order) {
  if (std::ranges::is_sorted(order)) return;
  database_.renumber({order.begin(), order.end()});
  std::vector<std::int32_t> ranks;
  for (const std::size_t at : order) ranks.push_back(ranks_[at]);
  ranks_ = std::move(ranks);
}

void SqliteFile::add_reports(std::span<const analysis::Analysis> analyses) {
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    database_.begin_trace(i, ranks_[i]);
    sqlite::add_report(database_, analyses[i]);
  }
}

void SqliteFile::finish() {
  database_.close();
  file_.put();
}

}  // namespace ompdm
