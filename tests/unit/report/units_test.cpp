#include "report/units.h"

#include <gtest/gtest.h>

namespace ompdm::report::units_test {
namespace {

TEST(Units, TimesAsNvprofWritesThem) {
  EXPECT_EQ(time_text(0), "0ns");
  EXPECT_EQ(time_text(992), "992ns");
  EXPECT_EQ(time_text(5751), "5.7510us");
  EXPECT_EQ(time_text(58240), "58.240us");
  EXPECT_EQ(time_text(121790), "121.79us");
  EXPECT_EQ(time_text(97765000), "97.765ms");
  EXPECT_EQ(time_text(4589534000), "4.58953s");
  EXPECT_EQ(time_text(63350800000), "63.3508s");
  EXPECT_EQ(time_text(279125000000), "279.125s");
  EXPECT_EQ(time_text(123456000000000), "123456s");
  EXPECT_EQ(time_text(-1500), "-1.5000us");
}

TEST(Units, RoundingUpTakesTheNextUnit) {
  EXPECT_EQ(time_text(999), "999ns");
  EXPECT_EQ(time_text(9999960), "10.000ms");
  EXPECT_EQ(time_text(999999), "1.0000ms");
  EXPECT_EQ(time_text(999999999), "1.00000s");
}

TEST(Units, SizesAreDecimal) {
  EXPECT_EQ(size_text(0), "0B");
  EXPECT_EQ(size_text(112), "112B");
  EXPECT_EQ(size_text(32000), "32.000KB");
  EXPECT_EQ(size_text(20480000000), "20.480GB");
  EXPECT_EQ(throughput_text(8000000, 1000000), "8.0000GB/s");
  EXPECT_EQ(throughput_text(8, 0), "-");
}

TEST(Units, Sentences) {
  EXPECT_EQ(spoken_size(20480000000), "20.5 GB");
  EXPECT_EQ(spoken_size(8), "8 B");
  EXPECT_EQ(spoken_time(1200000000), "1.20 s");
  EXPECT_EQ(spoken_share(98, 100), "98 %");
  EXPECT_EQ(spoken_share(100, 100), "100 %");
  EXPECT_EQ(spoken_share(4, 1000), "0.4 %");
  EXPECT_EQ(spoken_share(1, 100000), "less than 0.1 %");
  EXPECT_EQ(spoken_share(0, 100), "0 %");
  EXPECT_EQ(counted(1, "pass", "passes"), "1 pass");
  EXPECT_EQ(counted(2, "pass", "passes"), "2 passes");
}

}  // namespace
}  // namespace ompdm::report::units_test
