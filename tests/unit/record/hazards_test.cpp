// What programs do to a tool: kills, full disks, closed descriptors, names in use.

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "record/recording.h"

namespace ompdm::test::hazards_test {
namespace {

class Hazards : public ::testing::TestWithParam<int> {
 protected:
  Folder folder;
  std::filesystem::path spool = folder.path() / "trace.json.spool";
};

TEST_P(Hazards, ADeadlySignalLosesNoCommittedRecord) {
  const int signal = GetParam();
  const Outcome outcome = in_child(folder, [signal] {
    FakeRuntime runtime;
    runtime.attach();
    updates(1000);
    FakeRuntime::begin(1, 0, address(0x3000));
    FakeRuntime::op(2, address(0x500), kHost, address(0x9000), 0, 8, address(0x3000));
    FakeRuntime::submit_begin(4);
    ::signal(signal, SIG_DFL);
    raise(signal);
  });
  EXPECT_EQ(outcome.status, -signal);
  const Recorded recorded = read_back(spool);
  EXPECT_EQ(recorded.header.state, spool::State::kRunning);
  ASSERT_EQ(recorded.trace.regions.size(), 1001U);
  EXPECT_EQ(recorded.trace.ops.size(), 1001U);
  EXPECT_TRUE(recorded.trace.regions.back().unfinished);
  ASSERT_EQ(recorded.trace.launches.size(), 1U);
  EXPECT_TRUE(recorded.trace.launches[0].unfinished);
  EXPECT_EQ(recorded.trace.launches[0].region.value, 1000U);
  EXPECT_FALSE(recorded.trace.regions[999].unfinished);
}
INSTANTIATE_TEST_SUITE_P(Signals, Hazards, ::testing::Values(SIGKILL, SIGSEGV, SIGABRT, SIGTERM));

TEST_F(Hazards, AFileSizeLimitIsALossAndNotADeath) {
  const Outcome outcome = in_child(folder, [] {
    const rlimit limit{256 * 1024, 256 * 1024};
    setrlimit(RLIMIT_FSIZE, &limit);
    FakeRuntime runtime;
    runtime.attach();
    updates(200'000);
    FakeRuntime::begin(1, 0, address(0x3000));
    FakeRuntime::submit(4);
    FakeRuntime::end(1, 0, address(0x3000));
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    runtime.finish();
    _exit(sigismember(&mask, SIGXFSZ) == 0 ? 0 : 1);
  });
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.messages.find("File too large"), std::string::npos) << outcome.messages;
  // And where the recording lies, since it is not finished here.
  EXPECT_EQ(std::count(outcome.messages.begin(), outcome.messages.end(), '\n'), 2);
  const Recorded recorded = read_back(spool);
  EXPECT_GT(recorded.trace.regions.size(), 500U);
  EXPECT_GT(recorded.loss(spool::Loss::kRecordsNoSpace), 1000U);
  EXPECT_EQ(recorded.loss(spool::Loss::kOpsUnmatched), 0U);
}

// Programs look at errno after what led here: a directive, a thread's end, a fork.
TEST_F(Hazards, NoWayInChangesErrno) {
  const Outcome outcome = in_child(folder, [] {
    int way = 0;
    const auto keeps = [&way](auto&& call) {
      ++way;
      errno = EDOM;
      call();
      if (errno != EDOM) _exit(way);
    };
    FakeRuntime runtime;
    keeps([&] { runtime.attach(); });
    keeps([] { updates(1); });
    keeps([] { updates(20'000); });  // chunks are added
    std::thread([&] { keeps([] { updates(1); }); }).join();
    keeps([] { FakeRuntime::begin(1, 0, address(0x3000)); });
    keeps(
        [] { FakeRuntime::op(2, address(0x500), kHost, address(0x9000), 0, 8, address(0x3000)); });
    keeps([] { FakeRuntime::submit(4); });
    keeps([] { FakeRuntime::end(1, 0, address(0x3000)); });
    keeps([] { FakeRuntime::device(3, "generic-64bit"); });
    keeps([&] { FakeRuntime::pause(); });
    keeps([] { updates(1); });
    errno = EDOM;
    const pid_t child = fork();
    if (child == 0) _exit(errno == EDOM ? 0 : 1);
    int status = 0;
    ++way;
    if (waitpid(child, &status, 0) != child || status != 0) _exit(way);
    keeps([&] { runtime.finish(); });
    _exit(0);
  });
  EXPECT_EQ(outcome.status, 0) << "the way in of this number changed it";
}

TEST_F(Hazards, AnUnwritableFolderCostsOneLine) {
  const Outcome outcome = in_child(folder,
                                   [] {
                                     FakeRuntime runtime;
                                     runtime.attach();
                                     updates(100);
                                     runtime.finish();
                                   },
                                   {{"OMPDM_OUTPUT", "/proc/no/trace.json"}});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.messages.find("nothing is recorded"), std::string::npos);
  EXPECT_EQ(std::count(outcome.messages.begin(), outcome.messages.end(), '\n'), 1)
      << outcome.messages;
}

TEST_F(Hazards, AProgramThatClosesEveryDescriptorIsStillRecorded) {
  const auto other = folder.path() / "program.txt";
  const Outcome outcome = in_child(folder, [&] {
    FakeRuntime runtime;
    runtime.attach();
    updates(10);
    for (int i = 0; i < 1024; ++i) {
      close(i);
    }
    for (int i = 0; i < 8; ++i) {
      open(other.c_str(), O_CREAT | O_RDWR, 0600);
    }
    updates(20000);
    runtime.finish();
  });
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(read_back(spool).trace.regions.size(), 20010U);
  EXPECT_EQ(std::filesystem::file_size(other), 0U);
}

TEST_F(Hazards, ASpoolThatIsRenamedOrLeftBehindGrowsOn) {
  const auto renamed = folder.path() / "renamed.spool";
  const Outcome outcome = in_child(folder, [&] {
    FakeRuntime runtime;
    runtime.attach();
    updates(10);
    std::filesystem::rename(spool, renamed);
    updates(20000);
    runtime.finish();
  });
  EXPECT_EQ(outcome.status, 0);
  const Recorded recorded = read_back(renamed);
  EXPECT_EQ(recorded.trace.regions.size(), 20010U);
  EXPECT_EQ(recorded.loss(spool::Loss::kRecordsNoSpace), 0U);
}

TEST_F(Hazards, OnceBothNameAndDescriptorAreGoneTheRestIsLost) {
  const Outcome outcome = in_child(folder, [&] {
    FakeRuntime runtime;
    runtime.attach();
    updates(10);
    std::filesystem::rename(spool, folder.path() / "renamed.spool");
    std::ofstream(spool) << "of another";
    for (int i = 3; i < 1024; ++i) {
      close(i);
    }
    updates(20000);
    runtime.finish();
  });
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.messages.find("recording stops here"), std::string::npos) << outcome.messages;
  EXPECT_GT(read_back(folder.path() / "renamed.spool").loss(spool::Loss::kRecordsNoSpace), 1000U);
  EXPECT_EQ(std::filesystem::file_size(spool), 10U);
}

TEST_F(Hazards, AUmaskAgainstEveryoneDoesNotKeepTheRecorderOut) {
  const Outcome outcome = in_child(folder, [] {
    umask(0777);
    FakeRuntime runtime;
    runtime.attach();
    updates(5);
    runtime.finish();
  });
  EXPECT_EQ(outcome.status, 0);
  const auto rights = std::filesystem::status(spool).permissions();
  EXPECT_EQ(rights & std::filesystem::perms::mask,
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(Hazards, TheSpoolOfADeadProcessIsKeptUnderAnotherName) {
  const auto run = [&] {
    return in_child(folder, [] {
      FakeRuntime runtime;
      runtime.attach();
      updates(5);
      raise(SIGKILL);
    });
  };
  run();
  const Outcome second = run();
  EXPECT_NE(second.messages.find("trace.~1~.json.spool"), std::string::npos) << second.messages;
  const auto kept = folder.path() / "trace.~1~.json.spool";
  EXPECT_EQ(read_back(spool).trace.regions.size(), 5U);
  EXPECT_EQ(read_back(kept).trace.regions.size(), 5U);
  EXPECT_EQ(std::string(read_back(kept).header.output),
            (folder.path() / "trace.~1~.json").string());
}

TEST_F(Hazards, AForeignFileOfTheSpoolsNameIsNotTouched) {
  std::ofstream(spool) << "mine";
  const Outcome outcome = in_child(folder, [] {
    FakeRuntime runtime;
    runtime.attach();
    updates(5);
    runtime.finish();
  });
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(std::filesystem::file_size(spool), 4U);
  EXPECT_EQ(folder.files().size(), 2U);
}

TEST_F(Hazards, ASessionGivesThePlainNameOnce) {
  const Folder session;
  const std::map<std::string, std::string> environment{{"OMPDM_SESSION", session.path().string()}};
  for (int i = 0; i < 2; ++i) {
    in_child(
        folder,
        [] {
          FakeRuntime runtime;
          runtime.attach();
          updates(5);
          runtime.finish();
        },
        environment);
  }
  const auto files = folder.files();
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0], "trace.json.spool");
  EXPECT_EQ(files[1].rfind("trace.p", 0), 0U);
  EXPECT_EQ(session.files().size(), 3U);
}

TEST_F(Hazards, NothingRecordedLeavesNoFile) {
  const Outcome outcome = in_child(folder, [] {
    FakeRuntime runtime;
    runtime.attach();
    runtime.finish();
  });
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(folder.files().empty());
}

TEST_F(Hazards, ManyDeviceEventsBeforeTheFirstRegionAreAllKept) {
  constexpr int kEvents = 1000;
  const Recorded recorded = record([] {
    for (int i = 0; i < kEvents; ++i) {
      FakeRuntime::device(i % 4, "generic-64bit");
    }
    updates(1);
  });
  ASSERT_EQ(recorded.trace.device_events.size(), 2U + kEvents);
  for (std::size_t i = 0; i < kEvents; ++i) {
    EXPECT_EQ(recorded.trace.device_events[2 + i].device, static_cast<int>(i % 4));
  }
}

TEST_F(Hazards, ABadValueIsSaidAndTheDefaultUsed) {
  const Outcome outcome = in_child(folder,
                                   [] {
                                     FakeRuntime runtime;
                                     runtime.attach();
                                     updates(5);
                                     runtime.finish();
                                   },
                                   {{"OMPDM_NAMES", "perhaps"}});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.messages.find("OMPDM_NAMES=perhaps"), std::string::npos);
  EXPECT_EQ(read_back(spool).header.names, spool::Names::kOn);
}

}  // namespace
}  // namespace ompdm::test::hazards_test
