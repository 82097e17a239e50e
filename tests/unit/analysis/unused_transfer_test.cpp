// unused_transfer: planted, and nearly.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "analysis/found.h"
#include "analysis/one_array.h"
#include "detectors/findings.h"
#include "ompdm/report.h"

namespace ompdm::analysis::unused_transfer_test {
namespace {

using test::contains;
using test::found;
using test::OneArray;
using test::patterns;

TEST(UnusedTransfer, OverwrittenBeforeAKernel) {
  OneArray program;
  program.map();
  program.send();
  program.kernel();
  program.unmap_from();
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "unused_transfer");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.line, 10);
  EXPECT_EQ(finding.variable, "a");
  EXPECT_EQ(finding.count, 1U);
  EXPECT_EQ(finding.wasted_bytes, OneArray::kBytes);
  EXPECT_EQ(finding.wasted_time, 100);
  EXPECT_EQ(finding.confidence, Confidence::kLikely);
  EXPECT_TRUE(contains(
      report::advice_text(finding),
      "at a.cpp:10, write for these, and leave other items as they are:\n  map(alloc: a)"));
  EXPECT_EQ(finding.unless, (std::vector{Unless::kKernelUses, Unless::kNoIteration}))
      << "in another run the update may not come";
}

// An update behind the kernel of each iteration. The last one is dropped, and its intended
// direction does not show: it was to copy the results back.
TEST(UnusedTransfer, OfTheLastIterationIsNotTold) {
  OneArray program;
  program.allocate();
  for (std::uint64_t i = 0; i < 8; ++i) {
    program.writer();
    program.send(i + 1);
  }
  program.unmap();
  EXPECT_EQ(program.patterns(), "");
}

// No part of a line can be taken away that a loop runs five times.
TEST(UnusedTransfer, OfACallIsInWords) {
  OneArray program;
  const auto memory = program.api("omp_target_alloc", "a.cpp", 50, "main");
  const auto copy = program.api("omp_target_memcpy", "a.cpp", 51, "main");
  program.op(OpKind::kAlloc, {}, OneArray::kBytes, 10)->site = memory;
  program.trace.ops.edit_back()->src = 0;
  for (int i = 0; i < 5; ++i) program.op(OpKind::kHtoD, {}, OneArray::kBytes, 10)->site = copy;
  program.kernel();
  program.op(OpKind::kDtoH, {}, OneArray::kBytes, 10)->site = copy;
  program.op(OpKind::kDelete, {}, 0, 10)->site = memory;
  const auto unused = found(analyze(program.take()), "unused_transfer");
  ASSERT_EQ(unused.size(), 1U);
  EXPECT_EQ(unused[0].count, 4U);
  EXPECT_TRUE(unused[0].edits.empty());
  const auto& facts = std::get<facts::UnusedTransfer>(unused[0].facts);
  EXPECT_EQ(facts.overwritten, 4U);
  EXPECT_EQ(facts.all, 5U);
}

TEST(UnusedTransfer, OverwrittenAgainAndAgainAndThenDropped) {
  OneArray program;
  program.map();
  program.kernel();
  for (int i = 0; i < 4; ++i) program.send();
  program.unmap();
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "unused_transfer") << "none rests on another that is needed";
  EXPECT_EQ(analysis.findings[0].count, 4U);
  EXPECT_EQ(std::get<facts::UnusedTransfer>(analysis.findings[0].facts).overwritten, 3U);
}

TEST(UnusedTransfer, DroppedBeforeAKernel) {
  OneArray program;
  program.map();
  program.kernel();
  program.send();
  program.unmap();
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "unused_transfer");
  EXPECT_EQ(analysis.findings[0].line, 20);
  EXPECT_TRUE(
      contains(report::advice_text(analysis.findings[0]), "remove the target update to(a)"));
}

TEST(UnusedTransfer, WhatOtherInstancesNeedIsNotDropped) {
  OneArray program;
  program.map();
  program.send();
  program.kernel();
  program.send();
  program.unmap();
  const Analysis analysis = analyze(program.take());
  const auto unused = found(analysis, "unused_transfer");
  ASSERT_FALSE(unused.empty());
  for (const Finding& finding : unused) {
    if (finding.line != 20) continue;
    EXPECT_TRUE(finding.edits.empty()) << report::advice_text(finding);
    EXPECT_EQ(finding.count, 1U);
    EXPECT_EQ(std::get<facts::UnusedTransfer>(finding.facts).all, 2U);
    return;
  }
  ADD_FAILURE() << "the second send was seen by no kernel";
}

TEST(UnusedTransfer, NearMisses) {
  OneArray seen;
  seen.map();
  seen.kernel();
  seen.send();
  seen.kernel();
  seen.unmap_from();
  EXPECT_EQ(seen.patterns(), "") << "a kernel ran in between";

  OneArray partly;
  partly.map();
  partly.send(0, OneArray::kBytes / 2);
  partly.kernel();
  partly.unmap_from();
  EXPECT_EQ(partly.patterns(), "") << "half of it was still to be seen";

  OneArray read_back;
  read_back.map();
  read_back.kernel();
  read_back.send();
  read_back.unmap_from();
  EXPECT_EQ(read_back.patterns(), "") << "it came back to the host";

  OneArray during;
  during.map();
  during.begin(during.solve);
  during.launch(10'000);
  during.end();
  during.now -= 5'000;
  during.send();
  during.send();
  during.now += 5'000;
  during.unmap_from();
  EXPECT_EQ(during.patterns(), "") << "a kernel was running meanwhile";
}

TEST(UnusedTransfer, WhatOtherLibrariesMaySeeIsNotJudged) {
  OneArray program;
  program.map();
  const std::uint64_t host = program.trace.variables[0].address;
  program.trace.map_lists = {{{program.a, "a[0:n]", host, host, OneArray::kBytes, 0x40}}};
  program.unmap_from();
  EXPECT_EQ(program.patterns(), "");
}

TEST(UnusedTransfer, WhatAsynchronousCallsCopyIsNotJudged) {
  for (const bool asynchronous : {false, true}) {
    OneArray program;
    const auto memory = program.api("omp_target_alloc", "a.cpp", 50, "main");
    const auto copy = asynchronous ? program.api("", "", 0, "")
                                   : program.api("omp_target_memcpy", "a.cpp", 51, "main");
    program.op(OpKind::kAlloc, {}, OneArray::kBytes, 10)->site = memory;
    program.trace.ops.edit_back()->src = 0;
    for (int i = 0; i < 2; ++i) program.op(OpKind::kHtoD, {}, OneArray::kBytes, 10)->site = copy;
    program.kernel();
    program.op(OpKind::kDtoH, {}, OneArray::kBytes, 10)->site = copy;
    program.op(OpKind::kDelete, {}, 0, 10)->site = memory;
    // The first copy is overwritten; of calls by the runtime's threads the order is not known.
    EXPECT_EQ(found(analyze(program.take()), "unused_transfer").size(), asynchronous ? 0U : 1U);
  }
}

TEST(UnusedTransfer, LostEventsProveNothing) {
  OneArray program;
  program.map();
  program.unmap();
  program.trace.losses[0].count = 1;
  EXPECT_EQ(program.patterns(), "");
}

}  // namespace
}  // namespace ompdm::analysis::unused_transfer_test
