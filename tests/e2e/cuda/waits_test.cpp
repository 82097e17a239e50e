// The host's waits, and how soon the device began. On a stand-in whose copies and kernels take a
// given time.
#include <gtest/gtest.h>

#include "met.h"
#include "ompdm/trace_file.h"

namespace ompdm::e2e::waits_test {
namespace {

constexpr Nanoseconds kMillisecond = 1'000'000;
constexpr Nanoseconds kScale = 20'000;  // CUPTI's clock is brought to the recording's by a line

/// Of one directive, by its line.
Json waits_at(const Json& report, int line) {
  for (const Json& row : report["host_waits"]) {
    if (row["directive"].is_null()) continue;
    if (report["directives"][row["directive"].get<std::size_t>()]["line"] == line) return row;
  }
  return nullptr;
}

Json latency_of(const Json& report, const std::string& type) {
  for (const Json& row : report["start_latencies"]) {
    if (row["type"] == type) return row;
  }
  return nullptr;
}

class Waits : public testing::TestWithParam<const char*> {};

TEST_P(Waits, AreAsLongAsWhatIsWaitedFor) {
  const OnStandin run = run_on_standin({"shapes"}, {{"STANDIN_COPY_US", "10000"},
                                                    {"STANDIN_KERNEL_US", "20000"},
                                                    {"OMPDM_CUPTI_LIBRARY", GetParam()}});
  expect_all_met(run);
  // Five kernels on data that is there: nothing but they can be waited for.
  const Json kernels = waits_at(run.report, 13);
  ASSERT_FALSE(kernels.is_null()) << run.report["host_waits"];
  EXPECT_EQ(kernels["count"], 5);
  EXPECT_EQ(kernels["copies_ns"], 0);
  EXPECT_LE(kernels["kernels_ns"], 100 * kMillisecond + kScale);
  EXPECT_GE(kernels["kernels_ns"], 50 * kMillisecond);
  EXPECT_GE(kernels["max_ns"], kernels["avg_ns"]);
  EXPECT_EQ(kernels["total_ns"].get<Nanoseconds>(),
            kernels["kernels_ns"].get<Nanoseconds>() + kernels["neither_ns"].get<Nanoseconds>());
  // One copy each.
  for (const int line : {16, 17}) {
    const Json copy = waits_at(run.report, line);
    ASSERT_FALSE(copy.is_null()) << run.report["host_waits"];
    EXPECT_EQ(copy["count"], 1);
    EXPECT_EQ(copy["kernels_ns"], 0);
    EXPECT_LE(copy["copies_ns"], 10 * kMillisecond + kScale);
    EXPECT_GE(copy["copies_ns"], 5 * kMillisecond);
  }
  // A copy there, the kernel, a copy back.
  const Json all = waits_at(run.report, 20);
  ASSERT_FALSE(all.is_null()) << run.report["host_waits"];
  EXPECT_GE(all["total_ns"], 30 * kMillisecond);
  EXPECT_LE(all["kernels_ns"], 20 * kMillisecond + kScale);
  EXPECT_LE(all["copies_ns"], 20 * kMillisecond + kScale);
}

INSTANTIATE_TEST_SUITE_P(, Waits,
                         testing::Values(OMPDM_STANDIN_LIBRARIES "/libcupti.so.13",
                                         OMPDM_STANDIN_LIBRARIES "/11/libcupti.so.11.8"),
                         [](const auto& test) { return test.index == 0 ? "cupti13" : "cupti11"; });

TEST(Cuda, QueuedRequestsStartWhenTheStreamIsFree) {
  const OnStandin run =
      run_on_standin({"shapes"}, {{"STANDIN_COPY_US", "20000"}, {"STANDIN_KERNEL_US", "100"}});
  expect_all_met(run);
  const Json kernels = latency_of(run.report, "kernel");
  ASSERT_FALSE(kernels.is_null()) << run.report["start_latencies"];
  EXPECT_EQ(kernels["count"], 7);
  EXPECT_EQ(kernels["queued_count"], 2);  // behind the copies of their own regions
  EXPECT_GE(kernels["max_ns"], 10 * kMillisecond);
  EXPECT_LE(kernels["max_ns"], 20 * kMillisecond + kScale);
  EXPECT_LT(kernels["min_ns"], 10 * kMillisecond);
  EXPECT_EQ(latency_of(run.report, "HtoD")["count"], 4);
  EXPECT_EQ(latency_of(run.report, "DtoH")["count"], 4);
}

TEST(Cuda, ApiCallsWaitForTheirOwnCopies) {
  const OnStandin run = run_on_standin({"api"}, {{"STANDIN_COPY_US", "1000"}});
  expect_all_met(run);
  std::uint64_t by_calls = 0;
  for (const Synchronization& wait : run.trace.synchronizations) {
    if (!wait.op) continue;
    EXPECT_FALSE(wait.region);
    EXPECT_EQ(wait.kind, SynchronizationKind::kStream);
    ++by_calls;
  }
  EXPECT_GT(by_calls, 0U);
  std::uint64_t in_rows = 0;
  for (const Json& row : run.report["host_waits"]) {
    if (row["directive"].is_null()) continue;
    const auto directive = row["directive"].get<std::size_t>();
    if (run.report["directives"][directive]["directive"] != "api") continue;
    in_rows += row["count"].get<std::uint64_t>();
  }
  EXPECT_EQ(in_rows, by_calls);
}

TEST(Cuda, WaitsWithoutOpenMpBelongToNoDirective) {
  const Folder folder;
  Command command{{OMPDM_CUDA_PROGRAMS "/plain"}};
  command.environment = {{"LD_LIBRARY_PATH", OMPDM_STANDIN_LIBRARIES},
                         {"CUDA_INJECTION64_PATH", OMPDM_RECORDER},
                         {"STANDIN_KERNEL_US", "5000"}};
  EXPECT_EQ(e2e::run(command, folder.path()).status, 0);
  const auto file = folder.path() / "trace.json";
  // It waits for the trace that is being written.
  const Json report = Json::parse(
      e2e::run({{OMPDM_COMMAND, "report", "--format", "json", file.string()}}, folder.path()).out);
  const Trace trace = read_trace(file);
  ASSERT_EQ(trace.synchronizations.size(), 1U);
  EXPECT_EQ(trace.synchronizations[0].device, 0);
  ASSERT_EQ(report["host_waits"].size(), 1U);
  EXPECT_TRUE(report["host_waits"][0]["directive"].is_null());
  EXPECT_GE(report["host_waits"][0]["kernels_ns"], 25 * kMillisecond);
  EXPECT_LE(report["host_waits"][0]["kernels_ns"], 50 * kMillisecond + kScale);
  const std::string text = e2e::run({{OMPDM_COMMAND, "report", file.string()}}, folder.path()).out;
  EXPECT_NE(text.find("Waits of the host, by the device's work"), std::string::npos) << text;
  EXPECT_NE(text.find("no directive"), std::string::npos) << text;
}

}  // namespace
}  // namespace ompdm::e2e::waits_test
