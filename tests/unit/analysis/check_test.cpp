// What `ompdm check` sees: touches of blocks, accesses beside them, and contents that hang on what
// memory held.
#include "ompdm/check.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "analysis/one_array.h"
#include "model/map_types.h"

namespace ompdm::analysis::check_test {
namespace {

using Effect = facts::ClauseEffect;

constexpr std::uint64_t kBlock = 0xd000;

/// One array that `enter data` only allocates, in a checked run.
struct Checked : test::OneArray {
  std::uint64_t host = trace.variables[0].address;

  Checked() {
    trace.recording.check = "5a:behind";
    MapItem item{a, "a[0:n]", host, host, kBytes, 0};
    trace.map_lists = {{item}, {item}, {}};
    trace.map_lists[1][0].type = kMapTo | kMapFrom;
    begin(enter);
    trace.regions.edit_back()->map_list = 0;
    op(OpKind::kAlloc, a, kBytes, 10)->dst = kBlock;
    end();
  }

  /// A kernel, and what it did to the array's block.
  void kernel_that(bool reads_first, bool writes) {
    kernel(1);
    BlockTouch touch;
    touch.launch = {static_cast<std::uint32_t>(trace.launches.size() - 1)};
    touch.block = kBlock;
    touch.is_read = touch.is_read_first = reads_first;
    touch.is_written = writes;
    trace.block_touches.push_back(touch);
  }
  void bring_back(std::uint64_t content) {
    begin(from);
    move(OpKind::kDtoH, content)->src = kBlock;
    end();
  }
  void access(BadAccess::Of of, std::int64_t offset) {
    const Launch launch = trace.launches[trace.launches.size() - 1];
    trace.bad_accesses.push_back({of, false, launch.begin + 1, kBlock, kBytes, offset});
  }
};

std::string text_of(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text += (text.empty() ? "" : ", ") + finding.pattern + " " + std::to_string(finding.line);
  }
  return text;
}

TEST(Check, AKernelThatReadsFirstReadsWhatNothingSet) {
  for (const bool reads_first : {true, false}) {
    Checked program;
    program.kernel_that(reads_first, true);
    program.bring_back(1);
    const std::vector<Finding> found = analyze(program.take()).mapping;
    EXPECT_EQ(text_of(found), reads_first ? "never_sent 30" : "");
  }
}

TEST(Check, WhatNoKernelWroteCameBackUnset) {
  Checked program;
  program.kernel(1);  // it names the array, and does not touch it
  program.bring_back(1);
  EXPECT_EQ(text_of(analyze(program.take()).mapping), "unset_copied_back 25");
}

TEST(Check, AnUnwatchedLaunchIsJudgedByItsClauses) {
  Checked program;
  program.kernel(1);
  program.trace.block_touches.push_back({{0}, 0, false, false, false, true, 0});
  program.bring_back(1);
  EXPECT_EQ(text_of(analyze(program.take()).mapping), "");
}

TEST(Check, AnAccessIsOfItsKernelAndItsArray) {
  Checked program;
  program.kernel_that(false, true);
  program.access(BadAccess::Of::kBehind, program.kBytes);
  program.bring_back(1);
  const std::vector<Finding> found = analyze(program.take()).mapping;
  ASSERT_EQ(text_of(found), "out_of_section 30");
  const auto& facts = std::get<Effect>(found[0].facts);
  EXPECT_EQ(facts.item, "a[0:n]");
  EXPECT_EQ(facts.offset, static_cast<std::int64_t>(program.kBytes));
  EXPECT_EQ(facts.holder->line, 10);
}

TEST(Check, ABlockThatIsUsedAfterItsDeleteIsToldWithItsEnd) {
  Checked program;
  program.kernel_that(false, true);
  program.bring_back(1);
  program.begin(program.exit);
  program.op(OpKind::kDelete, program.a, 0, 5)->src = kBlock;
  program.end();
  program.kernel(2);
  program.access(BadAccess::Of::kFreed, 0);
  const std::vector<Finding> found = analyze(program.take()).mapping;
  ASSERT_EQ(text_of(found), "used_after_delete 30");
  EXPECT_EQ(std::get<Effect>(found[0].facts).ended->line, 40);
}

/// A run whose one copy back has a content, of which the part that was set has one.
Trace run_with(std::uint64_t content, std::uint64_t set_part) {
  Checked program;
  program.kernel_that(false, true);
  program.bring_back(content);
  program.trace.ops.edit_back()->fingerprint = set_part;
  return program.take();
}

TEST(Check, ContentsThatWereComputedFromFreshMemoryAreFound) {
  Trace trace = run_with(1, 7);
  const Trace same = run_with(1, 7);
  const Trace computed = run_with(2, 8);
  const Trace untouched = run_with(2, 7);
  EXPECT_FALSE(has_unset_transfers(trace, same));
  EXPECT_TRUE(has_unset_transfers(trace, computed));
  find_unset_transfers(trace, computed, {&same}, false);
  ASSERT_EQ(trace.unset_transfers.size(), 1U);
  EXPECT_EQ(text_of(analyze(trace).mapping), "uninitialised 25");
  find_unset_transfers(trace, untouched, {&same}, false);
  EXPECT_TRUE(trace.unset_transfers.empty()) << "padding, say";
  find_unset_transfers(trace, untouched, {&same}, true);
  EXPECT_EQ(trace.unset_transfers.size(), 1U);
  find_unset_transfers(trace, computed, {&computed}, false);
  EXPECT_TRUE(trace.unset_transfers.empty()) << "it differs from run to run";
}

}  // namespace
}  // namespace ompdm::analysis::check_test
