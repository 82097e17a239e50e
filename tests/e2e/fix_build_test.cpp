// `ompdm fix` and the build: what it shows, what of it is still what was recorded, and what is said
// of commands that do not do what they should.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <fstream>

#include "project.h"
#include "run.h"

namespace ompdm::e2e {
namespace {

namespace fs = std::filesystem;

const fs::path kPrograms = OMPDM_E2E_FIX;

/// One whose sources need options, and whose objects are made before it is copied.
class WithFlags : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::copy(kPrograms / "flags" / "include", project_.folder() / "include");
    project_.build_by("flags: flags.o\n\t" + compile_line(true) +
                      " -o flags flags.o\nflags.o: flags.c\n\t" + compile_line(true) +
                      " -Iinclude -D PASSES=20 -c flags.c\n");
    ASSERT_TRUE(project_.record());
  }
  Project project_{kPrograms / "flags" / "flags.c"};
};

TEST_F(WithFlags, AreLearntFromTheBuild) {
  const Ended ended = project_.fix({"--build", "make", "--apply"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "  verified\n")) << ended.out;
  EXPECT_TRUE(contains(project_.text("flags.c"), "enter data map(to: u[0:n])"));
  EXPECT_TRUE(project_.left_nothing());
}

TEST_F(WithFlags, AreMissedWithoutIt) {
  const Ended ended = project_.fix();
  EXPECT_EQ(ended.status, 4) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "--build learns how it is compiled")) << ended.out;
  EXPECT_TRUE(contains(ended.err, "; by hand: ompdm explain trace.json 1")) << ended.err;
}

TEST_F(WithFlags, AreLearntWhereTheCopyIsNotSeenInPlace) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give up what it takes";
  const std::string before = project_.text("flags.c");
  Command command{
      {OMPDM_COMMAND, "fix", "trace.json", "--build", "make -C " + project_.folder().string()},
      {{"TMPDIR", project_.scratch().string()}},
      std::chrono::seconds(240)};
  command.before_exec = [] { ::prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN); };
  const Ended ended = run(command, project_.folder());
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "+++ b/flags.c\n")) << ended.out;
  EXPECT_EQ(project_.text("flags.c"), before);
}

TEST(FixBuild, KeepsALibraryThatIsLoadedIntoAll) {
  const Project project(kPrograms / "copied_back.c");
  ASSERT_TRUE(project.record());
  const Command command{{OMPDM_COMMAND, "fix", "trace.json", "--build",
                         "case $LD_PRELOAD in *nothing.so*) make;; *) false;; esac"},
                        {{"TMPDIR", project.scratch().string()}, {"LD_PRELOAD", "/nothing.so"}},
                        std::chrono::seconds(240)};
  const Ended ended = run(command, project.folder());
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
}

// Written again with the same contents, as git and cp do.
TEST(FixBuild, ShowsThatANewerSourceIsStillTheSame) {
  const Project project(kPrograms / "copied_back.c");
  ASSERT_TRUE(project.record());
  const std::string text = project.text("copied_back.c");
  std::ofstream(project.folder() / "copied_back.c") << text;
  const Ended ended = project.fix();
  EXPECT_EQ(ended.status, 4) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out,
                       "finding 1 at copied_back.c:11: not made: copied_back.c was written after "
                       "the program was built: build it, and record it again: ompdm record "
                       "./copied_back"))
      << ended.out;
  const Ended built = project.fix({"--build", "make"});
  EXPECT_EQ(built.status, 0) << built.out << built.err;

  std::ofstream(project.folder() / "copied_back.c") << "// One line more.\n" << text;
  const Ended changed = project.fix({"--build", "make"});
  EXPECT_EQ(changed.status, 4) << changed.out << changed.err;
  EXPECT_TRUE(contains(changed.out, "written after the program was built")) << changed.out;

  ASSERT_EQ(run({{"make"}}, project.folder()).status, 0);
  const Ended anew = project.fix({"--build", "make"});
  EXPECT_EQ(anew.status, 4) << anew.out << anew.err;
  EXPECT_TRUE(
      contains(anew.out, "the program was built anew after it was recorded: record it again"))
      << anew.out;
}

TEST(FixBuild, NeedsLines) {
  const Project project(kPrograms / "copied_back.c");
  std::string makefile = project.text("Makefile");
  makefile.replace(makefile.find(" -g "), 4, " -g0 ");
  project.build_by(makefile);
  ASSERT_TRUE(project.record());
  const Ended ended = project.fix();
  EXPECT_EQ(ended.status, 4) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "compile with -g, and record again: ompdm record ./copied_back"))
      << ended.out;
}

// A promise of a loop whose entries are not told apart is one of the fewest.
TEST(FixBuild, TakesWhatSparesLessThanWasPromisedAtMost) {
  const Project project(kPrograms / "entered.c");
  ASSERT_TRUE(project.record());
  const Ended ended = project.fix({"--build", "make"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, " % of what was promised\n")) << ended.out;
}

TEST(FixBuild, RefusesWhatSparesLittleOfAFirmPromise) {
  const Project project(kPrograms / "wasteful.c");
  ASSERT_TRUE(project.record());
  const std::string build =
      "if grep -q 'enter data map(to: u' wasteful.c; then make -B "
      "MORE=-DWASTE; else make -B; fi";
  std::string makefile = project.text("Makefile");
  makefile.insert(makefile.rfind('\n'), " $(MORE)");
  std::ofstream(project.folder() / "Makefile") << makefile;
  const Ended ended = project.fix({"--build", build});
  EXPECT_EQ(ended.status, 4) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "refused: it spares less than promised")) << ended.out;
  EXPECT_TRUE(contains(ended.out, "By hand: ompdm explain trace.json 1\n")) << ended.out;
}

TEST(FixBuild, MeasuresOtherRunsForThemselves) {
  const Project project(kPrograms / "asks.c");
  ASSERT_EQ(run({{"make"}}, project.folder()).status, 0);
  const std::string record = std::string(OMPDM_COMMAND) + " record -o trace.json ./asks";
  ASSERT_EQ(run({{"sh", "-c", "echo 100000 | " + record}}, project.folder()).status, 0);
  const Ended silent = project.fix({"--build", "make"});
  EXPECT_EQ(silent.status, 1) << silent.out;
  EXPECT_TRUE(
      contains(silent.err, "/asks' moved nothing and ended with status 3 (usage: asks < input)"))
      << silent.err;
  EXPECT_TRUE(contains(silent.err, "--run './app < input'")) << silent.err;
  const Ended ended = project.fix(
      {"--build", "make", "--run", "echo 1000 | ./asks", "--run", "echo 2000 | ./asks"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "  verified\nPromised is of the run that was recorded"))
      << ended.out;
  EXPECT_TRUE(contains(ended.out, "#   echo 1000 | ./asks\n#   echo 2000 | ./asks\n")) << ended.out;
}

TEST(FixBuild, SaysWhichCommandDoesNotDoWhatItShould) {
  const Project project(kPrograms / "copied_back.c");
  ASSERT_TRUE(project.record());
  const struct {
    std::vector<std::string> options;
    const char* message;
  } kCases[] = {
      {{"--build", "make", "--run", "./copied_back", "--run", "./nosuch 3"},
       "'./nosuch 3' moved nothing and ended with status 127 (sh: 1: ./nosuch: not found): check "
       "--run"},
      {{"--build", "make", "--same", "nosuchcmp"}, "--same nosuchcmp: cannot be run: "},
      {{"--tree", "/nosuch"}, "--tree /nosuch: there is no such folder"},
      {{"--build", "false"}, " as it is, in a copy, the build command exits with 1\n"},
      {{"--ignore", "time"}, "--ignore"},
  };
  for (const auto& each : kCases) {
    const Ended ended = project.fix(each.options);
    EXPECT_GT(ended.status, 0);
    EXPECT_LT(ended.status, 4);
    EXPECT_TRUE(contains(ended.err, each.message)) << ended.err;
  }
}

TEST(FixBuild, RemovesWhatOneThatWasKilledLeft) {
  const Project project(kPrograms / "copied_back.c");
  ASSERT_TRUE(project.record());
  for (const char* name : {"ompdm-fix-killed", "ompdm-fix-running", "ompdm-fix-others"}) {
    fs::create_directory(project.scratch() / name);
  }
  std::ofstream(project.scratch() / "ompdm-fix-killed" / "lock").flush();
  const int lock = ::open((project.scratch() / "ompdm-fix-running" / "lock").c_str(),
                          O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  EXPECT_EQ(project.fix({"--build", "false"}).status, 1);
  EXPECT_FALSE(fs::exists(project.scratch() / "ompdm-fix-killed"));
  EXPECT_TRUE(fs::exists(project.scratch() / "ompdm-fix-running"));
  EXPECT_TRUE(fs::exists(project.scratch() / "ompdm-fix-others"));
  ::close(lock);
}

}  // namespace
}  // namespace ompdm::e2e
