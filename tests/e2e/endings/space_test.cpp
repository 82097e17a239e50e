// Full disks, files that may not grow, folders that may not be written. The program goes on, what
// was recorded is reported, and what was not is counted.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "endings/place.h"

namespace ompdm::e2e::endings::space_test {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kNobody = 65534;

Start odd(const char* deed, Attach attach) {
  return {.command = {program("odd"), deed}, .attach = attach};
}

long lost(const Json& report) { return losses(report).value("records_no_space", 0L); }

/// A small file system in memory; needs root.
class SmallDisk {
 public:
  explicit SmallDisk(const fs::path& at) : at_(at) {
    mounted_ = mount("tmpfs", at.c_str(), "tmpfs", 0, "size=512k") == 0;
  }
  ~SmallDisk() {
    if (mounted_) umount2(at_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  [[nodiscard]] bool mounted() const { return mounted_; }

 private:
  fs::path at_;
  bool mounted_;
};

class FullDisk : public ::testing::TestWithParam<Attach> {};

TEST_P(FullDisk, CostsRecordsAndNothingElse) {
  const Place place;
  const SmallDisk disk(place.path());
  if (!disk.mounted()) GTEST_SKIP() << "needs root: " << std::strerror(errno);
  const Place on_disk(place.path());
  const Ended ended = on_disk.run(odd("many", GetParam()));
  EXPECT_EQ(ended.status, 11);
  EXPECT_EQ(ended.out, "3 steps\n20005 steps\n");
  EXPECT_NE(ended.err.find("No space left on device: recording stops here"), std::string::npos)
      << ended.err;
  // The trace has no room either: the spool stays, and another folder takes the trace.
  EXPECT_EQ(on_disk.files(), std::vector<std::string>{"trace.json.spool"}) << ended.err;
  const Place roomy;
  const std::string trace = roomy.path() / "full.json";
  const Ended finished = on_disk.ompdm({"finish", "trace.json.spool", "-o", trace});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(on_disk.files(), std::vector<std::string>{});
  const Json report = roomy.report({trace});
  EXPECT_GT(report["totals"]["HtoD"]["count"], 1000);
  EXPECT_GT(lost(report), 1000);
}
INSTANTIATE_TEST_SUITE_P(All, FullDisk, ::testing::Values(Attach::kPreload, Attach::kRecord),
                         [](const auto& tested) { return name_of(tested.param); });

/// A small Btrfs in a file; needs root, mkfs.btrfs and loop devices.
class CopyOnWriteDisk {
 public:
  explicit CopyOnWriteDisk(const fs::path& at) : at_(at) {
    const std::string image = image_.path() / "image";
    std::ofstream{image}.flush();
    fs::resize_file(image, 64U << 20U);
    const std::string command = "PATH=$PATH:/sbin:/usr/sbin; mkfs.btrfs --mixed -q '" + image +
                                "' && mount -o loop '" + image + "' '" + at_.string() + "'";
    mounted_ = std::system(("(" + command + ") >/dev/null 2>&1").c_str()) == 0;
  }
  ~CopyOnWriteDisk() {
    if (mounted_) umount2(at_.c_str(), MNT_DETACH);
  }
  CopyOnWriteDisk(const CopyOnWriteDisk&) = delete;
  CopyOnWriteDisk& operator=(const CopyOnWriteDisk&) = delete;
  [[nodiscard]] bool mounted() const { return mounted_; }

 private:
  Folder image_;
  fs::path at_;
  bool mounted_ = false;
};

// There each store into a mapped file takes new room, and finds none.
TEST(FullDisk, WhereDataIsCopiedOnWriteKillsNothing) {
  const Place place;
  const CopyOnWriteDisk disk(place.path());
  if (!disk.mounted()) GTEST_SKIP() << "needs root, mkfs.btrfs and loop devices";
  const Place on_disk(place.path());
  const Place elsewhere;
  Start run = odd("fill_disk", Attach::kPreload);
  run.environment["TMPDIR"] = elsewhere.path();
  const Ended ended = on_disk.run(run);
  EXPECT_EQ(ended.status, 11);
  EXPECT_EQ(ended.out, "3 steps\n20005 steps\n");
  EXPECT_NE(ended.err.find("recording into "), std::string::npos) << ended.err;
  EXPECT_EQ(on_disk.files(), std::vector<std::string>{"trace.json"}) << ended.err;
  EXPECT_EQ(elsewhere.files(), std::vector<std::string>{});
  expect_steps(on_disk.report(), 20'005);
}

TEST(FullDisk, AlreadyFullBeforeTheFirstRecordIsOneLine) {
  const Place place;
  const SmallDisk disk(place.path());
  if (!disk.mounted()) GTEST_SKIP() << "needs root: " << std::strerror(errno);
  const Place on_disk(place.path());
  std::ofstream(place.path() / "filler") << std::string(1024 * 1024, 'x');
  const Ended ended = on_disk.run(odd("nothing", Attach::kPreload));
  EXPECT_EQ(ended.status, 11);
  EXPECT_EQ(ended.out, "3 steps\n5 steps\n");
  EXPECT_NE(ended.err.find("No space left on device"), std::string::npos) << ended.err;
  EXPECT_EQ(lines_of(ended.err).size(), 1U) << ended.err;
  EXPECT_EQ(on_disk.files(), std::vector<std::string>{"filler"});
}

TEST(FileSizeLimit, SetByTheShellCostsRecordsAndNothingElse) {
  const Place place;
  Start run = odd("many", Attach::kPreload);
  run.before_exec = [] {
    const rlimit limit{300'000, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
  };
  const Ended ended = place.run(run);
  EXPECT_EQ(ended.status, 11);
  EXPECT_EQ(ended.out, "3 steps\n20005 steps\n");
  EXPECT_NE(ended.err.find("File too large: recording stops here"), std::string::npos) << ended.err;
  // The limit is a soft one, so that the trace may be written.
  EXPECT_EQ(place.files(), std::vector<std::string>{"trace.json"}) << ended.err;
  const Json report = place.report();
  EXPECT_GT(report["totals"]["HtoD"]["count"], 100);
  EXPECT_GT(lost(report), 1000);
}

TEST(FileSizeLimit, SetByTheProgramForGoodLeavesTheSpool) {
  const Place place;
  const Ended ended = place.run(odd("file_size", Attach::kPreload));
  EXPECT_EQ(ended.status, 11);
  EXPECT_EQ(ended.out, "3 steps\n20005 steps\n");
  EXPECT_EQ(place.files(), std::vector<std::string>{"trace.json.spool"}) << ended.err;
  EXPECT_NE(ended.err.find("; lost: records_no_space "), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("; next: ompdm report trace.json\n"), std::string::npos) << ended.err;
  const Json report = place.report();
  EXPECT_GT(report["totals"]["HtoD"]["count"], 100);
  EXPECT_GT(lost(report), 1000);
  EXPECT_EQ(place.files(), std::vector<std::string>{"trace.json"});
}

TEST(FileSizeLimit, OfTheProgramDoesNotReachRecord) {
  const Place place;
  const Ended ended = place.run(odd("file_size", Attach::kRecord));
  EXPECT_EQ(ended.status, 11);
  EXPECT_EQ(place.files(), std::vector<std::string>{"trace.json"}) << ended.err;
  EXPECT_GT(lost(place.report()), 1000);
}

// Of the report, which has no room or nobody to be printed for.
struct Standard {
  const char* name;
  void (*prepare)();
};

void limit_output() {
  dup2(open("out", O_CREAT | O_WRONLY | O_APPEND, 0600), STDOUT_FILENO);
  const rlimit limit{100'000, RLIM_INFINITY};
  if (ftruncate(STDOUT_FILENO, limit.rlim_cur) != 0 || setrlimit(RLIMIT_FSIZE, &limit) != 0) {
    _exit(120);
  }
}

class LostReport : public ::testing::TestWithParam<Standard> {};

TEST_P(LostReport, LeavesTheProgramsExitStatus) {
  const Place place;
  const Ended ended =
      place.run({.command = {"/bin/sh", "-c", "exec " + program("plain") + " >/dev/null"},
                 .attach = Attach::kRecord,
                 .record_options = {"--report"},
                 .before_exec = GetParam().prepare});
  EXPECT_EQ(ended.status, 14) << ended.err;
  EXPECT_NE(ended.err.find("ompdm: standard output: "), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("next: ompdm report trace.json\n"), std::string::npos) << ended.err;
  std::vector<std::string> files = place.files();
  std::erase(files, "out");
  EXPECT_EQ(files, std::vector<std::string>{"trace.json"});
  expect_steps(place.report(), 5);
}
INSTANTIATE_TEST_SUITE_P(
    All, LostReport,
    ::testing::Values(Standard{"closed", [] { close(STDOUT_FILENO); }},
                      Standard{"full", [] { dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO); }},
                      Standard{"limited", limit_output}),
    [](const auto& tested) { return std::string(tested.param.name); });

void become_nobody() {
  if (geteuid() == 0 && (setgid(kNobody) != 0 || setuid(kNobody) != 0)) _exit(120);
}

TEST(UnwritableFolder, CostsTheRecordingAndOneLine) {
  const Place place;
  fs::permissions(place.path(), fs::perms(0555));
  Start run = odd("nothing", Attach::kPreload);
  run.before_exec = become_nobody;
  const Ended ended = place.run(run);
  if (ended.status == 120 || ended.status == 127) GTEST_SKIP() << "another user cannot run it";
  EXPECT_EQ(ended.status, 11);
  EXPECT_EQ(ended.out, "3 steps\n5 steps\n");
  EXPECT_EQ(lines_of(ended.err).size(), 1U) << ended.err;
  EXPECT_NE(ended.err.find("Permission denied"), std::string::npos) << ended.err;
  EXPECT_EQ(place.files(), std::vector<std::string>{});
  fs::permissions(place.path(), fs::perms(0755));
}

TEST(Umask, AgainstEveryoneDoesNotKeepTheRecorderOut) {
  for (const Attach attach : {Attach::kPreload, Attach::kRecord}) {
    const Place place;
    fs::permissions(place.path(), fs::perms(0777));
    Start start = odd("move_away", attach);
    start.before_exec = become_nobody;
    const Ended ended = place.run(start);
    if (ended.status == 120 || ended.status == 127) GTEST_SKIP() << "another user cannot run it";
    EXPECT_EQ(ended.status, 11);
    EXPECT_EQ(place.files(), (std::vector<std::string>{"elsewhere", "trace.json"})) << ended.err;
    expect_steps(place.report(), 5'005);
  }
}

class LeftBehind : public ::testing::TestWithParam<std::tuple<const char*, Attach>> {};

TEST_P(LeftBehind, TheSpoolGrowsOn) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to become another user or to change the root";
  const auto& [deed, attach] = GetParam();
  const Place place;
  const Ended alone = Place().run(odd(deed, Attach::kNone));
  const Ended ended = place.run(odd(deed, attach));
  EXPECT_EQ(ended.status, 11);
  EXPECT_EQ(alone.status, 11);
  EXPECT_EQ(ended.out, alone.out);
  EXPECT_EQ(ended.err.find("recording stops here"), std::string::npos) << ended.err;
  // Where it is now the program can start no `ompdm`; the launcher still can.
  if (attach == Attach::kPreload) {
    EXPECT_NE(ended.err.find("ompdm finish "), std::string::npos) << ended.err;
    const Ended finished = place.ompdm({"finish", "trace.json.spool"});
    EXPECT_EQ(finished.status, 0) << finished.err;
  }
  expect_steps(place.report(), 5'005);
}
INSTANTIATE_TEST_SUITE_P(All, LeftBehind,
                         ::testing::Combine(::testing::Values("jail", "nobody"),
                                            ::testing::Values(Attach::kPreload, Attach::kRecord)),
                         [](const auto& tested) {
                           return std::string(std::get<0>(tested.param)) + "_under_" +
                                  name_of(std::get<1>(tested.param));
                         });

TEST(UnwritableFolder, OfAVanishedNameIsSaidOnce) {
  for (const Attach attach : {Attach::kPreload, Attach::kToolLibraries}) {
    const Place place;
    Start run = odd("nothing", attach);
    run.environment["OMPDM_OUTPUT"] = "/proc/no/trace.json";
    const Ended ended = place.run(run);
    EXPECT_EQ(ended.status, 11);
    EXPECT_EQ(lines_of(ended.err).size(), 1U) << ended.err;
    EXPECT_NE(ended.err.find("nothing is recorded"), std::string::npos) << ended.err;
  }
}

TEST(UnwritableFolder, IsNoCaseForTheDoctor) {
  const Place place;
  Start run = odd("nothing", Attach::kRecord);
  run.record_options = {"-o", "/proc/no%p/trace.json"};
  const Ended ended = place.run(run);
  EXPECT_EQ(ended.status, 11);
  const auto lines = lines_of(ended.err);
  ASSERT_EQ(lines.size(), 2U) << ended.err;
  EXPECT_NE(lines[0].find("nothing is recorded: have the trace written elsewhere"),
            std::string::npos);
  EXPECT_EQ(lines[1], "ompdm: no trace was written: the recorder has said why");
}

}  // namespace
}  // namespace ompdm::e2e::endings::space_test
