// small_transfers, serial_kernel and host_fallback: each planted, and nearly.
#include <gtest/gtest.h>

#include "analysis/found.h"
#include "ompdm/report.h"
#include "support/trace_builder.h"

namespace ompdm::analysis::kernel_findings_test {
namespace {

using test::contains;
using test::found;
using test::patterns;
using test::TraceBuilder;

constexpr std::uint64_t kRow = 800;

/// `count` updates of a row each, `distance` bytes apart, around kernels or without.
Trace row_by_row(int count, std::uint64_t distance, bool kernels) {
  TraceBuilder build;
  const auto enter = build.site(Directive::kTargetEnterData, "a.cpp", 3, "main");
  const auto update = build.site(Directive::kTargetUpdate, "a.cpp", 9, "main");
  const auto solve = build.site(Directive::kTarget, "a.cpp", 12, "main");
  const auto exit = build.site(Directive::kTargetExitData, "a.cpp", 15, "main");
  const auto a = build.variable("a", 4'000'000);
  build.begin(enter);
  build.op(OpKind::kAlloc, a, 4'000'000, 10);
  build.end();
  for (int i = 0; i < count; ++i) {
    build.begin(update);
    auto op = build.op(OpKind::kHtoD, a, kRow, 100);
    op->src += i * distance;
    op->dst += i * distance;
    build.end();
    if (!kernels) continue;
    build.begin(solve);
    build.launch(100'000);
    build.end();
  }
  build.begin(solve);
  build.launch(100'000);
  build.end();
  build.begin(exit);
  build.op(OpKind::kDelete, a, 0, 10);
  build.end();
  return build.take();
}

TEST(SmallTransfers, OneDirectiveAgainAndAgain) {
  const Analysis analysis = analyze(row_by_row(32, 100'000, false));
  ASSERT_EQ(patterns(analysis), "small_transfers");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.line, 9);
  EXPECT_EQ(finding.variable, "a");
  EXPECT_EQ(finding.count, 32U);
  EXPECT_EQ(finding.wasted_bytes, 0U) << "the bytes still have to cross";
  EXPECT_EQ(finding.wasted_time, 31 * 100);
  ASSERT_TRUE(analysis.prediction.has_value());
  EXPECT_EQ(analysis.prediction->spared_bytes, 0U);
  const auto& facts = std::get<facts::SmallTransfers>(finding.facts);
  EXPECT_EQ(facts.largest, 800U);
  EXPECT_TRUE(facts.to_device);
  EXPECT_EQ(patterns(analyze(row_by_row(31, 100'000, false))), "");
}

// A list on the device: the host's one node goes to each of them.
TEST(SmallTransfers, OfOnePlaceToManyAreAllNeeded) {
  const auto copies = [](std::uint64_t apart) {
    TraceBuilder build;
    const auto copy = build.api("omp_target_memcpy", "a.cpp", 9, "main");
    const auto solve = build.site(Directive::kTarget, "a.cpp", 12, "main");
    const auto a = build.variable("a", 8);
    for (std::uint64_t i = 0; i < 64; ++i) {
      build.op(OpKind::kHtoD, a, 8, 100)->dst += i * apart;
      build.trace.ops.edit_back()->site = copy;
    }
    build.begin(solve);
    build.launch(100'000);
    build.end();
    const Analysis analysis = analyze(build.take());
    EXPECT_EQ(patterns(analysis), "small_transfers");
    return std::get<facts::SmallTransfers>(analysis.findings.at(0).facts).enough;
  };
  EXPECT_EQ(copies(0), 1U);
  EXPECT_EQ(copies(4096), std::nullopt);
}

// Each may bring, or be made of, what the kernel before it made.
TEST(SmallTransfers, OfNeighbouringMemoryAreNeededAroundKernels) {
  EXPECT_EQ(patterns(analyze(row_by_row(32, kRow, true))), "");
  EXPECT_EQ(patterns(analyze(row_by_row(32, 100'000, true))), "");
}

TEST(SmallTransfers, PiecesOfOneInstanceAreNotPostponed) {
  TraceBuilder build;
  const auto enter = build.site(Directive::kTargetEnterData, "a.cpp", 5, "main");
  const auto update = build.site(Directive::kTargetUpdate, "a.cpp", 9, "main");
  const auto solve = build.site(Directive::kTarget, "a.cpp", 12, "main");
  const auto a = build.variable("a", 64 * 800);
  build.begin(enter);
  build.op(OpKind::kAlloc, a, 64 * 800, 10);
  build.end();
  for (int iteration = 0; iteration < 4; ++iteration) {
    build.begin(update);
    for (int row = 0; row < 16; ++row) {
      auto op = build.op(OpKind::kHtoD, a, 8, 100);
      op->src += row * 800;
      op->dst += row * 800;
    }
    build.end();
    build.begin(solve);
    build.launch(100'000);
    build.end();
  }
  const std::vector<Finding> findings = found(analyze(build.take()), "small_transfers");
  ASSERT_EQ(findings.size(), 1U);
  const std::string advice = report::advice_text(findings[0]);
  EXPECT_TRUE(contains(advice, "copy the pieces a of each execution at once")) << advice;
}

TEST(SmallTransfers, BlocksOfTheirOwnAreNoNeighbours) {
  const auto mapped_apart = [](bool as_one_object) {
    TraceBuilder build;
    const auto enter = build.site(Directive::kTargetEnterData, "a.cpp", 3, "main");
    const auto a = build.variable("a", 800);
    for (std::uint64_t i = 0; i < 40; ++i) {
      const Index<Region> region = build.begin(enter);
      auto alloc = build.op(OpKind::kAlloc, a, 800, 10);
      alloc->src += i * 816;
      alloc->dst += i * 1024;
      const std::uint64_t host = alloc->src;
      auto sent = build.op(OpKind::kHtoD, a, 800, 100'000);
      sent->src = host;
      sent->dst += i * 1024;
      build.end();
      MapItem item;
      item.base = as_one_object ? 0x1000 : host;
      item.begin = host;
      item.bytes = 800;
      build.trace.regions.edit(region.value)->map_list =
          static_cast<std::uint32_t>(build.trace.map_lists.size());
      build.trace.map_lists.push_back({item});
    }
    build.begin(build.site(Directive::kTarget, "a.cpp", 9, "main"));
    build.launch(10);
    build.end();
    const std::vector<Finding> findings = found(analyze(build.take()), "small_transfers");
    return std::get<facts::SmallTransfers>(findings.at(0).facts);
  };
  EXPECT_TRUE(mapped_apart(true).neighbours);
  EXPECT_EQ(mapped_apart(true).enough, 1U);
  EXPECT_EQ(mapped_apart(false).enough, std::nullopt);
}

TEST(SmallTransfers, AScalarThatEachKernelReturnsIsClean) {
  TraceBuilder build;
  const auto solve = build.site(Directive::kTarget, "a.cpp", 12, "main");
  const auto sum = build.variable("sum", 8);
  for (int i = 0; i < 1000; ++i) {
    build.begin(solve);
    build.op(OpKind::kAlloc, sum, 8, 10);
    build.op(OpKind::kHtoD, sum, 8, 100);
    build.launch(30'000);
    build.op(OpKind::kDtoH, sum, 8, 100);
    build.op(OpKind::kDelete, sum, 0, 10);
    build.end();
  }
  EXPECT_EQ(patterns(analyze(build.take())), "");
}

TEST(SmallTransfers, UnlessItsLatencyOutweighsTheKernels) {
  TraceBuilder build;
  const auto solve = build.site(Directive::kTarget, "a.cpp", 12, "main");
  const auto sum = build.variable("sum", 8);
  for (int i = 0; i < 1000; ++i) {
    build.begin(solve);
    build.op(OpKind::kAlloc, sum, 8, 10);
    build.op(OpKind::kHtoD, sum, 8, 9'000);
    build.launch(3'000);
    build.op(OpKind::kDelete, sum, 0, 10);
    build.end();
  }
  const Analysis analysis = analyze(build.take());
  ASSERT_EQ(patterns(analysis), "small_transfers");
  EXPECT_EQ(analysis.findings[0].confidence, Confidence::kPossible);
}

/// One kernel of this shape.
Trace kernel(std::uint32_t num_teams, std::uint32_t thread_limit, std::uint64_t trip_count,
             Nanoseconds duration) {
  TraceBuilder build;
  build.begin(build.site(Directive::kTarget, "pi.cpp", 35, "integrate"));
  build.launch(duration);
  build.trace.launches.edit_back()->num_teams = num_teams;
  build.trace.launches.edit_back()->thread_limit = thread_limit;
  build.trace.launches.edit_back()->trip_count = trip_count;
  build.end();
  return build.take();
}

TEST(SerialKernel, OneTeamOneThreadOrFewOfBoth) {
  const Analysis analysis = analyze(kernel(0xffffffff, 0, 0, 1'000'000));
  ASSERT_EQ(patterns(analysis), "serial_kernel");
  EXPECT_EQ(analysis.findings[0].line, 35);
  EXPECT_EQ(analysis.findings[0].count, 1U);
  EXPECT_TRUE(
      contains(report::advice_text(analysis.findings[0]), "target teams distribute parallel for"));
  EXPECT_EQ(analyze(kernel(1, 1, 1'000'000, 1'000'000)).findings.at(0).confidence,
            Confidence::kCertain);
  EXPECT_EQ(analyze(kernel(1, 1, 0, 1'000'000)).findings.at(0).confidence, Confidence::kPossible)
      << "of how many iterations is not known";
  EXPECT_EQ(patterns(analyze(kernel(64, 1, 0, 1'000'000))), "serial_kernel");
  EXPECT_EQ(patterns(analyze(kernel(4, 64, 1'000'000, 1'000'000))), "serial_kernel");
}

TEST(SerialKernel, NearMisses) {
  EXPECT_EQ(patterns(analyze(kernel(0, 0, 1'000'000, 1'000'000))), "") << "the runtime chooses";
  EXPECT_EQ(patterns(analyze(kernel(4, 64, 100, 1'000'000))), "") << "as many as iterations";
  EXPECT_EQ(patterns(analyze(kernel(128, 256, 1'000'000, 1'000'000))), "");
}

// A busy machine makes any kernel long.
TEST(SerialKernel, IsTheSameHoweverLongItTook) {
  for (const std::uint64_t loops : {0, 100, 1'000'000}) {
    const auto found = [&](Nanoseconds duration) {
      const Analysis analysis = analyze(kernel(0xffffffff, 0, loops, duration));
      return patterns(analysis);
    };
    EXPECT_EQ(found(900), found(9'000'000)) << loops;
    EXPECT_EQ(found(900), loops == 100 ? "" : "serial_kernel") << loops;
  }
}

TEST(SerialKernel, OfUnknownIterationsIsToldWhereItIsMuchOfWhatRuns) {
  const auto found_beside = [](int others) {
    TraceBuilder build;
    const auto solve = build.site(Directive::kTarget, "a.cpp", 12, "main");
    const auto set = build.site(Directive::kTarget, "a.cpp", 15, "main");
    for (int i = 0; i <= others; ++i) {
      build.begin(i == 0 ? set : solve);
      build.launch(1'000'000);
      build.trace.launches.edit_back()->num_teams = i == 0 ? 0xffffffff : 0;
      build.end();
    }
    return patterns(analyze(build.take()));
  };
  EXPECT_EQ(found_beside(9), "serial_kernel");
  EXPECT_EQ(found_beside(10), "");
}

TEST(HostFallback, IsCountedBySite) {
  TraceBuilder build;
  const auto solve = build.site(Directive::kTarget, "a.cpp", 9, "main");
  for (int i = 0; i < 3; ++i) {
    build.begin(solve);
    build.trace.regions.edit_back()->host_fallback = i != 1;
    build.end();
    build.wait(100);
  }
  const Analysis analysis = analyze(build.take());
  ASSERT_EQ(patterns(analysis), "host_fallback");
  EXPECT_EQ(analysis.findings[0].count, 2U);
  EXPECT_EQ(analysis.findings[0].of, 3U);
}

}  // namespace
}  // namespace ompdm::analysis::kernel_findings_test
