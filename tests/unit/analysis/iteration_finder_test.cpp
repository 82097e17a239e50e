// Iterations by what the code allows between two directives, on hand-made call paths.

#include "analysis/iteration_finder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ompdm::analysis::iteration_finder_test {
namespace {

/// for (...) { a(); if (...) b(); }, then c(); all of one function that calls nothing else.
Trace one_loop() {
  Trace trace;
  trace.loops = {{"f()", "f.cpp", 3, 1, {}, true}};
  for (std::uint32_t i = 0; i < 3; ++i) {
    CallPlace place;
    place.address = 16 * (i + 1);
    place.function = 8;
    place.code_read = true;
    if (i < 2) place.loop = {0};
    trace.call_places.push_back(place);
    trace.call_paths.push_back({{}, {i}, 0x1000, 0});
  }
  trace.call_places[0].onward = {{1, 2}};
  trace.call_places[1].onward = {{2, 2}};
  return trace;
}

/// A finder of iterations in steps that are given.
struct Reader {
  explicit Reader(const Trace& trace, std::uint32_t symbols = 3)
      : all(trace, none), finder(trace, all, symbols) {}

  bool read(const std::vector<Step>& steps, std::uint32_t sequence) {
    Steps::Numbers numbers;
    for (const Step& step : steps) numbers.push_back(all.add_api(step));
    return finder.read(numbers, sequence);
  }

  DirectiveTable none;
  Steps all;
  IterationFinder finder;
};

/// One step a letter, its path that of the letter's call.
std::vector<Step> steps_of(const std::string& letters) {
  std::vector<Step> steps;
  for (const char letter : letters) {
    const auto position = static_cast<std::uint32_t>(letter - 'a');
    const auto begin = static_cast<Nanoseconds>(steps.size() * 10);
    Step step;
    step.symbol = position;
    step.begin = begin;
    step.end = begin + 4;
    step.cost.htod_bytes = 1;
    step.path = {position};
    steps.push_back(step);
  }
  return steps;
}

TEST(Iterations, BeginWhereTheCodeGoesBack) {
  const Trace trace = one_loop();
  Reader reader(trace);
  ASSERT_TRUE(reader.read(steps_of("aababac"), 0));
  const std::vector<Loop> loops = reader.finder.take_loops();
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(loops[0].iterations, 4U);
  EXPECT_EQ(loops[0].entries, 1U);
  EXPECT_FALSE(loops[0].at_least);
  EXPECT_EQ(loops[0].symbols, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(loops[0].total.htod_bytes, 6U);
  EXPECT_EQ(loops[0].first.htod_bytes, 1U);
  EXPECT_EQ(loops[0].first.wall, 10);
  EXPECT_EQ(loops[0].total.wall, 54);  // to the end of the last step
}

TEST(Iterations, OfWhatTheCodeDoesNotLeadToAreNone) {
  const Trace trace = one_loop();
  Reader reader(trace);
  EXPECT_FALSE(reader.read(steps_of("aca"), 0));  // nobody calls the function again
  EXPECT_TRUE(reader.finder.take_loops().empty());
}

TEST(Iterations, NeedEachStepsPath) {
  const Trace trace = one_loop();
  Reader reader(trace);
  std::vector<Step> steps = steps_of("aaa");
  steps[1].path = {};
  EXPECT_FALSE(reader.read(steps, 0));
  EXPECT_EQ(reader.finder.why_not().why, ByOrder::Why::kNoCalls);
}

TEST(Iterations, OfUnreadCodeAreNotGuessed) {
  Trace trace = one_loop();
  trace.call_places[0].code_read = false;
  trace.call_places[0].frames = {{"f()", "f.cpp", 4, 1}};
  Reader reader(trace);
  EXPECT_FALSE(reader.read(steps_of("aa"), 0));
  EXPECT_EQ(reader.finder.why_not(), (ByOrder{ByOrder::Why::kCodeUnread, "f"}));
}

// A text that two functions include, or that instantiations of one template share.
TEST(Iterations, OfTwoFunctionsAreTwoLoopsWhereverTheirTextIs) {
  const auto loops_in = [](const char* one, const char* other) {
    Trace trace = one_loop();
    trace.loops[0].function = one;
    trace.loops.push_back({other, "f.cpp", 3, 1, {}, true});
    CallPlace place;
    place.address = 128;
    place.function = 100;
    place.code_read = true;
    place.loop = {1};
    trace.call_places.push_back(place);
    trace.call_paths.push_back({{}, {3}, 0x1000, 0});
    Reader reader(trace, 4);
    EXPECT_TRUE(reader.read(steps_of("aaa"), 0));
    EXPECT_TRUE(reader.read(steps_of("ddd"), 1));
    return reader.finder.take_loops().size();
  };
  EXPECT_EQ(loops_in("f()", "g()"), 2U);
  EXPECT_EQ(loops_in("void f<int>(int)", "void f<float>(float)"), 1U);
}

// Paths of a trace that nobody recorded.
TEST(Iterations, OfEndlessPathsAreNone) {
  Trace trace = one_loop();
  for (std::uint32_t i = 0; i < 1000; ++i) {
    trace.call_paths.push_back(
        {{static_cast<std::uint32_t>(trace.call_paths.size() - 1)}, {0}, i, 0});
  }
  Reader reader(trace);
  std::vector<Step> steps = steps_of("aa");
  steps[1].path = {static_cast<std::uint32_t>(trace.call_paths.size() - 1)};
  EXPECT_FALSE(reader.read(steps, 0));
}

TEST(Iterations, OfALibrarysLoopAreNamedByTheCallOfIt) {
  Trace trace = one_loop();
  trace.loops[0].file = "/usr/include/c++/12/bits/stl_algo.h";
  CallPlace user;
  user.address = 64;
  user.code_read = true;
  user.frames = {{"step()", "f.cpp", 20, 1}};
  trace.call_places.push_back(user);
  trace.call_paths.push_back({{}, {3}, 0x2000, 0});
  for (std::uint32_t i = 0; i < 3; ++i) {
    trace.call_paths.push_back({{3}, {i}, 0x1000, 0});
  }
  std::vector<Step> steps = steps_of("aab");
  for (Step& step : steps) step.path = {step.path.value + 4};
  Reader reader(trace);
  ASSERT_TRUE(reader.read(steps, 0));
  const std::vector<Loop> loops = reader.finder.take_loops();
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(loops[0].place, (Frame{"step()", "f.cpp", 20, 1}));
}

}  // namespace
}  // namespace ompdm::analysis::iteration_finder_test
