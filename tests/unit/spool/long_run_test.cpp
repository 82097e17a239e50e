// The trace of a run of many events: what it is called, and what makes room for it.
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "ompdm/finish.h"
#include "ompdm/trace_file.h"
#include "spool/spool_builder.h"

namespace ompdm::test::long_run_test {
namespace {

namespace fs = std::filesystem;

// The spools hold one event.
FinishResult finish_long(const fs::path& spool, const fs::path& output) {
  return finish(spool, output, {.most_in_json = 0});
}

TEST(LongRun, LeavesItsOwnKindOfFile) {
  for (const char* name : {"long.json", "long.json.gz", "long.ompdm"}) {
    const fs::path spool = spool_of("long.spool");
    const FinishResult result = finish_long(spool, spool.parent_path() / name);
    EXPECT_EQ(result.trace.filename(), "long.ompdm") << name;
    EXPECT_EQ(result.model.file, result.trace.string());
    EXPECT_TRUE(is_binary_trace(result.trace));
    EXPECT_EQ(read_trace(result.trace).regions.size(), 1U);
    EXPECT_FALSE(fs::exists(spool.parent_path() / "long.json")) << name;
    fs::remove(result.trace);
  }
}

TEST(LongRun, TheLimitIsTheLargestNumberOfEventsInJson) {
  const fs::path spool = spool_of("limit.spool");
  const fs::path output = spool.parent_path() / "limit.json";
  EXPECT_EQ(finish(spool, output, {.most_in_json = 1}).trace, output);
  EXPECT_FALSE(is_binary_trace(output));
  fs::remove(output);
}

TEST(LongRun, AnyRunIsWrittenSoThatAsksForIt) {
  const fs::path spool = spool_of("asked.spool");
  const fs::path output = spool.parent_path() / "asked.ompdm";
  EXPECT_EQ(finish(spool, output).trace, output);
  EXPECT_TRUE(is_binary_trace(output));
  fs::remove(output);
}

TEST(LongRun, OtherNamesAreKept) {
  const fs::path spool = spool_of("named.spool");
  const fs::path output = spool.parent_path() / "named.trace";
  EXPECT_EQ(finish_long(spool, output).trace, output);
  EXPECT_TRUE(is_binary_trace(output));
  fs::remove(output);
}

TEST(LongRun, BothNamesAreOneAndTheOlderTraceIsKept) {
  const fs::path output = spool_of("turns.spool").parent_path() / "turns.json";
  EXPECT_EQ(finish(spool_of("turns.spool"), output).trace, output);
  const FinishResult second = finish_long(spool_of("turns.spool"), output);
  EXPECT_EQ(second.trace.filename(), "turns.ompdm");
  EXPECT_EQ(second.kept.filename(), "turns.~1~.json");
  EXPECT_FALSE(fs::exists(output));
  const FinishResult third = finish(spool_of("turns.spool"), output);
  EXPECT_EQ(third.trace, output);
  EXPECT_EQ(third.kept.filename(), "turns.~2~.ompdm");
  EXPECT_FALSE(fs::exists(second.trace));
  EXPECT_EQ(finish_long(spool_of("turns.spool"), output).kept.filename(), "turns.~3~.json");
  EXPECT_EQ(finish_long(spool_of("turns.spool"), output).kept.filename(), "turns.~4~.ompdm");
}

TEST(LongRun, AForeignFileOfItsNameIsNeverTouched) {
  const fs::path foreign = write_file("strange.ompdm", "mine");
  const fs::path output = foreign.parent_path() / "strange.json";
  const FinishResult result = finish_long(spool_of("strange.spool"), output);
  EXPECT_EQ(result.trace.filename(), "strange.p4242.ompdm");
  EXPECT_EQ(fs::file_size(foreign), 4U);
  // Nor is one that stands under the other name.
  const fs::path other = write_file("odd.json", "{}");
  EXPECT_EQ(finish_long(spool_of("odd.spool"), other).trace.filename(), "odd.ompdm");
  EXPECT_EQ(fs::file_size(other), 2U);
}

TEST(LongRun, NoTraceIsLostWhereBothNamesAreTakenAtOnce) {
  constexpr int kThreads = 8;
  std::vector<fs::path> spools;
  for (int i = 0; i < kThreads; ++i) spools.push_back(spool_of("both" + std::to_string(i)));
  const fs::path output = spools[0].parent_path() / "both.json";
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      (void)(i % 2 == 0 ? finish_long(spools[i], output) : finish(spools[i], output));
    });
  }
  for (std::thread& thread : threads) thread.join();
  int traces = 0;
  for (const auto& file : fs::directory_iterator(output.parent_path())) {
    if (!file.path().filename().string().starts_with("both.")) continue;
    EXPECT_EQ(read_trace(file.path()).regions.size(), 1U) << file.path();
    ++traces;
  }
  EXPECT_EQ(traces, kThreads);
}

}  // namespace
}  // namespace ompdm::test::long_run_test
