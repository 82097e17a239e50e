// What is said of a run that was counted, in all or by its end.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ompdm/report.h"
#include "report/sentences.h"
#include "sample_trace.h"

namespace ompdm::report {
namespace {

std::string text_of(const Trace& trace) {
  return render(std::vector{analysis::analyze(trace)}, Format::kText, {.width = 1000});
}

TEST(CountedRun, OfOneThatWasKilledTheLastDirectiveIsNotKnown) {
  Trace trace = sample();
  trace.recording.finished = false;
  const std::string unknown = "but not what it was in the middle of";
  EXPECT_NE(text_of(trace).find("the process was killed, or left by"), std::string::npos);
  EXPECT_EQ(text_of(trace).find(unknown), std::string::npos);
  trace.recording.detail = "tallies";
  EXPECT_NE(text_of(trace).find(unknown), std::string::npos);
  trace.recording.detail = "window";
  EXPECT_EQ(text_of(trace).find(unknown), std::string::npos);
  trace.recording.told_to = trace.process.wall / 2;
  EXPECT_NE(text_of(trace).find(unknown), std::string::npos);
}

TEST(CountedRun, SaysHowItsWindowEnded) {
  Trace trace = sample();
  trace.recording.detail = "window";
  const auto said = [&](bool running = false) {
    analysis::Analysis one = analysis::analyze(trace);
    one.running = running;
    return told_part(one);
  };
  const auto has = [](const std::string& text, const char* words) {
    return text.find(words) != std::string::npos;
  };
  EXPECT_TRUE(has(said(), "did not end before the program did")) << said();
  EXPECT_TRUE(has(said(true), "has not ended yet")) << said(true);
  trace.recording.told_from = trace.recording.told_to = trace.process.wall / 2;
  EXPECT_TRUE(has(said(), "ended before it began")) << said();
  trace.recording.told_from = trace.recording.told_to = trace.process.wall;
  EXPECT_TRUE(has(said(), "did not begin before the end")) << said();
  EXPECT_TRUE(has(said(true), "has not begun yet")) << said(true);
}

}  // namespace
}  // namespace ompdm::report
