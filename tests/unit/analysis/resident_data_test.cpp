// Data that is on the device already, or could be: which transfers remain, and what advice says.
#include <gtest/gtest.h>

#include <cstdint>

#include "analysis/found.h"
#include "analysis/one_array.h"
#include "ompdm/report.h"

namespace ompdm::analysis::resident_data_test {
namespace {

using test::contains;
using test::OneArray;
using test::patterns;

TEST(RepeatedAllocation, SaysWhatCrossesEachTime) {
  OneArray program;
  for (int i = 0; i < 4; ++i) {
    program.map(100 + i);
    program.writer();
    program.begin(program.exit);
    program.move(OpKind::kDtoH, 200 + i);
    program.op(OpKind::kDelete, program.a, 0, 5);
    program.end();
    program.wait(1000);
  }
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "repeated_allocation");
  const std::string advice = report::advice_text(analysis.findings[0]);
  EXPECT_TRUE(contains(advice,
                       "before a.cpp:10 and a.cpp:40 for the first time: "
                       "a target enter data with map(alloc:) for a\n"))
      << advice;
  EXPECT_TRUE(contains(advice,
                       "each time before a.cpp:10, unless its if() is false: "
                       "a target update with to() for a\n"
                       "each time after a.cpp:40, unless its if() is false: a "
                       "target update with from() for a\n"))
      << advice;
}

TEST(RepeatedAllocation, IsNotDeletedEachTime) {
  OneArray program;
  for (int i = 0; i < 4; ++i) {
    program.allocate();
    program.kernel();
    program.begin(program.exit);
    program.op(OpKind::kDelete, program.a, 0, 5)->map_type = 0x8;
    program.end();
  }
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "repeated_allocation");
  EXPECT_TRUE(contains(report::advice_text(analysis.findings[0]),
                       "at a.cpp:40, write map(release:) instead of map(delete:) for these\n"))
      << report::advice_text(analysis.findings[0]);
}

TEST(RepeatedAllocation, IsToldHoweverLongTheKernelsAre) {
  OneArray program;
  for (int i = 0; i < 4; ++i) {
    program.begin(program.solve);
    program.op(OpKind::kAlloc, program.a, OneArray::kBytes, 10);
    program.launch(3000);
    program.move(OpKind::kDtoH, 200 + i);
    program.op(OpKind::kDelete, program.a, 0, 5);
    program.end();
    program.wait(10'000'000);
  }
  EXPECT_EQ(program.patterns(), "repeated_allocation") << "a GPU pays more for it than 15 ns";
}

TEST(ClaimsThatRestOnEachOther, WhatOneCountsOnAnotherDoesNotThin) {
  OneArray program;
  program.map(6);
  for (int i = 0; i < 20; ++i) {
    program.send(7 + i);
    program.writer();
    program.bring(8 + i);
  }
  program.unmap();
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "round_trip_transfer")
      << "that the first send is overwritten holds only with all of the updates";
  EXPECT_EQ(analysis.findings[0].count, 19U);
}

TEST(RoundTripTransfer, OneOfManyIsChance) {
  OneArray program;
  program.map(1);
  for (int i = 0; i < 20; ++i) {
    program.writer();
    program.bring(1000 + i);
    program.send(i == 4 ? 1004 : 10 + i);
  }
  program.writer();
  program.unmap();
  EXPECT_EQ(program.patterns(), "");
}

TEST(RoundTripTransfer, OfMapAlwaysStillComesBack) {
  constexpr std::uint32_t kAlwaysTofrom = 0x7;
  OneArray program;
  program.map(1);
  for (std::uint64_t i = 0; i < 10; ++i) {
    program.begin(program.solve);
    program.trace.regions.edit_back()->map_list = 1;
    program.move(OpKind::kHtoD, 1 + i)->map_type = kAlwaysTofrom;
    program.launch(1000);
    program.move(OpKind::kDtoH, 2 + i)->map_type = kAlwaysTofrom;
    program.end();
  }
  program.unmap();
  const Analysis analysis = analyze(program.take());
  const auto found = test::found(analysis, "round_trip_transfer");
  ASSERT_EQ(found.size(), 1U) << patterns(analysis);
  EXPECT_TRUE(contains(
      report::advice_text(found[0]),
      "at a.cpp:30, write for these, and leave other items as they are:\n  map(always, from: a)"))
      << report::advice_text(found[0]);
}

TEST(DuplicateTransfer, IsNamedAsItsDirectiveNamesIt) {
  OneArray program;
  const std::uint64_t host = program.trace.variables[0].address;
  const auto own_name = static_cast<std::uint32_t>(program.trace.map_lists.size());
  program.trace.map_lists.push_back({{program.a, "cur[0:n]", host, host, OneArray::kBytes, 0x1}});
  program.map(7);
  for (int i = 0; i < 5; ++i) {
    program.reader();
    program.begin(program.to);
    program.trace.regions.edit_back()->map_list = own_name;
    program.move(OpKind::kHtoD, 7);
    program.end();
  }
  program.reader();
  program.unmap();
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "duplicate_transfer");
  EXPECT_EQ(analysis.findings[0].variable, "cur") << "it was called a where it was mapped";
  EXPECT_TRUE(contains(report::advice_text(analysis.findings[0]),
                       "remove the target update to(cur[0:n]) at a.cpp:20"))
      << report::advice_text(analysis.findings[0]);
}

/// Updates of what no directive maps: a `declare target` array.
Analysis of_global(bool kernel_in_between) {
  OneArray program;
  for (std::uint64_t i = 0; i < 10; ++i) {
    program.send(1 + i);
    program.stranger();
    program.bring(2 + i);
    if (kernel_in_between) program.stranger();
  }
  return analyze(program.take());
}

TEST(RoundTripTransfer, OfAGlobalVariable) {
  const Analysis analysis = of_global(false);
  ASSERT_EQ(patterns(analysis), "round_trip_transfer");
  EXPECT_EQ(analysis.findings[0].count, 9U);
  EXPECT_EQ(analysis.findings[0].line, 20);
  EXPECT_TRUE(analysis.findings[0].edits.empty()) << "no clause can send it first";
}

TEST(RoundTripTransfer, OfAGlobalVariableThatAKernelMayHaveChanged) {
  EXPECT_EQ(patterns(of_global(true)), "") << "no map clause tells which kernels write it";
}

}  // namespace
}  // namespace ompdm::analysis::resident_data_test
