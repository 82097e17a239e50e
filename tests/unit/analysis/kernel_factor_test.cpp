// A model of a link on which kernels, too, are as fast as someone says.
#include <gtest/gtest.h>

#include "ompdm/error.h"
#include "ompdm/link.h"
#include "support/trace_builder.h"

namespace ompdm::analysis::kernel_factor_test {
namespace {

/// 8 bytes take 108 ns; kernels a tenth of what they took.
Link modelled() {
  Link link{"slow", 1e9, 100};
  link.kernels = 10;
  return link;
}

TEST(KernelFactor, IsANumberAboveZero) {
  EXPECT_EQ(parse_kernel_factor("20"), 20);
  EXPECT_EQ(parse_kernel_factor("0.5"), 0.5);
  for (const char* text : {"", "0", "-1", "x", "2x", "nan", "inf", "1e9"}) {
    EXPECT_THROW(parse_kernel_factor(text), Error) << text;
  }
}

TEST(KernelFactor, KernelsTakeTheirPartAndWhatFollowsMovesUp) {
  test::TraceBuilder build;
  const auto site = build.site(Directive::kTarget, "a.cpp", 1, "main");
  const auto a = build.variable("a", 8);
  build.wait(5);
  build.begin(site);
  build.op(OpKind::kHtoD, a, 8, 10);
  build.launch(200);
  build.end();
  build.wait(7);
  build.begin(site);
  build.launch(100);
  build.end();
  build.trace.process.wall = build.now;
  const Trace after = retime(build.trace, modelled());
  EXPECT_EQ(after.launches[0].begin, 113);
  EXPECT_EQ(after.launches[0].end, 133);
  EXPECT_EQ(after.launches[0].clock, Clock::kModel);
  EXPECT_EQ(after.launches[1].begin, 140);
  EXPECT_EQ(after.launches[1].end, 150);
  EXPECT_EQ(after.process.wall, 150);
}

// On a device they run side by side as they did: only transfers wait for a link.
TEST(KernelFactor, KernelsOfTwoThreadsOnOneDeviceDoNotWaitForEachOther) {
  test::TraceBuilder build;
  const auto site = build.site(Directive::kTarget, "a.cpp", 1, "main");
  build.begin(site);
  build.launch(200);
  build.end();
  Trace trace = build.trace;
  Region region = trace.regions[0];
  region.thread = 1;
  trace.regions.push_back(region);
  Launch launch = trace.launches[0];
  launch.thread = 1;
  launch.region = Index<Region>{1};
  trace.launches.push_back(launch);
  const Trace after = retime(trace, modelled());
  EXPECT_EQ(after.launches[0].end, 20);
  EXPECT_EQ(after.launches[1].begin, 0);
  EXPECT_EQ(after.launches[1].end, 20);
}

}  // namespace
}  // namespace ompdm::analysis::kernel_factor_test
