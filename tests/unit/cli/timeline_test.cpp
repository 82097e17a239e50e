// `ompdm export --format json` of several traces.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "ompdm/summary.h"
#include "ompdm/trace_file.h"
#include "printable.h"
#include "scratch.h"
#include "support/trace_builder.h"

namespace ompdm::cli::timeline_test {
namespace {

using nlohmann::json;
using testing::Ran;
using testing::Scratch;

constexpr std::int64_t kSecond = 1'000'000'000;

class Timeline : public ::testing::Test {
 protected:
  /// Two ranks a node, each started a second after the one before, of one region of 0.1 s.
  void write(const std::string& name, std::int32_t rank) {
    test::TraceBuilder build;
    Process& process = build.trace.process;
    process.pid = 300 + rank % 2;
    process.rank = rank;
    process.rank_count = 4;
    process.host = rank < 2 ? "node1" : "node2";
    process.boot_id = "boot of " + process.host;
    process.start_monotonic_ns = (rank < 2 ? 1000 : 50) * kSecond + rank * kSecond;
    process.start_realtime_ns = 1'760'000'000 * kSecond + rank * kSecond;
    process.realtime = {RealtimeClock::State::kSynchronized, 600'000, 0};
    process.program = build.trace.modules[0].path;
    build.begin(build.site(Directive::kTarget, "a.cpp", 4, "main"));
    build.op(OpKind::kHtoD, build.variable("a", 8000), 8000, kSecond / 10);
    build.end();
    write_trace(build.take(), scratch_.folder() / name);
  }
  void SetUp() override {
    for (int rank = 3; rank >= 0; --rank) write("t.rank" + std::to_string(rank) + ".json", rank);
  }
  [[nodiscard]] Ran run(const std::string& line) const {
    return testing::shell(scratch_.folder(),
                          "ompdm() { " + shell_word(OMPDM_COMMAND) + " \"$@\"; }\n" + line);
  }
  [[nodiscard]] json file(const std::string& name) const {
    return json::parse(testing::read_file(scratch_.folder() / name));
  }
  /// When the regions of a timeline begin, in seconds, by rank.
  [[nodiscard]] std::map<int, double> begins(const std::string& name) const {
    const json read = file(name);
    std::map<int, int> ranks;
    std::map<int, double> begins;
    for (const json& process : read["otherData"]["processes"]) {
      ranks[process["shown_pid"]] = process["rank"];
    }
    for (const json& event : read["traceEvents"]) {
      if (event.value("cat", "") == "region") {
        begins[ranks.at(event["pid"])] = event["ts"].get<double>() / 1e6;
      }
    }
    return begins;
  }

  Scratch scratch_;
};

TEST_F(Timeline, IsOfAllRanksThatAreNamed) {
  for (const char* names :
       {"t.rank*.json", ".", "t.rank2.json t.rank0.json t.rank3.json t.rank1.json"}) {
    const Ran ran = run(std::string("ompdm export ") + names + " --format json -o out.json");
    EXPECT_EQ(ran.status, 0);
    EXPECT_EQ(ran.err,
              "ompdm: ranks 0-1 of node1 and 2-3 of node2: times agree to ±1.20 ms\n"
              "ompdm: wrote out.json\n")
        << names;
    const std::map<int, double> found = begins("out.json");
    ASSERT_EQ(found.size(), 4U) << names;
    for (const auto& [rank, begin] : found) EXPECT_NEAR(begin - found.at(0), rank, 1e-6);
  }
}

TEST_F(Timeline, IsOfChosenRanksOnTheClockOfAll) {
  const Ran ran = run("ompdm export t.rank*.json --format json --rank 1,3");
  EXPECT_EQ(ran.err,
            "ompdm: ranks 1 of node1 and 3 of node2: times agree to ±1.20 ms\n"
            "ompdm: wrote t.timeline.json\n");
  const std::map<int, double> found = begins("t.timeline.json");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NEAR(found.at(3) - found.at(1), 2, 1e-6);
  EXPECT_GE(found.at(1), 1);
  EXPECT_EQ(run("ompdm export t.rank*.json --format json --rank 2").err,
            "ompdm: rank 2 of node2: times are of one clock\nompdm: wrote t.timeline.json\n");
}

TEST_F(Timeline, OfAPartHoldsWhatWasAtWorkInItByTheOneClock) {
  EXPECT_EQ(run("ompdm export . --format json --from 1s --to 2.5s -o out.json").status, 0);
  const std::map<int, double> found = begins("out.json");
  std::set<int> ranks;
  for (const auto& [rank, begin] : found) ranks.insert(rank);
  EXPECT_EQ(ranks, (std::set<int>{1, 2}));
}

TEST_F(Timeline, OfAPartIsOfTheTimeThatTheRunsTook) {
  const Ran after = run("ompdm export . --format json --from 10s -o out.json");
  EXPECT_EQ(after.status, 2);
  EXPECT_NE(after.err.find("ompdm: these runs last from 0 ns to 3.10 s: choose --from and --to "
                           "within\n"),
            std::string::npos)
      << after.err;
  const Ran cut = run("ompdm export . --format json --from 1s --to 10s -o out.json");
  EXPECT_EQ(cut.status, 0);
  EXPECT_NE(cut.err.find("3.10 s: the part is cut to that\n"), std::string::npos) << cut.err;
}

TEST_F(Timeline, GoesToStandardOutput) {
  const Ran ran = run("ompdm export t.rank*.json --format json -o - >out.json; ls");
  EXPECT_EQ(ran.err, "ompdm: ranks 0-1 of node1 and 2-3 of node2: times agree to ±1.20 ms\n");
  EXPECT_EQ(ran.out.find("-\n"), std::string::npos) << ran.out;
  EXPECT_EQ(begins("out.json").size(), 4U);
}

TEST_F(Timeline, OfOneTraceIsATrace) {
  EXPECT_EQ(run("ompdm export t.rank2.json --format json -o one.json").err,
            "ompdm: wrote one.json\n");
  EXPECT_TRUE(is_trace(scratch_.folder() / "one.json"));
}

// A long run's trace has another ending; its summary stands for it in a folder.
TEST_F(Timeline, FindsTheTraceOfALongRun) {
  const auto in = [&](const char* name) { return scratch_.folder() / name; };
  const Trace trace = read_trace(in("t.rank1.json"));
  write_trace(trace, in("t.rank1.ompdm"));
  std::filesystem::remove(in("t.rank1.json"));
  // Making one summary of it leaves its own beside it.
  ASSERT_EQ(run("ompdm merge t.rank1.ompdm -o ../all.json; rm ../all.json").status, 0);
  ASSERT_TRUE(std::filesystem::exists(in("t.rank1.summary.json")));
  ASSERT_EQ(run("ompdm export . --format json -o out.json").status, 0);
  EXPECT_EQ(begins("out.json").size(), 4U);
  std::filesystem::remove(in("t.rank1.ompdm"));
  const Ran gone = run("ompdm export t.rank*.json --format json -o other.json");
  EXPECT_EQ(gone.status, 1);
  EXPECT_EQ(gone.err,
            "ompdm: t.rank1.summary.json: is a summary, which has no events: name the trace "
            "that it is of\n");
  EXPECT_FALSE(std::filesystem::exists(in("other.json")));
}

TEST_F(Timeline, IsTakenForATraceByNoVerb) {
  ASSERT_EQ(run("ompdm export . --format json -o out.json").status, 0);
  for (const char* verb :
       {"report out.json", "report out.json t.rank0.json", "report --ranks out.json t.rank0.json",
        "compare out.json t.rank0.json", "compare t.rank0.json out.json", "explain out.json 1",
        "fix out.json", "merge out.json -o m.json", "info out.json", "info --follow out.json",
        "finish out.json", "export out.json --format sqlite",
        "export out.json --format json -o w.json",
        "export out.json t.rank0.json --format json -o w.json"}) {
    const Ran ran = run(std::string("ompdm ") + verb);
    EXPECT_EQ(ran.status, 1) << verb;
    EXPECT_EQ(ran.err,
              "ompdm: out.json: is a timeline, a picture for viewers: name the traces that it was "
              "made of\n")
        << verb;
  }
  // Of a folder's files it is none.
  EXPECT_EQ(run("ompdm export . --format json -o out.json").status, 0);
  EXPECT_EQ(begins("out.json").size(), 4U);
  EXPECT_EQ(json::parse(run("ompdm report . --format json").out)["ranks"]["count"], 4);
}

TEST_F(Timeline, RefusesWhatItCannotDo) {
  const auto refused = [&](const std::string& words, int status, const std::string& said) {
    const Ran ran = run("ompdm export " + words);
    EXPECT_EQ(ran.status, status) << words;
    EXPECT_EQ(ran.err, "ompdm: " + said + "\n") << words;
  };
  refused("t.rank*.json --format json --rank 2,7", 2,
          "--rank 2,7: not all are among these traces: they are of ranks 0-3");
  refused("t.rank*.json --format json --rank two", 2,
          "--rank two: 'two' is no rank: write it as 0,3-5");
  refused("t.rank*.json --format json -o t.ompdm", 2, "t.ompdm: a timeline is JSON: name it .json");
  refused("t.rank*.json --format json -o t.rank0.json", 2,
          "t.rank0.json: is what is read: name another file with -o");
  refused("t.rank0.json ./t.rank0.json --format json", 1,
          "t.rank0.json and ./t.rank0.json are the same recording: name it once");
}

// What comes through a pipe cannot be read twice.
TEST_F(Timeline, TakesATraceFromAPipe) {
  const Ran ran = run("ompdm export - t.rank1.json --format json -o out.json < t.rank0.json");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(begins("out.json").size(), 2U);
}

TEST_F(Timeline, IsPackedWhereItsNameSaysSo) {
  for (int time = 0; time < 2; ++time) {
    EXPECT_EQ(run("ompdm export . --format json -o out.json.gz").status, 0);
  }
  ASSERT_EQ(run("gzip -d out.json.gz").status, 0);
  EXPECT_EQ(begins("out.json").size(), 4U);
}

}  // namespace
}  // namespace ompdm::cli::timeline_test
