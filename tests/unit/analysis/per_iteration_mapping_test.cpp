#include <gtest/gtest.h>

#include "analysis/found.h"
#include "analysis/passes.h"
#include "ompdm/report.h"

namespace ompdm::analysis::per_iteration_mapping_test {
namespace {

using test::contains;
using test::found;
using test::kBytes;
using test::map_tofrom;
using test::patterns;
using test::TraceBuilder;

TEST(PerIterationMapping, AllButTheFirstInAndTheLastOut) {
  TraceBuilder build;
  const auto solve = build.site(Directive::kTarget, "src/heat.cpp", 41, "solve(int, double*)");
  const auto u = build.variable("u", kBytes);
  const auto u_tmp = build.variable("u_tmp", kBytes);
  build.trace.variables[0].expression = "u[0:n*n]";
  build.trace.variables[1].expression = "u_tmp[0:n*n]";
  for (int step = 0; step < 10; ++step) {
    map_tofrom(build, solve, {u, u_tmp});
    build.wait(100);
  }
  const Analysis analysis = analyze(build.take());
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.file, "src/heat.cpp");
  EXPECT_EQ(finding.line, 41);
  EXPECT_EQ(finding.variable, "u, u_tmp");
  EXPECT_EQ(finding.count, 36U);
  EXPECT_EQ(finding.wasted_bytes, 36 * kBytes);
  EXPECT_EQ(finding.wasted_time, 18 * 1000 + 18 * 700 + 18 * 10 + 18 * 5);
  EXPECT_EQ(finding.confidence, Confidence::kPossible) << "contents are not known";
  EXPECT_EQ(finding.examined, 0U);
  EXPECT_EQ(finding.of, 36U);
  EXPECT_TRUE(contains(report::advice_text(finding),
                       "before the loop that runs heat.cpp:41 (in solve, or in its caller): "
                       "a target enter data with map(to:) for u[0:n*n] and u_tmp[0:n*n]\n"));
  EXPECT_TRUE(contains(report::advice_text(finding),
                       "a target exit data with map(from:) for u[0:n*n] and u_tmp[0:n*n]\n"));
  ASSERT_TRUE(analysis.possible_prediction.has_value());
  EXPECT_EQ(analysis.possible_prediction->wall, analysis.process.wall - finding.wasted_time);
  EXPECT_EQ(analysis.possible_prediction->transfer, 2 * 1000 + 2 * 700);
  EXPECT_TRUE(analysis.possible_prediction->at_most) << "the host may read what comes back";
}

TEST(PerIterationMapping, ALoopOfTwoDirectivesIsOneFinding) {
  TraceBuilder build;
  const auto sweep = build.site(Directive::kTarget, "jacobi.cpp", 75, "solve");
  const auto check = build.site(Directive::kTarget, "jacobi.cpp", 85, "solve");
  const auto a = build.variable("a", kBytes);
  const auto x = build.variable("x", 8000);
  const auto conv = build.variable("conv", 8);
  for (int iteration = 0; iteration < 20; ++iteration) {
    build.begin(sweep);
    for (const auto one : {a, x}) {
      build.op(OpKind::kAlloc, one, one == a ? kBytes : 8000, 10);
      build.op(OpKind::kHtoD, one, one == a ? kBytes : 8000, 1000);
    }
    build.launch(500);
    build.op(OpKind::kDtoH, x, 8000, 100);
    for (const auto one : {x, a}) build.op(OpKind::kDelete, one, 0, 5);
    build.end();
    build.begin(check);
    build.op(OpKind::kAlloc, x, 8000, 10);
    build.op(OpKind::kHtoD, x, 8000, 100);
    build.op(OpKind::kAlloc, conv, 8, 10);
    build.op(OpKind::kHtoD, conv, 8, 3);
    build.launch(500);
    build.op(OpKind::kDtoH, conv, 8, 3);
    for (const auto one : {conv, x}) build.op(OpKind::kDelete, one, 0, 5);
    build.end();
  }
  const Analysis analysis = analyze(build.take());
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.line, 75);
  EXPECT_EQ(finding.variable, "a, x") << "a scalar rides along with its launch";
  EXPECT_EQ(finding.wasted_bytes, 19 * kBytes + 39 * 8000 + 19 * 8000);
  EXPECT_TRUE(contains(report::advice_text(finding), "jacobi.cpp:75 and jacobi.cpp:85"));
  EXPECT_TRUE(contains(report::advice_text(finding),
                       "exit data with map(from:) for x and map(release:) for "
                       "a\n"));
}

TEST(PerIterationMapping, EachEntryKeepsItsFirstInAndLastOut) {
  TraceBuilder build;
  const auto setup = build.site(Directive::kTarget, "a.cpp", 3, "main");
  const auto solve = build.site(Directive::kTarget, "a.cpp", 9, "main");
  const auto u = build.variable("u", kBytes);
  for (int entry = 0; entry < 3; ++entry) {
    build.begin(setup);
    build.launch(100);
    build.end();
    for (int iteration = 0; iteration < 5; ++iteration) map_tofrom(build, solve, {u});
  }
  const Analysis analysis = analyze(build.take());
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  EXPECT_EQ(analysis.findings[0].count, 3U * (4 + 4));
  const auto& facts = std::get<facts::PerIterationMapping>(analysis.findings[0].facts);
  EXPECT_EQ(facts.iterations, 15U);
  EXPECT_EQ(facts.entries, 3U);
}

/// The first thread's loop maps `u`; now and then another thread of its team makes the mapping.
struct TwoThreads {
  TraceBuilder build;
  Index<Site> solve = build.site(Directive::kTarget, "map_threads.cpp", 16, "main");
  Index<Variable> u = build.variable("u", kBytes);

  TwoThreads() { build.trace.threads.push_back({4712}); }

  void pass(std::uint32_t thread, Index<Variable> data) {
    build.thread = thread;
    map_tofrom(build, solve, {data});
    build.thread = 0;
  }
};

TEST(PerIterationMapping, WhatATeamsThreadsMapBelongsToTheFirstThreadsLoop) {
  TwoThreads run;
  for (int step = 0; step < 6; ++step) run.pass(step % 3 == 1 ? 1 : 0, run.u);
  const Analysis analysis = analyze(run.build.take());
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  EXPECT_EQ(analysis.findings[0].wasted_bytes, 2 * 5 * kBytes);
}

TEST(PerIterationMapping, WhatAThreadMapsOutsideTheLoopStays) {
  TwoThreads run;
  run.pass(1, run.u);
  for (int step = 0; step < 4; ++step) run.pass(0, run.u);
  const Analysis analysis = analyze(run.build.take());
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  EXPECT_EQ(analysis.findings[0].wasted_bytes, 2 * 3 * kBytes);
}

TEST(PerIterationMapping, OtherDataOfAThreadStays) {
  TwoThreads run;
  const auto v = run.build.variable("u", kBytes);
  for (int step = 0; step < 6; ++step) {
    const bool is_other = step % 3 == 1;
    run.pass(is_other ? 1 : 0, is_other ? v : run.u);
  }
  const Analysis analysis = analyze(run.build.take());
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  EXPECT_EQ(analysis.findings[0].wasted_bytes, 2 * (3 + 1) * kBytes);
}

TEST(PerIterationMapping, DataThatResidenciesIsClean) {
  TraceBuilder build;
  const auto enter = build.site(Directive::kTargetEnterData, "heat.cpp", 60, "main");
  const auto solve = build.site(Directive::kTarget, "heat.cpp", 41, "solve");
  const auto exit = build.site(Directive::kTargetExitData, "heat.cpp", 71, "main");
  const auto u = build.variable("u", kBytes);
  const auto conv = build.variable("conv", 8);
  build.begin(enter);
  build.op(OpKind::kAlloc, u, kBytes, 10);
  build.op(OpKind::kHtoD, u, kBytes, 1000);
  build.end();
  for (int step = 0; step < 1000; ++step) {
    build.begin(solve);
    build.op(OpKind::kAlloc, conv, 8, 10);
    build.op(OpKind::kHtoD, conv, 8, 100);
    build.launch(5000);
    build.op(OpKind::kDtoH, conv, 8, 100);
    build.op(OpKind::kDelete, conv, 0, 10);
    build.end();
  }
  build.begin(exit);
  build.op(OpKind::kDtoH, u, kBytes, 1000);
  build.op(OpKind::kDelete, u, 0, 10);
  build.end();
  EXPECT_EQ(patterns(analyze(build.take())), "");
}

TEST(PerIterationMapping, DifferentDataInEachIterationIsClean) {
  TraceBuilder build;
  const auto solve = build.site(Directive::kTarget, "a.cpp", 9, "main");
  for (int iteration = 0; iteration < 10; ++iteration) {
    map_tofrom(build, solve, {build.variable("chunk", kBytes)});
  }
  EXPECT_EQ(patterns(analyze(build.take())), "");
}

TEST(PerIterationMapping, ExplicitTransfersAreTheProgramsWill) {
  TraceBuilder build;
  const auto enter = build.site(Directive::kTargetEnterData, "a.cpp", 3, "main");
  const auto update = build.site(Directive::kTargetUpdate, "a.cpp", 5, "main");
  const auto solve = build.site(Directive::kTarget, "a.cpp", 9, "main");
  const auto exit = build.site(Directive::kTargetExitData, "a.cpp", 12, "main");
  const auto u = build.variable("u", kBytes);
  build.begin(enter);
  build.op(OpKind::kAlloc, u, kBytes, 10);
  build.end();
  for (int iteration = 0; iteration < 10; ++iteration) {
    build.begin(update);
    build.op(OpKind::kHtoD, u, kBytes, 1000);
    build.end();
    build.begin(solve);
    build.launch(500);
    build.end();
    build.begin(update);
    build.op(OpKind::kDtoH, u, kBytes, 1000);
    build.end();
  }
  build.begin(exit);
  build.op(OpKind::kDelete, u, 0, 10);
  build.end();
  EXPECT_EQ(patterns(analyze(build.take())), "");
}

TEST(PerIterationMapping, OnlySentDataIsReleased) {
  TraceBuilder build;
  const auto solve = build.site(Directive::kTarget, "a.cpp", 9, "main");
  const auto a = build.variable("a", kBytes);
  for (int iteration = 0; iteration < 5; ++iteration) {
    build.begin(solve);
    build.op(OpKind::kAlloc, a, kBytes, 10);
    build.op(OpKind::kHtoD, a, kBytes, 1000);
    build.launch(500);
    build.op(OpKind::kDelete, a, 0, 5);
    build.end();
  }
  const Analysis analysis = analyze(build.take());
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  EXPECT_EQ(analysis.findings[0].count, 4U);
  EXPECT_TRUE(contains(report::advice_text(analysis.findings[0]), "exit data with map(release:)"));
  EXPECT_FALSE(contains(report::advice_text(analysis.findings[0]), "map(from: a)"));
}

TEST(PerIterationMapping, OnAsynchronousDevicesTheTimeIsNotKnown) {
  TraceBuilder build;
  build.clock = Clock::kEnqueue;
  const auto solve = build.site(Directive::kTarget, "a.cpp", 9, "main");
  const auto u = build.variable("u", kBytes);
  for (int iteration = 0; iteration < 5; ++iteration) map_tofrom(build, solve, {u});
  const Analysis analysis = analyze(build.take());
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  EXPECT_FALSE(analysis.findings[0].timed);
  EXPECT_FALSE(analysis.prediction.has_value());
}

TEST(PerIterationMapping, FirstprivateCopiesAreEachLaunchsOwn) {
  TraceBuilder build;
  const auto solve = build.site(Directive::kTarget, "a.cpp", 9, "main");
  const auto table = build.variable("table", 4000);
  for (int iteration = 0; iteration < 5; ++iteration) map_tofrom(build, solve, {table}, 4000);
  build.trace.ops.change_shapes([](DataOp& op) { op.map_type = 0xa1; });
  EXPECT_EQ(patterns(analyze(build.take())), "");
}

TEST(PerIterationMapping, ResultsThatNoIterationSendsAreTheHosts) {
  TraceBuilder build;
  const auto solve = build.site(Directive::kTarget, "a.cpp", 9, "main");
  for (int iteration = 0; iteration < 2; ++iteration) {
    const auto out = build.variable("out", kBytes);
    for (int i = 0; i < 2; ++i) {
      build.begin(solve);
      build.op(OpKind::kAlloc, out, kBytes, 10);
      build.launch(500);
      build.op(OpKind::kDtoH, out, kBytes, 700);
      build.op(OpKind::kDelete, out, 0, 5);
      build.end();
      build.wait(1'000'000);
    }
  }
  EXPECT_EQ(patterns(analyze(build.take())), "");
}

}  // namespace
}  // namespace ompdm::analysis::per_iteration_mapping_test
