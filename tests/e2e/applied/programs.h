// Every program of the end-to-end tests, with the input that they give it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ompdm::e2e {

struct AppliedRun {
  std::vector<std::string> arguments = {};
  /// Its loop then has no iteration, which no trace shows: data that is kept around it is
  /// transferred all the same.
  bool has_empty_loop = false;
  /// What the edited program prints; empty: what it printed before. Of a program that is wrong by
  /// itself, and right with the edits.
  std::string then_prints = {};
  /// Other arguments with which both print the same.
  std::vector<std::vector<std::string>> also = {};
};

struct AppliedProgram {
  std::string name;                  ///< of the program as the tests have it built
  std::string path;                  ///< of that; empty: it is built by who checks it
  std::vector<std::string> sources;  ///< with their folder
  std::vector<std::string> options;  ///< behind those of every program
  std::vector<AppliedRun> runs;
  std::map<std::string, std::string> environment = {};  ///< of the recorder
};

std::vector<AppliedProgram> applied_programs();

/// Those of tests/e2e/cases: a dozen, and the others.
std::vector<AppliedProgram> applied_cases();
std::vector<AppliedProgram> applied_cases_slow();

}  // namespace ompdm::e2e
