#include <gtest/gtest.h>

#include <vector>

#include "ompdm/analysis.h"
#include "support/trace_builder.h"

namespace ompdm::analysis::loops_test {
namespace {

using test::TraceBuilder;

TEST(Iterations, JacobiNaive) {
  TraceBuilder build;
  const auto sweep = build.site(Directive::kTarget, "jacobi.cpp", 30, "main");
  const auto check = build.site(Directive::kTarget, "jacobi.cpp", 40, "main");
  for (int iteration = 0; iteration < 20; ++iteration) {
    build.begin(sweep);
    build.op(OpKind::kHtoD, {}, 1000, iteration == 0 ? 500 : 100);
    build.launch(50);
    build.op(OpKind::kDtoH, {}, 10, 5);
    build.end();
    build.begin(check);
    build.op(OpKind::kHtoD, {}, 20, 2);
    build.launch(30);
    build.op(OpKind::kDtoH, {}, 8, 1);
    build.end();
    build.wait(12);
  }
  const Analysis analysis = analyze(build.take());
  ASSERT_EQ(analysis.loops.size(), 1U);
  const LoopRow& row = analysis.loops.front();
  EXPECT_EQ(row.count, 20U);
  EXPECT_EQ(row.entries, 1U);
  EXPECT_EQ(row.directives, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(row.steady.htod_bytes, 1020U);
  EXPECT_EQ(row.steady.dtoh_bytes, 18U);
  EXPECT_EQ(row.steady.transfer, 108);
  EXPECT_EQ(row.steady.kernel, 80);
  EXPECT_EQ(row.first.transfer, 508);
  EXPECT_EQ(row.first.wall, 600);
  EXPECT_FALSE(row.invariant_bytes.has_value());
  EXPECT_TRUE(row.timed);
}

TEST(Iterations, TwoIterationsAreALoopIfTheyCompute) {
  TraceBuilder build;
  const auto upload = build.site(Directive::kTargetEnterData, "a.cpp", 3, "upload");
  const auto solve = build.site(Directive::kTarget, "a.cpp", 9, "solve");
  for (int i = 0; i < 2; ++i) {
    build.begin(upload);
    build.op(OpKind::kHtoD, {}, 100, 10);
    build.end();
  }
  for (int i = 0; i < 2; ++i) {
    build.begin(solve);
    build.launch(10);
    build.end();
  }
  const Analysis analysis = analyze(build.take());
  ASSERT_EQ(analysis.loops.size(), 1U);
  EXPECT_EQ(analysis.directives[analysis.loops[0].directives[0]].line, 9);
}

TEST(Iterations, TargetDataInsideALoop) {
  TraceBuilder build;
  const auto data = build.site(Directive::kTargetData, "a.cpp", 3, "main");
  const auto end = build.site(Directive::kTargetData, "a.cpp", 3, "main");
  const auto target = build.site(Directive::kTarget, "a.cpp", 5, "main");
  for (int i = 0; i < 4; ++i) {
    build.begin(data);
    build.op(OpKind::kHtoD, {}, 100, 10);
    build.end();
    for (int j = 0; j < 5; ++j) {
      build.begin(target);
      build.launch(10);
      build.end();
    }
    build.begin(end, true);
    build.op(OpKind::kDtoH, {}, 50, 10);
    build.end();
  }
  const Analysis analysis = analyze(build.take());
  ASSERT_EQ(analysis.loops.size(), 2U);
  EXPECT_EQ(analysis.loops[0].count, 4U);
  EXPECT_EQ(analysis.loops[0].directives, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(analysis.loops[0].steady.htod_bytes, 100U);
  EXPECT_EQ(analysis.loops[1].count, 20U);
  EXPECT_EQ(analysis.loops[1].entries, 4U);
}

TEST(Iterations, ApiCallsAreSteps) {
  TraceBuilder build;
  const auto in = build.api("omp_target_memcpy", "a.cpp", 3, "main");
  const auto out = build.api("omp_target_memcpy", "a.cpp", 7, "main");
  const auto target = build.site(Directive::kTarget, "a.cpp", 5, "main");
  for (int i = 0; i < 3; ++i) {
    build.op(OpKind::kHtoD, {}, 100, 10)->site = in;
    build.begin(target);
    build.launch(10);
    build.end();
    build.op(OpKind::kDtoH, {}, 50, 10)->site = out;
  }
  const Analysis analysis = analyze(build.take());
  ASSERT_EQ(analysis.loops.size(), 1U);
  EXPECT_EQ(analysis.loops[0].count, 3U);
  EXPECT_EQ(analysis.loops[0].directives.size(), 3U);
  EXPECT_EQ(analysis.loops[0].steady.htod_bytes, 100U);
}

/// A directive once on each of these devices, in turn.
Analysis on_devices(const std::vector<std::int32_t>& devices) {
  TraceBuilder build;
  const auto solve = build.site(Directive::kTarget, "a.cpp", 9, "main");
  for (const std::int32_t device : devices) {
    build.begin(solve);
    build.trace.regions.edit_back()->device = device;
    build.op(OpKind::kHtoD, {}, 1000, 10);
    build.launch(10);
    build.end();
  }
  return analyze(build.take());
}

TEST(Iterations, AIterationMayGoOverSeveralDevices) {
  const Analysis analysis = on_devices({0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2});
  ASSERT_EQ(analysis.loops.size(), 1U);
  const LoopRow& row = analysis.loops.front();
  EXPECT_EQ(row.count, 5U);
  EXPECT_EQ(row.devices, 3U);
  EXPECT_EQ(row.directives, (std::vector<std::size_t>{0}));
  EXPECT_EQ(row.steady.htod_bytes, 3000U);
}

TEST(Iterations, LoopsThatDoTheSameOnAnotherDeviceAreOneRow) {
  const Analysis analysis = on_devices({2, 2, 2, 2, 1, 1, 1, 1});
  ASSERT_EQ(analysis.loops.size(), 1U);
  const LoopRow& row = analysis.loops.front();
  EXPECT_EQ(row.count, 8U);
  EXPECT_EQ(row.entries, 2U);
  EXPECT_EQ(row.devices, 1U);
}

TEST(Iterations, OverDevicesInNoOrderAreStillALoop) {
  const Analysis analysis = on_devices({0, 2, 1, 1, 0, 2, 2, 1, 0, 1, 2, 0, 0, 1, 2, 0, 2});
  ASSERT_EQ(analysis.loops.size(), 1U);
  EXPECT_EQ(analysis.loops.front().count, 17U);
  EXPECT_EQ(analysis.loops.front().devices, 1U);
}

TEST(Iterations, ThreadsRunTheSameLoop) {
  TraceBuilder build;
  build.trace.threads.push_back({4712});
  const auto target = build.site(Directive::kTarget, "a.cpp", 5, "main");
  for (int i = 0; i < 10; ++i) {
    build.thread = static_cast<std::uint32_t>(i % 2);
    build.begin(target);
    build.op(OpKind::kHtoD, {}, 100, 10);
    build.end();
  }
  const Analysis analysis = analyze(build.take());
  ASSERT_EQ(analysis.loops.size(), 1U);
  EXPECT_EQ(analysis.loops[0].count, 10U);
  EXPECT_EQ(analysis.loops[0].entries, 2U);
}

// ---- threads of the runtime

/// Chains of `target nowait depend(inout: ...)`: each iteration has two directives on its array,
/// and any of the runtime's threads runs them.
struct Deferred : TraceBuilder {
  Index<Site> sweep = site(Directive::kTarget, "a.cpp", 5, "main");
  Index<Site> check = site(Directive::kTarget, "a.cpp", 7, "main");
  std::uint32_t random = 1;

  Deferred() {
    trace.threads.resize(9);
    for (std::uint32_t i = 0; i < 9; ++i) trace.threads[i].tid = 4711 + i;
    for (const std::uint64_t address : {0x1000, 0x2000}) {
      trace.map_lists.push_back({{{}, "a[0:n]", address, address, 800, 0x23}});
    }
  }
  void run(Index<Site> at, std::uint32_t array, Nanoseconds duration) {
    random = random * 1664525 + 1013904223;
    thread = 1 + (random >> 29);
    begin(at);
    trace.regions.edit_back()->map_list = array;
    launch(duration);
    end();
  }
};

TEST(Iterations, OfAChainOfDeferredDirectives) {
  Deferred build;
  for (int iteration = 0; iteration < 50; ++iteration) {
    build.run(build.sweep, 0, 100);
    build.run(build.check, 0, 50);
  }
  const Analysis analysis = analyze(build.take());
  ASSERT_EQ(analysis.loops.size(), 1U);
  EXPECT_EQ(analysis.loops[0].count, 50U);
  EXPECT_EQ(analysis.loops[0].entries, 1U);
  EXPECT_EQ(analysis.loops[0].directives.size(), 2U);
  EXPECT_EQ(analysis.loops[0].steady.kernel, 150);
}

TEST(Iterations, OfTwoChainsThatOverlap) {
  Deferred build;
  const auto other = build.site(Directive::kTarget, "a.cpp", 9, "main");
  build.trace.map_lists[1].push_back(build.trace.map_lists[0][0]);
  for (int iteration = 0; iteration < 50; ++iteration) {
    build.run(build.sweep, 0, 100);
    build.now -= 50;
    build.run(other, 1, 100);
    build.now -= 30;
    build.run(build.check, 0, 50);
  }
  const Analysis analysis = analyze(build.take());
  ASSERT_EQ(analysis.loops.size(), 1U);
  EXPECT_EQ(analysis.loops[0].count, 50U);
  EXPECT_EQ(analysis.loops[0].directives.size(), 3U);
}

TEST(Iterations, ThreadsOfTheProgramEachHaveTheirLoop) {
  for (const std::uint32_t lists : {1U, 2U}) {
    Deferred build;
    for (int iteration = 0; iteration < 20; ++iteration) {
      for (std::uint32_t thread = 1; thread < 3; ++thread) {
        build.begin(build.sweep);
        build.trace.regions.edit_back()->thread = thread;
        build.trace.regions.edit_back()->map_list = (thread - 1) % lists;
        build.launch(100)->thread = thread;
        build.end();
        build.now -= 50;
      }
    }
    const Analysis analysis = analyze(build.take());
    ASSERT_EQ(analysis.loops.size(), 1U);
    EXPECT_EQ(analysis.loops[0].count, 40U);
    EXPECT_EQ(analysis.loops[0].entries, 2U) << "of " << lists << " arrays";
  }
}

TEST(Iterations, OfDeferredDirectivesBeginWhereTheirTasksWereMade) {
  test::TraceBuilder build;
  build.trace.threads = {{4711}, {4712}, {4713}};
  const auto a = build.variable("a", 1000);
  const auto target = build.site(Directive::kTarget, "a.cpp", 5, "main");
  constexpr Nanoseconds kLong =
      1'000'000;  // what looking at contents took, behind the maker's back
  for (int iteration = 0; iteration < 10; ++iteration) {
    build.thread = 1 + static_cast<std::uint32_t>(iteration % 2);
    const Index<Region> region = build.begin(target);
    build.op(OpKind::kHtoD, a, 1000, 100);
    build.launch(100);
    build.end();
    auto row = build.trace.regions.edit(region.value);
    row->nowait = true;
    row->made = 10 + 20 * iteration;
    row->maker = 0;
    row->hashing = kLong;
  }
  const Analysis analysis = analyze(build.take());
  ASSERT_EQ(analysis.loops.size(), 1U);
  EXPECT_EQ(analysis.loops[0].count, 10U);
  EXPECT_EQ(analysis.loops[0].first.wall, 20) << "to where the next task was made";
}

}  // namespace
}  // namespace ompdm::analysis::loops_test
