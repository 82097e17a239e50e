// How the report's tables are filled: rows of several recordings one after the other, and cells
// whose figure may not be known. Inside the report library only.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "report/tables.h"

namespace ompdm::report {

/// A table whose rows are put together from those of each recording.
class TableBuilder {
 public:
  TableBuilder(Analyses analyses, Table table)
      : ranks_(ranks_of(analyses)), table_(std::move(table)) {
    if (ranks_.key.empty()) return;
    table_.columns.insert(table_.columns.begin(), {ranks_.key, ranks_.title, Unit::kCount});
  }

  void add(std::size_t recording, std::vector<Cell> row) {
    std::vector<Cell>& whole = table_.rows.emplace_back();
    whole.reserve(row.size() + 1);
    if (!ranks_.key.empty()) whole.push_back(ranks_.labels[recording]);
    for (Cell& cell : row) whole.push_back(std::move(cell));
  }

  Table take() { return std::move(table_); }

 private:
  Ranks ranks_;
  Table table_;
};

inline Cell number(std::uint64_t value) { return static_cast<std::int64_t>(value); }

/// Bytes or a number of transfers; unknown where the runtime reports none.
inline Cell moved(const analysis::Analysis& one, std::uint64_t value) {
  return analysis::knows_transfers(one) ? number(value) : Cell();
}

/// A duration that is known only if transfers are, and more than their enqueueing was timed.
inline Cell timed(const analysis::Analysis& one, bool known, Nanoseconds duration) {
  if (!analysis::knows_transfers(one)) return {};
  return known ? Cell(std::int64_t{duration}) : Cell(std::string("enqueue"));
}

}  // namespace ompdm::report
