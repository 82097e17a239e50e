// repeated_allocation, unused_allocation and device_leak: each planted, and nearly.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "analysis/found.h"
#include "analysis/one_array.h"
#include "detectors/findings.h"
#include "ompdm/report.h"

namespace ompdm::analysis::memory_findings_test {
namespace {

using test::contains;
using test::found;
using test::OneArray;
using test::patterns;

TEST(UnusedAllocation, NoKernelWhileItWasThere) {
  OneArray program;
  program.kernel();
  program.allocate();
  program.unmap();
  program.kernel();
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "unused_allocation");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.line, 10);
  EXPECT_EQ(finding.count, 1U);
  EXPECT_EQ(finding.wasted_bytes, 0U) << "nothing crossed";
  EXPECT_EQ(finding.allocated_bytes, OneArray::kBytes);
  EXPECT_EQ(finding.wasted_time, 15);
  EXPECT_EQ(finding.confidence, Confidence::kLikely);
}

TEST(UnusedAllocation, TakesWhatIsSentThereWithIt) {
  OneArray program;
  program.map();
  program.unmap();
  program.kernel();
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "unused_allocation");
  EXPECT_EQ(analysis.findings[0].wasted_time, 115);
}

TEST(UnusedAllocation, WhatNothingSetIsNotWantedBack) {
  OneArray program;
  program.allocate();
  program.unmap_from();
  program.kernel();
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "unused_allocation");
  EXPECT_TRUE(std::get<facts::UnusedAllocation>(analysis.findings[0].facts).is_unset);
  EXPECT_EQ(analysis.findings[0].unless, (std::vector{Unless::kKernelUses}));
}

TEST(UnusedAllocation, WhatComesBackIsAFindingOfItsOwn) {
  OneArray program;
  const Index<Variable> b = program.variable("b", OneArray::kBytes);
  program.begin(program.enter);
  for (const Index<Variable> one : {program.a, b}) {
    program.op(OpKind::kAlloc, one, OneArray::kBytes, 10);
  }
  program.op(OpKind::kHtoD, program.a, OneArray::kBytes, 100);
  program.end();
  program.begin(program.exit);
  program.op(OpKind::kDtoH, b, OneArray::kBytes, 100);
  for (const Index<Variable> one : {program.a, b}) program.op(OpKind::kDelete, one, 0, 5);
  program.end();
  program.kernel();
  EXPECT_EQ(program.patterns(), "unused_allocation unused_allocation");
}

// What a call returns, the program has.
TEST(UnusedAllocation, OfACallIsLeftOutInWords) {
  for (const bool is_call : {false, true}) {
    OneArray program;
    program.allocate();
    program.unmap();
    Trace trace = program.take();
    if (is_call) trace.sites[program.enter.value].directive = Directive::kApi;
    const Analysis analysis = analyze(trace);
    ASSERT_EQ(patterns(analysis), "unused_allocation");
    ASSERT_EQ(analysis.findings[0].edits.size(), 1U);
    EXPECT_EQ(analysis.findings[0].edits[0].in_scope, !is_call);
  }
}

TEST(UnusedAllocation, BesideKernelsThatCannotSeeItIsLikely) {
  OneArray program;
  program.allocate();
  program.stranger();
  program.unmap();
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "unused_allocation");
  EXPECT_EQ(analysis.findings[0].confidence, Confidence::kLikely);

  OneArray given;
  given.allocate();
  given.trace.mapped_pointers.push_back({0, given.trace.variables[0].address});
  given.stranger();
  given.unmap();
  EXPECT_EQ(given.patterns(), "") << "the kernel may have its device address";

  OneArray unnamed;
  unnamed.allocate();
  unnamed.kernel();
  unnamed.unmap();
  EXPECT_EQ(unnamed.patterns(), "") << "what the kernel names is not known";
}

// An array that is firstprivate: the list calls it private, which says that it is not copied back.
TEST(UnusedAllocation, WhatIsAKernelsOwnCopyIsUsedByIt) {
  OneArray program;
  program.allocate();
  program.trace.ops.edit_back()->map_type = 0xa1;
  program.stranger();
  program.unmap();
  EXPECT_EQ(program.patterns(), "");
}

TEST(UnusedAllocation, RoundTripsWithoutAKernelAreLikely) {
  OneArray program;
  program.map();
  program.unmap_from();
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "unused_allocation");
  EXPECT_EQ(analysis.findings[0].confidence, Confidence::kLikely)
      << "the host may have changed it and wanted the old values back";
}

// omp_target_memcpy of x to the device, and of that to y.
TEST(UnusedAllocation, AWayToAnotherPlaceIsOfUse) {
  OneArray program;
  program.map();
  program.begin(program.from);
  program.move(OpKind::kDtoH, 0)->dst += 2 * OneArray::kBytes;
  program.end();
  program.unmap();
  EXPECT_EQ(program.patterns(), "");
}

// Where bytes were last sent from counts: a place that others were sent from before is another one.
TEST(UnusedAllocation, AWayBackToAnEarlierSourceIsOfUse) {
  for (const std::uint64_t shift : {std::uint64_t{0}, OneArray::kBytes}) {
    OneArray program;
    program.map();
    program.begin(program.to);
    program.move(OpKind::kHtoD, 0, OneArray::kBytes / 2)->src += shift;
    program.end();
    program.begin(program.from);
    program.move(OpKind::kDtoH, 0);
    program.end();
    program.unmap();
    EXPECT_EQ(program.patterns().empty(), shift != 0) << program.patterns();
  }
}

TEST(UnusedAllocation, AnotherDevicesKernelDoesNotSeeIt) {
  OneArray program;
  program.allocate();
  program.kernel();
  program.trace.launches.edit_back()->device = 2;
  program.unmap();
  EXPECT_EQ(program.patterns(), "unused_allocation");
}

TEST(RepeatedAllocation, FromTheThirdTimeOn) {
  OneArray program;
  for (int i = 0; i < 4; ++i) {
    program.allocate();
    program.kernel();
    program.unmap();
    if (i == 1) {
      OneArray twice = program;
      EXPECT_EQ(twice.patterns(), "");
    }
  }
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "repeated_allocation");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.line, 10);
  EXPECT_EQ(finding.count, 3U);
  EXPECT_EQ(finding.wasted_bytes, 0U) << "what crossed goes on crossing";
  EXPECT_EQ(finding.allocated_bytes, 3 * OneArray::kBytes);
  EXPECT_EQ(finding.wasted_time, 3 * (10 + 5));
  EXPECT_TRUE(contains(report::advice_text(finding), "a target enter data with map(alloc:) for a"));
}

TEST(RepeatedAllocation, DifferentArraysAreClean) {
  OneArray program;
  for (int i = 0; i < 4; ++i) {
    program.a = program.variable("a", OneArray::kBytes);
    program.allocate();
    program.kernel();
    program.unmap();
  }
  EXPECT_EQ(program.patterns(), "");
}

TEST(UnusedAllocation, ThatOtherInstancesNeedIsClean) {
  OneArray program;
  program.allocate();
  program.unmap();
  EXPECT_EQ(OneArray(program).patterns(), "unused_allocation");
  program.allocate();
  program.kernel();
  program.unmap();
  EXPECT_EQ(program.patterns(), "") << "one clause stands for both";
}

TEST(DeviceLeak, OfAPointerAloneIsTheRuntimes) {
  OneArray program;
  program.trace.variables[0].name.clear();
  program.begin(program.enter);
  program.op(OpKind::kAlloc, program.a, sizeof(void*), 10);
  program.end();
  program.kernel();
  EXPECT_EQ(program.patterns(), "");
}

// The pointers of rows go over by map(to: a[i][0:n]), and stay when the rows are released.
TEST(DeviceLeak, OfPointersWhoseDataIsReleasedIsNone) {
  for (const bool are_released : {true, false}) {
    OneArray program;
    constexpr std::uint64_t kRows = 64;
    const std::uint64_t host = program.trace.variables[0].address;
    for (std::uint64_t i = 0; i < kRows; ++i) {
      const auto row = program.variable("*a[i]", 8000);
      const std::uint64_t begin = program.trace.variables[row.value].address;
      const auto list = static_cast<std::uint32_t>(program.trace.map_lists.size());
      program.trace.map_lists.push_back({{program.a, "a[i]", host, host + 8 * i, 8, 0x20},
                                         {row, "a[i][0:n]", host + 8 * i, begin, 8000, 0x11}});
      program.begin(program.enter);
      program.trace.regions.edit_back()->map_list = list;
      program.op(OpKind::kAlloc, program.a, 8, 10)->src += 8 * i;
      program.trace.ops.edit_back()->dst += 8 * i;
      program.op(OpKind::kAlloc, row, 8000, 10);
      program.end();
      program.kernel(list);
      program.begin(program.exit);
      if (are_released) program.op(OpKind::kDelete, row, 0, 5);
      program.end();
    }
    const std::vector<Finding> leaks = found(analyze(program.take()), "device_leak");
    if (are_released) {
      EXPECT_TRUE(leaks.empty());
    } else {
      ASSERT_EQ(leaks.size(), 1U);
      EXPECT_EQ(leaks[0].allocated_bytes, kRows * 8000);
    }
  }
}

TEST(DeviceLeak, OfWhatAMapClauseDidNotBringBack) {
  OneArray program;
  program.map();
  program.writer();  // map(tofrom:), which finds it present
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "device_leak");
  const auto& facts = std::get<facts::DeviceLeak>(analysis.findings[0].facts);
  ASSERT_EQ(facts.asked_back.size(), 1U);
  EXPECT_EQ(facts.asked_back[0].line, 30);

  OneArray updated;
  updated.map();
  updated.writer();
  updated.bring(9);
  const std::vector<Finding> leaks = found(analyze(updated.take()), "device_leak");
  EXPECT_TRUE(std::get<facts::DeviceLeak>(leaks.at(0).facts).asked_back.empty());
}

TEST(DeviceLeak, OfANullPointerEndsByAClauseToo) {
  OneArray program;
  program.trace.variables[0].address = 0;
  program.trace.map_lists = {{{program.a, "a[0:n]", 0, 0, OneArray::kBytes, 0x1}}, {}, {}};
  program.allocate();
  program.trace.regions.edit_back()->map_list = 0;
  program.kernel();
  const std::vector<Finding> leaks = found(analyze(program.take()), "device_leak");
  ASSERT_EQ(leaks.size(), 1U);
  EXPECT_TRUE(std::get<facts::DeviceLeak>(leaks[0].facts).is_mapped);
  ASSERT_EQ(leaks[0].edits.size(), 1U);
  EXPECT_EQ(leaks[0].edits[0].directive, Directive::kTargetExitData);
}

TEST(DeviceLeak, LeftByEnterData) {
  OneArray program;
  program.map();
  program.kernel();
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "device_leak");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.line, 10);
  EXPECT_EQ(finding.variable, "a");
  EXPECT_EQ(finding.wasted_bytes, 0U);
  EXPECT_EQ(finding.allocated_bytes, OneArray::kBytes);
  EXPECT_EQ(finding.confidence, Confidence::kLikely);
  const auto& facts = std::get<facts::DeviceLeak>(finding.facts);
  EXPECT_EQ(facts.directive, Directive::kTargetEnterData);
  EXPECT_EQ(facts.place.line, 10);
  ASSERT_TRUE(analysis.prediction.has_value());
  EXPECT_EQ(analysis.prediction->wall, analysis.process.wall);
}

TEST(DeviceLeak, NamesAllThatSwappedPointersMayStandFor) {
  OneArray program;
  const auto b = program.variable("b", OneArray::kBytes);
  const std::uint64_t first = program.trace.variables[0].address;
  const std::uint64_t second = program.trace.variables[1].address;
  program.trace.map_lists = {
      {{program.a, "u", first, first, OneArray::kBytes, 0x1},
       {b, "w", second, second, OneArray::kBytes, 0x1}},
      {{program.a, "u", first, first, 0, 0x220}, {b, "w", second, second, 0, 0x220}},
      {{b, "u", second, second, 0, 0x220}, {program.a, "w", first, first, 0, 0x220}}};
  program.begin(program.enter);
  program.trace.regions.edit_back()->map_list = 0;
  program.op(OpKind::kAlloc, program.a, OneArray::kBytes, 10);
  program.op(OpKind::kAlloc, b, OneArray::kBytes, 10);
  program.end();
  program.kernel(1);
  program.kernel(2);
  program.begin(program.exit);
  program.op(OpKind::kDelete, b, 0, 5);
  program.end();
  const Analysis analysis = analyze(program.take());
  const auto leaks = found(analysis, "device_leak");
  ASSERT_EQ(leaks.size(), 1U) << patterns(analysis);
  EXPECT_TRUE(contains(report::advice_text(leaks[0]), "map(delete:) for u and w"))
      << report::advice_text(leaks[0]);
}

// A function that is called for one array after the other has one name for them.
TEST(DeviceLeak, NamesNoOtherArgumentOfAFunction) {
  OneArray program;
  const auto b = program.variable("b", OneArray::kBytes);
  const std::uint64_t first = program.trace.variables[0].address;
  const std::uint64_t second = program.trace.variables[1].address;
  program.trace.map_lists = {{{program.a, "u", first, first, OneArray::kBytes, 0x1},
                              {b, "w", second, second, OneArray::kBytes, 0x1}},
                             {{program.a, "p", first, first, 0, 0x220}},
                             {{b, "p", second, second, 0, 0x220}}};
  program.begin(program.enter);
  program.trace.regions.edit_back()->map_list = 0;
  program.op(OpKind::kAlloc, program.a, OneArray::kBytes, 10);
  program.op(OpKind::kAlloc, b, OneArray::kBytes, 10);
  program.end();
  program.kernel(1);
  program.kernel(2);
  program.begin(program.exit);
  program.op(OpKind::kDelete, b, 0, 5);
  program.end();
  const Analysis analysis = analyze(program.take());
  const auto leaks = found(analysis, "device_leak");
  ASSERT_EQ(leaks.size(), 1U) << patterns(analysis);
  EXPECT_TRUE(contains(report::advice_text(leaks[0]), "map(delete:) for u"))
      << report::advice_text(leaks[0]);
}

// LLVM's runtime keeps it when the region ends, or when `exit data` names it.
TEST(DeviceLeak, OfWhatAMapperMapsHasNoEdit) {
  OneArray region;
  region.trace.map_lists[0][0].by_mapper = true;
  region.begin(region.solve);
  region.trace.regions.edit_back()->map_list = 0;
  region.op(OpKind::kAlloc, region.a, OneArray::kBytes, 10);
  region.launch(1000);
  region.end();
  const std::vector<Finding> left = found(analyze(region.take()), "device_leak");
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].allocated_bytes, OneArray::kBytes);
  EXPECT_EQ(left[0].confidence, Confidence::kCertain);
  EXPECT_TRUE(left[0].edits.empty());
  EXPECT_TRUE(std::get<facts::DeviceLeak>(left[0].facts).by_mapper);

  const auto entered = [](bool is_exited) {
    OneArray program;
    program.trace.map_lists[0][0].by_mapper = true;
    program.begin(program.enter);
    program.trace.regions.edit_back()->map_list = 0;
    program.op(OpKind::kAlloc, program.a, OneArray::kBytes, 10);
    program.end();
    program.reader();
    if (is_exited) {
      program.begin(program.exit);
      program.trace.regions.edit_back()->map_list = 0;
      program.end();
    }
    return found(analyze(program.take()), "device_leak").at(0);
  };
  EXPECT_TRUE(entered(true).edits.empty());
  EXPECT_FALSE(entered(false).edits.empty());
}

// A mapper that names members alone puts a part of the struct there.
TEST(DeviceLeak, OfMembersThatAMapperMapsHasNoEdit) {
  OneArray program;
  program.trace.map_lists[0][0].by_mapper = true;
  program.begin(program.enter);
  program.trace.regions.edit_back()->map_list = 0;
  program.op(OpKind::kAlloc, program.a, OneArray::kBytes - 8, 10)->src += 8;
  program.end();
  program.reader();
  program.begin(program.exit);
  program.trace.regions.edit_back()->map_list = 0;
  program.end();
  const std::vector<Finding> leaks = found(analyze(program.take()), "device_leak");
  ASSERT_EQ(leaks.size(), 1U);
  EXPECT_TRUE(leaks[0].edits.empty());
  EXPECT_TRUE(std::get<facts::DeviceLeak>(leaks[0].facts).by_mapper);
}

TEST(DeviceLeak, AKilledProgramHadNoChance) {
  OneArray program;
  program.map();
  program.kernel();
  program.trace.recording.finished = false;
  EXPECT_EQ(program.patterns(), "");
}

TEST(Prediction, NoOperationIsTakenAwayTwice) {
  OneArray program;
  program.map();
  program.unmap();
  const Trace trace = program.take();
  std::vector<Candidate> candidates(2);
  candidates[0].ops = {0, 1};
  candidates[1].ops = {1, 2};
  const std::optional<Prediction> prediction = predict(trace, candidates);
  ASSERT_TRUE(prediction.has_value());
  EXPECT_EQ(prediction->wall, trace.process.wall - 115);
  EXPECT_EQ(prediction->transfer, 0);
  EXPECT_EQ(prediction->spared_bytes, OneArray::kBytes);
}

}  // namespace
}  // namespace ompdm::analysis::memory_findings_test
