// Finishing a spool that somebody else may still be at: its process, another `finish`, other
// machines and users.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <future>

#include "ompdm/error.h"
#include "ompdm/finish.h"
#include "ompdm/trace_file.h"
#include "spool/spool_builder.h"
#include "spool_format/process.h"
#include "spool_reader/spool_file.h"

namespace ompdm::test::owners_test {
namespace {

namespace fs = std::filesystem;

std::uint64_t start_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string field;
  std::getline(file, field, ')');
  for (int i = 3; i <= 22; ++i) file >> field;
  return std::stoull(field);
}

// A header of this very process.
spool::FileHeader own_header() {
  spool::FileHeader header = plain_header();
  header.state = spool::State::kRunning;
  header.trailer = {};
  header.pid = static_cast<std::uint32_t>(getpid());
  std::ifstream("/proc/sys/kernel/random/boot_id").getline(header.boot_id, sizeof(header.boot_id));
  gethostname(header.host, sizeof(header.host));
  struct stat pid_namespace{};
  if (stat("/proc/self/ns/pid", &pid_namespace) == 0) header.pid_namespace = pid_namespace.st_ino;
  header.process_start = start_of(getpid());
  return header;
}

TEST(Owner, AProcessThatStillRecordsIsLeftAlone) {
  const fs::path spool = spool_of("running.spool", own_header());
  EXPECT_TRUE(spool_info(spool).runs);
  EXPECT_TRUE(spool_info(spool).alive);
  EXPECT_THROW((void)finish(spool, spool.parent_path() / "running.json"), Error);
  EXPECT_EQ(read_spool(spool).regions.size(), 1U);
  EXPECT_FALSE(read_spool(spool).recording.finished);
  EXPECT_TRUE(fs::exists(spool));
}

/// A descriptor of the spool, locked as the recorder locks it.
int locked(const fs::path& spool) {
  const int file = open(spool.c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(flock(file, LOCK_EX | LOCK_NB), 0);
  return file;
}

TEST(Owner, OfASpoolThatWasHandedOverFollowsIt) {
  const fs::path spool = spool_of("given.spool");
  const int file = locked(spool);
  const fs::path aside = spool.parent_path() / "given.~1~.spool";
  fs::rename(spool, aside);
  fs::rename(spool_of("next.spool"), spool);  // the next run has the name
  const FinishResult result =
      finish(spool, spool.parent_path() / "given.json", {.handed_over = file});
  EXPECT_EQ(result.model.regions.size(), 1U);
  EXPECT_FALSE(fs::exists(aside));
  EXPECT_TRUE(fs::exists(spool));
}

TEST(Owner, ThatWasAskedForTakesTheNameThatTheHeaderHasInTheEnd) {
  const fs::path spool = spool_of("moved.spool");
  spool::FileHeader header = trace::read_file_header(spool);
  const int file = open(spool.c_str(), O_RDWR | O_CLOEXEC);
  const std::string output = spool.parent_path() / "moved.~1~.json";
  output.copy(header.output, sizeof(header.output) - 1);
  header.output[output.size()] = '\0';
  EXPECT_EQ(pwrite(file, &header, sizeof(header), 0), static_cast<ssize_t>(sizeof(header)));
  close(file);
  EXPECT_EQ(finish(spool).trace, output);
}

TEST(Owner, OnlyOneProcessIsAtASpool) {
  const fs::path spool = spool_of("held.spool");
  const int file = locked(spool);
  EXPECT_THROW((void)finish(spool, spool.parent_path() / "held.json"), Error);
  bool told = false;
  EXPECT_THROW(
      (void)finish(spool, spool.parent_path() / "held.json",
                   {.patience = std::chrono::milliseconds(600), .waiting = [&] { told = true; }}),
      Error);
  EXPECT_TRUE(told);
  close(file);
  EXPECT_TRUE(fs::exists(finish(spool, spool.parent_path() / "held.json").trace));
}

TEST(Owner, ThatWaitedLearnsOfTheTraceOfAnother) {
  const fs::path spool = spool_of("awaited.spool");
  const fs::path output = spool.parent_path() / "awaited.json";
  const int file = locked(spool);
  std::promise<void> waits;
  auto other = std::async(std::launch::async, [&] {
    return finish(spool, output,
                  {.patience = std::chrono::minutes(1), .waiting = [&] { waits.set_value(); }});
  });
  waits.get_future().wait();
  (void)finish(spool, output, {.handed_over = file});
  const FinishResult result = other.get();
  EXPECT_TRUE(result.by_another);
  EXPECT_EQ(result.trace, output);
  EXPECT_TRUE(result.kept.empty());
}

TEST(Owner, WaitsForTheEndOfAProcessThatIsAtItsEnd) {
  int go[2];
  ASSERT_EQ(pipe(go), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(go[1]);
    char byte = 0;
    (void)!::read(go[0], &byte, 1);
    _exit(0);
  }
  close(go[0]);
  spool::FileHeader header = own_header();
  header.pid = static_cast<std::uint32_t>(child);
  header.process_start = start_of(child);
  header.state = spool::State::kFinished;
  const fs::path spool = spool_of("ending.spool", header);
  auto result = std::async(std::launch::async,
                           [&] { return finish(spool, spool.parent_path() / "ending.json"); });
  EXPECT_EQ(result.wait_for(std::chrono::milliseconds(200)), std::future_status::timeout);
  close(go[1]);
  EXPECT_FALSE(result.get().killed);
  waitpid(child, nullptr, 0);
}

TEST(Owner, AnotherProcessOfThatNumberIsNotTheOwner) {
  spool::FileHeader header = own_header();
  ++header.process_start;
  EXPECT_EQ(trace::owner_state(header), spool::Owner::kEnded);
}

TEST(Owner, WhereProcessesHaveOtherNumbersTheSpoolIsKept) {
  spool::FileHeader header = own_header();
  if (header.pid_namespace == 0) GTEST_SKIP() << "/proc does not tell the PID namespace";
  EXPECT_EQ(trace::owner_state(header), spool::Owner::kRuns);
  ++header.pid_namespace;
  header.process_start = 1;
  EXPECT_EQ(trace::owner_state(header), spool::Owner::kUnknown);
  const fs::path spool = spool_of("container.spool", header);
  EXPECT_FALSE(spool_info(spool).runs);
  EXPECT_TRUE(spool_info(spool).alive);
  const FinishResult result = finish(spool, spool.parent_path() / "container.json");
  EXPECT_TRUE(fs::exists(result.trace));
  EXPECT_TRUE(fs::exists(spool));
  EXPECT_NE(result.note.find("may still run"), std::string::npos);
}

TEST(Owner, AnotherUsersSpoolDoesNotSayWhereWeWrite) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to have another user's file";
  spool::FileHeader header = plain_header();
  const fs::path folder = spool_of("foreign_owner.spool").parent_path();
  const fs::path named = folder / "foreign_owner.json";
  std::strncpy(header.output, named.c_str(), sizeof(header.output) - 1);
  const fs::path spool = spool_of("foreign_owner.spool", header);
  ASSERT_EQ(chown(spool.c_str(), 65534, 65534), 0);
  EXPECT_THROW((void)finish(spool), Error);
  EXPECT_FALSE(fs::exists(named));
  EXPECT_EQ(finish(spool, folder / "chosen.json").trace, folder / "chosen.json");
}

TEST(Owner, OnAnotherMachineTheSpoolIsKept) {
  spool::FileHeader header = own_header();
  header.boot_id[0] = header.boot_id[0] == 'x' ? 'y' : 'x';
  std::strcpy(header.host, "another-host");
  const fs::path spool = spool_of("elsewhere.spool", header);
  const FinishResult result = finish(spool, spool.parent_path() / "elsewhere.json");
  EXPECT_TRUE(fs::exists(result.trace));
  EXPECT_TRUE(fs::exists(spool));
  EXPECT_NE(result.note.find("another-host"), std::string::npos);
}

}  // namespace
}  // namespace ompdm::test::owners_test
