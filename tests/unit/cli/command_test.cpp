// The command as it is typed, in a prefix of its own whose recorder is a stand-in.
#include <gtest/gtest.h>

#include "scratch.h"
#include "shell_words.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;
using testing::Ran;
using testing::Scratch;

class Command : public ::testing::Test {
 protected:
  explicit Command(const char* prefix = "prefix") : prefix_(scratch_.folder() / prefix) {
    fs::create_directories(prefix_ / "bin");
    fs::create_directories(prefix_ / "lib");
    fs::copy_file(OMPDM_COMMAND, prefix_ / "bin/ompdm");
    fs::copy_file(OMPDM_FAKE_RECORDER, prefix_ / "lib/libompdm.so");
    fs::create_directory(work());
  }

  [[nodiscard]] fs::path work() const { return scratch_.folder() / "work"; }

  /// Runs a shell line in which `ompdm` is the command.
  [[nodiscard]] Ran run(const std::string& line) const {
    return testing::shell(work(), "PATH=" + shell_word(prefix_ / "bin") + ":$PATH\n" + line);
  }

  Scratch scratch_;
  fs::path prefix_;
};

TEST_F(Command, WithoutAVerbShowsTheHelpAsAnError) {
  const Ran ran = run("ompdm");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.err.find("ompdm record ./app"), std::string::npos);
}

TEST_F(Command, ExplainsEachVerbOnStandardOutput) {
  for (const std::string verb :
       {"record", "env", "report", "compare", "finish", "info", "doctor"}) {
    const Ran ran = run("ompdm " + verb + " --help");
    EXPECT_EQ(ran.status, 0) << verb;
    EXPECT_NE(ran.out.find("Usage: ompdm " + verb), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("Examples:\n  "), std::string::npos) << ran.out;
    EXPECT_EQ(ran.err, "") << verb;
  }
}

struct Wrong {
  const char* line;
  int status;
  const char* said;
};

TEST_F(Command, SaysWhatIsWrongInOneLine) {
  const Wrong wrongs[] = {
      {"ompdm bogus", 2, "ompdm: bogus: no such command: see `ompdm --help`\n"},
      {"ompdm record", 2, "ompdm: record: no PROGRAM: ompdm record [-o FILE] PROGRAM [ARG…]\n"},
      {"ompdm record --bogus true", 2,
       "ompdm: record: --bogus: no such option: see `ompdm record --help`\n"},
      {"ompdm record -o nowhere/t.json true", 1,
       "ompdm: nowhere/t.json: the folder nowhere does not exist: create it, or choose another "
       "with -o\n"},
      {"ompdm record nosuch", 127, "ompdm: nosuch: not found: check the name and PATH\n"},
      {": > here; ompdm record here", 127,
       "ompdm: here: not found on PATH: did you mean ./here?\n"},
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

TEST_F(Command, RecordNeedsItsLibrary) {
  fs::remove(prefix_ / "lib/libompdm.so");
  const Ran ran = run("ompdm record true");
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(ran.err.starts_with("ompdm: libompdm.so: not found in ")) << ran.err;
}

TEST_F(Command, RecordNamesTheNextCommand) {
  const Ran ran = run("FAKE_RECORDER=trace ompdm record -o 'my trace.json' cat /dev/null; ls");
  EXPECT_EQ(ran.out, "my trace.json\n");
  EXPECT_EQ(ran.err, "ompdm: wrote my trace.json\nompdm: next: ompdm report 'my trace.json'\n");
}

TEST_F(Command, RecordSaysThatNothingWasOffloaded) {
  EXPECT_EQ(run("ompdm record true").err,
            "ompdm: no target region was recorded\nompdm: next: ompdm doctor true\n");
  EXPECT_EQ(run("FAKE_RECORDER=nothing ompdm record true").err,
            "ompdm: no target region was recorded: no target region was executed on a device\n"
            "ompdm: next: ompdm doctor true\n");
}

TEST_F(Command, RecordSendsNobodyToTheDoctorWhoWasToldWhy) {
  EXPECT_EQ(run("FAKE_RECORDER=told ompdm record true").err,
            "ompdm: no trace was written: the recorder has said why\n");
  EXPECT_EQ(run("FAKE_RECORDER=told ompdm record false").status, 1);
  const Ran doctor = run("unset TMPDIR; FAKE_RECORDER=told ompdm doctor --run true");
  EXPECT_NE(
      doctor.out.find("\nno:   nothing could be recorded in /tmp: set TMPDIR to a folder with "
                      "room\n"),
      std::string::npos)
      << doctor.out;
  EXPECT_EQ(doctor.out.find("no target region was recorded"), std::string::npos) << doctor.out;
}

TEST_F(Command, RecordTellsThatATraceIsOfAnEarlierRun) {
  const std::string old =
      "echo '{}' > trace.json; touch -d '2026-01-02 03:04:05 +0000' trace.json; ";
  const Ran ran = run("export TZ=UTC; " + old + "ompdm record true; cat trace.json");
  EXPECT_EQ(ran.err,
            "ompdm: no target region was recorded\n"
            "ompdm: trace.json is not of this run: it is from 2026-01-02 03:04:05 +0000\n"
            "ompdm: next: ompdm doctor true\n");
  EXPECT_EQ(ran.out, "{}\n");
}

TEST_F(Command, RunsWhereTheWorkingDirectoryIsGone) {
  const std::string gone = "mkdir gone; cd gone; rmdir ../gone; ";
  EXPECT_EQ(run(gone + "ompdm record sh -c 'exit 9'").status, 9);
  EXPECT_EQ(run(gone + "ompdm record --spool-dir . sh -c 'exit 9'").status, 9);
  const Ran ran = run(gone + "FAKE_RECORDER=trace ompdm record -o " + shell_word(work()) +
                      "/trace.json true && cat ../trace.json");
  EXPECT_EQ(ran.out, "{}\n") << ran.err;
  for (const char* verb : {"report", "info", "finish", "doctor"}) {
    const Ran failed = run(gone + "ompdm " + verb + " ./nothing");
    EXPECT_EQ(failed.status, 1) << verb;
    EXPECT_TRUE(failed.err.starts_with("ompdm: ./nothing: ")) << failed.err;
  }
}

TEST_F(Command, RecordTellsHowAProgramDiedBeforeItsFirstRegion) {
  const Ran killed = run("ompdm record sh -c 'kill -SEGV $$'");
  EXPECT_EQ(killed.status, 139);
  EXPECT_EQ(killed.err,
            "ompdm: no target region was recorded: sh was killed by signal 11 (Segmentation "
            "fault)\nompdm: next: ompdm doctor sh\n");
  EXPECT_EQ(run("ompdm record sh -c 'exit 3'").err,
            "ompdm: no target region was recorded: sh exited with 3\n"
            "ompdm: next: ompdm doctor sh\n");
}

TEST_F(Command, DoctorTellsHowAProgramDiedBeforeItsFirstRegion) {
  const Ran killed = run("ompdm doctor --run sh -c 'kill -SEGV $$'");
  EXPECT_EQ(killed.status, 1);
  EXPECT_NE(killed.out.find("\nno:   the program was killed by signal 11 (Segmentation fault), "
                            "and no target region was recorded\n"),
            std::string::npos)
      << killed.out;
  EXPECT_NE(run("ompdm doctor --run sh -c 'exit 3'")
                .out.find("\nno:   the program exited with 3, and no target region was recorded: "),
            std::string::npos);
}

TEST_F(Command, RecordLeavesInputOutputAndArgumentsAlone) {
  const Ran ran =
      run("printf 'in\\n' | ompdm record -- sh -c 'cat; printf \"[%s]\" \"$@\"; exit 9' sh -o -- "
          "'' 'a b' report --help");
  EXPECT_EQ(ran.status, 9);
  EXPECT_EQ(ran.out, "in\n[-o][--][][a b][report][--help]");
}

TEST_F(Command, RecordPreloadsIntoEverythingThatIsStarted) {
  const Ran ran =
      run("LD_PRELOAD= ompdm record sh -c 'sh -c \"echo \\$LD_PRELOAD; echo \\$OMPDM_OUTPUT\"'");
  EXPECT_EQ(ran.out, (prefix_ / "lib/libompdm.so").string() + "\n" +
                         (work() / "trace.json").string() + "\n");
}

TEST_F(Command, RecordRemovesItsFolder) {
  fs::create_directory(work() / "tmp");
  const Ran ran =
      run("TMPDIR=$PWD/tmp ompdm record sh -c 'ls -d tmp/*; kill -9 $$'; echo $?; ls tmp");
  EXPECT_TRUE(ran.out.starts_with("tmp/ompdm-")) << ran.out;
  EXPECT_TRUE(ran.out.ends_with("\n137\n")) << ran.out;
}

TEST_F(Command, RecordKeepsAPercentSignOfItsOwnFolder) {
  fs::create_directory(work() / "50%p");
  const Ran ran = run("cd 50%p && ompdm record -o '%p.json' sh -c 'echo $OMPDM_OUTPUT'");
  EXPECT_EQ(ran.out, (work() / "50%%p/%p.json").string() + "\n");
}

TEST_F(Command, EnvAttachesAndDetaches) {
  const std::string recorder = (prefix_ / "lib/libompdm.so").string();
  const Ran ran =
      run("unset LD_PRELOAD OMP_TOOL CUDA_INJECTION64_PATH\n"
          "eval \"$(ompdm env -o 'a b.json')\"; echo $LD_PRELOAD; echo $OMPDM_OUTPUT\n"
          "echo $CUDA_INJECTION64_PATH\n"
          "eval \"$(ompdm env --unset)\"; echo ${LD_PRELOAD-none} ${OMPDM_OUTPUT-none} "
          "${CUDA_INJECTION64_PATH-none}");
  EXPECT_EQ(ran.out, recorder + "\na b.json\n" + recorder + "\nnone none none\n") << ran.err;
  const std::string clean = "unset LD_PRELOAD CUDA_INJECTION64_PATH; ompdm env --shell ";
  EXPECT_EQ(run(clean + "fish").out, "set -gx LD_PRELOAD " + recorder +
                                         "\nset -gx CUDA_INJECTION64_PATH " + recorder + "\n");
  EXPECT_EQ(run(clean + "csh").out,
            "setenv LD_PRELOAD " + recorder + "\nsetenv CUDA_INJECTION64_PATH " + recorder + "\n");
}

TEST_F(Command, DoctorSeesThatAProgramDoesNotOffload) {
  const Ran ran = run("ompdm doctor true");
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.out.find("\nno:   no OpenMP offload code"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("\nEvents will not come: build it with clang++"), std::string::npos)
      << ran.out;
}

TEST_F(Command, IsQuietWhenItsReaderHasEnough) {
  const Ran ran = run("ompdm --help | true; ompdm doctor | head -n 1");
  EXPECT_EQ(ran.err, "");
}

class CommandElsewhere : public Command {
 protected:
  CommandElsewhere() : Command("a prefix:with both") {}
};

TEST_F(CommandElsewhere, RecordsWhereLdPreloadCannotHoldThePath) {
  // PATH cannot hold a colon either.
  const std::string command = shell_word(prefix_ / "bin/ompdm");
  const Ran ran = run("FAKE_RECORDER=trace " + command + " record true");
  EXPECT_EQ(ran.err, "ompdm: wrote trace.json\nompdm: next: ompdm report trace.json\n");
  const Ran env = run(command + " env");
  EXPECT_EQ(env.status, 1);
  EXPECT_NE(env.err.find("use `ompdm record`"), std::string::npos) << env.err;
}

}  // namespace
}  // namespace ompdm::cli
