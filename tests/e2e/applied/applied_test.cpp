// Every finding of every program: its edits are made in the source, and what they promised is held
// against what the edited program moves and prints.
#include <gtest/gtest.h>

#include <iostream>

#include "check.h"

namespace ompdm::e2e::applied_test {
namespace {

class AppliedEdits : public testing::TestWithParam<AppliedProgram> {};

TEST_P(AppliedEdits, SpareWhatTheyPromise) {
  const CheckedProgram checked = check(GetParam());
  for (const std::string& fault : checked.faults) ADD_FAILURE() << fault;
  for (const FollowedFinding& finding : checked.findings) {
    std::cout << (finding.left.empty() ? "" : "left, " + finding.left + ": ")
              << row_of(GetParam().name, finding) << '\n';
  }
}

INSTANTIATE_TEST_SUITE_P(, AppliedEdits, testing::ValuesIn(applied_programs()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace

void PrintTo(const AppliedProgram& program, std::ostream* out) { *out << program.name; }

}  // namespace ompdm::e2e::applied_test
