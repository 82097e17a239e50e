// Who gets which file: names, placeholders, ranks, several processes under one `record`, and files
// that were there before.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <future>
#include <thread>

#include "endings/place.h"

namespace ompdm::e2e::endings::names_test {
namespace {

using Names = std::vector<std::string>;

Start plain(Attach attach = Attach::kPreload) {
  return {.command = {program("plain")}, .attach = attach};
}

Start script(const std::string& text, Attach attach) {
  return {.command = {"/bin/sh", "-c", text}, .attach = attach};
}

/// The files of a place once they are the expected ones, or after some seconds. Where the recorder
/// is attached by a variable alone, a rank's summary is made after the trace.
Names files_in_the_end(const Place& place, const Names& expected) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  Names files = place.files();
  while (files != expected && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    files = place.files();
  }
  return files;
}

TEST(Output, PlaceholdersAreReplaced) {
  const Place place;
  Start run = plain();
  run.environment = {{"OMPDM_OUTPUT", "%h-%q{WHO}-%p-%%.json"}, {"WHO", "me"}};
  EXPECT_EQ(place.run(run).status, 14);
  char host[256] = {};
  gethostname(host, sizeof(host) - 1);
  ASSERT_EQ(place.files().size(), 1U);
  const std::string name = place.files()[0];
  EXPECT_TRUE(name.starts_with(std::string(host) + "-me-")) << name;
  EXPECT_TRUE(name.ends_with("-%.json")) << name;
  expect_steps(place.report({name}), 5);
}

TEST(Output, TheNewestIsTraceJsonAndOlderOnesAreKept) {
  const Place place;
  for (int run = 1; run <= 3; ++run) {
    EXPECT_EQ(place.run(plain(run == 2 ? Attach::kRecord : Attach::kPreload)).status, 14);
  }
  EXPECT_EQ(place.files(), (Names{"trace.json", "trace.~1~.json", "trace.~2~.json"}));
  const auto pid = [&](const char* name) {
    return place.report({name})["traces"][0]["pid"].get<int>();
  };
  EXPECT_NE(pid("trace.json"), pid("trace.~2~.json"));
  EXPECT_NE(pid("trace.~1~.json"), pid("trace.~2~.json"));
}

TEST(Output, AForeignFileOfThatNameIsNeverTouched) {
  for (const Attach attach : {Attach::kPreload, Attach::kRecord}) {
    const Place place;
    std::ofstream(place.path() / "trace.json") << "mine\n";
    const Ended ended = place.run(plain(attach));
    EXPECT_EQ(ended.status, 14);
    EXPECT_EQ(text_of(place.path() / "trace.json"), "mine\n");
    const Names files = place.files();
    ASSERT_EQ(files.size(), 2U);
    EXPECT_NE(ended.err.find(files[1]), std::string::npos) << ended.err;
    EXPECT_NE(ended.err.find("is no ompdm trace and was left alone"), std::string::npos)
        << ended.err;
    expect_steps(place.report({files[1]}), 5);
  }
}

TEST(Output, OfAKilledRunIsKeptWhenTheNextOneStarts) {
  const Place place;
  EXPECT_EQ(place.run({.command = {program("die"), "sigkill"}}).status, 137);
  const Ended second = place.run(plain());
  EXPECT_NE(second.err.find("trace.~1~.json.spool"), std::string::npos) << second.err;
  EXPECT_EQ(place.files(), (Names{"trace.json", "trace.~1~.json.spool"}));
  expect_steps(place.report({"trace.json"}), 5);
  expect_steps(place.report({"trace.~1~.json"}), 5);
  EXPECT_EQ(place.files(), (Names{"trace.json", "trace.~1~.json"}));
}

TEST(Output, OfTwoRunsAtOnceIsOneEach) {
  for (const Attach attach : {Attach::kPreload, Attach::kRecord}) {
    const Place place;
    const auto start = [&] {
      return std::async(std::launch::async, [&] {
        return place.run({.command = {program("odd"), "many"}, .attach = attach});
      });
    };
    auto first = start();
    auto second = start();
    EXPECT_EQ(first.get().status, 11);
    EXPECT_EQ(second.get().status, 11);
    const Names files = place.files();
    ASSERT_EQ(files.size(), 2U);
    for (const std::string& name : files) {
      SCOPED_TRACE(name);
      expect_steps(place.report({name}), 20'005);
    }
  }
}

// All claim one name, and set aside what those before have left, while that is being finished.
TEST(Output, OfManyRunsAtOnceIsOneEach) {
  constexpr int kRounds = 6;
  constexpr std::size_t kAtOnce = 16;
  for (const Attach attach : {Attach::kPreload, Attach::kRecord}) {
    const Place place;
    for (int round = 0; round < kRounds; ++round) {
      std::vector<std::future<Ended>> runs;
      while (runs.size() < kAtOnce) {
        runs.push_back(std::async(std::launch::async, [&] { return place.run(plain(attach)); }));
      }
      for (auto& run : runs) {
        const Ended ended = run.get();
        EXPECT_EQ(ended.status, 14);
        EXPECT_EQ(lines_of(ended.err).size(), attach == Attach::kRecord ? 2U : 1U) << ended.err;
      }
    }
    // A spool that was being renamed can be missing in what was waited for.
    Names files = place.files();
    const auto is_spool = [](const std::string& name) { return name.ends_with(".spool"); };
    for (int tenth = 0; tenth < 200 && std::ranges::any_of(files, is_spool); ++tenth) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      files = place.files();
    }
    EXPECT_EQ(files.size(), kRounds * kAtOnce);
    EXPECT_TRUE(std::ranges::none_of(files, is_spool));
  }
}

// Who waits for a spool's end locks it for a moment, and can be quicker than its finisher.
TEST(Output, IsWrittenThoughWhoWaitsForItHoldsTheLockAtFirst) {
  const Place place;
  Start run = plain();
  run.environment = {{"OMPDM_FINISH", "off"}};
  EXPECT_EQ(place.run(run).status, 14);
  const int spool = open((place.path() / "trace.json.spool").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(spool, 0);
  ASSERT_EQ(flock(spool, LOCK_EX), 0);
  std::thread release([spool] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    close(spool);
  });
  const std::string finish =
      std::string(OMPDM_COMMAND) + " finish --handed-over trace.json.spool <trace.json.spool";
  EXPECT_EQ(place.run(script(finish, Attach::kNone)).status, 0);
  release.join();
  EXPECT_EQ(place.files(), (Names{"trace.json"}));
}

TEST(Output, OfAnMpiRankBearsIt) {
  for (const Attach attach : {Attach::kPreload, Attach::kRecord}) {
    const Place place;
    for (const char* rank : {"0", "1"}) {
      Start run = plain(attach);
      run.environment = {{"OMPI_COMM_WORLD_RANK", rank}, {"OMPI_COMM_WORLD_SIZE", "2"}};
      const Ended ended = place.run(run);
      EXPECT_EQ(ended.status, 14);
      // One rank speaks for the job.
      const bool told =
          ended.err.find(std::string("trace.rank") + rank + ".json") != std::string::npos;
      EXPECT_EQ(told, attach != Attach::kRecord || *rank == '0') << ended.err;
    }
    const Names expected = {"trace.rank0.json", "trace.rank0.summary.json", "trace.rank1.json",
                            "trace.rank1.summary.json"};
    EXPECT_EQ(files_in_the_end(place, expected), expected);
    const Json report = place.report({"trace.rank0.json", "trace.rank1.json"});
    EXPECT_EQ(report["traces"][1]["rank"], 1);
    EXPECT_EQ(report["totals"]["HtoD"]["count"], 10);
  }
}

TEST(Session, AScriptsSecondProgramGetsThePidInItsName) {
  const Place place;
  const std::string name = program("plain");
  const Ended ended = place.run(script(name + "; " + name + "; exit 21", Attach::kRecord));
  EXPECT_EQ(ended.status, 21);
  EXPECT_EQ(ended.out, "5 steps\n5 steps\n");
  Names files = place.files();
  ASSERT_EQ(files.size(), 2U) << ended.err;
  EXPECT_EQ(files[0], "trace.json");
  EXPECT_TRUE(files[1].starts_with("trace.p")) << files[1];
  EXPECT_EQ(ended.err, "ompdm: wrote trace.json\nompdm: wrote " + files[1] +
                           "\nompdm: next: ompdm report trace.json " + files[1] + "\n");
  for (const std::string& file : files) expect_steps(place.report({file}), 5);
}

TEST(Session, RanksUnderOneRecordAreAllTold) {
  const Place place;
  const std::string name = program("plain");
  const Ended ended = place.run(script(
      "for r in 0 1 2; do OMPI_COMM_WORLD_SIZE=3 OMPI_COMM_WORLD_RANK=$r " + name + " & done; wait",
      Attach::kRecord));
  EXPECT_EQ(ended.status, 0);
  const Names expected = {"trace.rank0.json", "trace.rank0.summary.json",
                          "trace.rank1.json", "trace.rank1.summary.json",
                          "trace.rank2.json", "trace.rank2.summary.json"};
  EXPECT_EQ(files_in_the_end(place, expected), expected) << ended.err;
  EXPECT_EQ(ended.err, "ompdm: wrote 3 ranks; next: ompdm report --ranks trace.rank*.json\n");
}

TEST(Session, AProgramThatNeverOffloadsIsToldByRecordAlone) {
  const Place place;
  const Ended inherited = place.run(script("echo hello", Attach::kPreload));
  EXPECT_EQ(inherited.out, "hello\n");
  EXPECT_EQ(inherited.err, "");
  const Ended recorded = place.run(script("echo hello; exit 3", Attach::kRecord));
  EXPECT_EQ(recorded.status, 3);
  EXPECT_EQ(recorded.out, "hello\n");
  EXPECT_NE(recorded.err.find("no target region was recorded"), std::string::npos) << recorded.err;
  EXPECT_EQ(place.files(), Names{});
}

TEST(Settings, SpoolFolder) {
  for (const Attach attach : {Attach::kPreload, Attach::kRecord}) {
    const Place place;
    const Place elsewhere;
    Start run = {.command = {program("die"), "sigkill"}, .attach = attach};
    run.environment = {{"OMPDM_SPOOL_DIR", elsewhere.path()}};
    EXPECT_EQ(place.run(run).status, 137);
    if (attach == Attach::kPreload) {
      ASSERT_EQ(elsewhere.files().size(), 1U);
      EXPECT_EQ(place.files(), Names{});
      const Ended finished = place.ompdm({"finish", elsewhere.path() / elsewhere.files()[0]});
      EXPECT_EQ(finished.status, 0) << finished.err;
    }
    EXPECT_EQ(elsewhere.files(), Names{});
    EXPECT_EQ(place.files(), Names{"trace.json"});
    expect_steps(place.report(), 5);
  }
}

TEST(Settings, FinishOffLeavesTheSpoolForFinish) {
  for (const Attach attach : {Attach::kPreload, Attach::kRecord}) {
    const Place place;
    Start run = plain(attach);
    run.environment = {{"OMPDM_FINISH", "off"}};
    if (attach == Attach::kRecord) run.record_options = {"--no-finish"};
    const Ended ended = place.run(run);
    EXPECT_EQ(ended.status, 14);
    EXPECT_EQ(lines_of(ended.err).size(), 1U) << ended.err;
    EXPECT_NE(ended.err.find("ompdm finish "), std::string::npos) << ended.err;
    EXPECT_EQ(place.files(), Names{"trace.json.spool"});
    const Ended listed = place.ompdm({"finish"});
    EXPECT_NE(listed.out.find("trace.json.spool"), std::string::npos) << listed.out;
    const Ended finished = place.ompdm({"finish", "trace.json.spool"});
    EXPECT_EQ(finished.status, 0) << finished.err;
    EXPECT_NE(finished.out.find("wrote trace.json"), std::string::npos) << finished.out;
    EXPECT_EQ(place.files(), Names{"trace.json"});
    expect_steps(place.report(), 5);
  }
}

TEST(Settings, NamesOffStillGivesBytes) {
  const Place place;
  Start run = plain();
  run.environment = {{"OMPDM_NAMES", "off"}};
  EXPECT_EQ(place.run(run).status, 14);
  const Json report = place.report();
  EXPECT_EQ(report["totals"]["HtoD"]["bytes"], 20'000);
  EXPECT_EQ(report["totals"]["kernel"]["count"], 5);
}

}  // namespace
}  // namespace ompdm::e2e::endings::names_test
