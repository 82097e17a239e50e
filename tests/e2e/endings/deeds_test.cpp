// What programs do to the process that the recorder lives in, while they run: nothing changes for
// them, and the report is right.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "endings/place.h"

namespace ompdm::e2e::endings::deeds_test {
namespace {

Start odd(const std::string& deed, Attach attach) {
  return {.command = {program("odd"), deed, program("libendings_library.so")}, .attach = attach};
}

struct Deed {
  const char* name;
  int steps;
  std::size_t lines = 1;  ///< on stderr, when only preloaded
};

constexpr Deed kDeeds[] = {
    {"nothing", 5},         {"many", 20'005},      {"close_everything", 3 + 2, 0},
    {"close_stderr", 5, 0}, {"fork_exit", 5},      {"fork__exit", 5},
    {"system", 3},          {"ignore_sigchld", 5}, {"wait_for_all", 5},
    {"move_away", 5'005},   {"environment", 5},    {"pause_soft", 5},
    {"cancel", 3'005},      {"lock", 20'005},      {"left_variable", 5},
    {"say_numbers", 6},
};

class Deeds : public ::testing::TestWithParam<std::tuple<Deed, Attach>> {
 protected:
  Place place;
};

TEST_P(Deeds, ChangeNothingAndLoseNothing) {
  const auto& [deed, attach] = GetParam();
  const Ended alone = Place().run(odd(deed.name, Attach::kNone));
  const Ended ended = place.run(odd(deed.name, attach));
  EXPECT_EQ(ended.status, alone.status);
  EXPECT_EQ(ended.out, alone.out);
  if (attach == Attach::kPreload) {
    EXPECT_EQ(lines_of(ended.err).size(), deed.lines) << ended.err;
  }
  if (attach == Attach::kRecord) {
    EXPECT_EQ(lines_of(ended.err).size(), 2U) << ended.err;
  }
  auto files = place.files();
  std::erase(files, "elsewhere");
  std::erase(files, "data.bin");
  ASSERT_EQ(files.size(), 1U);
  const std::string& trace = files.front();  // of many events trace.ompdm
  EXPECT_TRUE(trace == "trace.json" || trace == "trace.ompdm") << trace;
  const auto rights = std::filesystem::status(place.path() / trace).permissions();
  EXPECT_NE(rights & std::filesystem::perms::owner_read, std::filesystem::perms::none);
  expect_steps(place.report(), deed.steps);
}

INSTANTIATE_TEST_SUITE_P(All, Deeds,
                         ::testing::Combine(::testing::ValuesIn(kDeeds),
                                            ::testing::Values(Attach::kRecord, Attach::kPreload)),
                         [](const auto& tested) {
                           return std::string(std::get<Deed>(tested.param).name) + "_under_" +
                                  name_of(std::get<Attach>(tested.param));
                         });

// The runtime itself changes none of what the program looks at.
TEST(Errno, IsWhatTheProgramLeftThere) {
  for (const Attach attach :
       {Attach::kNone, Attach::kPreload, Attach::kRecord, Attach::kToolLibraries}) {
    SCOPED_TRACE(name_of(attach));
    EXPECT_EQ(Place().run({.command = {program("errno")}, .attach = attach}).status, 14);
  }
}

TEST(Descriptors, OfOurNumbersThatTheProgramOpenedAgainStayUntouched) {
  for (const Attach attach : {Attach::kPreload, Attach::kRecord}) {
    const Place place;
    const Ended ended = place.run(odd("close_and_reopen", attach));
    EXPECT_EQ(ended.status, 11);
    EXPECT_EQ(ended.out, "3 steps\n2005 steps\n");
    EXPECT_EQ(text_of(place.path() / "data.bin"), "");
    expect_steps(place.report(), 2005);
  }
}

TEST(Descriptors, ADataFileInThePlaceOfStderrGetsNoMessage) {
  for (const Attach attach : {Attach::kPreload, Attach::kRecord}) {
    const Place place;
    const Ended ended = place.run(odd("data_file_as_stderr", attach));
    EXPECT_EQ(ended.status, 11);
    EXPECT_EQ(text_of(place.path() / "data.bin"), "mine\n");
    expect_steps(place.report(), 5);
  }
}

TEST(Descriptors, AreNeverThoseOfClosedStreams) {
  for (const Attach attach : {Attach::kPreload, Attach::kRecord}) {
    const Place place;
    Start start = odd("print_to_closed_stderr", attach);
    start.before_exec = [] {
      const rlimit limit{40, 40};  // below the number that we would keep
      setrlimit(RLIMIT_NOFILE, &limit);
    };
    EXPECT_EQ(place.run(start).status, 11);
    expect_steps(place.report(), 20'005);
  }
}

TEST(Descriptors, OfTheProgramStayItsOwnWhateverTheirNumbers) {
  const Place place;
  EXPECT_EQ(place.run(odd("numbers", Attach::kPreload)).status, 11);
  EXPECT_EQ(text_of(place.path() / "data.bin"), "");
  expect_steps(place.report(), 20'005);
}

// Not even records: the spool's own was there before.
TEST(Descriptors, ALimitOnThemCostsNothing) {
  const Place place;
  const Ended ended = place.run(odd("descriptors", Attach::kRecord));
  EXPECT_EQ(ended.status, 11);
  EXPECT_EQ(ended.out, "3 steps\n5005 steps\n");
  EXPECT_EQ(ended.err.find("Too many open files"), std::string::npos) << ended.err;
  expect_steps(place.report(), 5005);
}

TEST(Threads, WithTheLeastStackOffloadAndExit) {
  for (const Attach attach : {Attach::kPreload, Attach::kRecord, Attach::kToolLibraries}) {
    const Place place;
    EXPECT_EQ(place.run(odd("little_stack", attach)).status, 11) << name_of(attach);
    expect_steps(place.report(), 5'000);
  }
}

TEST(Threads, ThousandShortOnesShareFewLanes) {
  const Place place;
  const Ended ended = place.run(odd("threads", Attach::kPreload));
  EXPECT_EQ(ended.status, 11);
  const Json report = place.report();
  EXPECT_EQ(report["totals"]["HtoD"]["count"], 1005);
  EXPECT_EQ(report["totals"]["HtoD"]["bytes"], 5 * 4000 + 1000 * 400);
  EXPECT_EQ(losses(report), Json::object());
}

TEST(Library, OpenedAndClosedTwiceIsRecordedBothTimes) {
  for (const Attach attach : {Attach::kPreload, Attach::kToolLibraries}) {
    const Place place;
    const Ended ended = place.run(odd("library", attach));
    EXPECT_EQ(ended.status, 11);
    EXPECT_EQ(ended.out, "3 steps\n5 steps\n");
    const Json report = place.report();
    EXPECT_EQ(report["totals"]["HtoD"]["count"], 5 + 2 * 4);
    EXPECT_EQ(report["totals"]["kernel"]["count"], 5 + 2 * 4);
    for (const Json& directive : report["directives"]) {
      EXPECT_EQ(directive["line"], source_line("steps.h", "#pragma omp")) << directive;
    }
    // A recorder that is not preloaded patches the library inside its first construct, so that
    // one's names are missing, each time it is opened.
    EXPECT_EQ(losses(report),
              attach == Attach::kPreload ? Json::object() : Json({{"names_unavailable", 2}}));
  }
}

// After a hard pause the runtime offloads without telling any tool.
TEST(Pause, HardLosesWhatComesAfterAndSaysSo) {
  const Place place;
  const Ended ended = place.run(odd("pause_hard", Attach::kPreload));
  EXPECT_EQ(ended.status, 11);
  EXPECT_EQ(ended.out, "3 steps\n5 steps\n");
  EXPECT_NE(ended.err.find("records_after_finish 2"), std::string::npos) << ended.err;
  const Json report = place.report();
  EXPECT_EQ(report["totals"]["HtoD"]["count"], 3);
  EXPECT_EQ(report["totals"]["region"]["count"], 3);
  EXPECT_EQ(losses(report), Json({{"records_after_finish", 2}}));
  EXPECT_EQ(place.files(), std::vector<std::string>{"trace.json"});
}

// It is not recorded: nobody tells us of it. What it does must not come into its parent's
// recording.
TEST(UnseenChild, WritesNothingIntoItsParentsSpool) {
  for (const Attach attach : {Attach::kPreload, Attach::kRecord}) {
    const Place place;
    const Ended ended = place.run(odd("fork_unseen", attach));
    EXPECT_EQ(ended.status, 11);
    EXPECT_EQ(ended.out, "3 steps\n5 steps\n");
    EXPECT_EQ(place.files(), std::vector<std::string>{"trace.json"});
    expect_steps(place.report(), 5);
  }
  const Place place;
  const Ended ended = place.run(odd("unseen_thread_end", Attach::kPreload));
  EXPECT_EQ(ended.status, 11);
  EXPECT_EQ(place.report()["totals"]["HtoD"]["count"], 5);
  EXPECT_EQ(losses(place.report()), Json::object());
}

class ForkedChild : public ::testing::TestWithParam<std::tuple<const char*, Attach>> {};

TEST_P(ForkedChild, ThatOffloadsHasATraceOfItsOwn) {
  const auto& [deed, attach] = GetParam();
  const Place place;
  const Ended ended = place.run(odd(deed, attach));
  EXPECT_EQ(ended.status, 11);
  EXPECT_EQ(ended.out, "3 steps\n5 steps\n");
  auto files = place.files();
  ASSERT_EQ(files.size(), 2U) << ended.err;
  EXPECT_EQ(files[0], "trace.json");
  ASSERT_TRUE(files[1].starts_with("trace.p")) << files[1];
  const bool left_open = attach == Attach::kPreload && std::string(deed) == "fork_offload__exit";
  EXPECT_EQ(files[1].ends_with(".spool"), left_open) << files[1];
  if (left_open) files[1].resize(files[1].size() - 6);
  expect_steps(place.report({files[0]}), 5);
  expect_steps(place.report({files[1]}), 7);
  EXPECT_EQ(place.files(), files);
}

INSTANTIATE_TEST_SUITE_P(All, ForkedChild,
                         ::testing::Combine(::testing::Values("fork_offload", "fork_offload__exit"),
                                            ::testing::Values(Attach::kRecord, Attach::kPreload)),
                         [](const auto& tested) {
                           return std::string(std::get<0>(tested.param)) + "_under_" +
                                  name_of(std::get<1>(tested.param));
                         });

TEST(Late, RegionsBeforeMainAndAfterItAreRecorded) {
  for (const Attach attach : {Attach::kPreload, Attach::kRecord}) {
    const Place place;
    const Start run = {.command = {program("late")}, .attach = attach};
    const Ended ended = place.run(run);
    EXPECT_EQ(ended.status, 12);
    EXPECT_EQ(ended.out, "1 steps\n5 steps\n8 steps\n10 steps\n");
    expect_steps(place.report(), 10);
    EXPECT_EQ(place.files(), std::vector<std::string>{"trace.json"});
  }
}

}  // namespace
}  // namespace ompdm::e2e::endings::deeds_test
