// From a spool's file to a trace's: names, and room made for them.
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
#include "spool/spool_builder.h"
#include "spool_format/process.h"
#include "spool_reader/spool_file.h"

namespace ompdm::test::finish_test {
namespace {

namespace fs = std::filesystem;

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

TEST(Finish, TracesUnderOtherNamesAreLeftAlone) {
  const fs::path folder = spool_of("named.spool").parent_path();
  const fs::path plain = folder / "named.json";
  const fs::path packed = folder / "named.json.gz";
  (void)finish(folder / "named.spool", plain);
  EXPECT_EQ(finish(spool_of("named.spool"), packed).kept, "");
  EXPECT_TRUE(fs::exists(plain));
  EXPECT_EQ(finish(spool_of("named.spool"), plain).kept.filename(), "named.~1~.json");
  EXPECT_TRUE(fs::exists(packed));
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
}  // namespace ompdm::test::finish_test
