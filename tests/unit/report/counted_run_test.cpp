// What is said of a run that was counted, in all or by its end.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "ompdm/error.h"
#include "ompdm/report.h"
#include "ompdm/trace_file.h"
#include "report/findings.h"
#include "report/sentences.h"
#include "sample_trace.h"

namespace ompdm::report::counted_run_test {
namespace {

std::string text_of(const Trace& trace) {
  return render(std::vector{analysis::analyze(trace)}, Format::kText, {.width = 1000});
}

TEST(CountedRun, OfOneThatWasKilledTheLastDirectiveIsNotKnown) {
  Trace trace = sample();
  trace.recording.finished = false;
  const std::string unknown = "but not its last directive";
  EXPECT_NE(text_of(trace).find("the process was killed, or left by"), std::string::npos);
  EXPECT_EQ(text_of(trace).find(unknown), std::string::npos);
  trace.recording.detail = Recording::Detail::kAggregates;
  EXPECT_NE(text_of(trace).find(unknown), std::string::npos);
  trace.recording.detail = Recording::Detail::kWindow;
  EXPECT_EQ(text_of(trace).find(unknown), std::string::npos);
  trace.recording.recorded_to = trace.process.wall / 2;
  EXPECT_NE(text_of(trace).find(unknown), std::string::npos);
}

/// A run that moves nothing needlessly, of which this is told event by event.
Trace told(Recording::Detail detail, Nanoseconds from, Nanoseconds to) {
  Trace trace;
  trace.process.wall = 1'000'000;
  trace.recording = sample().recording;
  trace.recording.finished = true;
  trace.recording.detail = detail;
  trace.recording.recorded_from = from;
  trace.recording.recorded_to = to;
  return trace;
}

TEST(CountedRun, SaysWhereNeedlessMovementWasLookedFor) {
  const auto none_in = [](const Trace& trace) {
    const std::vector analyses{analysis::analyze(trace)};
    return none_found(analyses, SourceNames(analyses));
  };
  const std::string not_looked = "Redundant transfers were not looked for";
  const std::string in_part = "in the part of this run with single events";
  EXPECT_EQ(none_in(told(Recording::Detail::kEvents, 0, 0)).find(in_part), std::string::npos);
  EXPECT_TRUE(none_in(told(Recording::Detail::kAggregates, 0, 0)).starts_with(not_looked));
  // A window that never began, or ended at once.
  EXPECT_TRUE(none_in(told(Recording::Detail::kWindow, 1'000'000, 0)).starts_with(not_looked));
  EXPECT_TRUE(none_in(told(Recording::Detail::kSpoolLimit, 0, 500)).find(in_part) !=
              std::string::npos);
}

TEST(CountedRun, HasNoFindingToExplainForAReason) {
  const std::vector analyses{analysis::analyze(told(Recording::Detail::kAggregates, 0, 0))};
  try {
    explain(analyses, "1", {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("not looked for"), std::string::npos) << error.what();
  }
}

TEST(CountedRun, SparesACountOfWhatIsToldOnly) {
  Trace trace = sample();
  const std::string told_only = " copies recorded, ";
  EXPECT_NE(text_of(trace).find("Redundant: "), std::string::npos) << text_of(trace);
  EXPECT_EQ(text_of(trace).find(told_only), std::string::npos);
  trace.recording.detail = Recording::Detail::kSpoolLimit;
  trace.recording.recorded_to = trace.process.wall - 1;
  EXPECT_NE(text_of(trace).find(told_only), std::string::npos) << text_of(trace);
}

Trace middle_of(Trace trace) {
  const Nanoseconds wall = trace.process.wall;
  return window_of(trace, wall / 3, wall / 2);
}

TEST(PartOfARun, SaysThatAllIsOfItAlone) {
  Trace whole = sample();
  whole.recording.finished = false;
  const std::string text = text_of(middle_of(whole));
  EXPECT_TRUE(text.starts_with("in this part of the run, 8.00 MB moved: ")) << text;
  EXPECT_EQ(text.substr(0, text.find('\n')).find("of wall"), std::string::npos) << text;
  EXPECT_NE(text.find("! a part of a run of "), std::string::npos) << text;
  EXPECT_NE(text.find(": all figures are of it alone\n"), std::string::npos) << text;
  for (const char* untrue :
       {"aggregated", "events until then are here", "recorded event by event"}) {
    EXPECT_EQ(text.find(untrue), std::string::npos) << text;
  }
}

// A copy that began before it and ended behind it is there with what lies in it.
TEST(PartOfARun, HasNoMoreTimeThanItsOwn) {
  test::TraceBuilder build;
  build.clock = Clock::kDevice;
  const auto target = build.site(Directive::kTarget, "a.cpp", 4, "main");
  build.begin(target);
  build.op(OpKind::kHtoD, build.variable("a", 8000), 8000, 1000);
  build.launch(10);
  build.end();
  const analysis::Analysis one = analysis::analyze(window_of(build.take(), 400, 500));
  EXPECT_EQ(one.headline.span, 100);
  EXPECT_EQ(one.headline.transfer, 100);
  EXPECT_EQ(one.headline.movement, 100);
}

TEST(PartOfARun, IsComparedWithoutTheRunsWall) {
  const std::array both = {analysis::analyze(sample()), analysis::analyze(middle_of(sample()))};
  const std::string text = render_comparison(both, Format::kText, {.width = 1000});
  EXPECT_TRUE(text.starts_with("AFTER is a part of a run: AFTER moves ")) << text;
  EXPECT_EQ(text.substr(0, text.find('\n')).find("wall"), std::string::npos) << text;
}

TEST(PartOfARun, InWhichNothingWasAtWorkBlamesNoRuntime) {
  Trace part = window_of(sample(), 0, 0);
  part.regions = {};
  part.ops = {};
  part.launches = {};
  const std::string text = text_of(part);
  EXPECT_TRUE(text.starts_with("nothing was at work in this part of the run")) << text;
}

TEST(CountedRun, SaysHowItsWindowEnded) {
  Trace trace = sample();
  trace.recording.detail = Recording::Detail::kWindow;
  const auto said = [&](bool running = false) {
    analysis::Analysis one = analysis::analyze(trace);
    one.running = running;
    return recorded_part(one);
  };
  const auto has = [](const std::string& text, const char* words) {
    return text.find(words) != std::string::npos;
  };
  EXPECT_TRUE(has(said(), "the program ended before the window")) << said();
  EXPECT_TRUE(has(said(true), "has not ended yet")) << said(true);
  trace.recording.recorded_from = trace.recording.recorded_to = trace.process.wall / 2;
  EXPECT_TRUE(has(said(), "ended before it began")) << said();
  trace.recording.recorded_from = trace.recording.recorded_to = trace.process.wall;
  EXPECT_TRUE(has(said(), "did not begin before the end")) << said();
  EXPECT_TRUE(has(said(true), "has not begun yet")) << said(true);
}

}  // namespace
}  // namespace ompdm::report::counted_run_test
