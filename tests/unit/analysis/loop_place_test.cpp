#include <gtest/gtest.h>

#include "detectors/loops.h"
#include "report/source_names.h"
#include "support/trace_builder.h"

namespace ompdm::analysis::loop_place_test {
namespace {

using test::TraceBuilder;

/// Sites of an iteration, by the functions that they are in and the frames that called these.
struct Place : TraceBuilder {
  std::vector<Index<Site>> sites;

  void add(const std::string& function, int line, std::vector<Frame> callers) {
    sites.push_back(site(Directive::kTarget, "src/heat.cpp", line, function));
    trace.sites.back().callers = std::move(callers);
  }
  [[nodiscard]] std::string text(const Loop& loop = {}) const {
    return report::loop_text(unplaced_loop(trace, loop, sites));
  }
  /// The same of one that the code has in that function.
  [[nodiscard]] std::string text_in(const std::string& function, bool unrolled = false) {
    trace.loops = {{function, "src/heat.cpp", 60, 3, {}, true}};
    trace.loops.front().unrolled = unrolled;
    Loop loop;
    loop.code = {0};
    loop.place = {function, "src/heat.cpp", 60, 3};
    return text(loop);
  }
};

TEST(LoopPlace, InMainItself) {
  Place place;
  place.add("main", 41, {});
  EXPECT_EQ(place.text(), "the loop in main (heat.cpp) that runs heat.cpp:41");
  place.add("main", 52, {{"__libc_start_call_main", "", 0, 0}});
  EXPECT_EQ(place.text(), "the loop in main (heat.cpp) that runs heat.cpp:41 and heat.cpp:52");
}

TEST(LoopPlace, InTheDirectivesFunctionOrItsCaller) {
  Place place;
  place.add("solve(int, double*)", 41, {{"main", "src/main.cpp", 90, 3}});
  EXPECT_EQ(place.text(),
            "the loop that runs heat.cpp:41 (in solve, or in main, which calls solve at "
            "main.cpp:90)");
}

TEST(LoopPlace, InlinedCallersComeBeforeTheOthers) {
  Place place;
  place.add("sweep(double*)", 41, {{"main", "src/main.cpp", 90, 3}});
  place.trace.sites.back().inlined = {{"sweep(double*)", "heat.cpp", 41, 3},
                                      {"step(int)", "heat.cpp", 70, 3}};
  EXPECT_EQ(place.text(),
            "the loop that runs heat.cpp:41 (in sweep, or in step, which calls sweep at "
            "heat.cpp:70)");
  place.add("norm(double*)", 52, {{"main", "src/main.cpp", 91, 3}});
  EXPECT_EQ(place.text(),
            "the loop in main (main.cpp) that calls step and norm, which run heat.cpp:41 and "
            "heat.cpp:52");
}

TEST(LoopPlace, WhereTheFunctionsMeet) {
  Place place;
  place.add("sweep(double*)", 41, {{"main", "src/heat.cpp", 90, 3}});
  place.add("norm(double*)", 52, {{"main", "src/heat.cpp", 91, 3}});
  EXPECT_EQ(place.text(),
            "the loop in main (heat.cpp) that calls sweep and norm, which run heat.cpp:41 and "
            "heat.cpp:52");
}

TEST(LoopPlace, WhereTheyMeetBelowMain) {
  Place place;
  place.add("sweep(double*)", 41, {{"step(int)", "heat.cpp", 70, 3}, {"main", "heat.cpp", 90, 3}});
  place.add("norm(double*)", 52,
            {{"check()", "heat.cpp", 60, 3}, {"step(int)", "heat.cpp", 72, 3}, {"main", "", 0, 0}});
  EXPECT_EQ(place.text(),
            "the loop that runs heat.cpp:41 and heat.cpp:52 (in step, which calls sweep and check, "
            "or in main, which calls step at heat.cpp:90)");
}

TEST(LoopPlace, ADirectiveInTheFunctionThatCallsTheOther) {
  Place place;
  place.add("solve(int)", 41, {{"main", "heat.cpp", 90, 3}});
  place.add("norm(double*)", 52, {{"solve(int)", "heat.cpp", 44, 3}, {"main", "heat.cpp", 90, 3}});
  EXPECT_EQ(place.text(),
            "the loop that runs heat.cpp:41 and heat.cpp:52 (in solve, which calls norm, or in "
            "main, which calls solve at heat.cpp:90)");
}

TEST(LoopPlace, WhereTheCLibraryStartsIsNone) {
  const std::vector<Frame> start = {{"__libc_start_call_main", "libc_start_call_main.h", 58, 16},
                                    {"__libc_start_main_impl", "libc-start.c", 360, 3},
                                    {"_start", "", 0, 0}};
  Place place;
  place.add("sweep(double*)", 41, start);
  place.add("norm(double*)", 52, start);
  EXPECT_EQ(place.text(),
            "the loop in main that calls sweep and norm, which run heat.cpp:41 and heat.cpp:52");
  EXPECT_EQ(unplaced_loop(place.trace, {}, place.sites).in.function, "main");
  Place thread;
  thread.add("work(void*)", 41, {{"start_thread", "pthread_create.c", 442, 3}});
  EXPECT_EQ(thread.text(), "the loop that runs heat.cpp:41 (in work, or in its caller)");
}

TEST(LoopPlace, AScopeWithoutANameIsNotTold) {
  Place place;
  place.add("(anonymous namespace)::Grid<int>::sweep(double*)", 41, {{"main", "heat.cpp", 90, 3}});
  EXPECT_EQ(place.text(),
            "the loop that runs heat.cpp:41 (in Grid<int>::sweep, or in main, which calls "
            "Grid<int>::sweep at heat.cpp:90)");
}

TEST(LoopPlace, InTheFunctionThatItsCodeIsOf) {
  Place place;
  place.add("sweep(double*)", 41, {{"step(int)", "heat.cpp", 70, 3}, {"main", "heat.cpp", 90, 3}});
  EXPECT_EQ(place.text_in("sweep(double*)"), "the loop in sweep (heat.cpp) that runs heat.cpp:41");
  EXPECT_EQ(place.text_in("step(int)"),
            "the loop in step (heat.cpp) that calls sweep, which runs heat.cpp:41");
  EXPECT_EQ(place.text_in("other()"), "the loop in other (heat.cpp) that runs heat.cpp:41");
}

// What was unrolled may have been inlined before that.
TEST(LoopPlace, InTheFunctionThatWasUnrolledOrItsCallers) {
  Place place;
  place.add("sweep(double*)", 41, {{"step(int)", "heat.cpp", 70, 3}, {"main", "heat.cpp", 90, 3}});
  EXPECT_EQ(place.text_in("step(int)", true),
            "the loop that runs heat.cpp:41 (in step, which calls sweep, or in main, which calls "
            "step at heat.cpp:90)");
}

TEST(LoopPlace, InstancesOfATemplateAreOneFunction) {
  Place place;
  place.add("scale<double>(double*)", 41, {{"main", "heat.cpp", 90, 3}});
  place.add("scale<float>(float*)", 41, {{"main", "heat.cpp", 91, 3}});
  EXPECT_EQ(place.text(),
            "the loop that runs heat.cpp:41 (in scale<...>, or in main, which calls scale<...> at "
            "heat.cpp:90)");
}

TEST(LoopPlace, WithoutCallersOrNames) {
  Place place;
  place.add("solve(int)", 41, {});
  EXPECT_EQ(place.text(), "the loop that runs heat.cpp:41 (in solve, or in its caller)");
  place.add("", 52, {});
  EXPECT_EQ(place.text(),
            "the loop that runs heat.cpp:41 and heat.cpp:52 (it may be in a calling function)");
  Place apart;
  apart.add("first()", 41, {{"thread_main", "", 0, 0}});
  apart.add("second()", 52, {{"other_main", "", 0, 0}});
  EXPECT_EQ(apart.text(),
            "the loop that runs heat.cpp:41 and heat.cpp:52 (it may be in a calling function)");
}

}  // namespace
}  // namespace ompdm::analysis::loop_place_test
