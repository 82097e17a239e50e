// `ompdm fix` and the build: what the build shows, and which of its results are still those of the
// recording. And messages on commands that do not do what they should.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <fstream>

#include "offload_build.h"
#include "project.h"
#include "run.h"

namespace ompdm::e2e::fix_build_test {
namespace {

namespace fs = std::filesystem;

const fs::path kPrograms = OMPDM_E2E_FIX;

/// One whose sources need options, and whose objects are there before it is copied: this one, which
/// is empty, is of use to none.
class WithFlags : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::copy(kPrograms / "flags" / "include", project_.folder() / "include");
    project_.build_by("flags: flags.o\n\t" + compile_line(true) +
                      " -o flags flags.o\nflags.o: flags.c\n\t" + compile_line(true) +
                      " -Iinclude -D PASSES=20 -c flags.c\n");
    std::ofstream(project_.folder() / "flags.o").flush();
    ASSERT_TRUE(project_.record());
  }
  Project project_{kPrograms / "flags" / "flags.c"};
};

TEST_F(WithFlags, AreLearntFromTheBuild) {
  const Ended ended = project_.fix({"--build", "make", "--timed-runs", "0", "--apply"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "  verified\n")) << ended.out;
  EXPECT_TRUE(contains(project_.text("flags.c"), "enter data map(to: u[0:n])"));
  EXPECT_TRUE(project_.left_nothing());
}

using WithFlagsSlow = WithFlags;

TEST_F(WithFlagsSlow, AreLearntWhereTheCopyIsNotSeenInPlace) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give up what it takes";
  const std::string before = project_.text("flags.c");
  Command command{{OMPDM_COMMAND, "fix", "trace.json", "--build",
                   "make -C " + project_.folder().string(), "--timed-runs", "0"},
                  {{"TMPDIR", project_.scratch().string()}},
                  std::chrono::seconds(240)};
  command.before_exec = [] { ::prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN); };
  const Ended ended = run(command, project_.folder());
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "+++ b/flags.c\n")) << ended.out;
  EXPECT_EQ(project_.text("flags.c"), before);
}

// Every build succeeds, so that what is refused is what they made.
TEST(FixBuild, KeepsALibraryThatIsLoadedIntoAll) {
  const Project project(kPrograms / "copied_back.c");
  ASSERT_TRUE(project.record());
  const Command command{
      {OMPDM_COMMAND, "fix", "trace.json", "--build",
       "case $LD_PRELOAD in *nothing.so*) " + project.build_of() + ";; *) false;; esac"},
      {{"TMPDIR", project.scratch().string()}, {"LD_PRELOAD", "/nothing.so"}},
      std::chrono::seconds(240)};
  const Ended ended = run(command, project.folder());
  EXPECT_EQ(ended.status, 4) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "refused: it moves as much as before")) << ended.out;
}

// Written again with the same contents, as git and cp do.
TEST(FixBuildSlow, ShowsThatANewerSourceIsStillTheSame) {
  const Project project(kPrograms / "copied_back.c");
  ASSERT_TRUE(project.make());
  ASSERT_TRUE(project.record());
  const std::vector<std::string> build = {"--build", "make", "--timed-runs", "0"};
  const std::string text = project.text("copied_back.c");
  std::ofstream(project.folder() / "copied_back.c") << text;
  const Ended built = project.fix(build);
  EXPECT_EQ(built.status, 0) << built.out << built.err;

  std::ofstream(project.folder() / "copied_back.c") << "// One line more.\n" << text;
  const Ended changed = project.fix(build);
  EXPECT_EQ(changed.status, 4) << changed.out << changed.err;
  EXPECT_TRUE(contains(changed.out, "written after the program was built")) << changed.out;

  ASSERT_TRUE(project.make());
  const Ended anew = project.fix(build);
  EXPECT_EQ(anew.status, 4) << anew.out << anew.err;
  EXPECT_TRUE(
      contains(anew.out, "the program was built again after it was recorded. Record it again"))
      << anew.out;
}

// A promise of a loop whose entries are not told apart is one of the fewest.
TEST(FixBuildSlow, TakesWhatSparesLessThanWasPromisedAtMost) {
  const Project project(kPrograms / "entered.c");
  ASSERT_TRUE(project.make());
  ASSERT_TRUE(project.record());
  const Ended ended = project.fix_built();
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, " % of the promised bytes\n")) << ended.out;
}

TEST(FixBuildSlow, KeepsWhatSparesLessThanPromisedWithItsFigure) {
  const Project project(kPrograms / "wasteful.c");
  ASSERT_TRUE(project.make());
  ASSERT_TRUE(project.record());
  std::string makefile = project.text("Makefile");
  makefile.insert(makefile.rfind('\n'), " $(MORE)");
  std::ofstream(project.folder() / "Makefile") << makefile;
  const Ended ended = project.fix_built({}, "make -B MORE=-DWASTE");
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "verified, 11 % of the promised bytes\n")) << ended.out;
}

/// A program that reads how much it is to do, recorded with an input.
class OfAnInput : public ::testing::Test {
 protected:
  void SetUp() override {
    project_.take("asks");
    const std::string record = std::string(OMPDM_COMMAND) + " record -o trace.json ./asks";
    ASSERT_EQ(project_.start({"sh", "-c", "echo 100000 | " + record}).status, 0);
  }
  Project project_{kPrograms / "asks.c"};
};

TEST_F(OfAnInput, SaysHowItIsGiven) {
  const Ended silent = project_.fix({"--build", project_.build_of()});
  EXPECT_EQ(silent.status, 1) << silent.out;
  EXPECT_TRUE(
      contains(silent.err, "/asks' moved nothing and ended with status 3 (usage: asks < input)"))
      << silent.err;
  EXPECT_TRUE(contains(silent.err, "--run './app < input'")) << silent.err;
}

using OfAnInputSlow = OfAnInput;

TEST_F(OfAnInputSlow, IsMeasuredForItself) {
  const Ended ended =
      project_.fix_built({"--run", "echo 1000 | ./asks", "--run", "echo 2000 | ./asks"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "  verified\nPromised is of the run that was recorded"))
      << ended.out;
  EXPECT_TRUE(contains(ended.out, "#   echo 1000 | ./asks\n#   echo 2000 | ./asks\n")) << ended.out;
}

TEST(FixBuild, SaysWhichCommandDoesNotDoWhatItShould) {
  const Project project(kPrograms / "copied_back.c");
  ASSERT_TRUE(project.record());
  const std::string build = project.build_of();
  const struct {
    std::vector<std::string> options;
    const char* message;
  } kCases[] = {
      {{"--build", build, "--run", "./copied_back", "--run", "./nosuch 3"},
       "'./nosuch 3' moved nothing and ended with status 127 (sh: 1: ./nosuch: not found): check "
       "--run"},
      {{"--build", build, "--same", "nosuchcmp"}, "--same nosuchcmp: cannot be run: "},
      {{"--tree", "/nosuch"}, "--tree /nosuch: there is no such folder"},
      {{"--build", "false"}, " as it is, in a copy, the build command exits with 1\n"},
      {{"--ignore", "time"}, "--ignore"},
      {{"--timed-runs", "0"}, "--timed-runs"},
      {{"--build", build, "--timed-runs", "few"}, "--timed-runs"},
  };
  for (const auto& each : kCases) {
    const Ended ended = project.fix(each.options);
    EXPECT_GT(ended.status, 0);
    EXPECT_LT(ended.status, 4);
    EXPECT_TRUE(contains(ended.err, each.message)) << ended.err;
  }
}

TEST(FixBuild, TriesNothingThatCannotBePlanned) {
  const Project project(kPrograms / "alias.c");
  ASSERT_TRUE(project.record());
  const Ended ended =
      project.fix({"--build", project.build_of(), "--only-proven", "-o", "fix.patch"});
  EXPECT_EQ(ended.status, 4) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "  not tried: alias.c:13: ")) << ended.out;
  EXPECT_FALSE(fs::exists(project.folder() / "fix.patch"));
}

// chain.c takes two rounds: once the data is kept, nothing reads what is copied back.
TEST(FixBuild, GoesOnWithWhatIsLeft) {
  const Project project(kPrograms / "chain.c");
  ASSERT_TRUE(project.record());
  const Ended ended = project.fix_built({"-o", "fix.patch"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "     with 1  verified\n")) << ended.out;
  EXPECT_TRUE(contains(ended.out, "\nRecorded again with these edits ")) << ended.out;
  EXPECT_TRUE(contains(ended.out, "\nRun on one input alone: ")) << ended.out;
  const std::string text = project.patched("fix.patch", "chain.c");
  EXPECT_TRUE(contains(text, "map(release: v[0:n])")) << text;
  // The edits of one finding alone are all that is asked for then.
  const Ended one = project.fix_built({"--only", "1"});
  EXPECT_FALSE(contains(one.out, "Recorded again")) << one.out;
}

TEST(FixBuild, AddsNothingToWhatIsFoundInDataClauses) {
  const Project project(kPrograms / "checked.c");
  ASSERT_TRUE(project.record());
  const std::string build = compile_line(true) + " -o checked checked.c";
  const Ended whole = project.fix({"--build", build, "--timed-runs", "0"});
  EXPECT_EQ(whole.status, 0) << whole.out << whole.err;
  const std::string breaks = "D=; if grep -q 'map(to: u' checked.c; then D=-DBROKEN; fi; ";
  const Ended broken = project.fix({"--build", breaks + build + " $D", "--timed-runs", "0"});
  EXPECT_EQ(broken.status, 4) << broken.out << broken.err;
  EXPECT_TRUE(contains(broken.out, "refused: ompdm check finds never_sent of w[0:n]\n"))
      << broken.out;
}

TEST(FixBuild, KeepsMembersThatAreExchanged) {
  const Project project(kPrograms / "fields.cpp");
  ASSERT_TRUE(project.record());
  const Ended ended = project.fix_built({"-o", "fix.patch"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  const std::string text = project.patched("fix.patch", "fields.cpp");
  for (const char* part :
       {"    auto *u = this->u_;\n", "target enter data map(to: u[0:this->n_], v[0:this->n_])\n",
        "    if (t % 8 == 7) {\n#pragma omp target update from(u[0:this->n_], v[0:this->n_])\n",
        "target exit data map(from: u[0:this->n_], v[0:this->n_])\n"}) {
    EXPECT_TRUE(contains(text, part)) << part << text;
  }
  EXPECT_FALSE(contains(ended.out, "assumes that")) << ended.out;
}

TEST(FixBuild, TellsWhatItAssumes) {
  const Project project(kPrograms / "known.c");
  ASSERT_TRUE(project.record());
  const Ended proven = project.fix_built({"--only-proven", "-o", "proven.patch"});
  EXPECT_EQ(proven.status, 4) << proven.out << proven.err;
  const Ended ended = project.fix_built({"-o", "fix.patch"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "\n         assumes that code without sources does not use "))
      << ended.out;
  EXPECT_TRUE(contains(project.text("fix.patch"), "# Assumed, because no source shows it:\n#   "));
  EXPECT_TRUE(contains(project.patched("fix.patch", "known.c"),
                       "#pragma omp target enter data map(to: v.x[0 : n], v.y[0 : n])\n"))
      << project.text("fix.patch");
}

/// A folder that is neither in the tree nor for temporary files: its one file is like an object.
class Outside : public ::testing::Test {
 protected:
  Outside() {
    std::string name = offload_build().folder + "/outside-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    std::ofstream(folder_ / "a.o") << "as it was";
    fs::create_directory_symlink(folder_, project_.folder() / "obj");
  }
  ~Outside() override { fs::remove_all(folder_); }
  void expect_refused(const std::string& write, bool has_namespaces) const {
    Command command{{OMPDM_COMMAND, "fix", "trace.json", "--build", project_.build_of() + write,
                     "--timed-runs", "0"},
                    {{"TMPDIR", project_.scratch().string()}}};
    if (!has_namespaces) command.before_exec = [] { ::prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN); };
    const auto before = fs::last_write_time(folder_ / "a.o");
    const Ended ended = run(command, project_.folder());
    EXPECT_EQ(ended.status, 1) << write << ended.out << ended.err;
    EXPECT_TRUE(contains(ended.err, "ompdm: " + (folder_ / "a.o").string() +
                                        ": the build command writes this file, outside of "))
        << write << ended.err;
    EXPECT_EQ(text_of(folder_ / "a.o"), "as it was") << write;
    EXPECT_EQ(fs::last_write_time(folder_ / "a.o"), before) << write;
  }
  const Project project_{kPrograms / "copied_back.c"};
  fs::path folder_;
};

TEST_F(Outside, IsNotWrittenByABuildOfTheCopy) {
  ASSERT_TRUE(project_.record());
  for (const char* file : {"obj/a.o", "\"$(readlink -f obj)\"/a.o"}) {
    for (const char* command : {" && cp copied_back.c ", " && echo x >", " && rm -f "}) {
      expect_refused(command + std::string(file), true);
    }
  }
  if (::geteuid() == 0) expect_refused(" && cp copied_back.c obj/a.o", false);
}

TEST_F(Outside, HasSourcesThatAreNotTouched) {
  const fs::path source = folder_ / "a.c";
  fs::copy(kPrograms / "copied_back.c", source);
  ASSERT_EQ(project_.start({"sh", "-c", compile_line(true) + " -o app obj/a.c"}).status, 0);
  ASSERT_EQ(project_.start({OMPDM_COMMAND, "record", "-o", "trace.json", "./app"}).status, 0);
  const auto before = fs::last_write_time(source);
  const Ended ended = project_.fix({"--tree", ".", "--build", "true"});
  EXPECT_EQ(ended.status, 1) << ended.out;
  EXPECT_TRUE(contains(ended.err, "obj/a.c: a link leads to " + folder_.string())) << ended.err;
  EXPECT_EQ(fs::last_write_time(source), before);
}

TEST(FixBuild, KeepsTemporaryFilesApart) {
  const Project project(kPrograms / "copied_back.c");
  ASSERT_TRUE(project.record());
  const std::string file = "/tmp/ompdm-e2e-" + fs::path(project.folder()).filename().string();
  const Ended ended =
      project.fix({"--build", project.build_of() + " && echo x >" + file + " && cat " + file,
                   "--timed-runs", "0"});
  EXPECT_FALSE(fs::exists(file));
  // A machine without namespaces refuses it.
  EXPECT_TRUE(ended.status == 4 ||
              contains(ended.err, file + ": the build command writes this file"))
      << ended.out << ended.err;
}

TEST(FixBuild, FollowsASourceThatIsALink) {
  const Project project(kPrograms / "copied_back.c");
  const Folder shared;
  fs::rename(project.folder() / "copied_back.c", shared.path() / "copied_back.c");
  fs::create_symlink(".." / shared.path().filename() / "copied_back.c",
                     project.folder() / "copied_back.c");
  ASSERT_TRUE(project.record());
  const Ended away = project.fix({"--build", project.build_of("false"), "--timed-runs", "0"});
  EXPECT_EQ(away.status, 4) << away.out << away.err;
  EXPECT_TRUE(contains(away.out, "copied_back.c lies outside of ")) << away.out;
  // Where a folder holds both it is what is changed.
  fs::create_directory(project.folder() / "src");
  fs::rename(shared.path() / "copied_back.c", project.folder() / "src" / "copied_back.c");
  fs::create_directory(project.folder() / "app");
  fs::rename(project.folder() / "copied_back", project.folder() / "app" / "copied_back");
  fs::create_symlink("../src/copied_back.c", project.folder() / "app" / "copied_back.c");
  ASSERT_EQ(project
                .start({"sh", "-c",
                        std::string("cd app && ") + OMPDM_COMMAND +
                            " record -o ../trace.json ./copied_back"})
                .status,
            0);
  const Ended near = project.fix();
  EXPECT_EQ(near.status, 0) << near.out << near.err;
  EXPECT_TRUE(contains(near.out, "+++ b/src/copied_back.c\n")) << near.out;
}

TEST(FixBuild, TakesABackslashInAPath) {
  const Project project(kPrograms / "copied_back.c");
  const fs::path folder = project.folder() / "a\\b";
  fs::create_directory(folder);
  fs::rename(project.folder() / "copied_back.c", folder / "c\\d.c");
  const auto start = [&](const std::vector<std::string>& words) { return run({words}, folder); };
  ASSERT_EQ(start({"sh", "-c", compile_line(true) + " -o app 'c\\d.c'"}).status, 0);
  ASSERT_EQ(start({OMPDM_COMMAND, "record", "-o", "trace.json", "./app"}).status, 0);
  const Ended ended = start({OMPDM_COMMAND, "fix", "trace.json"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "+++ b/c\\d.c\n")) << ended.out;
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
}  // namespace ompdm::e2e::fix_build_test
