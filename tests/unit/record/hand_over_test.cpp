// Handing the spool over: what the program sees of the process that gets it, and what that one
// inherits.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "record/recording.h"

namespace ompdm::test::hand_over_test {
namespace {

namespace fs = std::filesystem;

volatile sig_atomic_t children_told = 0;

/// A script in place of `ompdm`, and the environment that has the recorder start it.
std::map<std::string, std::string> instead_of_ompdm(const Folder& folder, const std::string& deed) {
  const fs::path script = folder.path() / "instead";
  std::ofstream(script) << "#!/bin/sh\n" << deed << '\n';
  fs::permissions(script, fs::perms::owner_all);
  return {{"OMPDM_FINISH", "on"}, {"OMPDM_COMMAND", script}};
}

std::string text_of(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// The file's text, once it is there: moved into place by the script.
std::string awaited(const fs::path& path) {
  for (int tries = 0; tries < 3000 && !fs::exists(path); ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return text_of(path);
}

void record_one_update() {
  FakeRuntime runtime;
  runtime.attach();
  FakeRuntime::begin(4, 0, address(0x1000));
  FakeRuntime::op(2, address(0x500), kHost, address(0x9000), 0, 8, address(0x1000));
  FakeRuntime::end(4, 0, address(0x1000));
  runtime.finish();
}

bool is_locked(const fs::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool locked = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(file);
  return locked;
}

TEST(Finisher, ShowsTheProgramNoChildAndNoSignal) {
  const Folder folder;
  const fs::path done = folder.path() / "done";
  const auto environment = instead_of_ompdm(folder, ": >" + done.string());
  const Outcome outcome = in_child(
      folder,
      [&] {
        ::signal(SIGCHLD, [](int) { children_told = 1; });
        record_one_update();
        while (!fs::exists(done)) {
          if (waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD) _exit(1);
        }
        usleep(20'000);
        _exit(children_told == 0 ? 0 : 2);
      },
      environment);
  EXPECT_EQ(outcome.status, 0) << outcome.messages;
}

TEST(Finisher, LocksTheSpoolUntilTheOtherEnds) {
  const Folder folder;
  const fs::path go = folder.path() / "go";
  const auto environment =
      instead_of_ompdm(folder, "while ! [ -e '" + go.string() + "' ]; do sleep 0.02; done");
  EXPECT_EQ(in_child(folder, record_one_update, environment).status, 0);
  const fs::path spool = folder.path() / "trace.json.spool";
  EXPECT_TRUE(is_locked(spool));
  std::ofstream(go) << "go";
  const int file = open(spool.c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(flock(file, LOCK_EX), 0);
  close(file);
}

TEST(Finisher, PassesOnNothingOfTheProgramButTheSpool) {
  const Folder folder;
  const fs::path told = folder.path() / "told";
  const auto environment = instead_of_ompdm(
      folder,
      "{ for f in 0 1 2 5 77; do readlink /proc/$$/fd/$f || echo none; done; pwd;\n"
      "echo \"$2 $3\"; cut -d' ' -f6 /proc/$$/stat; echo $$; } >'" +
          told.string() + ".tmp'; mv '" + told.string() + ".tmp' '" + told.string() + "'");
  const Outcome outcome = in_child(
      folder,
      [] {
        int pipe_of_program[2];
        if (pipe(pipe_of_program) != 0 || dup2(pipe_of_program[1], 77) != 77) _exit(1);
        dup2(pipe_of_program[0], 5);
        dup2(pipe_of_program[1], STDOUT_FILENO);
        record_one_update();
      },
      environment);
  EXPECT_EQ(outcome.status, 0) << outcome.messages;
  std::istringstream lines(awaited(told));
  std::vector<std::string> said;
  for (std::string line; std::getline(lines, line);) said.push_back(line);
  ASSERT_EQ(said.size(), 9U);
  const std::string spool = folder.path() / "trace.json.spool";
  EXPECT_EQ(said[0], spool);
  EXPECT_EQ(said[1], told.string() + ".tmp");  // the script's own; what it had is in said[2]
  EXPECT_EQ(said[2], "/dev/null");
  EXPECT_EQ(said[3], "none");
  EXPECT_EQ(said[4], "none");
  EXPECT_EQ(said[5], "/");
  EXPECT_EQ(said[6], "--handed-over " + spool);
  EXPECT_EQ(said[7], said[8]) << "not the leader of a session of its own";
}

TEST(Finisher, WorksWithoutStandardStreams) {
  const Folder folder;
  const fs::path told = folder.path() / "told";
  const auto environment =
      instead_of_ompdm(folder, "readlink /proc/$$/fd/0 >'" + told.string() + ".tmp'; mv '" +
                                   told.string() + ".tmp' '" + told.string() + "'");
  const Outcome outcome = in_child(
      folder,
      [] {
        close(0);
        close(1);
        close(2);
        record_one_update();
      },
      environment);
  EXPECT_EQ(outcome.status, 0) << outcome.messages;
  EXPECT_EQ(awaited(told), (folder.path() / "trace.json.spool").string() + "\n");
}

}  // namespace
}  // namespace ompdm::test::hand_over_test
