// What only the device can tell: pageable memory, copies that waited, kernels that left it idle;
// each planted, and nearly.
#include <gtest/gtest.h>

#include "met.h"

namespace ompdm::e2e::findings_test {
namespace {

/// The findings of one pattern.
Json found(const OnStandin& run, const std::string& pattern) {
  Json findings = Json::array();
  for (const Json& finding : run.report["findings"]) {
    if (finding["pattern"] == pattern) findings.push_back(finding);
  }
  return findings;
}

bool contains(const Json& text, const std::string& part) {
  return text.get<std::string>().find(part) != std::string::npos;
}

TEST(CudaFindings, PageableTransfersAreComparedWithPinnedOnes) {
  const OnStandin run =
      run_on_standin({"pinned"}, {{"STANDIN_COPY_US", "100"}, {"STANDIN_PAGEABLE", "3"}});
  const Json findings = found(run, "pageable_transfer");
  ASSERT_EQ(findings.size(), 1U) << run.report["findings"];
  EXPECT_EQ(findings[0]["line"], 13);
  EXPECT_EQ(findings[0]["count"], 20);
  EXPECT_EQ(findings[0]["variable"], "pageable");
  EXPECT_EQ(findings[0]["confidence"], "likely");
  EXPECT_TRUE(contains(findings[0]["evidence"], "in this run")) << findings[0];
  // 2 of 3 parts of 20 times 300 us.
  EXPECT_NEAR(findings[0]["wasted_ns"].get<double>(), 4e6, 2e4);
}

TEST(CudaFindings, PinnedMemoryThatIsNoFasterIsNoReason) {
  const OnStandin run = run_on_standin({"pinned"}, {{"STANDIN_COPY_US", "100"}});
  EXPECT_EQ(found(run, "pageable_transfer").size(), 0U) << run.report["findings"];
}

// LLVM reports this memory like a device's; no kernel can see it at that address.
TEST(CudaFindings, PageLockedMemoryOfTheHostIsNoUnusedMemoryOfTheDevice) {
  const OnStandin run = run_on_standin({"pinned"});
  EXPECT_EQ(found(run, "unused_allocation").size(), 0U) << run.report["findings"];
  std::map<std::int32_t, std::uint64_t> allocations;
  for (const DataOp& op : run.trace.ops) {
    if (op.kind == OpKind::kAlloc) ++allocations[op.dst_device];
    if (op.kind == OpKind::kDelete) --allocations[op.src_device];
  }
  EXPECT_TRUE(allocations.contains(run.trace.host_device));
  for (const auto& [device, count] : allocations) EXPECT_EQ(count, 0U) << device;
}

TEST(CudaFindings, WithoutAPinnedCopyNoTimeIsPromised) {
  const OnStandin run = run_on_standin({"beside", "needed"});
  const Json findings = found(run, "pageable_transfer");
  ASSERT_EQ(findings.size(), 1U) << run.report["findings"];
  EXPECT_EQ(findings[0]["variable"], "b");  // a is copied once in each direction
  EXPECT_EQ(findings[0]["confidence"], "possible");
  EXPECT_TRUE(findings[0]["wasted_ns"].is_null()) << findings[0];
}

TEST(CudaFindings, MemoryThatIsCopiedOnceIsNotWorthPageLocking) {
  const OnStandin run = run_on_standin({"shapes"});
  EXPECT_EQ(found(run, "pageable_transfer").size(), 0U) << run.report["findings"];
}

TEST(CudaFindings, ACopyThatWaitedForAKernelItDoesNotNeed) {
  const OnStandin run =
      run_on_standin({"beside"}, {{"STANDIN_COPY_US", "200"}, {"STANDIN_KERNEL_US", "300"}});
  const Json findings = found(run, "no_overlap");
  ASSERT_EQ(findings.size(), 1U) << run.report["findings"];
  EXPECT_EQ(findings[0]["variable"], "b");
  EXPECT_EQ(findings[0]["count"], 10);
  EXPECT_EQ(findings[0]["confidence"], "possible");
  EXPECT_NEAR(findings[0]["wasted_ns"].get<double>(), 10 * 200e3, 2e4);
}

TEST(CudaFindings, ACopyThatTheKernelsMapsNameHasToWait) {
  const OnStandin run = run_on_standin({"beside", "needed"},
                                       {{"STANDIN_COPY_US", "200"}, {"STANDIN_KERNEL_US", "300"}});
  EXPECT_EQ(found(run, "no_overlap").size(), 0U) << run.report["findings"];
}

TEST(CudaFindings, AKernelThatRanAsFewThreads) {
  const OnStandin run = run_on_standin({"beside"}, {{"OMP_NUM_TEAMS", "4"}});
  const Json findings = found(run, "serial_kernel");
  ASSERT_EQ(findings.size(), 1U) << run.report["findings"];
  EXPECT_EQ(findings[0]["count"], 10);
  EXPECT_TRUE(contains(findings[0]["evidence"], "4 of 132 multiprocessors")) << findings[0];
}

TEST(CudaFindings, AKernelWhoseRegistersLeaveLittleRoom) {
  const OnStandin run = run_on_standin({"beside"}, {{"STANDIN_REGISTERS", "255"}});
  const Json findings = found(run, "serial_kernel");
  ASSERT_EQ(findings.size(), 1U) << run.report["findings"];
  // 255 registers take 8192 of a warp's, so 8 of 64 warps fit in 65536.
  EXPECT_TRUE(contains(findings[0]["evidence"], "registers let 256 of 2048 threads"))
      << findings[0];
}

TEST(CudaFindings, AKernelThatFillsTheDeviceIsNoFinding) {
  const OnStandin run = run_on_standin({"beside"});
  EXPECT_EQ(found(run, "serial_kernel").size(), 0U) << run.report["findings"];
}

}  // namespace
}  // namespace ompdm::e2e::findings_test
