#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "launch.h"
#include "scratch.h"

namespace ompdm::cli::detached_work_test {
namespace {

namespace fs = std::filesystem;
using testing::read_file;
using testing::Scratch;
using Lines = std::vector<std::string>;

void nothing() {}

/// Signals come after a program's end.
class RunDetached : public ::testing::Test {
 protected:
  RunDetached() { launch({"true"}, {}, signals); }

  const SignalForwarding signals;
  const Scratch scratch;
};

TEST_F(RunDetached, GivesTheLinesOfAProcessOfItsOwnSession) {
  const DetachedWork detached = run_detached(
      [] { return Lines{std::to_string(::getpid() == ::getsid(0)), std::string(100'000, 'x')}; },
      signals, nothing);
  EXPECT_EQ(detached.lines, (Lines{"1", std::string(100'000, 'x')}));
  EXPECT_FALSE(detached.left);
  EXPECT_FALSE(detached.died);
}

TEST_F(RunDetached, HoldsNoStreamOfOurs) {
  const DetachedWork detached = run_detached(
      [] {
        Lines lines;
        for (int stream = 0; stream <= STDERR_FILENO; ++stream) {
          lines.push_back(fs::read_symlink("/proc/self/fd/" + std::to_string(stream)));
        }
        return lines;
      },
      signals, nothing);
  EXPECT_EQ(detached.lines, Lines(3, "/dev/null"));
}

TEST_F(RunDetached, GoesOnWhenASignalEndsTheWaiting) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const SignalForwarding fresh;
    launch({"true"}, {}, fresh);
    const fs::path done = scratch.folder() / std::to_string(signal);
    const fs::path go = done.string() + ".go";
    std::thread sender([&] {
      while (!fs::exists(done.string() + ".begun")) std::this_thread::yield();
      ::kill(::getpid(), signal);
    });
    const DetachedWork detached = run_detached(
        [&] {
          std::ofstream(done.string() + ".begun") << "begun";
          while (!fs::exists(go)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
          std::ofstream(done.string() + ".tmp") << "done";
          fs::rename(done.string() + ".tmp", done);
          return Lines{"nobody reads this"};
        },
        fresh, nothing);
    sender.join();
    EXPECT_TRUE(detached.left);
    EXPECT_EQ(detached.lines, Lines{});
    EXPECT_FALSE(fs::exists(done));
    std::ofstream(go) << "go";
    while (!fs::exists(done)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

TEST_F(RunDetached, ASignalForTheProgramIsNotOne) {
  ::raise(SIGUSR1);
  EXPECT_FALSE(run_detached([] { return Lines{}; }, signals, nothing).left);
  ::raise(SIGTERM);
  EXPECT_TRUE(run_detached([] { return Lines{}; }, signals, nothing).left);
}

TEST_F(RunDetached, TellsThatItDied) {
  const DetachedWork detached = run_detached(
      []() -> Lines {
        ::raise(SIGKILL);
        return {};
      },
      signals, nothing);
  EXPECT_TRUE(detached.died);
  EXPECT_FALSE(detached.left);
}

TEST_F(RunDetached, SaysOnceThatItTakesLong) {
  int told = 0;
  const fs::path go = scratch.folder() / "go";
  const DetachedWork detached = run_detached(
      [&] {
        while (!fs::exists(go)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return Lines{"done"};
      },
      signals,
      [&] {
        ++told;
        std::ofstream(go) << "go";
      });
  EXPECT_EQ(told, 1);
  EXPECT_EQ(detached.lines, Lines{"done"});
}

}  // namespace
}  // namespace ompdm::cli::detached_work_test
