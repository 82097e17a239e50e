// The list of programs whose edits are made, as their families add to it.
#pragma once

#include <string>
#include <vector>

#include "programs.h"

namespace ompdm::e2e {

using Words = std::vector<std::string>;

/// Runs with one of the words each, and with what comes behind.
std::vector<AppliedRun> runs_of(const Words& words, const Words& behind = {});

class ProgramList {
 public:
  /// Its sources lie in a folder of tests/e2e. Good until the next one is added.
  AppliedProgram& add(const std::string& name, const std::string& folder, const Words& sources,
                      std::vector<AppliedRun> runs, Words options = {});

  std::vector<AppliedProgram> take();

 private:
  std::vector<AppliedProgram> all_;
};

/// Those of tests/e2e/findings.
void add_findings(ProgramList& list);

}  // namespace ompdm::e2e
