#include <gtest/gtest.h>

#include "analysis/order.h"

namespace ompdm::analysis::interval_union_test {
namespace {

TEST(IntervalUnion, CountsOverlapsOnce) {
  EXPECT_EQ(union_length({}), 0);
  EXPECT_EQ(union_length({{0, 10}, {20, 30}}), 20);
  EXPECT_EQ(union_length({{0, 10}, {5, 15}}), 15);
  EXPECT_EQ(union_length({{0, 100}, {10, 20}, {30, 40}}), 100);
  EXPECT_EQ(union_length({{0, 10}, {10, 20}}), 20);
}

TEST(IntervalUnion, TakesAnyOrderAndEmptyIntervals) {
  EXPECT_EQ(union_length({{20, 30}, {0, 10}, {5, 25}}), 30);
  EXPECT_EQ(union_length({{7, 7}, {9, 3}}), 0);
}

}  // namespace
}  // namespace ompdm::analysis::interval_union_test
