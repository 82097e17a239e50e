// The command as it is typed, in a prefix of its own whose recorder is a stand-in.
#include "command.h"

#include <gtest/gtest.h>

namespace ompdm::cli::command_test {
namespace {

namespace fs = std::filesystem;
using testing::Command;
using testing::Ran;

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

TEST_F(Command, RecordKeepsTheStatusOfAProgramWhoseReportFails) {
  const Ran ran = run("FAKE_RECORDER=trace ompdm record --report cat nosuch 2>&1 >out");
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.out.find("\nompdm: wrote trace.json\nompdm: trace.json: "), std::string::npos);
  EXPECT_TRUE(ran.out.ends_with("\nompdm: next: ompdm report trace.json\n")) << ran.out;
  EXPECT_EQ(run("cat out").out, "");
  EXPECT_EQ(run("ompdm record --report=tex true").status, 2);
  EXPECT_EQ(run("ompdm record --report --no-finish true").status, 2);
}

TEST_F(Command, RecordSaysThatNothingWasOffloaded) {
  EXPECT_EQ(run("ompdm record true").err,
            "ompdm: no target region was recorded\nompdm: next: ompdm doctor true\n");
  EXPECT_EQ(run("FAKE_RECORDER=nothing ompdm record true").err,
            "ompdm: no target region was recorded: no target region was executed on a device\n"
            "ompdm: next: ompdm doctor --run true\n");
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
  EXPECT_EQ(ran.out, (prefix_ / "lib/libompdm.so").string() + "\n" + (work() / "").string() + "\n");
}

TEST_F(Command, RecordRemovesItsFolder) {
  fs::create_directory(work() / "tmp");
  const Ran ran =
      run("TMPDIR=$PWD/tmp ompdm record sh -c 'ls -d tmp/*; kill -9 $$'; echo $?; ls tmp");
  EXPECT_TRUE(ran.out.starts_with("tmp/ompdm-")) << ran.out;
  EXPECT_TRUE(ran.out.ends_with("\n137\n")) << ran.out;
}

TEST_F(Command, RecordTakesALineEndInTheNameOfItsFolder) {
  const Ran ran = run("mkdir 'a\nb'; cd 'a\nb'; FAKE_RECORDER=trace ompdm record true; ls");
  EXPECT_EQ(ran.out, "trace.json\n") << ran.err;
  EXPECT_EQ(ran.err, "ompdm: wrote trace.json\nompdm: next: ompdm report trace.json\n");
}

TEST_F(Command, RecordKeepsAPercentSignOfItsOwnFolder) {
  fs::create_directory(work() / "50%p");
  const Ran ran = run("cd 50%p && ompdm record -o '%p.json' sh -c 'echo $OMPDM_OUTPUT'");
  EXPECT_EQ(ran.out, (work() / "50%%p/%p.json").string() + "\n");
}

TEST_F(Command, EnvAttachesAndDetaches) {
  const std::string recorder = (prefix_ / "lib/libompdm.so").string();
  const Ran ran =
      run("unset LD_PRELOAD OMP_TOOL CUDA_INJECTION64_PATH ASAN_OPTIONS\n"
          "eval \"$(ompdm env -o 'a b.json')\"; echo $LD_PRELOAD; echo $OMPDM_OUTPUT\n"
          "echo $CUDA_INJECTION64_PATH\n"
          "eval \"$(ompdm env --unset)\"; echo ${LD_PRELOAD-none} ${OMPDM_OUTPUT-none} "
          "${CUDA_INJECTION64_PATH-none} ${ASAN_OPTIONS-none}");
  EXPECT_EQ(ran.out, recorder + "\na b.json\n" + recorder + "\nnone none none none\n") << ran.err;
  const std::string clean =
      "unset LD_PRELOAD CUDA_INJECTION64_PATH ASAN_OPTIONS; ompdm env --shell ";
  EXPECT_EQ(
      run(clean + "/usr/bin/fish").out,
      "set -gx LD_PRELOAD " + recorder +
          ";\nset -gx ASAN_OPTIONS verify_asan_link_order=0;\nset -gx CUDA_INJECTION64_PATH " +
          recorder + ";\n");
  EXPECT_EQ(run(clean + "tcsh").out,
            "setenv LD_PRELOAD " + recorder +
                ";\nsetenv ASAN_OPTIONS verify_asan_link_order=0;\nsetenv CUDA_INJECTION64_PATH " +
                recorder + ";\n");
  for (const char* shell : {"bash", "zsh", "dash", "ksh"}) {
    EXPECT_EQ(run(clean + shell).out, run(clean + "sh").out);
  }
  EXPECT_EQ(run(clean + "cmd").status, 2);
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

TEST_F(Command, FollowsNoFolderOrPipe) {
  EXPECT_EQ(run("ompdm info --follow .").err,
            "ompdm: .: is a folder: name the trace that a process records into, or its spool\n");
  EXPECT_EQ(run("mkfifo pipe; ompdm info --follow pipe").err,
            "ompdm: pipe: is no regular file: name the trace that a process records into, or its "
            "spool\n");
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
}  // namespace ompdm::cli::command_test
