// A program through the tool: recorded, patched, built and recorded again; and whether that kept
// what its findings promised.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "programs.h"

namespace ompdm::e2e {

/// A finding, and what came of its patch.
struct FollowedFinding {
  std::string run;  ///< the program's arguments
  std::string pattern;
  std::string confidence;
  std::string place;  ///< "heat.cpp:56"
  std::string variable;
  std::string left;        ///< why there is no patch; empty: there is one
  bool is_memory = false;  ///< the bytes are of allocations, not of transfers
  std::uint64_t promised = 0;
  bool is_most = false;       ///< the patch may spare less: it has a part of the edits
  std::int64_t spared = 0;    ///< of the bytes promised; more is possible
  std::uint64_t updates = 0;  ///< bytes that updates move which the patch adds
};

struct CheckedProgram {
  std::vector<FollowedFinding> findings;
  std::vector<std::string> faults;
  std::size_t runs_without = 0;  ///< of which nothing was found
};

CheckedProgram check(const AppliedProgram& program);

/// One row of a table a finding with a patch, in Markdown.
std::string row_of(const std::string& program, const FollowedFinding& finding);

}  // namespace ompdm::e2e
