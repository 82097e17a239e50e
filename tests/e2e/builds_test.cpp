// The same heat, compiled in other ways: lines and names are the same wherever there is any -g.
#include <gtest/gtest.h>

#include "kernel_runs.h"

namespace ompdm::e2e::builds_test {
namespace {

class Builds : public testing::TestWithParam<const char*> {};

TEST_P(Builds, ShowTheSameLinesAndNames) {
  const std::string path = program(std::string("heat_") + GetParam());
  expect_heat_naive(path, {});
  expect_heat_data(path, "optimized");
}

INSTANTIATE_TEST_SUITE_P(, Builds,
                         testing::Values("O0", "O3", "lines_only", "g1_O1", "lto", "stripped"),
                         [](const auto& test) { return test.param; });

// Bytes and counts need no -g. Places are a function and an address, and a variable is an address.
void expect_addresses_alone(const std::string& path) {
  const Recorded recorded = record({{path, "--variant", "data", "40", "10"}});
  ASSERT_FALSE(recorded.report.is_null());
  EXPECT_EQ(traffic_in(recorded.trace), traffic_told_by_runtime(recorded.ended.err));
  const std::uint64_t grid = 40 * 40 * 8;
  const Json& totals = recorded.report["totals"];
  EXPECT_EQ(totals["HtoD"]["bytes"], 2 * grid);
  EXPECT_EQ(totals["DtoH"]["bytes"], grid);
  EXPECT_EQ(totals["kernel"]["count"], 10);
  std::map<std::string, std::uint64_t> counts;
  for (const Json& row : recorded.report["directives"]) {
    counts[row["directive"]] += row["count"].get<std::uint64_t>();
    EXPECT_EQ(row["file"], "");
  }
  const std::map<std::string, std::uint64_t> wanted = {
      {"target", 10}, {"target enter data", 1}, {"target exit data", 1}};
  EXPECT_EQ(counts, wanted);
  ASSERT_EQ(recorded.report["variables"].size(), 2U);
  for (const Json& row : recorded.report["variables"]) {
    EXPECT_EQ(row["name"], "");
    EXPECT_EQ(row["bytes"], grid);
    EXPECT_EQ(row["HtoD_bytes"], grid);
  }
}

TEST(BuildsWithoutLines, NoDebugInformation) { expect_addresses_alone(program("heat_no_debug")); }

TEST(BuildsWithoutLines, NoDebugStripped) {
  expect_addresses_alone(program("heat_no_debug_stripped"));
}

}  // namespace
}  // namespace ompdm::e2e::builds_test
