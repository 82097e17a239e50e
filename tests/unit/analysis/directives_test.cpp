#include <gtest/gtest.h>

#include "ompdm/analysis.h"
#include "support/trace_builder.h"

namespace ompdm::analysis::directives_test {
namespace {

using test::TraceBuilder;

TEST(Directives, TargetDataIsOneRowThatCountsItsBegins) {
  TraceBuilder build;
  const auto begin = build.site(Directive::kTargetData, "a.cpp", 3, "main");
  const auto end = build.site(Directive::kTargetData, "a.cpp", 3, "main");
  const auto a = build.variable("a", 100);
  for (int i = 0; i < 2; ++i) {
    build.begin(begin);
    build.op(OpKind::kHtoD, a, 100, 10);
    build.end();
    build.begin(end, true);
    build.op(OpKind::kDtoH, a, 100, 20);
    build.end();
  }
  const Analysis analysis = analyze(build.take());
  ASSERT_EQ(analysis.directives.size(), 1U);
  const DirectiveRow& row = analysis.directives.front();
  EXPECT_EQ(row.count, 2U);
  EXPECT_EQ(row.htod, (Flow{200, 2, 20}));
  EXPECT_EQ(row.dtoh, (Flow{200, 2, 40}));
  EXPECT_EQ(row.time, 60);
  EXPECT_EQ(analysis.totals.region.count, 2U);
}

TEST(Directives, SeveralAddressesOfOneLineAreOneRow) {
  TraceBuilder build;
  for (int i = 0; i < 3; ++i) {
    build.begin(build.site(Directive::kTarget, "a.cpp", 3, "f"));
    build.end();
  }
  const Analysis analysis = analyze(build.take());
  ASSERT_EQ(analysis.directives.size(), 1U);
  EXPECT_EQ(analysis.directives.front().count, 3U);
}

TEST(Directives, WithoutLinesAddressesTellDirectivesApart) {
  TraceBuilder build;
  for (int i = 0; i < 2; ++i) {
    build.begin(build.site(Directive::kTarget, "", 0, "f"));
    build.end();
  }
  EXPECT_EQ(analyze(build.take()).directives.size(), 2U);
}

TEST(Directives, ARowEvenIfNothingMovedAndNoneIfNotExecuted) {
  TraceBuilder build;
  build.begin(build.site(Directive::kTargetUpdate, "a.cpp", 3, "f"));
  build.end();
  build.site(Directive::kTarget, "a.cpp", 9, "never");
  const Analysis analysis = analyze(build.take());
  ASSERT_EQ(analysis.directives.size(), 1U);
  EXPECT_EQ(analysis.directives.front().line, 3);
}

TEST(Directives, TheHeaviestIsFirst) {
  TraceBuilder build;
  for (const int line : {1, 2, 3}) {
    build.begin(build.site(Directive::kTargetUpdate, "a.cpp", line, "f"));
    build.op(OpKind::kHtoD, {}, line == 2 ? 1000 : 10, 5);
    build.end();
  }
  const Analysis analysis = analyze(build.take());
  EXPECT_EQ(analysis.directives.front().line, 2);
  EXPECT_EQ(analysis.headline.top, 0U);
}

TEST(Directives, OperationsOutsideRegionsAreCharged) {
  TraceBuilder build;
  const auto copy = build.api("omp_target_memcpy", "a.cpp", 5, "main");
  const auto target = build.site(Directive::kTarget, "a.cpp", 9, "main");
  build.begin(target);
  build.end();
  build.op(OpKind::kHtoD, {}, 64, 10)->site = copy;
  build.op(OpKind::kDelete, {}, 0, 10)->site = target;  // late, on another thread
  build.op(OpKind::kDtoH, {}, 32, 10);                  // nobody knows
  const Analysis analysis = analyze(build.take());
  ASSERT_EQ(analysis.directives.size(), 3U);
  EXPECT_EQ(analysis.directives[0].api, "omp_target_memcpy");
  EXPECT_EQ(analysis.directives[0].count, 1U);
  EXPECT_EQ(analysis.directives[1].directive, Directive::kRuntime);
  EXPECT_EQ(analysis.directives[1].dtoh.bytes, 32U);
  EXPECT_EQ(analysis.directives[2].count, 1U);
  EXPECT_EQ(analysis.directives[2].line, 9);
}

TEST(Directives, FallbacksAndUnfinishedRegionsAreTold) {
  TraceBuilder build;
  const auto target = build.site(Directive::kTarget, "a.cpp", 9, "main");
  build.begin(target);
  build.trace.regions.edit_back()->host_fallback = true;
  build.end();
  build.begin(target);
  build.trace.regions.edit_back()->unfinished = true;
  build.wait(70);
  build.end();
  const Analysis analysis = analyze(build.take());
  EXPECT_EQ(analysis.directives.front().fallback_count, 1U);
  ASSERT_EQ(analysis.unfinished.size(), 1U);
  EXPECT_EQ(analysis.unfinished.front().directive, 0U);
  EXPECT_EQ(analysis.unfinished.front().elapsed, 70);
}

TEST(Variables, EachPieceOfStorageIsARow) {
  TraceBuilder build;
  const auto target = build.site(Directive::kTarget, "a.cpp", 9, "main");
  const auto small = build.variable("small", 8);
  const auto big = build.variable("big", 800);
  build.begin(target);
  build.op(OpKind::kHtoD, small, 8, 1);
  build.op(OpKind::kHtoD, big, 800, 10);
  build.op(OpKind::kDtoH, big, 800, 20);
  build.op(OpKind::kHtoD, {}, 96, 1);  // packed arguments
  build.end();
  const Analysis analysis = analyze(build.take());
  ASSERT_EQ(analysis.variables.size(), 2U);
  EXPECT_EQ(analysis.variables[0].name, "big");
  EXPECT_EQ(analysis.variables[0].htod, (Flow{800, 1, 10}));
  EXPECT_EQ(analysis.variables[0].dtoh, (Flow{800, 1, 20}));
  EXPECT_EQ(analysis.totals.htod.bytes, 904U);
}

}  // namespace
}  // namespace ompdm::analysis::directives_test
