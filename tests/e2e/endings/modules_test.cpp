// What programs do with libraries while the recorder looks at them. They open and close them on
// other threads, by the thousand, from memory, and rebuild them.

#include <gtest/gtest.h>

#include <algorithm>

#include "endings/place.h"

namespace ompdm::e2e::endings::modules_test {
namespace {

Start modules(const std::string& deed, Attach attach, const std::string& library = {},
              const std::string& other = {}) {
  Start start = {.command = {program("modules"), deed}, .attach = attach};
  if (!library.empty()) start.command.push_back(program("lib" + library + ".so"));
  if (!other.empty()) start.command.push_back(program("lib" + other + ".so"));
  return start;
}

int count_at(const Json& report, const std::string& source, const std::string& text) {
  int count = 0;
  for (const Json& directive : report["directives"]) {
    if (directive["line"] == source_line(source, text)) count += directive["count"].get<int>();
  }
  return count;
}

// The first two steps and those of the library, which are written in one place, and those of the
// program's own places.
void expect_counts(const Json& report, int steps, int places) {
  EXPECT_EQ(count_at(report, "steps.h", "#pragma omp target"), steps);
  EXPECT_EQ(count_at(report, "modules.cpp", "#pragma omp target"), places);
}

struct Opening {
  const char* deed;
  const char* library;
};

class Opened : public ::testing::TestWithParam<std::tuple<Opening, Attach>> {};

// The loader is in the middle of a library when the recorder looks at what is loaded.
TEST_P(Opened, OnAnotherThreadWhileThisOneOffloads) {
  const auto& [opening, attach] = GetParam();
  const Place place;
  const Ended ended = place.run(modules(opening.deed, attach, opening.library));
  EXPECT_EQ(ended.status, 15) << ended.err;
  EXPECT_EQ(ended.out, "2 steps\nplugin: 7\ndone\n");
  const Json report = place.report();
  EXPECT_EQ(losses(report), Json::object());
  expect_counts(report, 2, 3);
  // Its calls were not left out for good: those of omp_target_alloc and omp_target_free are known.
  std::vector<std::string> calls;
  for (const Json& directive : report["directives"]) {
    if (directive["directive"] == "api") calls.push_back(directive["api"]);
  }
  std::sort(calls.begin(), calls.end());
  EXPECT_EQ(calls, (std::vector<std::string>{"omp_target_alloc", "omp_target_free"}));
}

INSTANTIATE_TEST_SUITE_P(
    All, Opened,
    ::testing::Combine(::testing::Values(Opening{"open_lazily", "slow_lazy"},
                                         Opening{"open_now", "slow_now"},
                                         Opening{"open_now", "slow_lazy"},
                                         Opening{"open_lazily", "slow_lazy_norelro"},
                                         Opening{"open_now", "slow_now_norelro"}),
                       ::testing::Values(Attach::kPreload, Attach::kToolLibraries)),
    [](const auto& tested) {
      const Opening& opening = std::get<Opening>(tested.param);
      return std::string(opening.deed) + "_" + opening.library + "_under_" +
             name_of(std::get<Attach>(tested.param));
    });

TEST(Slots, ThatTheProgramHasFilledAreItsOwn) {
  const Place place;
  const Ended ended = place.run(modules("function_pointer", Attach::kPreload, "plugin"));
  EXPECT_EQ(ended.status, 15) << ended.err;
  EXPECT_EQ(ended.out, "2 steps\npointer: mine\ndone\n");
  EXPECT_EQ(losses(place.report()), Json::object());
}

struct Rebuild {
  const char* library;
  const char* other;
};

class Rebuilt : public ::testing::TestWithParam<Rebuild> {};

TEST_P(Rebuilt, WhileItIsLoadedCostsTheNamesOfItsKernels) {
  const Place place;
  const Ended ended =
      place.run(modules("rebuild", Attach::kPreload, GetParam().library, GetParam().other));
  EXPECT_EQ(ended.status, 15) << ended.err;
  EXPECT_EQ(ended.out, "2 steps\ndone\n");
  const Json report = place.report();
  expect_counts(report, 4, 1);
  EXPECT_EQ(losses(report)["offload_entries_unread"], 1);
}

TEST_P(Rebuilt, NotAtAllHasItsKernelsNamed) {
  const Place place;
  const Ended ended =
      place.run(modules("rebuild", Attach::kPreload, GetParam().library, GetParam().library));
  EXPECT_EQ(ended.status, 15) << ended.err;
  const Json report = place.report();
  expect_counts(report, 4, 1);
  EXPECT_FALSE(losses(report).contains("offload_entries_unread"));
}

INSTANTIATE_TEST_SUITE_P(All, Rebuilt,
                         ::testing::Values(Rebuild{"endings_library", "rebuilt"},
                                           Rebuild{"nameless", "rebuilt_nameless"}),
                         [](const auto& tested) { return std::string(tested.param.library); });

// Its first descriptor has the number that the recorder's own had for a moment.
TEST(FromMemory, ALibraryIsTheProgramsOwnWhateverItsDescriptor) {
  const Ended alone = Place().run(modules("memory", Attach::kNone, "plugin"));
  EXPECT_EQ(alone.status, 15) << alone.err;
  for (const Attach attach : {Attach::kPreload, Attach::kRecord}) {
    SCOPED_TRACE(name_of(attach));
    const Place place;
    const Ended ended = place.run(modules("memory", attach, "plugin"));
    EXPECT_EQ(ended.status, 15) << ended.err;
    EXPECT_EQ(ended.out, alone.out);
  }
}

TEST(ManyLibraries, OpenedAndClosedLoseNothing) {
  const Place place;
  const Ended ended =
      place.run(modules("many_times", Attach::kPreload, "endings_library", "nameless"));
  EXPECT_EQ(ended.status, 15) << ended.err;
  const Json report = place.report();
  expect_counts(report, 4, 1);
  EXPECT_EQ(losses(report), Json::object());
}

TEST(ManyLibraries, OpenAtOnceLoseNothing) {
  const Place place;
  const Ended ended = place.run(modules("many", Attach::kPreload, "endings_library", "plugin"));
  EXPECT_EQ(ended.status, 15) << ended.err;
  const Json report = place.report();
  expect_counts(report, 4, 1);
  EXPECT_EQ(losses(report), Json::object());
}

TEST(Fork, WhileAnotherThreadWalksTheLoadersListLeavesAChildThatOffloads) {
  const Place place;
  const Ended ended = place.run(modules("fork_within_a_walk", Attach::kPreload));
  EXPECT_EQ(ended.status, 15) << ended.err;
  EXPECT_EQ(ended.out, "2 steps\nthe child ends: 0\ndone\n");
}

}  // namespace
}  // namespace ompdm::e2e::endings::modules_test
