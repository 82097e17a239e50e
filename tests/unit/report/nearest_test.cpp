#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ompdm/report.h"

namespace ompdm::nearest_test {
namespace {

const std::vector<std::string> kNames = {"record", "report",      "compare",
                                         "info",   "--gpu-trace", "-o"};

TEST(Nearest, IsFewSlipsAway) {
  EXPECT_EQ(nearest("reprot", kNames), "report");
  EXPECT_EQ(nearest("recrd", kNames), "record");
  EXPECT_EQ(nearest("Compair", kNames), "compare");
  EXPECT_EQ(nearest("inf0", kNames), "info");
  EXPECT_EQ(nearest("--gputrace", kNames), "--gpu-trace");
  EXPECT_EQ(nearest("-gpu-trace", kNames), "--gpu-trace");
}

TEST(Nearest, MayBeMoreThanWasTyped) {
  EXPECT_EQ(nearest("comp", kNames), "compare");
  EXPECT_EQ(nearest("in", kNames), "info");
  EXPECT_EQ(nearest("--gpu", kNames), "--gpu-trace");
}

TEST(Nearest, IsNothingWhereNothingIsNear) {
  for (const char* word : {"", "-", "-x", "x", "heat", "bogus", "reception"}) {
    EXPECT_EQ(nearest(word, kNames), "") << word;
  }
  EXPECT_EQ(nearest("report", {}), "");
}

}  // namespace
}  // namespace ompdm::nearest_test
