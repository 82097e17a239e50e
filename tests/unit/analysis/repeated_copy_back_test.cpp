// Data that is copied back twice without a change: planted cases, and cases that only resemble
// them.
#include <gtest/gtest.h>

#include "analysis/found.h"
#include "analysis/one_array.h"
#include "ompdm/report.h"

namespace ompdm::analysis::repeated_copy_back_test {
namespace {

using test::contains;
using test::OneArray;
using test::patterns;

TEST(RepeatedCopyBack, WithNothingInBetween) {
  OneArray program;
  program.map(7);
  const auto twice = program.site(Directive::kTargetUpdate, "a.cpp", 26, "main");
  for (const std::uint64_t content : {8, 9, 10}) {
    program.writer();
    program.bring(content);
    program.begin(twice);
    program.move(OpKind::kDtoH, content);
    program.end();
  }
  program.unmap();
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "unmodified_copy_back");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.line, 26);
  EXPECT_EQ(finding.count, 3U);
  EXPECT_EQ(finding.wasted_bytes, 3 * OneArray::kBytes);
  EXPECT_EQ(finding.confidence, Confidence::kPossible) << "the host may want its copy restored";
  EXPECT_TRUE(contains(report::advice_text(finding), "restored"));
  ASSERT_FALSE(finding.caveats.empty());
  EXPECT_EQ(finding.caveats.back().kind, Caveat::Kind::kHostChanged);
  const auto& facts = std::get<facts::RepeatedCopyBack>(finding.facts);
  ASSERT_EQ(facts.before.size(), 1U);
  EXPECT_EQ(facts.before[0].line, 25);
  EXPECT_TRUE(
      contains(report::advice_text(finding), "remove the target update from(a) at a.cpp:26"))
      << report::advice_text(finding);
  EXPECT_EQ(analysis.possible_prediction->wall, analysis.process.wall - 300);
}

// An update that runs late finds what the one before it found, and kernels ran between the two in
// the program.
TEST(RepeatedCopyBack, OfDeferredUpdatesTellsNothing) {
  for (const bool nowait : {false, true}) {
    OneArray program;
    program.map(7);
    program.writer();
    for (int i = 0; i < 3; ++i) {
      program.begin(program.from);
      program.trace.regions.edit_back()->nowait = nowait;
      program.move(OpKind::kDtoH, 8);
      program.end();
    }
    program.unmap();
    EXPECT_EQ(program.patterns(), nowait ? "" : "unmodified_copy_back");
  }
}

/// `iterations` of a loop of main(), with a kernel in each. Each iteration whose number `every`
/// divides copies the result back. It is copied back once more at the end.
Analysis brought_at_the_end(int iterations, int every) {
  OneArray program;
  program.trace.loops = {{"main", "a.cpp", 22, 3, {}, true}};
  program.trace.call_places.resize(4);
  program.trace.call_paths.resize(4);
  for (std::uint32_t i = 0; i < 4; ++i) {
    CallPlace& place = program.trace.call_places[i];
    place.address = 16 * (i + 1);
    place.function = 8;
    place.code_read = true;
    if (i == 1 || i == 2) place.loop = {0};
    if (i < 3) place.onward = {{i + 1, 3}};
    program.trace.call_paths[i] = {{}, {i}, 0x1000, 0};
  }
  const auto along = [&](std::uint32_t path) { program.trace.regions.edit_back()->path = {path}; };
  program.map(7);
  along(0);
  std::uint64_t content = 7;
  for (int iteration = 1; iteration <= iterations; ++iteration) {
    program.writer();
    along(1);
    ++content;
    if (iteration % every != 0) continue;
    program.bring(content);
    along(2);
  }
  program.begin(program.exit);
  along(3);
  program.move(OpKind::kDtoH, content);
  program.op(OpKind::kDelete, program.a, 0, 5);
  program.end();
  return analyze(program.take());
}

TEST(RepeatedCopyBack, AtTheEndOfDataThatEachIterationBroughtBack) {
  const Analysis analysis = brought_at_the_end(6, 1);
  ASSERT_EQ(patterns(analysis), "unmodified_copy_back");
  EXPECT_EQ(analysis.findings[0].line, 40);
  EXPECT_TRUE(contains(report::advice_text(analysis.findings[0]),
                       "write for these, and leave other items as they are:\n  map(release: a)"));
  EXPECT_EQ(patterns(brought_at_the_end(10, 5)), "")
      << "the last pass is one that brings it back in just this run";
}

TEST(RepeatedCopyBack, OfZeros) {
  OneArray program;
  program.map(7);
  program.writer();
  program.zeros = true;
  program.bring(8);
  program.bring(8);
  program.unmap();
  EXPECT_EQ(patterns(analyze(program.take())), "unmodified_copy_back")
      << "that nothing ran in between is the evidence, not the zeros";
}

TEST(RepeatedCopyBack, OfADirectiveThatBringsNewsAtTimes) {
  OneArray program;
  program.map(7);
  program.writer();
  for (int i = 0; i < 4; ++i) program.bring(8);
  program.unmap();
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "unmodified_copy_back");
  EXPECT_EQ(analysis.findings[0].count, 3U);
  EXPECT_EQ(std::get<facts::RepeatedCopyBack>(analysis.findings[0].facts).all, 4U);
  EXPECT_TRUE(analysis.findings[0].edits.empty()) << "its first time is needed";
}

TEST(RepeatedCopyBack, NearMisses) {
  OneArray written;
  written.map(7);
  written.writer();
  written.bring(8);
  written.writer();
  written.bring(8);
  written.unmap();
  EXPECT_EQ(patterns(analyze(written.take())), "") << "a kernel may have changed it in between";

  OneArray sent;
  sent.map(7);
  sent.writer();
  sent.bring(8);
  sent.send(9);
  sent.writer();
  sent.bring(8);
  sent.unmap();
  EXPECT_EQ(patterns(analyze(sent.take())), "") << "the host had sent something else";

  OneArray other;
  other.map(7);
  other.writer();
  other.bring(8);
  other.bring(5);
  other.trace.ops.edit_back()->src_device = 2;
  other.bring(8);
  other.unmap();
  EXPECT_EQ(patterns(analyze(other.take())), "") << "another device's result lay there meanwhile";
}

}  // namespace
}  // namespace ompdm::analysis::repeated_copy_back_test
