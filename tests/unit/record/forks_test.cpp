// Children: what they record, and that nothing of it comes into their parent's recording.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "record/recording.h"

namespace ompdm::test::forks_test {
namespace {

class ForkedChild : public ::testing::Test {
 protected:
  Folder folder;
  std::filesystem::path spool = folder.path() / "trace.json.spool";
};

TEST_F(ForkedChild, HoldsNoDescriptorOfItsParentsSpool) {
  const auto held = [&] {
    int count = 0;
    for (const auto& file : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      count += std::filesystem::equivalent(file.path(), spool, gone) ? 1 : 0;
    }
    return count;
  };
  const Outcome outcome = in_child(folder, [&] {
    FakeRuntime runtime;
    runtime.attach();
    updates(3);
    const int before = held();
    const pid_t forked = fork();
    if (forked == 0) {
      _exit(held());
    }
    int status = 0;
    waitpid(forked, &status, 0);
    _exit(before == 1 ? WEXITSTATUS(status) : 99);
  });
  EXPECT_EQ(outcome.status, 0);
}

TEST_F(ForkedChild, RecordsIntoItsOwnSpool) {
  const Outcome outcome = in_child(folder, [&] {
    FakeRuntime runtime;
    runtime.attach();
    updates(100);
    FakeRuntime::begin(1, 0, address(0x3000));
    const pid_t forked = fork();
    if (forked == 0) {
      updates(7);
      runtime.finish();
      _exit(0);
    }
    int status = 0;
    waitpid(forked, &status, 0);
    FakeRuntime::end(1, 0, address(0x3000));
    updates(100);
    runtime.finish();
    _exit(WEXITSTATUS(status));
  });
  ASSERT_EQ(outcome.status, 0) << outcome.messages;
  EXPECT_EQ(read_back(spool).trace.regions.size(), 201U);
  const auto files = folder.files();
  ASSERT_EQ(files.size(), 2U);
  const std::string& other = files[0] == "trace.json.spool" ? files[1] : files[0];
  EXPECT_EQ(other.rfind("trace.p", 0), 0U) << other;
  EXPECT_EQ(read_back(folder.path() / other).trace.regions.size(), 7U);
}

TEST_F(ForkedChild, ThatOffloadsNothingLeavesNothing) {
  const Outcome outcome = in_child(folder, [&] {
    FakeRuntime runtime;
    runtime.attach();
    updates(3);
    const pid_t forked = fork();
    if (forked == 0) {
      runtime.finish();
      _exit(0);
    }
    waitpid(forked, nullptr, 0);
    updates(3);
    runtime.finish();
  });
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(folder.files().size(), 1U);
  const Recorded recorded = read_back(spool);
  EXPECT_EQ(recorded.trace.regions.size(), 6U);
  EXPECT_EQ(recorded.header.state, spool::State::kFinished);
}

volatile sig_atomic_t is_child = 0;
volatile sig_atomic_t children = 0;

void fork_now(int /*signal*/) {
  if (is_child != 0 || children == 200) return;
  const pid_t child = fork();
  if (child == 0) {
    is_child = 1;
  } else if (child > 0) {
    children = children + 1;
  }
}

// In the midst of a callback it may be, from the first on: the child goes on there.
TEST_F(ForkedChild, MadeInASignalHandlerLeavesItsParentsRecordingAlone) {
#if defined(OMPDM_SANITIZED)
  GTEST_SKIP() << "sanitizers' own fork() takes locks that the interrupted code may hold";
#endif
  const Outcome outcome = in_child(folder, [] {
    FakeRuntime runtime;
    runtime.attach();
    ::signal(SIGALRM, fork_now);
    const itimerval often{{0, 300}, {0, 20}};
    setitimer(ITIMER_REAL, &often, nullptr);
    for (int i = 0; i < 50'000 || children < 20; ++i) {
      updates(1);
      if (is_child != 0) {
        updates(3);
        _exit(7);
      }
    }
    setitimer(ITIMER_REAL, nullptr, nullptr);
    if (is_child != 0) _exit(7);  // made after the last look
    for (int status = 0; wait(&status) > 0;) {
      if (status != 7 << 8) _exit(1);
    }
    updates(1);
    runtime.finish();
  });
  ASSERT_EQ(outcome.status, 0) << outcome.messages;
  // A child made before its parent's spool was open may have taken the name.
  const auto spools = folder.files();
  const auto parents = std::ranges::find_if(spools, [this](const std::string& name) {
    return read_back(folder.path() / name).trace.regions.size() > 50'000;
  });
  ASSERT_NE(parents, spools.end());
  const Trace trace = read_back(folder.path() / *parents).trace;
  EXPECT_EQ(trace.ops.size(), trace.regions.size());
  for (const Region& region : trace.regions) ASSERT_FALSE(region.unfinished);
}

}  // namespace
}  // namespace ompdm::test::forks_test
