// What devices did, under LLVM's CUDA plugin on the stand-in: each count and byte of OMPT's meets
// its activity, and the report tells shapes, streams, kinds of memory and overlap.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "met.h"
#include "ompdm/trace_file.h"

namespace ompdm::e2e {
namespace {

using Shape = std::array<std::uint32_t, 3>;

std::vector<const DeviceActivity*> kernels_of(const Trace& trace) {
  std::vector<const DeviceActivity*> kernels;
  for (const DeviceActivity& activity : trace.activities) {
    if (activity.kind == ActivityKind::kKernel) kernels.push_back(&activity);
  }
  return kernels;
}

class OthersPrograms : public testing::TestWithParam<const char*> {};

TEST_P(OthersPrograms, MeetTheirActivities) { expect_all_met(run_on_standin({GetParam()})); }

INSTANTIATE_TEST_SUITE_P(, OthersPrograms,
                         testing::Values("always", "api", "api_async", "classes", "conditions",
                                         "declare_target", "firstprivate", "huge", "mapper",
                                         "nested_data", "nowait_depend", "parallel_regions",
                                         "reductions", "reused", "same_line", "strided_update",
                                         "struct_members", "templates", "threads"),
                         [](const auto& test) { return std::string(test.param); });

TEST(Cuda, TellsGridsAndBlocks) {
  const OnStandin run = run_on_standin({"shapes"});
  EXPECT_EQ(run.ended.status, 0);
  expect_all_met(run);
  const auto kernels = kernels_of(run.trace);
  ASSERT_EQ(kernels.size(), 7U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(kernels[i]->grid, (Shape{7, 1, 1}));
    EXPECT_EQ(kernels[i]->block, (Shape{64, 1, 1}));
    EXPECT_EQ(run.trace.kernels[kernels[i]->kernel.value].function, "main");
  }
  EXPECT_EQ(kernels[5]->grid, (Shape{3, 1, 1}));
  EXPECT_EQ(kernels[5]->block, (Shape{256, 1, 1}));
  EXPECT_EQ(kernels[6]->grid, (Shape{1, 1, 1}));
  EXPECT_EQ(kernels[6]->block, (Shape{32, 1, 1}));
  EXPECT_EQ(run.report["totals"]["kernel"]["count"], 7);
  EXPECT_EQ(run.report["totals"]["HtoD"]["bytes"], 8 * (4096 + 16 + 4096 + 8));
  EXPECT_EQ(run.report["totals"]["DtoH"]["bytes"], 8 * (32 + 4096 + 4096 + 8));
  // The plugin's own upload is shown, and nobody's.
  EXPECT_GT(run.report["totals"]["runtime_internal"]["count"], 0);
  // Kernels take at least what the stand-in lets them take, and are told by the device's clock.
  for (const Json& row : run.report["activities"]) {
    EXPECT_GE(row["min_ns"], row["type"] == "kernel" ? 49'000 : 19'000);
  }
}

TEST(Cuda, SynchronousRegionsEncloseWhatTheyAskedFor) {
  const OnStandin run = run_on_standin({"shapes"}, {{"STANDIN_COPY_US", "500"}});
  expect_all_met(run);
  const auto slack = static_cast<Nanoseconds>(1000 + run.trace.recording.cupti_residual_ns);
  std::size_t tied = 0;
  for (const DeviceActivity& activity : run.trace.activities) {
    if (!activity.region) continue;
    const Region& region = run.trace.regions[activity.region.value];
    EXPECT_GE(activity.begin, region.begin - slack);
    EXPECT_LE(activity.end, region.end + slack);
    ++tied;
  }
  EXPECT_EQ(tied, 7U + 4U + 4U);
  std::size_t waits = 0;
  for (const Synchronization& wait : run.trace.synchronizations) {
    if (!wait.region || wait.kind != SynchronizationKind::kStream) continue;
    EXPECT_LE(wait.end, run.trace.regions[wait.region.value].end + slack);
    ++waits;
  }
  // The begin of `target data`, seven kernels (each with what comes back), two updates, and the end.
  EXPECT_EQ(waits, 1U + 7U + 2U + 1U);
}

TEST(Cuda, DeferredRegionsEndBeforeTheirWork) {
  const OnStandin run =
      run_on_standin({"late"}, {{"STANDIN_COPY_US", "3000"}, {"STANDIN_KERNEL_US", "5000"}});
  EXPECT_EQ(run.ended.status, 0);
  expect_all_met(run);
  EXPECT_EQ(kernels_of(run.trace).size(), 6U);
  std::size_t late = 0;
  std::set<std::uint32_t> streams;
  for (const DeviceActivity& activity : run.trace.activities) {
    if (!activity.region) continue;
    streams.insert(activity.stream);
    if (activity.end > run.trace.regions[activity.region.value].end) ++late;
  }
  EXPECT_GT(late, 0U);
  EXPECT_GT(streams.size(), 1U);
  // Copies and kernels on several streams: what ran at once is told.
  ASSERT_EQ(run.report["device_use"].size(), 1U);
  const Json& use = run.report["device_use"][0];
  EXPECT_GT(use["both_ns"], 0);
  EXPECT_EQ(use["copies_ns"].get<Nanoseconds>() + use["kernels_ns"].get<Nanoseconds>() -
                use["both_ns"].get<Nanoseconds>() + use["idle_ns"].get<Nanoseconds>(),
            use["span_ns"]);
}

TEST(Cuda, DevicesReachEachOther) {
  const OnStandin run =
      run_on_standin({"peers"}, {{"STANDIN_DEVICES", "2"}, {"STANDIN_PEER", "1"}});
  EXPECT_EQ(run.ended.status, 0) << run.ended.err;
  EXPECT_EQ(loss_of(run.trace, "activities_missing"), 0);
  EXPECT_EQ(run.report["totals"]["DtoD"]["bytes"], 8000);
  EXPECT_EQ(run.report["totals"]["DtoD"]["count"], 1);
  const auto peer = std::ranges::find_if(run.trace.activities, [](const DeviceActivity& activity) {
    return activity.kind == ActivityKind::kDtoD;
  });
  ASSERT_NE(peer, run.trace.activities.end());
  // (LLVM 19's plugin names the two contexts the wrong way round; the operation says it right.)
  EXPECT_EQ(std::set({peer->source_device, peer->destination_device}), std::set({0, 1}));
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

TEST(Cuda, CopiesBetweenDevicesMayGoByTheHost) {
  const OnStandin run = run_on_standin({"peers"}, {{"STANDIN_DEVICES", "2"}});
  EXPECT_EQ(run.ended.status, 0) << run.ended.err;
  EXPECT_EQ(loss_of(run.trace, "activities_missing"), 0);
  EXPECT_EQ(loss_of(run.trace, "activities_unequal"), 0);
  EXPECT_EQ(run.report["totals"]["DtoD"]["bytes"], 8000);
}

TEST(Cuda, KindsOfMemoryAreTold) {
  const OnStandin run = run_on_standin({"pinned"});
  EXPECT_EQ(run.ended.status, 0) << run.ended.err;
  expect_all_met(run);
  std::map<MemoryKind, std::uint64_t> sources;
  for (const DeviceActivity& activity : run.trace.activities) {
    if (activity.kind == ActivityKind::kHtoD && !activity.internal) ++sources[activity.source];
  }
  EXPECT_EQ(sources[MemoryKind::kPageable], 21U);
  EXPECT_EQ(sources[MemoryKind::kPinned], 21U);
}

TEST(Cuda, TheListHasNvprofsColumns) {
  const Folder folder;
  const auto trace = folder.path() / "trace.json";
  Command record{{OMPDM_COMMAND, "record", "--", OMPDM_CUDA_PROGRAMS "/shapes"}};
  record.environment = standin_environment();
  ASSERT_EQ(e2e::run(record, folder.path()).status, 0);
  const auto list = [&](const std::string& format) {
    return e2e::run({{OMPDM_COMMAND, "report", "--gpu-trace", "--format", format, trace.string()}},
                    folder.path())
        .out;
  };
  const std::string text = list("text");
  for (const char* part : {"Regs", "SSMem", "DSMem", "SrcMemType", "DstMemType", "Stream",
                           "(7 1 1)", "(64 1 1)", "1.0240KB", "Pageable", "[CUDA memcpy HtoD] x"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
  const Json json = Json::parse(list("json"));
  std::size_t kernels = 0;
  for (const Json& row : json["operations"]) {
    if (!row.contains("grid")) continue;
    ++kernels;
    EXPECT_EQ(row["clock"], "device");
    EXPECT_EQ(row["registers"], 32);
    EXPECT_LE(row["submitted_ns"].get<Nanoseconds>(), row["start_ns"].get<Nanoseconds>() + 1000);
  }
  EXPECT_EQ(kernels, 7U);
}

TEST(Cuda, ProgramsWithoutOpenMpAreTracedByInjection) {
  const Folder folder;
  Command command{{OMPDM_CUDA_PROGRAMS "/plain"}};
  command.environment = {{"LD_LIBRARY_PATH", OMPDM_STANDIN_LIBRARIES},
                         {"CUDA_INJECTION64_PATH", OMPDM_RECORDER}};
  const Ended ended = e2e::run(command, folder.path());
  EXPECT_EQ(ended.status, 0) << ended.err;
  const auto trace_file = folder.path() / "trace.json";
  const Trace trace = read_trace(trace_file);
  EXPECT_EQ(trace.recording.attached_by, "CUDA_INJECTION64_PATH");
  EXPECT_EQ(trace.recording.cupti, "on");
  ASSERT_EQ(trace.activities.size(), 22U);
  EXPECT_EQ(kernels_of(trace).front()->grid, (Shape{4, 2, 1}));
  EXPECT_EQ(kernels_of(trace).front()->block, (Shape{32, 8, 1}));
  EXPECT_EQ(kernels_of(trace).front()->dynamic_shared, 512U);
  const std::string report =
      e2e::run({{OMPDM_COMMAND, "report", trace_file.string()}}, folder.path()).out;
  for (const char* part : {"[CUDA memcpy HtoD]", "[CUDA memcpy DtoH]", "[CUDA memset]", "scale",
                           "Stand-in GPU 0", "no directive is known"}) {
    EXPECT_NE(report.find(part), std::string::npos) << part << " in\n" << report;
  }
}

}  // namespace
}  // namespace ompdm::e2e
