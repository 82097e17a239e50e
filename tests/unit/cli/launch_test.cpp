#include "launch.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <sstream>
#include <thread>

#include "scratch.h"

namespace ompdm::cli::launch_test {
namespace {

using testing::read_file;
using testing::Scratch;
using testing::Variable;

Ending run_shell(const std::string& line, const EnvironmentChange& change = {}) {
  const SignalForwarding signals;
  return launch({"sh", "-c", line}, change, signals);
}

TEST(Launch, HandsThroughHowTheProgramEnded) {
  EXPECT_EQ(run_shell("exit 0").exit_status, 0);
  EXPECT_EQ(run_shell("exit 77").exit_status, 77);
  const Ending killed = run_shell("kill -9 $$");
  EXPECT_EQ(killed.exit_status, 137);
  EXPECT_EQ(killed.signal, 9);
  EXPECT_EQ(run_shell("exit 137").signal, 0);
}

TEST(Launch, TellsWhyNothingWasStarted) {
  const Scratch scratch;
  const SignalForwarding signals;
  EXPECT_EQ(launch({"no such program"}, {}, signals).exit_status, 127);
  EXPECT_EQ(launch({scratch.folder() / "none"}, {}, signals).exit_status, 127);
  const Ending refused = launch({scratch.write("text", "not a program")}, {}, signals);
  EXPECT_EQ(refused.exit_status, 126);
  EXPECT_NE(refused.failure.find("chmod +x"), std::string::npos) << refused.failure;
  EXPECT_EQ(launch({scratch.folder()}, {}, signals).exit_status, 126);
}

TEST(Launch, ChangesNothingInTheEnvironmentButWhatItIsTold) {
  const Scratch scratch;
  const Variable kept("OMPDM_TEST_KEPT", "kept");
  const Variable changed("OMPDM_TEST_CHANGED", "old");
  const Variable removed("OMPDM_TEST_REMOVED", "old");
  EnvironmentChange change;
  change.set.emplace_back("OMPDM_TEST_CHANGED", "new");
  change.unset.emplace_back("OMPDM_TEST_REMOVED");
  const auto out = scratch.folder() / "out";
  run_shell("env | grep OMPDM_TEST | sort > " + out.string(), change);
  EXPECT_EQ(read_file(out), "OMPDM_TEST_CHANGED=new\nOMPDM_TEST_KEPT=kept\n");
}

/// The lines of a /proc/PID/status on which a launcher could leave its mark.
std::string marks(const std::string& status) {
  std::istringstream lines(status);
  std::string marks;
  for (std::string line; std::getline(lines, line);) {
    const bool told = line.starts_with("NSpgid") || line.starts_with("NSsid") ||
                      line.starts_with("SigBlk") || line.starts_with("SigIgn");
    if (told) marks += line + '\n';
  }
  return marks;
}

TEST(Launch, LeavesProcessGroupAndSignalsAsTheyAre) {
  const Scratch scratch;
  const auto out = scratch.folder() / "out";
  run_shell("exec cat /proc/self/status > " + out.string());
  EXPECT_EQ(marks(read_file(out)), marks(read_file("/proc/self/status")));
}

// A parent that does not care for its children leaves this to what it starts.
TEST(Launch, HandsThroughTheEndThoughSigchldIsIgnored) {
  const Scratch scratch;
  const auto out = scratch.folder() / "out";
  ::signal(SIGCHLD, SIG_IGN);
  const std::string before = marks(read_file("/proc/self/status"));
  const Ending ending = run_shell("exit 7");
  launch({"cp", "/proc/self/status", out}, {}, SignalForwarding());  // shells heed SIGCHLD again
  const std::string after = marks(read_file("/proc/self/status"));
  ::signal(SIGCHLD, SIG_DFL);
  EXPECT_EQ(ending.exit_status, 7);
  EXPECT_EQ(marks(read_file(out)), before);
  EXPECT_EQ(after, before);
}

TEST(Launch, IterationsSignalsOnAndWaitsForTheProgram) {
  const Scratch scratch;
  const auto ready = scratch.folder() / "ready";
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) {
    std::filesystem::remove(ready);
    std::thread sender([&] {
      while (!std::filesystem::exists(ready)) std::this_thread::yield();
      ::kill(::getpid(), signal);
    });
    const std::string number = std::to_string(signal);
    const Ending ending = run_shell("trap 'exit 5' " + number + "; : > " + ready.string() +
                                    "; while :; do sleep 0.01; done");
    sender.join();
    EXPECT_EQ(ending.exit_status, 5) << number;
  }
}

TEST(Launch, IterationsOnASignalThatCameTooEarly) {
  const SignalForwarding signals;
  ::raise(SIGTERM);
  EXPECT_EQ(launch({"sleep", "60"}, {}, signals).signal, SIGTERM);
}

TEST(Launch, DropsASignalThatComesTooLate) {
  const SignalForwarding signals;
  EXPECT_EQ(launch({"true"}, {}, signals).exit_status, 0);
  ::raise(SIGTERM);
}

TEST(Launch, KeepsAnIgnoredSignalIgnored) {
  const auto old = ::signal(SIGHUP, SIG_IGN);
  EXPECT_EQ(run_shell("kill -HUP $$; exit 3").exit_status, 3);
  ::signal(SIGHUP, old);
}

TEST(Launch, CanKeepTheProgramQuiet) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const SignalForwarding signals;
  launch({"sh", "-c", "echo out; echo err >&2"}, {}, signals, Output::kDiscarded);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(FindProgram, LooksWhereTheShellWould) {
  const Scratch scratch;
  const auto program = scratch.write("tool", "#!/bin/sh\n");
  const Variable path("PATH", "/nowhere:" + scratch.folder().string());
  EXPECT_EQ(find_program("tool"), "");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  EXPECT_EQ(find_program("tool"), program);
  EXPECT_EQ(find_program(program), program);
}

}  // namespace
}  // namespace ompdm::cli::launch_test
