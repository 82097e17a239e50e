// Cells of a job's tables: figures that a rank may lack, and how unequal the ranks are. Inside the
// report library only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ompdm/summary.h"
#include "report/job_figures.h"
#include "report/table.h"
#include "report/units.h"

namespace ompdm::report {

inline Cell count(std::uint64_t value) { return static_cast<std::int64_t>(value); }

inline Cell sum(const summary::Figure& figure) {
  return figure.ranks.count == 0 ? Cell() : count(figure.ranks.sum);
}

/// Two cells: the rank with most of it, and most over mean for readers and for programs.
inline void add_imbalance(std::vector<Cell>& row, const summary::Figure& figure) {
  if (figure.ranks.most == 0) {
    row.insert(row.end(), 3, Cell());
    return;
  }
  const double times = imbalance_of(figure);
  row.insert(row.end(), {std::int64_t{figure.most_rank}, ratio_text(times), times});
}

inline void add_imbalance(std::vector<Column>& columns, const std::string& of, int spare) {
  columns.push_back(
      {of + "_most_rank", "in rank", Unit::kCount, Audience::kAll, true, false, spare});
  columns.push_back(
      {of + "_imbalance", "Most/mean", Unit::kText, Audience::kReader, true, false, spare});
  columns.push_back({of + "_imbalance", "Most/mean", Unit::kText, Audience::kData});
}

}  // namespace ompdm::report
