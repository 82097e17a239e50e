// Copies between two devices. LLVM 19's plugin swaps the two contexts of cuMemcpyPeerAsync. The
// driver does not mind, since addresses decide. CUPTI may name the contexts or where the memory is:
// the trace has the sides that the program asked for.
#include <gtest/gtest.h>

#include <algorithm>

#include "met.h"
#include "ompdm/trace_file.h"

namespace ompdm::e2e::peers_test {
namespace {

class Peers : public testing::TestWithParam<const char*> {};

TEST_P(Peers, CopiesSayWhereFromAndWhereTo) {
  const OnStandin run = run_on_standin(
      {"peers"},
      {{"STANDIN_DEVICES", "2"}, {"STANDIN_PEER", "1"}, {"STANDIN_PEER_SIDES", GetParam()}});
  EXPECT_EQ(run.ended.status, 0) << run.ended.err;
  EXPECT_EQ(loss_of(run.trace, "activities_missing"), 0);
  EXPECT_EQ(run.report["totals"]["DtoD"]["bytes"], 8000);
  EXPECT_EQ(run.report["totals"]["DtoD"]["count"], 1);
  const auto peer = std::ranges::find_if(run.trace.activities, [](const DeviceActivity& activity) {
    return activity.kind == ActivityKind::kDtoD;
  });
  ASSERT_NE(peer, run.trace.activities.end());
  EXPECT_EQ(peer->source_device, 0);
  EXPECT_EQ(peer->destination_device, 1);
  ASSERT_TRUE(peer->op);
  EXPECT_EQ(run.trace.ops[peer->op.value].src_device, 0);
  EXPECT_EQ(run.trace.ops[peer->op.value].dst_device, 1);
  const auto kernels = kernels_of(run.trace);
  ASSERT_EQ(kernels.size(), 2U);
  for (std::uint32_t device = 0; device < 2; ++device) {
    EXPECT_EQ(kernels[device]->device, static_cast<std::int32_t>(device));
    EXPECT_EQ(kernels[device]->grid[0], device + 2);
    EXPECT_EQ(run.trace.devices[device].name, "Stand-in GPU " + std::to_string(device));
    EXPECT_EQ(run.trace.devices[device].multiprocessors, 132U);
  }
}

INSTANTIATE_TEST_SUITE_P(, Peers, testing::Values("contexts", "memory"),
                         [](const auto& test) { return std::string(test.param); });

// Where no operation tells, CUPTI is believed.
TEST(Cuda, CopiesWithoutOpenMpGoAsCuptiTells) {
  const Folder folder;
  Command command{{OMPDM_COMMAND, "record", "--", OMPDM_CUDA_PROGRAMS "/plain_peers"}};
  command.environment = {{"LD_LIBRARY_PATH", OMPDM_STANDIN_LIBRARIES}, {"STANDIN_DEVICES", "2"}};
  EXPECT_EQ(e2e::run(command, folder.path()).status, 0);
  const Trace trace = read_trace(folder.path() / "trace.json");
  ASSERT_EQ(trace.activities.size(), 1U);
  EXPECT_EQ(trace.activities[0].kind, ActivityKind::kDtoD);
  EXPECT_EQ(trace.activities[0].source_device, 1);
  EXPECT_EQ(trace.activities[0].destination_device, 0);
}

TEST(Cuda, CopiesBetweenDevicesMayGoByTheHost) {
  const OnStandin run = run_on_standin({"peers"}, {{"STANDIN_DEVICES", "2"}});
  EXPECT_EQ(run.ended.status, 0) << run.ended.err;
  EXPECT_EQ(loss_of(run.trace, "activities_missing"), 0);
  EXPECT_EQ(loss_of(run.trace, "activities_unequal"), 0);
  EXPECT_EQ(run.report["totals"]["DtoD"]["bytes"], 8000);
}

}  // namespace
}  // namespace ompdm::e2e::peers_test
