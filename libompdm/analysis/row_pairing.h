// How the rows of two tables find each other by what is stable under edits of the source. Inside
// the analysis library only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ompdm/comparison.h"

namespace ompdm::analysis {

/// What a row is recognised by.
struct RowLabel {
  std::string sort;  ///< rows of different sorts are never paired
  std::string name;  ///< function or variable
  std::string file;
  int line = 0;
  int column = 0;
  std::uint64_t address = 0;  ///< decides the order where there are no lines
  bool nameless = false;      ///< nothing of it means anything in another process: never paired
};

/// Whether two rows that are the only ones of their sort left in a file are the same one under
/// another name.
enum class Renamed : bool { kNo, kYes };

std::vector<RowPair> pair_rows(const std::vector<RowLabel>& before,
                               const std::vector<RowLabel>& after, Renamed renamed);

}  // namespace ompdm::analysis
