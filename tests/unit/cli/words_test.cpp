// What the command says of itself, and of words that mean nothing to it.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "command.h"

namespace ompdm::cli::words_test {
namespace {

using testing::Ran;

class Words : public testing::Command {};

TEST_F(Words, WithoutAVerbShowsTheHelp) {
  const Ran ran = run("ompdm");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err, "");
  EXPECT_NE(ran.out.find("ompdm record ./app"), std::string::npos);
  EXPECT_EQ(run("ompdm help").out, ran.out);
  EXPECT_EQ(run("ompdm --help").out, ran.out);
  EXPECT_EQ(run("ompdm -V").out, run("ompdm --version").out);
}

TEST_F(Words, ExplainsEachVerbOnStandardOutput) {
  for (const std::string verb :
       {"record", "report", "explain", "fix", "compare", "export", "merge", "finish", "info",
        "doctor", "lesson", "env", "help", "completion"}) {
    const Ran ran = run("ompdm " + verb + " --help");
    EXPECT_EQ(ran.status, 0) << verb;
    EXPECT_NE(ran.out.find("Usage: ompdm " + verb), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("Examples:\n  "), std::string::npos) << ran.out;
    EXPECT_EQ(ran.err, "") << verb;
    EXPECT_EQ(run("ompdm help " + verb).out, ran.out);
    constexpr std::size_t kColumns = 100;
    std::istringstream lines(ran.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), kColumns) << line;
  }
}

struct Wrong {
  const char* line;
  int status;
  const char* said;
};

TEST_F(Words, SaysWhatIsWrongInOneLine) {
  const Wrong wrongs[] = {
      {"ompdm bogus", 2, "ompdm: bogus: no such command: see `ompdm --help`\n"},
      {"ompdm reprot x", 2, "ompdm: reprot: no such command: did you mean `ompdm report`?\n"},
      {"ompdm help reprot", 2, "ompdm: reprot: no such command: did you mean `ompdm report`?\n"},
      {": > app; chmod +x app; ompdm ./app -n 'a b'", 2,
       "ompdm: ./app: no such command: did you mean `ompdm record ./app -n 'a b'`?\n"},
      {"ompdm ./ap", 2, "ompdm: ./ap: no such command: did you mean `ompdm record ./app`?\n"},
      {"ompdm app", 2, "ompdm: app: no such command: did you mean `ompdm record ./app`?\n"},
      {"ompdm ap", 2, "ompdm: ap: no such command: did you mean `ompdm record ./app`?\n"},
      {"echo '{\"otherData\":{\"schema\":\"ompdm.trace/1\"' > t.json; ompdm t.json", 2,
       "ompdm: t.json: no such command: did you mean `ompdm report t.json`?\n"},
      {"ompdm --verison", 2, "ompdm: --verison: no such option: did you mean --version?\n"},
      {"ompdm report --gputrace", 2,
       "ompdm: report: --gputrace: no such option: did you mean --gpu-trace?\n"},
      {"ompdm report --frmat=json t.json", 2,
       "ompdm: report: --frmat: no such option: did you mean --format?\n"},
      {"ompdm info a b", 2, "ompdm: info: b: one argument too many: see `ompdm info --help`\n"},
      {"ompdm record --hsah 3 true", 2,
       "ompdm: record: --hsah: no such option: did you mean --hash?\n"},
      {"ompdm doctor --rum true", 2, "ompdm: doctor: --rum: no such option: did you mean --run?\n"},
      {"ompdm record --hash 200 true", 2,
       "ompdm: record: --hash: 200 is neither off, full nor a percentage from 0 to 100: see `ompdm "
       "record --help`\n"},
      {"ompdm report --fail-if 'DtoH.count => 3' t.json", 2,
       "ompdm: 'DtoH.count => 3': => is no operator: write >=\n"},
      {"ompdm report --fail-if 'HtoD.bytes > 3x' a b", 2,
       "ompdm: --fail-if 'HtoD.bytes > 3x': a number with an x is of two recordings, one over the "
       "other: leave the x out, or use `ompdm compare a b --fail-if 'HtoD.bytes > 3x'`\n"},
      {"ompdm record", 2, "ompdm: record: no PROGRAM: ompdm record [-o FILE] PROGRAM [ARG…]\n"},
      {"ompdm record --bogus true", 2,
       "ompdm: record: --bogus: no such option: see `ompdm record --help`\n"},
      {"ompdm record -o nowhere/t.json true", 1,
       "ompdm: nowhere/t.json: the folder nowhere does not exist: create it, or choose another "
       "with -o\n"},
      {"ompdm record nosuch", 127, "ompdm: nosuch: not found: check the name and PATH\n"},
      {": > here; ompdm record here", 127,
       "ompdm: here: not found on PATH: did you mean ./here?\n"},
      {": > solver; chmod +x solver; ompdm record ./slover", 127,
       "ompdm: ./slover: not found: did you mean ./solver?\n"},
      {"ompdm record slover", 127, "ompdm: slover: not found: did you mean ./solver?\n"},
      {"ompdm doctor slover", 1, "ompdm: slover: not found: did you mean ./solver?\n"},
      {"echo '#!/nowhere' > script; chmod +x script; ompdm record ./script", 127,
       "ompdm: ./script: the interpreter that it asks for is not found: see its first line\n"},
      {"ompdm record ./here", 126,
       "ompdm: ./here: cannot be executed (Permission denied): name a program, or make it "
       "executable (chmod +x)\n"},
      {"ompdm info nosuch.json", 1, nullptr},
      {"ompdm doctor nosuch", 1, "ompdm: nosuch: not found: check the name and PATH\n"},
      {"ompdm doctor true --run", 2,
       "ompdm: doctor: arguments are for a program that is run: add --run before PROGRAM\n"},
      {"ompdm --version > /dev/full", 1, "ompdm: standard output: No space left on device\n"},
  };
  for (const Wrong& wrong : wrongs) {
    const Ran ran = run(wrong.line);
    EXPECT_EQ(ran.status, wrong.status) << wrong.line;
    EXPECT_EQ(ran.out, "") << wrong.line;
    if (wrong.said != nullptr) {
      EXPECT_EQ(ran.err, wrong.said) << wrong.line;
    } else {
      EXPECT_TRUE(ran.err.starts_with("ompdm: ") && ran.err.ends_with("\n")) << ran.err;
    }
  }
}

TEST_F(Words, RecordTakesWhatTheRecorderTakes) {
  for (const char* value : {"off", "full", "0", "3", "0.5", "12.5%", "100"}) {
    EXPECT_EQ(run(std::string("ompdm record --hash ") + value + " true").status, 0) << value;
  }
  for (const char* value : {"''", "%", "-1", "1e1", "on", "100.1", "0x3", "nan"}) {
    EXPECT_EQ(run(std::string("ompdm record --hash ") + value + " true").status, 2) << value;
  }
}

}  // namespace
}  // namespace ompdm::cli::words_test
