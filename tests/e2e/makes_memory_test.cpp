// Whether a loop may make again what it maps: its code tells whether it makes memory at all.
#include <gtest/gtest.h>

#include <string>

#include "recorded.h"

namespace ompdm::e2e::makes_memory_test {
namespace {

class HostMemory : public ::testing::TestWithParam<std::string> {
 protected:
  static Recorded run(const std::string& way) {
    return record({{program("makes_memory_" + GetParam()), way}});
  }
  /// Of the loop around the kernel.
  static MakesMemory answer(const Recorded& recorded) {
    EXPECT_EQ(recorded.trace.loops.size(), 1U);
    return recorded.trace.loops.empty() ? MakesMemory::kUnknown
                                        : recorded.trace.loops[0].makes_memory;
  }
};

TEST_P(HostMemory, NotWhereItCopiesPointers) {
  for (const char* way : {"copied", "copied_below"}) {
    const Recorded recorded = run(way);
    EXPECT_EQ(answer(recorded), MakesMemory::kNo);
    ASSERT_EQ(recorded.report["findings"].size(), 1U);
    EXPECT_EQ(recorded.report["findings"][0]["pattern"], "per_iteration_mapping");
    EXPECT_EQ(recorded.report["findings"][0]["confidence"], "likely");
  }
}

TEST_P(HostMemory, WhereItCallsAnAllocator) {
  const Recorded recorded = run("made_in_it");
  EXPECT_EQ(answer(recorded), MakesMemory::kItself);
  for (const Json& finding : recorded.report["findings"]) {
    EXPECT_EQ(finding["confidence"], "possible") << finding;
  }
}

TEST_P(HostMemory, WhereWhatItCallsDoes) {
  EXPECT_EQ(answer(run("made_below")), MakesMemory::kBelow);
}

INSTANTIATE_TEST_SUITE_P(, HostMemory, ::testing::Values("O0", "O2"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace ompdm::e2e::makes_memory_test
