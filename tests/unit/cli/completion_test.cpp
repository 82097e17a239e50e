// What a shell completes, asked of the shells themselves.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "command.h"

namespace ompdm::cli::completion_test {
namespace {

using testing::Ran;

class Completion : public testing::Command {
 protected:
  Completion() {
    (void)run("mkdir folder; touch trace.json; : > app; chmod +x app");
    (void)run("for shell in bash zsh fish; do ompdm completion $shell > $shell; done");
  }
};

struct Line {
  const char* words;  ///< as bash has them, the last one to be completed
  const char* completions;
};

class BashCompletion : public Completion, public ::testing::WithParamInterface<Line> {};

TEST_P(BashCompletion, IsWhatTheDefinitionsSay) {
  const Line line = GetParam();
  const Ran ran =
      run(std::string("cat > asked <<'EOF'\nsource ./bash\nCOMP_WORDS=(ompdm ") + line.words +
          ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_ompdm\n"
          "echo \"${COMPREPLY[*]}\"\nEOF\nbash --norc asked");
  EXPECT_EQ(ran.out, std::string(line.completions) + "\n") << line.words;
  EXPECT_EQ(ran.err, "") << line.words;
}

constexpr Line kLines[] = {
    {"re", "record report"},
    {"--v", "--version"},
    {"nosuch x", ""},
    {"report --gp", "--gpu-trace"},
    {"report tr", "trace.json"},
    {"report --as ''", "job inputs"},
    {"report --as = i", "inputs"},
    {"report --as =", "job inputs"},
    {"report --link ''", ""},
    {"report trace.json -o tr", "trace.json"},
    {"compare trace.json tr", "trace.json"},
    {"finish tr", "trace.json"},
    {"env --shell f", "fish"},
    {"help comp", "compare completion"},
    {"completion z", "zsh"},
    {"record --rep", "--report"},
    {"record --report = js", "json"},
    {"record --hash ''", "off full"},
    {"record --spool-dir ''", "folder"},
    {"record ./a", "./app"},
    {"record --report ./a", "./app"},
    {"record --report = text ./a", "./app"},
    {"record --hash = 3 ./a", "./app"},
    {"record -o x.json ./a", "./app"},
    {"record -- ./a", "./app"},
    {"record ./app tr", "trace.json"},
    {"record ./app --re", ""},
    {"doctor --r", "--run"},
    {"doctor --run ./a", "./app"},
};

INSTANTIATE_TEST_SUITE_P(Lines, BashCompletion, ::testing::ValuesIn(kLines));

TEST_F(Completion, FishAgrees) {
  if (run("fish --version").status != 0) GTEST_SKIP() << "no fish here";
  const auto completed = [&](const std::string& line) {
    return run("HOME=$PWD fish -N -c 'source ./fish; complete -C \"ompdm " + line +
               "\" | string replace -r \"\\t.*\" \"\"'")
        .out;
  };
  EXPECT_EQ(completed("re"), "record\nreport\n");
  EXPECT_EQ(completed("report --gp"), "--gpu-trace\n");
  EXPECT_EQ(completed("report --as "), "inputs\njob\n");
  EXPECT_EQ(completed("report tr"), "trace.json\n");
  EXPECT_EQ(completed("record --report=js"), "--report=json\n");
  EXPECT_EQ(completed("record -o x.json ./a"), "./app\n");
}

TEST_F(Completion, ZshTakesIt) {
  if (run("zsh --version").status != 0) GTEST_SKIP() << "no zsh here";
  EXPECT_EQ(run("zsh -fn ./zsh").err, "");
}

TEST_F(Completion, IsForKnownShells) {
  EXPECT_EQ(run("ompdm completion").status, 2);
  EXPECT_EQ(run("ompdm completion csh").status, 2);
  EXPECT_EQ(run("ompdm completion /bin/bash").out, run("cat bash").out);
}

}  // namespace
}  // namespace ompdm::cli::completion_test
