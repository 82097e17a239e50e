// A program through the tool: recorded, what its findings say to change changed, built and recorded
// again; and whether that kept what they promised.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "programs.h"

namespace ompdm::e2e {

/// A finding, and what came of following it.
struct FollowedFinding {
  std::string run;  ///< the program's arguments
  std::string pattern;
  std::string confidence;
  std::string place;  ///< "heat.cpp:56"
  std::string variable;
  std::string left;         ///< why it was not followed; empty: it was
  bool is_refused = false;  ///< since the program's author says so
  bool is_read = false;     ///< with what a reader adds
  std::size_t edits = 0;    ///< directives that were changed
  bool is_memory = false;   ///< the bytes are of allocations, not of transfers
  std::uint64_t promised = 0;
  bool is_most = false;            ///< the loop may have been entered more often than was seen
  std::int64_t spared = 0;         ///< of the bytes promised; more is possible
  std::uint64_t on_condition = 0;  ///< bytes that edits move which are made on a condition
};

struct CheckedProgram {
  std::vector<FollowedFinding> findings;
  std::vector<std::string> faults;
  std::size_t runs_without = 0;  ///< of which nothing was found
};

CheckedProgram check(const AppliedProgram& program);

/// One row of a table a finding that was followed, in Markdown.
std::string row_of(const std::string& program, const FollowedFinding& finding);

}  // namespace ompdm::e2e
