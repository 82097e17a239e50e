// Which data it is, where addresses do not tell: pieces of storage that share one, and one that
// goes by several names.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "recorded.h"

namespace ompdm::e2e::identity_test {
namespace {

/// Storages of more than a scalar that were mapped, and how often.
std::multiset<int> mappings_of_each(const Trace& trace) {
  std::map<std::uint32_t, int> storages;
  for (const DataOp& op : trace.ops) {
    if (op.kind == OpKind::kAlloc && !op.internal && op.bytes > 8) ++storages[op.storage];
  }
  std::multiset<int> counts;
  for (const auto& [storage, count] : storages) counts.insert(count);
  return counts;
}

struct Case {
  const char* way;
  std::multiset<int> storages;
  std::vector<std::string> patterns;  ///< of its findings
  std::size_t variables;              ///< rows of more than a scalar
};

void PrintTo(const Case& each, std::ostream* out) { *out << each.way; }

class Identity : public ::testing::TestWithParam<std::tuple<Case, const char*>> {};

TEST_P(Identity, IsNotTheAddress) {
  const auto& [expected, level] = GetParam();
  const Recorded run = record({{program(std::string("identity_") + level), expected.way}});
  EXPECT_EQ(mappings_of_each(run.trace), expected.storages);
  std::vector<std::string> patterns;
  for (const Json& finding : run.report["findings"]) {
    // These kernels are serial; whether they are slow, too, is the machine's.
    if (finding["pattern"] != "serial_kernel") patterns.push_back(finding["pattern"]);
  }
  EXPECT_EQ(patterns, expected.patterns) << run.report["findings"];
  std::size_t variables = 0;
  for (const Json& row : run.report["variables"]) variables += row["bytes"].get<int>() > 8 ? 1 : 0;
  EXPECT_EQ(variables, expected.variables) << run.report["variables"];
}

const std::string kMapped = "per_iteration_mapping";

INSTANTIATE_TEST_SUITE_P(
    Ways, Identity,
    ::testing::Combine(
        ::testing::Values(Case{"dead_locals", {1, 1, 1, 1, 1, 1, 1, 1}, {}, 2},
                          Case{"dead_locals_of_instances", {1, 1, 1, 1}, {}, 1},
                          Case{"one_function_again", {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {}, 1},
                          Case{"dead_inlined_locals", {1, 1, 1}, {}, 2},
                          Case{"freed_blocks", {1, 1, 1, 1, 1, 1, 1, 1}, {}, 2},
                          Case{"freed_block_of_another_size", {1, 1}, {}, 2},
                          Case{"freed_scratch", {1, 1, 1, 1, 1, 1, 1, 1}, {}, 2},
                          Case{"local_of_the_caller", {10}, {kMapped}, 2},
                          Case{"block_of_the_caller", {10}, {kMapped}, 2},
                          Case{"swapped_pointers", {10, 10}, {kMapped}, 2}),
        ::testing::Values("O0", "O2")),
    [](const auto& tested) {
      return std::string(std::get<0>(tested.param).way) + '_' + std::get<1>(tested.param);
    });

}  // namespace
}  // namespace ompdm::e2e::identity_test
