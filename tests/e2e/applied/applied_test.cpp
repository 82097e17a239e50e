// Each finding of each program: its edits are made in the source. What they promised is compared
// with what the edited program transfers and prints.
#include <gtest/gtest.h>

#include <iostream>

#include "check.h"

namespace ompdm::e2e::applied_test {
namespace {

/// Fails the test for each fault, and shows what became of each finding.
void expect_no_fault(const AppliedProgram& program) {
  const CheckedProgram checked = check(program);
  for (const std::string& fault : checked.faults) ADD_FAILURE() << fault;
  for (const FollowedFinding& finding : checked.findings) {
    std::cout << (finding.left.empty() ? "" : "left, " + finding.left + ": ")
              << row_of(program.name, finding) << '\n';
  }
}

class AppliedEdits : public testing::TestWithParam<AppliedProgram> {};
class AppliedCases : public testing::TestWithParam<AppliedProgram> {};
class AppliedCasesSlow : public testing::TestWithParam<AppliedProgram> {};

TEST_P(AppliedEdits, SpareWhatTheyPromise) { expect_no_fault(GetParam()); }
TEST_P(AppliedCases, SpareWhatTheyPromise) { expect_no_fault(GetParam()); }
TEST_P(AppliedCasesSlow, SpareWhatTheyPromise) { expect_no_fault(GetParam()); }

INSTANTIATE_TEST_SUITE_P(, AppliedEdits, testing::ValuesIn(applied_programs()),
                         [](const auto& tested) { return tested.param.name; });
INSTANTIATE_TEST_SUITE_P(, AppliedCases, testing::ValuesIn(applied_cases()),
                         [](const auto& tested) { return tested.param.name; });
INSTANTIATE_TEST_SUITE_P(, AppliedCasesSlow, testing::ValuesIn(applied_cases_slow()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace

void PrintTo(const AppliedProgram& program, std::ostream* out) { *out << program.name; }

}  // namespace ompdm::e2e::applied_test
