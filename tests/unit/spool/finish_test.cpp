// From a spool's file to a trace's: names, rooms made, owners that still run.
#include "ompdm/finish.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <future>
#include <thread>

#include "ompdm/error.h"
#include "ompdm/trace_file.h"
#include "spool/owner.h"
#include "spool/spool_builder.h"
#include "trace/spool_file.h"
#include "trace/spool_owner.h"

namespace ompdm::test {
namespace {

namespace fs = std::filesystem;

fs::path spool_of(const std::string& name, const spool::FileHeader& header) {
  LaneBuilder lane(0);
  lane.thread(7).site(1, spool::Entry::kKernel, 0x10, {";a.cpp;main;7;1;;", {}});
  lane.region(1, 1, 1, 10, 20);
  return write_file(name, spool_bytes(header, {lane}));
}

fs::path spool_of(const std::string& name) { return spool_of(name, plain_header()); }

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

TEST(Finish, TheTraceTakesTheSpoolsPlace) {
  const fs::path spool = spool_of("place.spool");
  const fs::path output = spool.parent_path() / "place.json";
  const FinishResult result = finish(spool, output);
  EXPECT_EQ(result.trace, output);
  EXPECT_TRUE(result.kept.empty());
  EXPECT_TRUE(result.note.empty());
  EXPECT_FALSE(result.killed);
  EXPECT_FALSE(fs::exists(spool));
  EXPECT_EQ(read_trace(output).regions.size(), 1U);
}

TEST(Finish, ErrorsNameTheTraceThatWasAskedFor) {
  const fs::path spool = spool_of("nowhere.spool");
  const std::string wanted = spool.parent_path() / "no_such_folder/nowhere.json";
  try {
    (void)finish(spool, wanted);
    FAIL() << "the folder does not exist";
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with(wanted + ": cannot be written"))
        << error.what();
  }
  EXPECT_TRUE(fs::exists(spool));
}

TEST(Finish, OlderTracesAreKeptUnderTheLowestNumberAboveTheirs) {
  const fs::path output = spool_of("older.spool").parent_path() / "older.json";
  (void)finish(spool_of("older.spool"), output);
  write_file("older.~4~.json", "what an earlier one left");
  EXPECT_EQ(finish(spool_of("older.spool"), output).kept.filename(), "older.~5~.json");
  EXPECT_EQ(finish(spool_of("older.spool"), output).kept.filename(), "older.~6~.json");
  EXPECT_TRUE(is_trace(output));
}

TEST(Finish, AForeignFileIsNeverTouched) {
  const fs::path foreign = write_file("foreign.json", "{\"mine\": 1}");
  const FinishResult result = finish(spool_of("foreign.spool"), foreign);
  EXPECT_EQ(result.trace.filename(), "foreign.p4242.json");
  EXPECT_NE(result.note.find("left alone"), std::string::npos);
  EXPECT_EQ(finish(spool_of("foreign.spool"), foreign).trace.filename(), "foreign.p4242.1.json");
  std::string line;
  std::getline(std::ifstream(foreign) >> std::ws, line);
  EXPECT_EQ(line, "{\"mine\": 1}");
}

TEST(Finish, CompressedTracesRotateToo) {
  const fs::path output = spool_of("packed.spool").parent_path() / "packed.json.gz";
  (void)finish(spool_of("packed.spool"), output);
  EXPECT_EQ(finish(spool_of("packed.spool"), output).kept.filename(), "packed.~1~.json.gz");
  EXPECT_EQ(read_trace(output).regions.size(), 1U);
}

TEST(Finish, ASpoolSurvivesWhatGoesWrong) {
  const fs::path spool = spool_of("survivor.spool");
  EXPECT_THROW((void)finish(spool, "/nonexistent/trace.json"), Error);
  EXPECT_THROW((void)finish(spool, "/dev/null"), Error);
  EXPECT_TRUE(fs::exists(spool));
}

TEST(Finish, NoNameIsGivenTwiceAtOnce) {
  constexpr int kThreads = 8;
  std::vector<fs::path> spools;
  for (int i = 0; i < kThreads; ++i) spools.push_back(spool_of("race" + std::to_string(i)));
  const fs::path output = spools[0].parent_path() / "race.json";
  std::vector<std::thread> threads;
  for (const fs::path& spool : spools) {
    threads.emplace_back([&spool, &output] { (void)finish(spool, output); });
  }
  for (std::thread& thread : threads) thread.join();
  int traces = 0;
  for (const auto& file : fs::directory_iterator(output.parent_path())) {
    const std::string name = file.path().filename();
    EXPECT_EQ(name.find(".tmp-"), std::string::npos) << name;
    if (name == "race.json" || name.starts_with("race.~")) {
      ++traces;
      EXPECT_EQ(read_trace(file.path()).regions.size(), 1U);
    }
  }
  EXPECT_EQ(traces, kThreads);
}

TEST(Finish, AProcessThatStillRecordsIsLeftAlone) {
  const fs::path spool = spool_of("running.spool", own_header());
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

TEST(Finish, OfASpoolThatWasHandedOverFollowsIt) {
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

TEST(Finish, ThatWasAskedForTakesTheNameThatTheHeaderHasInTheEnd) {
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

TEST(Finish, OnlyOneProcessIsAtASpool) {
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

TEST(Finish, ThatWaitedLearnsOfTheTraceOfAnother) {
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

TEST(Finish, WaitsForTheEndOfAProcessThatIsAtItsEnd) {
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

TEST(Finish, AnotherProcessOfThatNumberIsNotTheOwner) {
  spool::FileHeader header = own_header();
  ++header.process_start;
  EXPECT_EQ(trace::owner_state(header), spool::Owner::kEnded);
}

TEST(Finish, WhereProcessesHaveOtherNumbersTheSpoolIsKept) {
  spool::FileHeader header = own_header();
  if (header.pid_namespace == 0) GTEST_SKIP() << "/proc does not tell the PID namespace";
  EXPECT_EQ(trace::owner_state(header), spool::Owner::kRuns);
  ++header.pid_namespace;
  header.process_start = 1;
  EXPECT_EQ(trace::owner_state(header), spool::Owner::kUnknown);
  const fs::path spool = spool_of("container.spool", header);
  const FinishResult result = finish(spool, spool.parent_path() / "container.json");
  EXPECT_TRUE(fs::exists(result.trace));
  EXPECT_TRUE(fs::exists(spool));
  EXPECT_NE(result.note.find("may still run"), std::string::npos);
}

// The name that the trace has while it is written can be foreseen by others in a shared folder.
TEST(Finish, WhatIsPlantedUnderTheTemporaryNameIsNotWritten) {
  const fs::path folder = spool_of("planted.spool").parent_path();
  const fs::path victim = write_file("victim", "mine");
  const auto plant = [&](const fs::path& output) {
    return fs::path(output) += ".tmp-" + std::to_string(getpid());
  };
  const fs::path output = folder / "planted.json";
  for (const char* kind : {"symlink", "hard link", "dangling symlink", "fifo", "folder"}) {
    SCOPED_TRACE(kind);
    const fs::path planted = plant(output);
    fs::remove_all(planted);
    fs::remove(output);
    switch (kind[0]) {
      case 's':
        fs::create_symlink(victim, planted);
        break;
      case 'h':
        fs::create_hard_link(victim, planted);
        break;
      case 'd':
        fs::create_symlink(folder / "made_elsewhere", planted);
        break;
      default:
        if (std::string(kind) == "fifo") {
          ASSERT_EQ(mkfifo(planted.c_str(), 0600), 0);
        } else {
          fs::create_directory(planted);
        }
    }
    const FinishResult result = finish(spool_of("planted.spool"), output);
    EXPECT_EQ(result.trace, output);
    EXPECT_FALSE(fs::is_symlink(output));
    EXPECT_EQ(read_trace(output).regions.size(), 1U);
    EXPECT_EQ(fs::file_size(victim), 4U);
    EXPECT_FALSE(fs::exists(folder / "made_elsewhere"));
    EXPECT_TRUE(fs::exists(fs::symlink_status(planted)));
    fs::remove_all(planted);
  }
}

TEST(Finish, ANamedPipeIsNoSpoolAndKeepsNobodyWaiting) {
  const fs::path pipe = spool_of("pipe.spool").parent_path() / "pipe.fifo.spool";
  fs::remove(pipe);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW((void)finish(pipe), Error);
  EXPECT_FALSE(is_spool(pipe));
  fs::remove(pipe);
}

TEST(Finish, AnotherUsersSpoolDoesNotSayWhereWeWrite) {
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

TEST(Finish, OnAnotherMachineTheSpoolIsKept) {
  spool::FileHeader header = own_header();
  header.boot_id[0] = header.boot_id[0] == 'x' ? 'y' : 'x';
  std::strcpy(header.host, "another-host");
  const fs::path spool = spool_of("elsewhere.spool", header);
  const FinishResult result = finish(spool, spool.parent_path() / "elsewhere.json");
  EXPECT_TRUE(fs::exists(result.trace));
  EXPECT_TRUE(fs::exists(spool));
  EXPECT_NE(result.note.find("another-host"), std::string::npos);
}

TEST(Finish, SpoolsAreFoundByName) {
  const fs::path folder = spool_of("find_b.spool").parent_path() / "find";
  fs::create_directories(folder);
  fs::rename(spool_of("b.json.spool"), folder / "b.json.spool");
  fs::rename(spool_of("a.json.spool"), folder / "a.json.spool");
  fs::rename(write_file("fake.spool", "no spool"), folder / "fake.spool");
  const auto spools = find_spools(folder);
  ASSERT_EQ(spools.size(), 2U);
  EXPECT_EQ(spools[0].path.filename(), "a.json.spool");
  EXPECT_EQ(spools[0].output.filename(), "a.json");
  EXPECT_TRUE(spools[0].finished);
  EXPECT_TRUE(find_spools("/nonexistent").empty());
}

}  // namespace
}  // namespace ompdm::test
