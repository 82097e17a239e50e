// Needless transfers in real programs: planted cases, cases that only resemble them, and each
// version of the kernels. Findings are gone once the advice was followed to the letter.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "advice.h"
#include "recorded.h"

namespace ompdm::e2e::findings_test {
namespace {

std::uint64_t moved(const Json& report, const char* way) {
  return report["totals"][way]["bytes"].get<std::uint64_t>();
}

TEST(Advice, HeatNaive) {
  constexpr std::uint64_t kGrid = 60 * 60 * 8;
  const Json naive = record({{kernel("heat"), "--variant", "naive", "60", "5"}}).report;
  ASSERT_EQ(patterns(naive), "per_iteration_mapping");
  const Json& finding = naive["findings"][0];
  EXPECT_EQ(finding["variable"], "u, u_tmp");
  EXPECT_EQ(finding["count"], 2 * (10 - 2));
  EXPECT_EQ(finding["wasted_bytes"], 2 * (10 - 2) * kGrid);
  expect_written(to_write(finding, true), "heat_advised.cpp");

  const Json data = record({{kernel("heat"), "--variant", "data", "60", "5"}}).report;
  for (const std::string clauses : {"drop", "keep"}) {
    const Json advised = record({{program("heat_advised"), "60", "5", clauses}}).report;
    EXPECT_EQ(patterns(advised), "") << clauses;
    EXPECT_EQ(moved(advised, "HtoD"), moved(data, "HtoD")) << clauses;
    // That the host does not read the other grid cannot be seen from transfers.
    EXPECT_EQ(moved(advised, "DtoH"), moved(data, "DtoH") + kGrid) << clauses;
    EXPECT_EQ(moved(naive, "HtoD") + moved(naive, "DtoH") - finding["wasted_bytes"].get<int>(),
              moved(advised, "HtoD") + moved(advised, "DtoH"));
  }
}

TEST(Advice, JacobiNaive) {
  constexpr std::uint64_t kN = 60;
  const Json naive = record({{kernel("jacobi"), "--variant", "naive", "60"}}).report;
  ASSERT_EQ(patterns(naive), "per_iteration_mapping");
  EXPECT_EQ(naive["findings"][0]["variable"], "a, b, x_new, x_old");
  expect_written(to_write(naive["findings"][0], true), "jacobi_advised.cpp");

  const Recorded advised = record({{program("jacobi_advised"), "60"}});
  EXPECT_EQ(patterns(advised.report), "");
  const std::uint64_t iterations = advised.report["iterations"][0]["count"];
  EXPECT_EQ(moved(advised.report, "HtoD"), (kN * kN + 3 * kN + iterations) * 8);
  EXPECT_EQ(moved(advised.report, "DtoH"), (2 * kN + iterations) * 8);
}

TEST(Findings, NoneOnTheRungsWhoseDataStays) {
  const std::vector<std::vector<std::string>> runs = {
      {"heat", "data", "60"},     {"heat", "collapse", "60"},     {"heat", "optimized", "60"},
      {"jacobi", "data", "60"},   {"jacobi", "branchless", "60"}, {"jacobi", "coalesced", "60"},
      {"vadd", "mapped", "1000"}, {"pi", "combined", "100000"},   {"pi", "nested", "100000"}};
  for (const auto& one : runs) {
    const Recorded recorded = record({{kernel(one[0]), "--variant", one[1], one[2]}});
    EXPECT_EQ(patterns(recorded.report), "") << one[0] << ' ' << one[1];
    const auto& process = recorded.report["traces"][0];
    EXPECT_EQ(recorded.report["prediction"]["wall_ns"],
              process["wall_ns"].get<std::int64_t>() - process["hashing_ns"].get<std::int64_t>());
  }
}

// Without map clauses both inputs are copied back as they were sent, as the version `mapped` shows.
TEST(Findings, VaddsImplicitMapsBringItsInputsBack) {
  const Json report = record({{kernel("vadd"), "--variant", "implicit", "1000"}}).report;
  ASSERT_EQ(patterns(report), "unmodified_copy_back") << report["findings"];
  const Json& finding = report["findings"][0];
  EXPECT_EQ(finding["wasted_bytes"].get<std::uint64_t>() * 3, moved(report, "DtoH") * 2)
      << "a and b of a, b and c: " << finding;
}

// "Not used" would make the program read another's memory.
TEST(Findings, NoneOnASectionThatItsPointerReaches) {
  const Recorded recorded = record({{program("interior")}});
  EXPECT_EQ(patterns(recorded.report), "") << recorded.report["findings"];
}

TEST(Findings, KernelsOfOneTeam) {
  for (const std::string rung : {"target", "parallel"}) {
    const Recorded recorded = record({{kernel("pi"), "--variant", rung, "20000000"}});
    EXPECT_EQ(patterns(recorded.report), "serial_kernel") << rung;
  }
}

TEST(Findings, DecideTheExitStatus) {
  const Folder folder;
  for (const std::string rung : {"naive", "data"}) {
    const Ended ended = run({{OMPDM_COMMAND, "record", "-o", rung + ".json", kernel("heat"),
                              "--variant", rung, "40", "4"}},
                            folder.path());
    ASSERT_EQ(ended.status, 0) << ended.err;
    const int expected = rung == "naive" ? 3 : 0;
    for (const std::string condition : {"findings > 0", "findings.per_iteration_mapping > 0"}) {
      const Ended report =
          run({{OMPDM_COMMAND, "report", rung + ".json", "--fail-if", condition}}, folder.path());
      EXPECT_EQ(report.status, expected) << rung << ": " << condition;
    }
  }
}

/// Bytes that a finding calls needless: of copies, or of device memory.
Json needless_bytes(const Json& finding) {
  const Json& memory = finding["allocated_bytes"];
  return memory > 0 ? memory : finding["wasted_bytes"];
}

struct Planted {
  std::string name;
  std::string patterns;
  int count = 0;  ///< of the first finding
  std::uint64_t wasted_bytes = 0;
  const char* confidence = "likely";
};

void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.name; }

class Needless : public testing::TestWithParam<Planted> {};

TEST_P(Needless, IsFoundToTheByte) {
  const Planted& planted = GetParam();
  const Json report = record({{program("needless"), planted.name, "1000000", "40"}}).report;
  ASSERT_EQ(patterns(report), planted.patterns) << report["findings"];
  if (planted.patterns.empty()) return;
  const Json& finding = report["findings"][0];
  EXPECT_EQ(finding["variable"], "a");
  EXPECT_EQ(finding["count"], planted.count);
  EXPECT_EQ(needless_bytes(finding), planted.wasted_bytes);
}

// Large, so that allocating it takes its part of the run's time on a busy machine too.
constexpr std::uint64_t kLargeArray = 1'000'000 * 8;
const Planted kPlanted[] = {
    {"overwritten", "unused_transfer", 1, kLargeArray},
    {"seen_in_between", ""},
    {"dropped", "unused_transfer", 1, kLargeArray},
    {"never_used", "unused_allocation", 1, kLargeArray},
    {"never_named", "unused_allocation", 1, kLargeArray},
    {"brought_each_time", "unmodified_copy_back", 1, kLargeArray},
    {"brought_at_times", ""},
    {"allocated_again", "repeated_allocation", 39, 39 * kLargeArray},
    {"leaked", "device_leak", 1, kLargeArray},
    {"piecewise", "small_transfers", 40, 0},
    {"mapped_again", "per_iteration_mapping", 78, 78 * kLargeArray},
};

constexpr std::uint64_t kArray = 20000 * 8;

INSTANTIATE_TEST_SUITE_P(, Needless, testing::ValuesIn(kPlanted),
                         [](const auto& test) { return test.param.name; });

// ---- what contents tell

Json with_contents(std::vector<std::string> words) {
  return record({std::move(words), {{"OMPDM_HASH", "full"}}}).report;
}

class Contents : public testing::TestWithParam<Planted> {};

TEST_P(Contents, AreFoundToTheByte) {
  const Planted& planted = GetParam();
  const Json report = with_contents({program("contents"), planted.name, "20000", "12"});
  ASSERT_EQ(patterns(report), planted.patterns) << report["findings"];
  if (planted.patterns.empty()) return;
  const Json& finding = report["findings"][0];
  EXPECT_EQ(finding["count"], planted.count);
  EXPECT_EQ(needless_bytes(finding), planted.wasted_bytes);
  if (planted.patterns == "repeated_allocation") return;
  EXPECT_EQ(finding["variable"], "a");
  EXPECT_EQ(finding["confidence"], planted.confidence) << "equal values prove no more";
  EXPECT_EQ(finding["coverage"]["examined"], planted.count);
  EXPECT_EQ(finding["coverage"]["of"], planted.count);
}

// One value changes of an array that is too large for a whole fingerprint. It changes at once, in a
// block that is read, or from the eleventh iteration on, in no block.
TEST(OneValue, ThatTheHostChangesIsNotCalledTheSame) {
  for (const auto& [index, from] : {std::pair{5, 0}, std::pair{1000, 10}}) {
    const Json report =
        record({{program("one_value_changed"), std::to_string(index), std::to_string(from)}})
            .report;
    for (const Json& finding : report["findings"]) {
      EXPECT_LE(finding["count"], from) << finding;
    }
  }
}

const Planted kContents[] = {
    // A kernel may use its map(to:) copy as scratch.
    {"sent_again", "duplicate_transfer", 1, kArray, "possible"},
    {"sent_again_changed", ""},
    {"sent_again_restoring", ""},
    {"mapped_twice", "duplicate_transfer", 1, kArray, "possible"},
    {"equal_arrays", ""},
    {"zeros", ""},
    {"two_devices", ""},
    {"there_and_back", "round_trip_transfer", 1, kArray},
    {"there_and_back_changed", ""},
    {"only_read", "unmodified_copy_back", 1, kArray, "possible"},
    {"one_element", ""},
    {"alternating", ""},
    {"loop_changed", "repeated_allocation", 11, 11 * kArray},
    {"sent_over_in_each_pass", "duplicate_transfer", 12, 12 * kArray, "possible"},
    {"returned_changed", ""},
};

INSTANTIATE_TEST_SUITE_P(, Contents, testing::ValuesIn(kContents),
                         [](const auto& test) { return test.param.name; });

TEST(ContentFindings, OtherDataAtTheSameAddressIsNoRepetition) {
  const Json report = with_contents({program("contents"), "freed_and_made_anew", "20000", "12"});
  // That its memory on the device could have stayed is all that can be said.
  EXPECT_TRUE(patterns(report).empty() || patterns(report) == "repeated_allocation") << report;
}

// Each of the two sends is needless because of the other: both findings at once would leave none.
TEST(ContentFindings, OneOfTwoSendsStays) {
  const Json report = with_contents({program("contents"), "sent_over", "20000", "12"});
  ASSERT_EQ(patterns(report), "unused_transfer") << report["findings"];
  EXPECT_EQ(report["findings"][0]["count"], 1);
  EXPECT_EQ(report["findings"][0]["wasted_bytes"], kArray);
}

TEST(ContentFindings, BroughtBackTwice) {
  const Json report = with_contents({program("contents"), "returned_twice", "20000", "12"});
  ASSERT_EQ(patterns(report), "unmodified_copy_back") << report["findings"];
  const Json& finding = report["findings"][0];
  EXPECT_EQ(finding["variable"], "a");
  EXPECT_EQ(finding["count"], 12) << "the second of each pass";
  EXPECT_EQ(finding["wasted_bytes"], 12 * kArray);
  EXPECT_NE(finding["confidence"], "certain");
}

// Nothing tells this from a copy that nobody needs: it must not be claimed as more than possible.
TEST(ContentFindings, AHostThatWantsItsCopyRestored) {
  const Json report = with_contents({program("contents"), "returned_to_restore", "20000", "12"});
  for (const Json& finding : report["findings"]) {
    EXPECT_EQ(finding["pattern"], "unmodified_copy_back");
    EXPECT_EQ(finding["confidence"], "possible") << finding;
    EXPECT_NE(finding["advice"].get<std::string>().find("restored"), std::string::npos);
  }
}

// The host reads the data that was copied back, which does not show: the evidence says so, and
// counts the sent data.
TEST(ContentFindings, ALoopWhoseHostReadsTheData) {
  const Json report = with_contents({program("contents"), "loop_unchanged", "20000", "12"});
  ASSERT_EQ(patterns(report), "per_iteration_mapping");
  const Json& finding = report["findings"][0];
  EXPECT_EQ(finding["count"], 22);
  EXPECT_EQ(finding["confidence"], "likely") << "half of the bytes went over unchanged";
  EXPECT_NE(finding["evidence"].get<std::string>().find(
                "The trace cannot show whether the host read the copied-back data"),
            std::string::npos);
  EXPECT_EQ(finding["coverage"]["examined"], 11) << "what was sent, and never changed";
}

TEST(ContentFindings, OfEachRung) {
  const std::vector<std::vector<std::string>> runs = {
      {"heat", "naive", "60", "per_iteration_mapping"},
      {"heat", "data", "60", ""},
      {"heat", "collapse", "60", ""},
      {"heat", "optimized", "60", ""},
      {"jacobi", "naive", "60", "per_iteration_mapping"},
      {"jacobi", "data", "60", ""},
      {"jacobi", "branchless", "60", ""},
      {"jacobi", "coalesced", "60", ""},
      {"vadd", "implicit", "1000", "unmodified_copy_back"},
      {"vadd", "mapped", "1000", ""},
      {"pi", "target", "20000000", "serial_kernel"},
      {"pi", "combined", "100000", ""}};
  for (const auto& one : runs) {
    const Json report = with_contents({kernel(one[0]), "--variant", one[1], one[2]});
    EXPECT_EQ(patterns(report), one[3]) << one[0] << ' ' << one[1] << report["findings"];
  }
}

TEST(ContentFindings, TheMatrixOfJacobiNeverChanges) {
  constexpr std::uint64_t kN = 60;
  const Json report = with_contents({kernel("jacobi"), "--variant", "naive", "60"});
  const Json& loop = report["iterations"][0];
  EXPECT_EQ(loop["HtoD_bytes"], (kN * kN + 5 * kN + 1) * 8);
  // The matrix, the right-hand side, and the sum of squares that starts with 0 in each iteration.
  EXPECT_EQ(loop["invariant_bytes"], (kN * kN + kN + 1) * 8);
}

TEST(ContentFindings, VaddImplicitReturnsItsInputs) {
  const Json report = with_contents({kernel("vadd"), "--variant", "implicit"});
  ASSERT_EQ(patterns(report), "unmodified_copy_back");
  EXPECT_EQ(report["findings"][0]["variable"], "a, b");
  EXPECT_EQ(report["findings"][0]["count"], 2);
}

}  // namespace
}  // namespace ompdm::e2e::findings_test
