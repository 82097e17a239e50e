// Who may have changed data on a device: what kernels reach by other ways than their map clauses is
// not called needless.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "recorded.h"

namespace ompdm::e2e::writers_test {
namespace {

using Found = std::vector<std::pair<std::string, std::string>>;  // pattern, confidence

/// The findings that an update, a copy back or a stay was needless.
Found found(const std::string& built, const std::string& way) {
  Found rows;
  const Recorded run = record({{program(built), way}});
  for (const Json& finding : run.report["findings"]) {
    const std::string pattern = finding["pattern"];
    const bool is_on_data = pattern == "duplicate_transfer" || pattern == "round_trip_transfer" ||
                            pattern == "unmodified_copy_back" || pattern == "unused_transfer" ||
                            pattern == "unused_allocation";
    if (is_on_data) rows.emplace_back(pattern, finding["confidence"]);
  }
  return rows;
}

struct Case {
  const char* program;
  const char* way;
  Found expected;
};

void PrintTo(const Case& each, std::ostream* out) { *out << each.way; }

class Writers : public ::testing::TestWithParam<Case> {};

TEST_P(Writers, DecideWhetherDataHasToBeSent) {
  EXPECT_EQ(found(GetParam().program, GetParam().way), GetParam().expected);
}

// What enter data sends is overwritten by the first update in two of these, whoever writes.
INSTANTIATE_TEST_SUITE_P(
    Ways, Writers,
    ::testing::Values(
        Case{"writers", "by_table_of_addresses", {}}, Case{"writers", "by_table_of_pointers", {}},
        Case{"writers", "by_table_on_the_device", {}}, Case{"writers", "by_unnamed_table", {}},
        Case{"writers", "by_numbers_on_the_device", {{"unused_allocation", "likely"}}},
        Case{"writers_global", "by_global_pointer", {}}, Case{"writers", "by_device_address", {}},
        Case{"writers", "by_member", {{"unused_transfer", "likely"}}},
        Case{"writers", "by_capture", {{"unused_transfer", "likely"}}},
        Case{"writers", "by_lambda", {}}, Case{"writers", "while_it_runs", {}},
        Case{"writers", "in_its_own_copy", {{"duplicate_transfer", "possible"}}},
        Case{"writers", "by_none", {{"unused_transfer", "likely"}}}),
    [](const auto& tested) { return std::string(tested.param.way); });

}  // namespace
}  // namespace ompdm::e2e::writers_test
