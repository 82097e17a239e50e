// Stacks that programs make by themselves, and other obstacles for call paths. The program does
// what it does alone, and each update is recorded.

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "endings/place.h"

namespace ompdm::e2e::endings::stacks_test {
namespace {

using Words = std::vector<std::string>;

class Stacks : public ::testing::TestWithParam<std::tuple<Words, Attach>> {};

TEST_P(Stacks, ChangeNothingAndLoseNothing) {
  const auto& [words, attach] = GetParam();
  Words command = words;
  command[0] = program(command[0]);
  const Ended alone = Place().run({.command = command, .attach = Attach::kNone});
  ASSERT_EQ(alone.status, 0) << alone.err;
  const Place place;
  const Ended ended = place.run({.command = command, .attach = attach});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out, alone.out);
  const Json report = place.report();
  const int updates = std::stoi(alone.out);
  int told = 0;
  for (const Json& row : report["directives"]) {
    if (row["directive"] == "target update") told += row["count"].get<int>();
  }
  EXPECT_EQ(told, updates);
}

INSTANTIATE_TEST_SUITE_P(All, Stacks,
                         ::testing::Combine(::testing::Values(Words{"stacks", "fiber_from_nowhere"},
                                                              Words{"stacks", "fiber_out_of_line"},
                                                              Words{"stacks", "stack_that_is_gone"},
                                                              Words{"stacks", "wrong_table"},
                                                              Words{"stacks", "borrowed_base"},
                                                              Words{"stacks", "locked_loader"},
                                                              Words{"own_walk"}),
                                            ::testing::Values(Attach::kRecord, Attach::kPreload)),
                         [](const auto& tested) {
                           return std::get<0>(tested.param).back() + '_' +
                                  name_of(std::get<1>(tested.param));
                         });

}  // namespace
}  // namespace ompdm::e2e::endings::stacks_test
