// What devices did, under LLVM's CUDA plugin on the stand-in: each count and byte of OMPT's meets
// its activity, and the report tells shapes, streams, kinds of memory and overlap.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "met.h"
#include "ompdm/trace_file.h"

namespace ompdm::e2e::activities_test {
namespace {

using Shape = std::array<std::uint32_t, 3>;

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
  // The begin of `target data`, seven kernels (each with its copies back), two updates, and the
  // end.
  EXPECT_EQ(waits, 1U + 7U + 2U + 1U);
}

TEST(Cuda, DeferredRegionsEndBeforeTheirWork) {
  const OnStandin run =
      run_on_standin({"late"}, {{"STANDIN_COPY_US", "20000"}, {"STANDIN_KERNEL_US", "30000"}});
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
  // Copies and kernels on several streams: what ran at once is told. On a busy machine nothing may.
  ASSERT_EQ(run.report["device_use"].size(), 1U);
  const Json& use = run.report["device_use"][0];
  const auto& all = run.trace.activities;
  const bool any_at_once = std::ranges::any_of(all, [&](const DeviceActivity& kernel) {
    return kernel.kind == ActivityKind::kKernel &&
           std::ranges::any_of(all, [&](const DeviceActivity& copy) {
             return copy.kind != ActivityKind::kKernel && copy.begin < kernel.end &&
                    kernel.begin < copy.end;
           });
  });
  EXPECT_EQ(use["both_ns"] > 0, any_at_once);
  EXPECT_EQ(use["copies_ns"].get<Nanoseconds>() + use["kernels_ns"].get<Nanoseconds>() -
                use["both_ns"].get<Nanoseconds>() + use["idle_ns"].get<Nanoseconds>(),
            use["span_ns"]);
}

TEST(Cuda, KindsOfMemoryAreTold) {
  const OnStandin run = run_on_standin({"pinned"});
  EXPECT_EQ(run.ended.status, 0) << run.ended.err;
  expect_all_met(run);
  std::map<MemoryKind, std::uint64_t> sources;
  for (const DeviceActivity& activity : run.trace.activities) {
    if (activity.kind == ActivityKind::kHtoD && !activity.internal) ++sources[activity.source];
  }
  EXPECT_EQ(sources[MemoryKind::kPageable], 20U);
  EXPECT_EQ(sources[MemoryKind::kPinned], 20U);
}

// LLVM fills a device's memory by a copy of its own: the program's copies keep their share.
TEST(Cuda, AMemsetWithoutAnActivityLeavesSharesKnown) {
  const OnStandin run = run_on_standin({"api_async"});
  EXPECT_TRUE(run.report["traces"][0]["device_union_ns"].is_number()) << run.report["traces"];
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

}  // namespace
}  // namespace ompdm::e2e::activities_test
