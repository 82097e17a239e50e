// Which findings the glance tells in one row. Inside the report library only.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/runs.h"
#include "report/tables.h"

namespace ompdm::report {

/// One finding; or several kernels of one function that are to be changed alike.
struct ToldRow {
  std::vector<std::size_t> numbers;  ///< in the report, from 1; the first is the one that is shown
  std::string recording;             ///< whose it is, where there are several: "rank 1: "
  const analysis::Finding* finding = nullptr;  ///< the first, and
  std::vector<const analysis::Finding*> others = {};
  std::string place;  ///< "heat.cpp:56", "heat.cpp:56 +2"
  std::string action;
  std::uint64_t wasted_bytes = 0;  ///< of all of them
  Nanoseconds wasted_time = 0;
  bool timed = true;
};

/// In the order of told_findings().
std::vector<ToldRow> told_rows(Analyses analyses, const SourceNames& names);

}  // namespace ompdm::report
