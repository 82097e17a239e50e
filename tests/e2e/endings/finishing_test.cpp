// What follows a program's end. Nothing holds the program, and another process writes its trace.
// Whoever asks for the trace gets it, whatever becomes of that process.

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <future>
#include <map>
#include <thread>

#include "endings/place.h"

namespace ompdm::e2e::endings::finishing_test {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

/// A program's end, and an `ompdm finish` that does `deed` first.
class Finisher : public ::testing::Test {
 protected:
  [[nodiscard]] Start start(const std::string& command, const std::string& deed) const {
    const fs::path script = apart_.path() / "ompdm";
    std::ofstream(script) << "#!/bin/sh\n" << deed << "\nexec '" OMPDM_COMMAND "' \"$@\"\n";
    fs::permissions(script, fs::perms::owner_all);
    Start start = {.command = {"/bin/sh", "-c", command}, .attach = Attach::kPreload};
    start.environment = {{"OMPDM_COMMAND", script}, {"PLAIN", program("plain")}};
    start.waits = false;
    return start;
  }

  /// Until go() is called.
  [[nodiscard]] std::string wait() const {
    return "while ! [ -e '" + go_.string() + "' ]; do sleep 0.02; done";
  }
  void go() const { std::ofstream(go_) << "go"; }

  const Folder apart_;
  const fs::path go_ = apart_.path() / "go";
  const Place place;
};

constexpr const char* kEndOfPlain =
    "ompdm: trace.json is being written; next: ompdm report trace.json\n";

TEST_F(Finisher, HoldsNeitherTheProgramNorItsStreams) {
  const Ended ended = place.run(start("\"$PLAIN\" 2>&1 | cat", wait()));
  EXPECT_EQ(ended.out, std::string("5 steps\n") + kEndOfPlain);
  EXPECT_EQ(place.files(), Names{"trace.json.spool"});
  go();
  expect_steps(place.report(), 5);
  EXPECT_EQ(place.files(), Names{"trace.json"});
}

TEST_F(Finisher, IsWaitedForByWhoeverWantsTheTrace) {
  const Ended ended = place.run(start("exec \"$PLAIN\"", wait()));
  EXPECT_EQ(ended.status, 14);
  EXPECT_EQ(ended.err, kEndOfPlain);
  auto report = std::async(std::launch::async, [&] { return place.report(); });
  auto info = std::async(std::launch::async, [&] { return place.ompdm({"info", "trace.json"}); });
  auto finish =
      std::async(std::launch::async, [&] { return place.ompdm({"finish", "trace.json.spool"}); });
  // Were they not to wait, they would have ended by then, and so found what the next line expects.
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(place.files(), Names{"trace.json.spool"});
  go();
  expect_steps(report.get(), 5);
  EXPECT_EQ(info.get().status, 0);
  const Ended finished = finish.get();
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_NE(finished.out.find("another process wrote trace.json"), std::string::npos)
      << finished.out;
  EXPECT_EQ(place.files(), Names{"trace.json"});
}

TEST_F(Finisher, ThatDiesCostsNothing) {
  for (const std::string deed : {"kill -9 $$", "exit 1"}) {
    const Place fresh;
    EXPECT_EQ(fresh.run(start("exec \"$PLAIN\"", deed)).status, 14);
    expect_steps(fresh.report(), 5);
    EXPECT_EQ(fresh.files(), Names{"trace.json"});
  }
}

TEST_F(Finisher, ThatIsKilledAtItsWorkCostsNothing) {
  EXPECT_EQ(place
                .run(start("exec \"$PLAIN\"",
                           "echo $$ >'" + (apart_.path() / "pid").string() + "'; " + wait()))
                .status,
            14);
  auto report = std::async(std::launch::async, [&] { return place.report(); });
  std::string pid;
  while (pid.empty()) pid = text_of(apart_.path() / "pid");
  EXPECT_EQ(kill(std::stoi(pid), SIGKILL), 0);
  expect_steps(report.get(), 5);
  EXPECT_EQ(place.files(), Names{"trace.json"});
}

// The name is the next run's then, and the trace becomes an older one.
TEST_F(Finisher, ThatIsSlowerThanTheNextRunKeepsItsRecording) {
  const Ended ended = place.run(start("\"$PLAIN\"; OMPDM_COMMAND= \"$PLAIN\"", wait()));
  EXPECT_EQ(ended.out, "5 steps\n5 steps\n");
  EXPECT_EQ(ended.err, std::string(kEndOfPlain) + kEndOfPlain);
  expect_steps(place.report(), 5);
  EXPECT_EQ(place.files(), (Names{"trace.json", "trace.~1~.json.spool"}));
  go();
  expect_steps(place.report({"trace.~1~.json"}), 5);
  EXPECT_EQ(place.files(), (Names{"trace.json", "trace.~1~.json"}));
}

// The process that the container is made of takes all others with it.
TEST_F(Finisher, OfAContainersMainProcessMayNeverRun) {
  Start run = start("exec \"$PLAIN\"", wait());
  run.before_exec = [] {
    if (unshare(CLONE_NEWPID) != 0) _exit(120);
    const pid_t child = fork();
    if (child == 0) return;
    int status = 0;
    waitpid(child, &status, 0);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 121);
  };
  const Ended ended = place.run(run);
  if (ended.status == 120) GTEST_SKIP() << "no process namespace can be made here";
  EXPECT_EQ(ended.status, 14);
  EXPECT_EQ(ended.err, kEndOfPlain);
  expect_steps(place.report(), 5);
  EXPECT_EQ(place.files(), Names{"trace.json"});
}

TEST_F(Finisher, IsFoundThoughTheSpoolLiesElsewhere) {
  const Place elsewhere;
  Start run = start("exec \"$PLAIN\"", wait());
  run.environment["OMPDM_SPOOL_DIR"] = elsewhere.path();
  EXPECT_EQ(place.run(run).status, 14);
  auto report = std::async(std::launch::async, [&] {
    Start asked = {.command = {OMPDM_COMMAND, "report", "--format", "json", "trace.json"},
                   .attach = Attach::kNone};
    asked.environment = {{"OMPDM_SPOOL_DIR", elsewhere.path()}};
    return place.run(asked);
  });
  go();
  const Ended reported = report.get();
  EXPECT_EQ(reported.status, 0) << reported.err;
  expect_steps(Json::parse(reported.out, nullptr, false), 5);
  EXPECT_EQ(elsewhere.files(), Names{});
}

TEST_F(Finisher, HasANewNameWhereAForeignFileHasTheOld) {
  std::ofstream(place.path() / "trace.json") << "mine\n";
  const Ended ended = place.run(start("exec \"$PLAIN\"", wait()));
  const std::string said = lines_of(ended.err).back();
  const std::string command = "next: ompdm report ";
  ASSERT_NE(said.find(command), std::string::npos) << ended.err;
  const std::string name = said.substr(said.find(command) + command.size());
  EXPECT_TRUE(name.starts_with("trace.p")) << ended.err;
  go();
  expect_steps(place.report({name}), 5);
  EXPECT_EQ(text_of(place.path() / "trace.json"), "mine\n");
}

// A process that outlives `ompdm record` finishes as one that was attached by a variable.
TEST_F(Finisher, OfAProcessThatOutlivesRecordIsItsOwn) {
  Start run = start(
      "(while [ -e /proc/$PPID/exe ]; do sleep 0.02; done; \"$PLAIN\") "
      ">/dev/null 2>&1 & exit 3",
      ":");
  run.attach = Attach::kRecord;
  EXPECT_EQ(place.run(run).status, 3);
  while (place.files() != Names{"trace.json"}) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  expect_steps(place.report(), 5);
}

// Holds the spool as another finisher does, so that `record` has something to wait for, and sends
// Ctrl-C once it does.
TEST_F(Finisher, UnderRecordSurvivesCtrlC) {
  const std::string holder = "trap '' INT; flock trace.json.spool sh -c 'trap \"\" INT; : >held; " +
                             wait() + "' & while ! [ -e held ]; do sleep 0.02; done; ";
  const std::string interrupter =
      "(while [ -e /proc/$$ ]; do sleep 0.02; done; kill -INT 0; while kill -INT $PPID; do sleep "
      "0.05; done) & ";
  Start run = start("\"$PLAIN\"; exec >/dev/null 2>&1; " + holder + interrupter + "exit 14", ":");
  run.attach = Attach::kRecord;
  const Ended ended = place.run(run);
  EXPECT_EQ(ended.status, 14);
  EXPECT_EQ(ended.err,
            "ompdm: trace.json will be written in the background; next: ompdm report "
            "trace.json\n");
  go();
  expect_steps(place.report(), 5);
  auto files = place.files();
  std::erase(files, "held");
  EXPECT_EQ(files, Names{"trace.json"});
}

// Without the recorder they crash now and then too: the runtime is torn down under them.
TEST(ThreadsThatStillOffload, CrashNoMoreThanWithoutTheRecorder) {
  constexpr int kRuns = 15;
  constexpr int kByChance = 4;
  std::map<Attach, int> crashes;
  for (int i = 0; i < kRuns; ++i) {
    for (const Attach attach : {Attach::kNone, Attach::kPreload, Attach::kRecord}) {
      const Place place;
      const Ended ended = place.run({.command = {program("busy")}, .attach = attach});
      EXPECT_EQ(ended.out, "busy\n");
      crashes[attach] += ended.status == 15 ? 0 : 1;
      if (attach != Attach::kNone) {
        EXPECT_GE(place.report()["totals"]["kernel"]["count"], 6);
      }
    }
  }
  EXPECT_LE(crashes[Attach::kPreload], 2 * crashes[Attach::kNone] + kByChance);
  EXPECT_LE(crashes[Attach::kRecord], 2 * crashes[Attach::kNone] + kByChance);
}

}  // namespace
}  // namespace ompdm::e2e::endings::finishing_test
