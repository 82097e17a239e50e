// Which edits are printed as code, and how code is set in lines.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "report/edits.h"

namespace ompdm::report::pragma_test {
namespace {

using analysis::Anchor;
using analysis::Edit;
using analysis::EditKind;
using analysis::EditWhen;
using analysis::Finding;
using Lines = std::vector<std::string>;

Edit insertion(Directive directive, const char* kind, std::vector<std::uint32_t> data) {
  Edit edit;
  edit.directive = directive;
  edit.clauses = {{kind, std::move(data)}};
  edit.in_scope = true;
  return edit;
}

/// Keeps two arrays of a loop on the device.
Finding kept() {
  Finding finding;
  finding.file = "heat.cpp";
  finding.data.resize(2);
  finding.data[0].expression = "u[0:n * n]";
  finding.data[1].expression = "u_tmp[0:n * n]";
  finding.edits = {insertion(Directive::kTargetEnterData, "to", {1, 0}),
                   insertion(Directive::kTargetUpdate, "from", {0, 1}),
                   insertion(Directive::kTargetExitData, "from", {0})};
  finding.edits[1].when = EditWhen::kHostUses;
  return finding;
}

TEST(Pragma, ADirectiveIsWhole) {
  const Finding finding = kept();
  EXPECT_EQ(code_of(finding, finding.edits[0]),
            Lines{"#pragma omp target enter data map(to: u[0:n * n], u_tmp[0:n * n])"});
}

TEST(Pragma, AConditionHoldsOfEachItemByItself) {
  Finding finding = kept();
  EXPECT_EQ(code_of(finding, finding.edits[1]),
            (Lines{"#pragma omp target update from(u[0:n * n])",
                   "#pragma omp target update from(u_tmp[0:n * n])"}));
  finding.edits[1].clauses[0].data.assign(kMostListed + 1, 0);
  EXPECT_TRUE(code_of(finding, finding.edits[1]).empty()) << "it is told of all together";
}

TEST(Pragma, AnotherDeviceIsNamed) {
  Finding finding = kept();
  finding.edits[2].devices = {2};
  EXPECT_EQ(code_of(finding, finding.edits[2]),
            Lines{"#pragma omp target exit data device(2) map(from: u[0:n * n])"});
  finding.edits[2].devices = {0};
  EXPECT_EQ(code_of(finding, finding.edits[2]),
            Lines{"#pragma omp target exit data map(from: u[0:n * n])"});
}

// The others alone would change what the program does.
TEST(Pragma, NoEditIsCodeWhereOneThatIsMadeInAnyCaseIsNot) {
  Finding finding = kept();
  finding.edits[2].in_scope = false;
  for (const Edit& edit : finding.edits) EXPECT_TRUE(code_of(finding, edit).empty());
  finding = kept();
  finding.edits[1].in_scope = false;  // a condition is told in words by itself
  EXPECT_FALSE(code_of(finding, finding.edits[0]).empty());
  EXPECT_TRUE(code_of(finding, finding.edits[1]).empty());
}

TEST(Pragma, ClausesOfADirectiveThatIsThereAreCode) {
  Finding finding = kept();
  Edit edit = insertion(Directive::kTarget, "to", {0});
  edit.kind = EditKind::kReplace;
  edit.clauses.push_back({"alloc", {1}});
  finding.edits = {edit};
  EXPECT_EQ(code_of(finding, finding.edits[0]),
            Lines{"map(to: u[0:n * n]) map(alloc: u_tmp[0:n * n])"});
  finding.edits[0].kind = EditKind::kRemove;
  EXPECT_TRUE(code_of(finding, finding.edits[0]).empty());
}

constexpr const char* kLong =
    "#pragma omp target enter data map(to: u[0:n * n], u_tmp[0:n * n]) map(alloc: w)";

TEST(Pragma, LinesGoOnBeforeClausesAndItems) {
  EXPECT_EQ(set_code(kLong, "heat.cpp", 80), Lines{kLong});
  EXPECT_EQ(set_code(kLong, "heat.cpp", 60),
            (Lines{"#pragma omp target enter data map(to: u[0:n * n], \\",
                   "    u_tmp[0:n * n]) map(alloc: w)"}));
  EXPECT_EQ(set_code(kLong, "heat.cpp", 10),
            (Lines{"#pragma omp target enter data \\", "    map(to: u[0:n * n], \\",
                   "    u_tmp[0:n * n]) \\", "    map(alloc: w)"}))
      << "an item is never broken";
}

TEST(Pragma, LinesGoOnAsTheFormOfTheSourceHasIt) {
  EXPECT_EQ(set_code(kLong, "heat.f90", 60), (Lines{"!$omp target enter data map(to: u[0:n * n], &",
                                                    "!$omp   u_tmp[0:n * n]) map(alloc: w)"}));
  EXPECT_EQ(set_code(kLong, "heat.f", 200),
            (Lines{"!$omp target enter data map(to: u[0:n * n], u_tmp[0:n * n])",
                   "!$omp& map(alloc: w)"}))
      << "behind column 72 nothing is read";
}

}  // namespace
}  // namespace ompdm::report::pragma_test
