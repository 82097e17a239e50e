// Disks that are full, files that may not grow, folders that may not be written: the program goes
// on, what was recorded is reported, and what was not is counted.

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "endings/place.h"

namespace ompdm::e2e::endings {
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
    mounted_ = mount("tmpfs", at.c_str(), "tmpfs", 0, "size=1m") == 0;
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

}  // namespace
}  // namespace ompdm::e2e::endings
