// What the library that is loaded into a build's processes writes down, and what is read of it.
#include <gtest/gtest.h>

#include <algorithm>

#include "fix/compile_arguments.h"
#include "printable.h"
#include "scratch.h"

namespace ompdm::cli::build_log_test {
namespace {

/// Runs it as `ompdm fix` runs a build. Its exit status.
int build(const BuildLog& log, const testing::Scratch& scratch, const std::string& command) {
  std::string words = "env";
  for (const auto& [name, value] : log.environment()) words += ' ' + name + '=' + shell_word(value);
  return testing::shell(scratch.folder(), words + " sh -c " + shell_word(command)).status;
}

class BuildLogs : public ::testing::Test {
 protected:
  testing::Scratch scratch_;
  BuildLog log_{scratch_.folder() / "log"};
};

TEST_F(BuildLogs, HoldHowEachProcessWasStarted) {
  ASSERT_EQ(build(log_, scratch_, "mkdir 'two words' && cd 'two words' && env cat ''"), 1);
  std::vector<StartedProcess> processes = log_.processes();
  const std::vector<std::string> words = {"cat", ""};
  const auto at = std::ranges::find(processes, words, &StartedProcess::words);
  ASSERT_NE(at, processes.end());
  EXPECT_EQ(at->directory, scratch_.folder() / "two words");
}

// As many as make starts at one time.
TEST_F(BuildLogs, KeepProcessesApart) {
  ASSERT_EQ(build(log_, scratch_,
                  "for i in $(seq 200); do /bin/echo $i with some words >/dev/null & done; wait"),
            0);
  const std::vector<StartedProcess> processes = log_.processes();
  for (int i = 1; i <= 200; ++i) {
    const std::vector<std::string> words = {"/bin/echo", std::to_string(i), "with", "some",
                                            "words"};
    EXPECT_EQ(std::ranges::count(processes, words, &StartedProcess::words), 1) << i;
  }
}

TEST_F(BuildLogs, LeaveOutWhatIsTooLongToHold) {
  ASSERT_EQ(build(log_, scratch_,
                  "a=$(printf '%0100000d' 0); /bin/true $a $a $a $a $a $a $a $a $a $a $a"),
            0);
  for (const StartedProcess& process : log_.processes()) EXPECT_NE(process.words[0], "/bin/true");
}

}  // namespace
}  // namespace ompdm::cli::build_log_test
