// Advice on data that has no one name, followed to the letter: on several devices, of objects and
// structs, and of functions that call different arrays the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>
#include <vector>

#include "recorded.h"

namespace ompdm::e2e {
namespace {

/// Without blanks, line ends and comments.
std::string dense(std::string text) {
  for (std::size_t at = text.find("/*"); at != std::string::npos; at = text.find("/*")) {
    text.erase(at, text.find("*/", at) + 2 - at);
  }
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0 || c == '\\'; });
  return text;
}

/// What the advice of all findings says to write.
std::vector<std::string> pragmas(const Json& report) {
  std::vector<std::string> found;
  for (const Json& finding : report["findings"]) {
    for (const std::string& line : lines_of(finding["advice"].get<std::string>())) {
      if (line.starts_with("  #pragma")) found.push_back(line);
    }
  }
  return found;
}

std::uint64_t moved(const Json& report) {
  return report["totals"]["HtoD"]["bytes"].get<std::uint64_t>() +
         report["totals"]["DtoH"]["bytes"].get<std::uint64_t>();
}

/// A program as it is, and with the advice; fails the test unless both print the same, and the
/// second moves less.
Json followed(const std::string& name, std::uint64_t times_less) {
  const Recorded naive = record({{program(name), "8"}});
  const Recorded advised = record({{program(name), "8", "advised"}});
  EXPECT_EQ(naive.ended.out, advised.ended.out);
  EXPECT_LE(moved(advised.report) * times_less, moved(naive.report));
  EXPECT_TRUE(advised.report["findings"].empty()) << advised.report["findings"];
  return naive.report;
}

/// Fails the test unless each line that is to be written stands in the program's source.
void expect_written(const std::vector<std::string>& lines, const std::string& name) {
  const std::string text = dense(text_of(std::string(OMPDM_E2E_FINDINGS "/") + name + ".cpp"));
  EXPECT_FALSE(lines.empty());
  for (const std::string& line : lines) {
    EXPECT_NE(text.find(dense(line)), std::string::npos) << line;
  }
}

TEST(Advice, OnSeveralDevicesNamesTheDevice) {
  const Json report = followed("devices_split", 5);
  std::vector<std::string> lines = pragmas(report);
  // The host reads nothing in between: the advice leaves that to who knows it.
  std::erase_if(lines, [](const std::string& line) {
    return line.starts_with("  #pragma omp target update");
  });
  EXPECT_EQ(lines.size(), 4U) << report["findings"];
  expect_written(lines, "devices_split");
  for (const std::string& line : lines) {
    EXPECT_NE(line.find("device(d /* each of 0, 1, 2, 3 */)"), std::string::npos) << line;
  }
  for (const Json& finding : report["findings"]) {
    EXPECT_NE(finding["evidence"].get<std::string>().find("devices 0, 1, 2 and 3"),
              std::string::npos)
        << finding;
  }
}

TEST(Advice, TakesObjectsWithTheirMembers) {
  const std::vector<std::string> lines = pragmas(followed("members", 5));
  EXPECT_EQ(lines.size(), 4U);
  expect_written(lines, "members");
}

TEST(Advice, TellsArraysApartThatFunctionsCallTheSame) {
  const Json report = followed("same_names", 5);
  ASSERT_EQ(report["findings"].size(), 1U) << report["findings"];
  const Json& finding = report["findings"][0];
  EXPECT_EQ(finding["variable"], "g, o (in blur), o (in edge)");
  const std::string advice = finding["advice"];
  EXPECT_NE(advice.find("the loop in main (same_names.cpp) that calls fill, blur and edge"),
            std::string::npos)
      << "all of it may be inlined: " << advice;
  EXPECT_NE(
      advice.find("enter data map(to: g[0:n] /* in fill */, o[0:n] /* in blur */, o[0:n] /* in "
                  "edge */)\n"),
      std::string::npos)
      << advice;
}

}  // namespace
}  // namespace ompdm::e2e
