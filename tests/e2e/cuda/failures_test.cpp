// CUPTI is missing, taken, old, drops records or dies with its process. The program runs as it
// would, and the trace says what is not known.
#include <gtest/gtest.h>

#include <filesystem>

#include "met.h"
#include "ompdm/trace_file.h"

namespace ompdm::e2e::failures_test {
namespace {

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

struct Failure {
  const char* name;
  std::map<std::string, std::string> environment;
  const char* why;
};
void PrintTo(const Failure& failure, std::ostream* out) { *out << failure.name; }

class WithoutCupti : public testing::TestWithParam<Failure> {};

TEST_P(WithoutCupti, TheHostsClockIsLeft) {
  const OnStandin run = run_on_standin({"shapes"}, GetParam().environment);
  EXPECT_EQ(run.ended.status, 0);
  EXPECT_NE(run.trace.recording.cupti.find(GetParam().why), std::string::npos)
      << run.trace.recording.cupti;
  const bool asked_for = run.trace.recording.cupti == "off";
  EXPECT_EQ(occurrences(run.ended.err, "no CUPTI"), asked_for ? 0U : 1U) << run.ended.err;
  EXPECT_TRUE(run.trace.activities.empty());
  for (const Loss& loss : run.trace.losses) EXPECT_EQ(loss.count, 0) << loss.name;
  EXPECT_EQ(run.report["totals"]["kernel"]["count"], 7);
  for (const Json& row : run.report["activities"]) EXPECT_EQ(row["clock"], "enqueue");
}

INSTANTIATE_TEST_SUITE_P(
    , WithoutCupti,
    testing::Values(Failure{"driver_fails", {{"STANDIN_CUPTI", "no_driver"}}, "answered 999"},
                    Failure{"taken", {{"STANDIN_CUPTI", "subscribed"}}, "another tool uses CUPTI"},
                    Failure{"not_found",
                            {{"OMPDM_CUPTI_LIBRARY", "/nowhere/libcupti.so"}},
                            "OMPDM_CUPTI_LIBRARY=/nowhere/libcupti.so cannot be opened"},
                    Failure{"not_cupti",
                            {{"OMPDM_CUPTI_LIBRARY", OMPDM_STANDIN_LIBRARIES "/libcuda.so"}},
                            "too old"},
                    Failure{"off", {{"OMPDM_CUPTI", "off"}}, "off"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Cuda, ABadSettingIsSaidAndTheDefaultUsed) {
  const OnStandin run = run_on_standin({"shapes"}, {{"OMPDM_CUPTI", "perhaps"}});
  expect_all_met(run);
  EXPECT_EQ(occurrences(run.ended.err, "OMPDM_CUPTI=perhaps"), 1U) << run.ended.err;
}

// Other layouts, no timestamp callback (its clock is the wall clock), no choice of driver calls.
TEST(Cuda, Cupti11IsUnderstood) {
  const OnStandin run = run_on_standin(
      {"shapes"}, {{"OMPDM_CUPTI_LIBRARY", OMPDM_STANDIN_LIBRARIES "/11/libcupti.so.11.8"}});
  expect_all_met(run);
  EXPECT_EQ(run.trace.recording.cupti_version, 13U);
}

TEST(Cuda, NoNewerCuptiThanTheDriverIsTaken) {
  const OnStandin run = run_on_standin(
      {"shapes"}, {{"LD_LIBRARY_PATH", OMPDM_STANDIN_LIBRARIES ":" OMPDM_STANDIN_LIBRARIES "/11"},
                   {"STANDIN_DRIVER", "11080"}});
  expect_all_met(run);
  EXPECT_EQ(run.trace.recording.cupti_version, 13U);  // of CUDA 11.0, as the stand-in says
}

TEST(Cuda, DroppedRecordsAreCounted) {
  const OnStandin run = run_on_standin({"storm", "500"}, {{"STANDIN_CUPTI_DROP", "10"}});
  EXPECT_EQ(run.ended.status, 0);
  const std::uint64_t dropped = loss_of(run.trace, "activities_dropped");
  EXPECT_GT(dropped, 50U);
  // One of them at most was the runtime's own.
  EXPECT_LE(loss_of(run.trace, "activities_missing"), dropped);
  EXPECT_GE(loss_of(run.trace, "activities_missing") + 1, dropped);
  // What is not known of some is not made up: they keep rows of their own.
  std::uint64_t enqueued = 0;
  for (const Json& row : run.report["activities"]) {
    if (row["clock"] == "enqueue") enqueued += row["count"].get<std::uint64_t>();
  }
  EXPECT_EQ(enqueued, loss_of(run.trace, "activities_missing"));
  EXPECT_EQ(run.report["totals"]["kernel"]["count"], 500);
}

class LateBuffers : public testing::TestWithParam<const char*> {};

// CUPTI's thread may give buffers back while the recording ends, while its spool is read, or never.
TEST_P(LateBuffers, HarmNothingAndAreCounted) {
  const OnStandin run = run_on_standin(
      {"storm", "2000"},
      {{"STANDIN_CUPTI_LATE", GetParam()}, {"STANDIN_COPY_US", "1"}, {"STANDIN_KERNEL_US", "1"}});
  EXPECT_EQ(run.ended.status, 0) << run.ended.err;
  EXPECT_FALSE(run.trace.truncated);
  EXPECT_TRUE(run.trace.recording.finished);
  EXPECT_EQ(run.trace.recording.cupti, "on");
  EXPECT_EQ(run.trace.launches.size(), 2000U);
  EXPECT_EQ(run.report["totals"]["kernel"]["count"], 2000);
  std::size_t ran = 0;
  std::size_t asked = run.trace.launches.size();
  for (const DataOp& op : run.trace.ops) asked += op.kind == OpKind::kHtoD ? 1 : 0;
  for (const DeviceActivity& activity : run.trace.activities) {
    if (activity.op || activity.launch) ++ran;
  }
  const std::uint64_t missing = loss_of(run.trace, "activities_missing");
  EXPECT_EQ(ran + missing, asked);
  // What came late was one of these, or a wait: each kernel makes two, each copy one.
  EXPECT_LE(loss_of(run.trace, "activities_late"), 3 * missing + 4);
  if (std::string_view(GetParam()) == "60000000") {
    EXPECT_GT(missing, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(, LateBuffers,
                         testing::Values("0", "50", "200", "1000", "5000", "20000", "60000000"),
                         [](const auto& test) { return std::string(test.param) + "_us"; });

TEST(Cuda, AKilledProcessLosesTheLastBufferAlone) {
  const Folder folder;
  Command command{{OMPDM_COMMAND, "record", "--", OMPDM_CUDA_PROGRAMS "/storm", "3000", "kill"}};
  command.environment = standin_environment();
  EXPECT_EQ(e2e::run(command, folder.path()).status, 137);
  const Trace trace = read_trace(folder.path() / "trace.json");
  EXPECT_EQ(trace.launches.size(), 3000U);
  EXPECT_EQ(trace.recording.cupti, "on");
  const std::uint64_t missing = loss_of(trace, "activities_missing");
  EXPECT_GT(missing, 0U);
  EXPECT_LT(missing, 2 * 65536U / 80) << "more than two buffers of 64 KiB";
  EXPECT_GT(trace.activities.size(), 4000U);
}

TEST(Cuda, AForkedChildHasNoCupti) {
  const OnStandin run = run_on_standin({"storm", "10", "fork"});
  EXPECT_EQ(run.ended.status, 0) << run.ended.err;
  expect_all_met(run);
  EXPECT_EQ(run.trace.launches.size(), 10U);
}

TEST(Cuda, ALongRunGivesItsBuffersBack) {
  const OnStandin run = run_on_standin(
      {"storm", "20000"},
      {{"STANDIN_COPY_US", "1"}, {"STANDIN_KERNEL_US", "1"}, {"LIBOMPTARGET_INFO", "0"}});
  EXPECT_EQ(run.ended.status, 0) << run.ended.err;
  EXPECT_EQ(loss_of(run.trace, "activities_missing"), 0U);
  EXPECT_EQ(run.trace.launches.size(), 20000U);
  EXPECT_EQ(run.report["totals"]["kernel"]["count"], 20000);
}

}  // namespace
}  // namespace ompdm::e2e::failures_test
