// CUDA starts the recorder by itself (CUDA_INJECTION64_PATH) where OpenMP does not, and only there.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "met.h"
#include "ompdm/trace_file.h"

namespace ompdm::e2e::injection_test {
namespace {

using Shape = std::array<std::uint32_t, 3>;

TEST(Cuda, ProgramsWithoutOpenMpAreTracedByInjection) {
  const Folder folder;
  Command command{{OMPDM_CUDA_PROGRAMS "/plain"}};
  command.environment = {{"LD_LIBRARY_PATH", OMPDM_STANDIN_LIBRARIES},
                         {"CUDA_INJECTION64_PATH", OMPDM_RECORDER}};
  const Ended ended = e2e::run(command, folder.path());
  EXPECT_EQ(ended.status, 0) << ended.err;
  const auto trace_file = folder.path() / "trace.json";
  // It waits for the trace that is being written.
  const std::string report =
      e2e::run({{OMPDM_COMMAND, "report", trace_file.string()}}, folder.path()).out;
  const Trace trace = read_trace(trace_file);
  EXPECT_EQ(trace.recording.attached_by, "CUDA_INJECTION64_PATH");
  EXPECT_EQ(trace.recording.cupti, "on");
  ASSERT_EQ(trace.activities.size(), 22U);
  EXPECT_EQ(kernels_of(trace).front()->grid, (Shape{4, 2, 1}));
  EXPECT_EQ(kernels_of(trace).front()->block, (Shape{32, 8, 1}));
  EXPECT_EQ(kernels_of(trace).front()->dynamic_shared, 512U);
  for (const char* part : {"[CUDA memcpy HtoD]", "[CUDA memcpy DtoH]", "[CUDA memset]", "scale",
                           "Stand-in GPU 0", "no directive is known"}) {
    EXPECT_NE(report.find(part), std::string::npos) << part << " in\n" << report;
  }
}

TEST(Cuda, RecordTracesProgramsWithoutOpenMp) {
  const Folder folder;
  Command command{{OMPDM_COMMAND, "record", "--", OMPDM_CUDA_PROGRAMS "/plain"}};
  command.environment = {{"LD_LIBRARY_PATH", OMPDM_STANDIN_LIBRARIES}};
  const Ended ended = e2e::run(command, folder.path());
  EXPECT_EQ(ended.status, 0) << ended.err;
  const Trace trace = read_trace(folder.path() / "trace.json");
  EXPECT_EQ(trace.recording.attached_by, "CUDA_INJECTION64_PATH");
  EXPECT_EQ(trace.activities.size(), 22U);
  EXPECT_EQ(trace.synchronizations.size(), 1U);
}

TEST(Cuda, AnotherInjectedToolIsLeftInItsPlace) {
  const Folder folder;
  Command command{{OMPDM_COMMAND, "record", "--", OMPDM_CUDA_PROGRAMS "/plain"}};
  command.environment = {{"LD_LIBRARY_PATH", OMPDM_STANDIN_LIBRARIES},
                         {"CUDA_INJECTION64_PATH", "/nowhere/their_tool.so"}};
  EXPECT_EQ(e2e::run(command, folder.path()).status, 0);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "trace.json"));
}

// Under LLVM's runtime OMPT has started the recorder before: the driver's call changes nothing.
TEST(Cuda, OpenMpProgramsAreRecordedOnce) {
  const OnStandin injected = run_on_standin({"shapes"});
  expect_all_met(injected);
  const OnStandin without =
      run_on_standin({"shapes"}, {{"CUDA_INJECTION64_PATH", "/nowhere/their_tool.so"}});
  expect_all_met(without);
  for (const OnStandin* run : {&injected, &without}) {
    EXPECT_EQ(run->trace.recording.attached_by, "LD_PRELOAD");
    EXPECT_EQ(run->trace.activities.size(), 16U);
    EXPECT_EQ(run->trace.launches.size(), 7U);
    EXPECT_EQ(run->trace.devices.size(), 2U);
    EXPECT_EQ(run->trace.synchronizations.size(), without.trace.synchronizations.size());
  }
}

}  // namespace
}  // namespace ompdm::e2e::injection_test
