// Advice on data without a single name, followed to the letter. The data is on several devices, of
// objects and structs, or of functions that use one name for different arrays.
#include "advice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "recorded.h"

namespace ompdm::e2e::advice_test {
namespace {

/// What the advice of all findings says to write, whatever the host does.
std::vector<std::string> to_write_always(const Json& report) {
  std::vector<std::string> found;
  for (const Json& finding : report["findings"]) {
    for (const std::string& directive : to_write(finding, true)) found.push_back(directive);
  }
  return found;
}

std::uint64_t moved(const Json& report) {
  return report["totals"]["HtoD"]["bytes"].get<std::uint64_t>() +
         report["totals"]["DtoH"]["bytes"].get<std::uint64_t>();
}

/// Runs a program as it is, and with the advice. Fails the test unless both print the same, and the
/// second transfers that much less. `more`: a pattern for which advice may remain, or "".
Json followed(const std::string& name, double times_less, const std::string& more = "") {
  const Recorded naive = record({{program(name), "8"}});
  const Recorded advised = record({{program(name), "8", "advised"}});
  EXPECT_EQ(naive.ended.out, advised.ended.out);
  EXPECT_LE(static_cast<double>(moved(advised.report)) * times_less,
            static_cast<double>(moved(naive.report)));
  for (const Json& finding : advised.report["findings"]) EXPECT_EQ(finding["pattern"], more);
  EXPECT_EQ(advised.report["findings"].empty(), more.empty());
  return naive.report;
}

TEST(Advice, OnSeveralDevicesNamesTheDevice) {
  const Json report = followed("devices_split", 5);
  const std::vector<std::string> lines = to_write_always(report);
  EXPECT_EQ(lines.size(), 2U) << report["findings"];
  expect_written(lines, "devices_split.cpp");
  for (const Json& finding : report["findings"]) {
    EXPECT_NE(finding["advice"].get<std::string>().find(" on each of devices 0, 1, 2 and 3 "),
              std::string::npos)
        << finding;
    EXPECT_NE(finding["evidence"].get<std::string>().find("devices 0, 1, 2 and 3"),
              std::string::npos)
        << finding;
  }
}

TEST(Advice, TakesObjectsWithTheirMembers) {
  const std::vector<std::string> lines = to_write_always(followed("members", 5));
  EXPECT_EQ(lines.size(), 4U);
  expect_written(lines, "members.cpp");
}

TEST(Advice, TellsArraysApartThatFunctionsCallTheSame) {
  const Json report = followed("same_names", 5);
  ASSERT_EQ(report["findings"].size(), 1U) << report["findings"];
  const Json& finding = report["findings"][0];
  EXPECT_EQ(finding["variable"], "g, o (in blur, edge)");
  const std::string advice = finding["advice"];
  EXPECT_NE(advice.find("before the loop at same_names.cpp:41 in main: "), std::string::npos)
      << "all of it may be inlined: " << advice;
  EXPECT_NE(
      advice.find("a target enter data with map(to:) for the data that fill calls g[0:n], the "
                  "data that blur calls o[0:n] and the data that edge calls o[0:n]\n"),
      std::string::npos)
      << advice;
}

// Data that only some iterations read or change has to be copied in these.
TEST(Advice, SaysWhatHasToCrossMeanwhile) {
  const Json report = followed("meanwhile", 1.2);
  ASSERT_EQ(report["findings"].size(), 1U) << report["findings"];
  std::vector<std::string> lines = to_write(report["findings"][0]);
  // Its kernels do not change what only goes over.
  EXPECT_EQ(std::erase(lines, "#pragma omp target update to(f[0:n] /* in sweep */)"), 1U);
  EXPECT_EQ(lines.size(), 4U) << report["findings"];
  std::ranges::replace(lines,
                       "#pragma omp target update to(f[0:n] /* in sweep */, u[0:n] /* in sweep */)",
                       "#pragma omp target update to(u[0:n])");
  expect_written(lines, "meanwhile.cpp");
}

// An array is kept over the inner loop or over the outer one, not over both.
TEST(Advice, OnNestedLoopsIsGivenForOneOfThem) {
  const Json report = followed("nested", 2);
  ASSERT_EQ(report["findings"].size(), 1U) << report["findings"];
  expect_written(to_write(report["findings"][0], true), "nested.cpp");
}

// The copy that a clause forgot is not forgotten once the data stays.
TEST(Advice, SaysWhatToDoAboutKernelsThatSpoilTheirCopy) {
  const Json report = followed("scratch", 1.5, "round_trip_transfer");
  ASSERT_EQ(report["findings"].size(), 1U) << report["findings"];
  expect_written(to_write(report["findings"][0], true), "scratch.cpp");
  const auto brings_back = [](const Json& edit) {
    return edit["when"] == "kernel_changed" && edit["side"] == "before" &&
           edit_text(edit) == "insert target update before (kernel_changed): from x[0:n]";
  };
  EXPECT_TRUE(std::ranges::any_of(report["findings"][0]["edits"], brings_back))
      << report["findings"][0]["edits"];
}

}  // namespace
}  // namespace ompdm::e2e::advice_test
