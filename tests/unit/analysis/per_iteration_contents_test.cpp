// per_iteration_mapping where contents were looked at.
#include <gtest/gtest.h>

#include <set>
#include <tuple>
#include <utility>

#include "analysis/found.h"
#include "analysis/passes.h"
#include "ompdm/report.h"

namespace ompdm::analysis::per_iteration_contents_test {
namespace {

using test::contains;
using test::found;
using test::kBytes;
using test::map_tofrom;
using test::patterns;
using test::TraceBuilder;

/// Iterations of `target map(tofrom: u)`: `content` tells what each sends and copies back.
template <class Content>
Analysis iterations_with(Nanoseconds between, Content content) {
  TraceBuilder build;
  const auto solve = build.site(Directive::kTarget, "a.cpp", 9, "main");
  const auto u = build.variable("u", kBytes);
  for (int iteration = 0; iteration < 20; ++iteration) {
    map_tofrom(build, solve, {u});
    const std::size_t last = build.trace.ops.size();
    const auto [sent, returned] = content(iteration);
    build.trace.ops.edit(last - 3)->hash = sent;
    build.trace.ops.edit(last - 2)->hash = returned;
    build.wait(between);
  }
  return analyze(build.take());
}
using Hashes = std::pair<std::uint64_t, std::uint64_t>;

TEST(PerIterationContents, TheTimeBetweenIterationsIsNoEvidence) {
  for (const Nanoseconds between : {100, 1'000'000}) {
    const Analysis analysis = iterations_with(
        between, [](int iteration) { return Hashes(1 + iteration, 2 + iteration); });
    ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
    const Finding& finding = analysis.findings[0];
    EXPECT_EQ(finding.confidence, Confidence::kLikely) << "half of the bytes went over unchanged";
    EXPECT_EQ(finding.count, 38U);
    EXPECT_EQ(finding.wasted_bytes, 38 * kBytes);
    EXPECT_EQ(finding.examined, 19U) << "those that were sent";
    EXPECT_EQ(finding.of, 38U);
    const auto& facts = std::get<facts::PerIterationMapping>(finding.facts);
    EXPECT_EQ(facts.same.equal, 19U);
    EXPECT_EQ(facts.compared, 19U);
    EXPECT_TRUE(facts.may_be_read);
    EXPECT_TRUE(contains(report::advice_text(finding),
                         "everything that was sent again was on the device already"));
  }
}

TEST(PerIterationContents, SamplesSpeakForTheOtherIterations) {
  const auto confidence = [](int samples) {
    const Analysis analysis = iterations_with(100, [&](int iteration) {
      return iteration <= samples ? Hashes(1 + iteration, 2 + iteration) : Hashes(0, 0);
    });
    EXPECT_EQ(patterns(analysis), "per_iteration_mapping");
    EXPECT_EQ(analysis.findings[0].count, 38U);
    EXPECT_EQ(analysis.findings[0].examined, static_cast<std::uint64_t>(samples));
    return analysis.findings[0].confidence;
  };
  EXPECT_EQ(confidence(10), Confidence::kLikely);
  EXPECT_EQ(confidence(9), Confidence::kPossible);
}

TEST(PerIterationContents, TheRecordersTimeIsNotTheHosts) {
  TraceBuilder build;
  const auto solve = build.site(Directive::kTarget, "a.cpp", 9, "main");
  const auto u = build.variable("u", kBytes);
  for (std::uint64_t iteration = 0; iteration < 20; ++iteration) {
    map_tofrom(build, solve, {u});
    const std::size_t last = build.trace.ops.size();
    build.trace.ops.edit(last - 3)->hash = 1 + iteration;
    build.trace.ops.edit(last - 2)->hash = 2 + iteration;
    build.trace.regions.edit_back()->hashing_after = 999'900;
    build.wait(1'000'000);
  }
  build.trace.recording.hashing_ns = 20 * 999'900;
  const Analysis analysis = analyze(build.take());
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.count, 38U) << "the host itself had 100 ns between passes";
  EXPECT_EQ(analysis.prediction->wall, analysis.process.wall - finding.wasted_time - 20 * 999'900);
  ASSERT_EQ(analysis.loops.size(), 1U);
  EXPECT_EQ(analysis.loops[0].steady.wall, 2310) << "2315, but 2215 in the last";
  EXPECT_EQ(analysis.loops[0].first.wall, 10 + 1000 + 500 + 700 + 5 + 100);
}

TEST(PerIterationContents, AHostThatChangesAByteInEachIterationNeedsTheTransfers) {
  for (const Nanoseconds between : {10, 1'000'000}) {
    const Analysis analysis = iterations_with(
        between, [](int iteration) { return Hashes(1 + 2 * iteration, 2 + 2 * iteration); });
    EXPECT_EQ(patterns(analysis), "repeated_allocation") << between;
  }
}

TEST(PerIterationContents, AHostThatChangesItAtTimesIsToldWhereToUpdate) {
  const Analysis analysis = iterations_with(100, [](int iteration) {
    return iteration % 5 == 0 ? Hashes(100 + iteration, 2 + iteration)
                              : Hashes(1 + iteration, 2 + iteration);
  });
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  EXPECT_EQ(analysis.findings[0].count, 32U)
      << "38 but what went over in passes 5, 10 and 15, and what came back before these";
  EXPECT_TRUE(contains(report::advice_text(analysis.findings[0]), "a target update with to()"));
  EXPECT_TRUE(contains(report::advice_text(analysis.findings[0]), "a target update with from()\n"));
}

/// Iterations of `target map(to: u)` of which only blocks were looked at.
template <class Content>
Analysis iterations_with_blocks(Content content) {
  TraceBuilder build;
  const auto solve = build.site(Directive::kTarget, "a.cpp", 9, "main");
  const auto u = build.variable("u", kBytes);
  for (int iteration = 0; iteration < 30; ++iteration) {
    build.begin(solve);
    build.op(OpKind::kAlloc, u, kBytes, 10);
    build.op(OpKind::kHtoD, u, kBytes, 1000)->fingerprint = content(iteration);
    build.launch(500);
    build.op(OpKind::kDelete, u, 0, 5);
    build.end();
  }
  return analyze(build.take());
}

TEST(PerIterationMapping, BlocksMakeItPossibleOnly) {
  const Analysis analysis = iterations_with_blocks([](int) { return 7; });
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.count, 29U);
  EXPECT_EQ(finding.confidence, Confidence::kPossible);
  const auto& facts = std::get<facts::PerIterationMapping>(finding.facts);
  EXPECT_GT(facts.same.equal, 0U);
  EXPECT_EQ(facts.same.in_full, 0U);
  EXPECT_FALSE(contains(report::advice_text(finding), "the host changed none"))
      << report::advice_text(finding);
}

/// Thirty iterations that send the same, of which those from 1 on that are named are known in full.
Analysis iterations_known_at(const std::set<int>& whole) {
  TraceBuilder build;
  const auto solve = build.site(Directive::kTarget, "a.cpp", 9, "main");
  const auto u = build.variable("u", kBytes);
  for (int iteration = 1; iteration <= 30; ++iteration) {
    build.begin(solve);
    build.op(OpKind::kAlloc, u, kBytes, 10);
    auto sent = build.op(OpKind::kHtoD, u, kBytes, 1000);
    sent->fingerprint = 7;
    if (whole.contains(iteration)) sent->hash = 9;
    build.launch(500);
    build.op(OpKind::kDelete, u, 0, 5);
    build.end();
  }
  return analyze(build.take());
}

TEST(PerIterationMapping, BlocksAreLikelyWhereAllBytesWereComparedFarIntoTheRun) {
  const Analysis analysis = iterations_known_at({1, 2, 3, 6, 7, 13, 14});
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  EXPECT_EQ(analysis.findings[0].confidence, Confidence::kLikely);
  // The sixth is compared with the third, what lies between by blocks.
  const auto& facts = std::get<facts::PerIterationMapping>(analysis.findings[0].facts);
  EXPECT_EQ(facts.same.in_full, 6U);
  EXPECT_EQ(facts.same.equal, 29U);
}

TEST(PerIterationMapping, BlocksArePossibleWhereAllBytesWereComparedInTheBeginning) {
  const Analysis analysis = iterations_known_at({1, 2, 3, 4});
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  EXPECT_EQ(analysis.findings[0].confidence, Confidence::kPossible);
}

TEST(PerIterationMapping, BlocksAreNoEvidenceWhereTheHostIsSeenToChangeIt) {
  const Analysis analysis = iterations_with_blocks([](int iteration) { return 7 + iteration / 4; });
  EXPECT_TRUE(found(analysis, "per_iteration_mapping").empty()) << patterns(analysis);
}

}  // namespace
}  // namespace ompdm::analysis::per_iteration_contents_test
