// `ompdm check`: programs on emulated devices whose memory is filled and fenced.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "project.h"
#include "recorded.h"

namespace ompdm::e2e::check_test {
namespace {

/// `ompdm check` of a program in an empty folder.
struct Checked {
  int status = 0;
  Json report;
};

Checked check(const std::vector<std::string>& program, const std::filesystem::path& folder,
              const std::vector<std::string>& options = {}) {
  // The sources are asked, whatever OMPDM_SOURCE says.
  Command command = {{OMPDM_COMMAND, "check", "--format", "json", "--source", "auto"}};
  command.words.insert(command.words.end(), options.begin(), options.end());
  command.words.emplace_back("--");
  command.words.insert(command.words.end(), program.begin(), program.end());
  const Ended ended = run(command, folder);
  Checked checked{ended.status, nullptr};
  checked.report = Json::parse(ended.out, nullptr, false);
  EXPECT_FALSE(checked.report.is_discarded()) << ended.out << ended.err;
  return checked;
}

std::vector<std::string> found(const Checked& checked) {
  std::vector<std::string> all;
  for (const Json& row : checked.report.at("mapping")) {
    all.push_back(std::to_string(row.at("line").get<int>()) + ' ' +
                  row.at("pattern").get<std::string>() + ' ' + row.at("item").get<std::string>());
  }
  return all;
}

/// What is found where ompdm reads sources; nothing elsewhere.
std::vector<std::string> by_sources([[maybe_unused]] std::vector<std::string> found) {
#ifdef OMPDM_HAS_EDIT
  return found;
#else
  return {};
#endif
}

struct Case {
  const char* program;
  std::vector<std::string> found;
};

class Check : public ::testing::TestWithParam<Case> {};

TEST_P(Check, TellsWhatIsWrong) {
  const Folder folder;
  const Checked checked = check({program(GetParam().program)}, folder.path());
  EXPECT_EQ(found(checked), GetParam().found);
  EXPECT_EQ(checked.status, GetParam().found.empty() ? 0 : 3);
  for (const Json& one : checked.report.at("runs")) EXPECT_EQ(one.at("exit_status"), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Programs, Check,
    ::testing::Values(Case{"checks_past_end", {"11 out_of_section a[0:N]"}},
                      Case{"checks_before_begin", {"9 out_of_section a[1:N - 1]"}},
                      Case{"checks_half_set", {"9 uninitialised a[0:N]"}},
                      Case{"checks_freed", {"15 used_after_delete a[0:N]"}},
                      Case{"checks_freed_on_host", {"11 freed_while_mapped a[0:N]"}},
                      Case{"checks_host_reads", {"8 host_access memory of omp_target_alloc"}},
                      Case{"checks_by_name", by_sources({"9 not_sent c"})},
                      Case{"checks_several_lost", {"10 results_lost p[0:m]"}},
                      Case{"checks_only_result", {"10 results_lost v[0:n]"}},
                      Case{"checks_both_changed", {"10 not_sent u[0:n]"}},
                      Case{"checks_changed_input", {}}, Case{"checks_own_handler", {}},
                      Case{"clauses_right", {}}, Case{"clauses_scratch", {}},
                      Case{"clauses_fenced", {}},
                      Case{"clauses_alloc_only", {"13 never_sent table[0:N]"}},
                      Case{"clauses_timer", {"11 unset_copied_back spent"}},
                      Case{"clauses_no_clause", {"11 host_address a", "11 host_address b"}}),
    [](const auto& test) { return std::string(test.param.program); });

TEST(CheckOf, DataThatHangsOnRowsWhichNothingHadSet) {
  const Folder folder;
  const Checked checked = check({program("checks_rows_unset")}, folder.path());
  EXPECT_EQ(checked.status, 3);
  ASSERT_EQ(found(checked), std::vector<std::string>{"18 uninitialised sum"});
  EXPECT_EQ(checked.report.at("mapping").at(0).at("unset_reads"), Json({"rows[k][0:N]"}));
}

TEST(CheckOf, EachRungOfTheKernelsFindsNothing) {
  const std::vector<std::vector<std::string>> runs = {
      {kernel("heat"), "--variant", "naive", "60"},
      {kernel("heat"), "--variant", "data", "60"},
      {kernel("heat"), "--variant", "collapse", "60"},
      {kernel("heat"), "--variant", "optimized", "60"},
      {kernel("jacobi"), "--variant", "naive", "60"},
      {kernel("jacobi"), "--variant", "data", "60"},
      {kernel("jacobi"), "--variant", "branchless", "60"},
      {kernel("jacobi"), "--variant", "coalesced", "60"},
      {kernel("pi")},
      {kernel("vadd")}};
  for (const std::vector<std::string>& words : runs) {
    const Folder folder;
    const Checked checked = check(words, folder.path());
    EXPECT_EQ(checked.status, 0) << words.front() << ' ' << words.back();
    EXPECT_EQ(found(checked), std::vector<std::string>());
    EXPECT_FALSE(checked.report.contains("unset_output"));
  }
}

TEST(CheckOf, AProgramTellsWhichByteIsTouchedAndWhatElseChanged) {
  const Folder folder;
  const Checked past = check({program("checks_past_end")}, folder.path());
  EXPECT_EQ(past.report.at("mapping")[0].at("offset"), 8000);
  EXPECT_EQ(past.report.at("mapping")[0].at("write"), false);
  const Checked before = check({program("checks_before_begin")}, folder.path());
  EXPECT_EQ(before.report.at("mapping")[0].at("offset"), -4);
  EXPECT_EQ(before.report.at("mapping")[0].at("write"), true);
  const Checked half = check({program("checks_half_set")}, folder.path());
  EXPECT_EQ(half.report.at("unset_output").at("line"), 1);
  EXPECT_EQ(half.report.at("unset_output").at("first"), std::to_string(0x5a5a5a5a));
}

TEST(CheckOf, EachRunHasTheSameInputAndFiles) {
  const Folder folder;
  std::ofstream(folder.path() / "state") << "40\n";
  const auto state = [&] {
    int value = 0;
    std::ifstream(folder.path() / "state") >> value;
    return value;
  };
  const auto checked = [&](const std::string& options) {
    const std::string line = std::string("echo 2 | ") + OMPDM_COMMAND + " check --format json " +
                             options + " " + program("checks_reader");
    return run({{"sh", "-c", line}}, folder.path());
  };
  const Ended copied = checked("");
  EXPECT_EQ(copied.status, 2) << "the program's own" << copied.err;
  EXPECT_FALSE(Json::parse(copied.out).contains("unset_output"));
  EXPECT_EQ(state(), 40);
  checked("--in-place");
  EXPECT_GT(state(), 42);
}

TEST(CheckOf, AProgramWithoutADeviceSaysWhy) {
  const Folder folder;
  const Ended none = run({{OMPDM_COMMAND, "check", "/bin/true"}}, folder.path());
  EXPECT_EQ(none.status, 1);
  EXPECT_TRUE(contains(none.err, "no target region ran on a device")) << none.err;
  const Ended failed = run({{OMPDM_COMMAND, "check", "/bin/ls", "/nosuch"}}, folder.path());
  EXPECT_EQ(failed.status, 1);
  EXPECT_TRUE(contains(failed.err, "exited with 2 before any target region")) << failed.err;
}

}  // namespace
}  // namespace ompdm::e2e::check_test
