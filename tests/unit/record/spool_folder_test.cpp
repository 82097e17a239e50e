// Where a spool may be mapped, and what lies in its place already.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <map>

#include "record/recording.h"
#include "record/spool_writer.h"

namespace ompdm::test::spool_folder_test {
namespace {

namespace fs = std::filesystem;
using record::Promise;

TEST(SpoolFolder, OnlyFileSystemsThatAreKnownToKeepRoomAreMapped) {
  const std::map<unsigned long, Promise> kKnown = {
      {0xEF53, Promise::kRoom},        // ext4
      {0x58465342, Promise::kRoom},    // XFS
      {0x01021994, Promise::kRoom},    // tmpfs
      {0x858458F6, Promise::kRoom},    // ramfs
      {0x9123683E, Promise::kNone},    // Btrfs
      {0x2FC12FC1, Promise::kNone},    // ZFS
      {0xCA451A4E, Promise::kNone},    // bcachefs
      {0xF2F52010, Promise::kNone},    // F2FS
      {0x12345678, Promise::kNone},    // not made yet
      {0x794C7630, Promise::kBelow},   // overlayfs
      {0x6969, Promise::kRemote},      // NFS
      {0x65735546, Promise::kRemote},  // FUSE
  };
  for (const auto& [file_system, promise] : kKnown) {
    EXPECT_EQ(record::promise_of(file_system), promise) << std::hex << file_system;
  }
}

TEST(SpoolFolder, BelowAnOverlayExt4AndXfsAreRecognized) {
  EXPECT_EQ(record::promise_below(FS_EXTENT_FL, 0), Promise::kRoom);               // ext4
  EXPECT_EQ(record::promise_below(0, 1), Promise::kRoom);                          // XFS
  EXPECT_EQ(record::promise_below(0, 0), Promise::kNone);                          // Btrfs, tmpfs
  EXPECT_EQ(record::promise_below(FS_NOCOW_FL | FS_COMPR_FL, 0), Promise::kNone);  // Btrfs, F2FS
}

void record_five() {
  alarm(30);  // whoever waits for the other end of a pipe is ended
  FakeRuntime runtime;
  runtime.attach();
  for (int i = 0; i < 5; ++i) {
    FakeRuntime::begin(4, 0, address(0x1000));
    FakeRuntime::end(4, 0, address(0x1000));
  }
  runtime.finish();
}

void make_socket(const fs::path& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::strncpy(name.sun_path, path.c_str(), sizeof(name.sun_path) - 1);
  const int file = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(file, reinterpret_cast<sockaddr*>(&name), sizeof(name)), 0);
  close(file);
}

void plant(const std::string& kind, const fs::path& path, const fs::path& elsewhere) {
  if (kind == "pipe") {
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  } else if (kind == "folder") {
    fs::create_directory(path);
  } else if (kind == "socket") {
    make_socket(path);
  } else if (kind == "device") {
    if (mknod(path.c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0) GTEST_SKIP() << "needs root";
  } else if (kind == "link_to_pipe") {
    ASSERT_EQ(mkfifo(elsewhere.c_str(), 0600), 0);
    fs::create_symlink(elsewhere, path);
  } else {
    fs::create_symlink(elsewhere / "nowhere", path);
  }
}

class Planted : public ::testing::TestWithParam<const char*> {
 protected:
  Folder folder;
  Folder other;
};

TEST_P(Planted, InTheSpoolsPlaceIsLeftAloneAndSaid) {
  const fs::path spool = folder.path() / "trace.json.spool";
  plant(GetParam(), spool, other.path() / "elsewhere");
  if (IsSkipped()) return;
  const auto before = fs::symlink_status(spool).type();
  const Outcome outcome = in_child(folder, record_five);
  EXPECT_EQ(outcome.status, 0) << outcome.messages;
  EXPECT_NE(outcome.messages.find("trace.json.spool is not ompdm's and is left alone"),
            std::string::npos)
      << outcome.messages;
  EXPECT_EQ(fs::symlink_status(spool).type(), before);
  const auto files = folder.files();
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(read_back(folder.path() / files[1]).trace.regions.size(), 5U) << files[1];
}

TEST_P(Planted, InTheTracesPlaceIsLeftAloneAndSaid) {
  if (std::string(GetParam()) == "dangling_link") return;  // renaming never follows it
  const fs::path trace = folder.path() / "trace.json";
  plant(GetParam(), trace, other.path() / "elsewhere");
  if (IsSkipped()) return;
  const Outcome outcome = in_child(folder, record_five);
  EXPECT_EQ(outcome.status, 0) << outcome.messages;
  EXPECT_NE(outcome.messages.find("trace.json is not ompdm's and is left alone"), std::string::npos)
      << outcome.messages;
  const auto files = folder.files();
  ASSERT_EQ(files.size(), 2U);
  const Recorded recorded = read_back(folder.path() / files[1]);
  EXPECT_EQ(recorded.trace.regions.size(), 5U) << files[1];
  EXPECT_NE(fs::path(recorded.header.output).filename(), "trace.json");
}
INSTANTIATE_TEST_SUITE_P(Kinds, Planted,
                         ::testing::Values("pipe", "folder", "socket", "device", "link_to_pipe",
                                           "dangling_link"),
                         [](const auto& tested) { return tested.param; });

// Between the name and the header another process sees an empty file, or zeros.
TEST(HalfMade, SpoolsAreKnownAsOmpdmsOwn) {
  for (const std::size_t size : {0U, 8192U}) {
    const Folder folder;
    std::ofstream(folder.path() / "trace.json.spool") << std::string(size, '\0');
    const Outcome outcome = in_child(folder, record_five);
    EXPECT_EQ(outcome.messages.find("is not ompdm's"), std::string::npos) << outcome.messages;
    const auto files = folder.files();
    ASSERT_EQ(files.size(), 2U);
    EXPECT_EQ(fs::file_size(folder.path() / files[0]), size) << files[0];
    EXPECT_EQ(files[1].rfind("trace.p", 0), 0U) << files[1];
  }
}

// Of a run that was killed as it started; such a file must not keep the name for good.
TEST(HalfMade, SpoolsOfLongAgoGiveWay) {
  const Folder folder;
  const fs::path spool = folder.path() / "trace.json.spool";
  std::ofstream(spool).close();
  fs::last_write_time(spool, fs::file_time_type::clock::now() - std::chrono::minutes(1));
  const Outcome outcome = in_child(folder, record_five);
  EXPECT_NE(outcome.messages.find("trace.~1~.json.spool holds nothing: its program was killed"),
            std::string::npos)
      << outcome.messages;
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"trace.json.spool", "trace.~1~.json.spool"}));
  EXPECT_EQ(fs::file_size(folder.path() / "trace.~1~.json.spool"), 0U);
}

// Root may write anywhere, as access() has it; and devices lie on a tmpfs.
TEST(SpoolFolder, AFolderThatCanHoldNoTraceIsToldOnceWithTheReason) {
  for (const char* output : {"/proc/trace.json", "/dev/null", "/nowhere/trace.json"}) {
    const Folder folder;
    const Outcome outcome = in_child(folder, record_five, {{"OMPDM_OUTPUT", output}});
    EXPECT_EQ(outcome.status, 0);
    const std::string beginning =
        std::string("ompdm: ") + output + ": its folder can hold no trace (";
    EXPECT_TRUE(outcome.messages.starts_with(beginning)) << outcome.messages;
    EXPECT_EQ(std::ranges::count(outcome.messages, '\n'), 1) << outcome.messages;
    EXPECT_TRUE(folder.files().empty());
  }
}

TEST(SpoolFolder, AWorkingDirectoryThatIsGoneIsTold) {
  const Folder folder;
  const Outcome outcome = in_child(folder, [] {
    if (mkdir("gone", 0700) != 0 || chdir("gone") != 0 || rmdir("../gone") != 0) _exit(98);
    record_five();
  });
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(outcome.messages.starts_with("ompdm: the working directory is gone"))
      << outcome.messages;
  EXPECT_TRUE(folder.files().empty());
}

// The recording of a container whose processes have other numbers looks like a dead one's.
TEST(OtherNumbers, OfAPidNamespaceKeepTheSpoolInItsPlace) {
  const Folder folder;
  const fs::path spool = folder.path() / "trace.json.spool";
  in_child(folder, record_five);
  spool::FileHeader header = read_back(spool).header;
  if (header.pid_namespace == 0) GTEST_SKIP() << "/proc does not tell the PID namespace";
  ++header.pid_namespace;
  std::fstream(spool, std::ios::in | std::ios::out | std::ios::binary)
      .write(reinterpret_cast<const char*>(&header), sizeof(header));
  in_child(folder, record_five);
  const auto files = folder.files();
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0], "trace.json.spool");
  EXPECT_EQ(files[1].rfind("trace.p", 0), 0U) << files[1];
}

}  // namespace
}  // namespace ompdm::test::spool_folder_test
