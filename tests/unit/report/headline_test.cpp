// The first line of a report, its verdict, and the sentence for a run without findings.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ompdm/report.h"
#include "support/trace_builder.h"

namespace ompdm::report::headline_test {
namespace {

using analysis::Verdict;
using test::kMillisecond;
using test::TraceBuilder;

/// A map(tofrom:) kernel an iteration; the host works between iterations.
struct Scene {
  int iterations = 10;
  std::uint64_t bytes = 8'000'000;
  Nanoseconds copy = kMillisecond;
  Nanoseconds kernel = kMillisecond;
  Nanoseconds host = kMillisecond;
  Nanoseconds allocation = 0;
  Clock clock = Clock::kDevice;
  int launches = 1;   ///< an iteration
  bool full = false;  ///< contents are looked at, and are the same each time
};

analysis::Analysis analysis_of(const Scene& run) {
  TraceBuilder build;
  build.clock = run.clock;
  if (run.clock == Clock::kDevice) build.trace.devices[0] = {0, "sm_90", "NVIDIA H200"};
  build.trace.recording.hashing = "full";
  const auto enter = build.site(Directive::kTargetEnterData, "src/a.cpp", 8, "main");
  const auto target = build.site(Directive::kTarget, "src/a.cpp", 10, "main");
  const auto a = build.variable("a", run.bytes, "src/a.cpp", 3);
  for (int i = 0; i < run.iterations; ++i) {
    build.begin(enter);
    build.wait(run.allocation);
    build.end();
    build.begin(target);
    build.op(OpKind::kAlloc, a, run.bytes, 0);
    const auto number = static_cast<std::uint64_t>(i);
    build.op(OpKind::kHtoD, a, run.bytes, run.copy)->hash = run.full ? 7 : 2 * number + 1;
    for (int launch = 0; launch < run.launches; ++launch) build.launch(run.kernel);
    build.op(OpKind::kDtoH, a, run.bytes, run.copy)->hash = run.full ? 7 : 2 * number + 2;
    build.op(OpKind::kDelete, a, 0, 0);
    build.end();
    build.wait(run.host);
  }
  return analysis::analyze(build.take());
}

Verdict verdict_of(const Scene& run) {
  const std::vector<analysis::Analysis> one = {analysis_of(run)};
  return analysis::verdict_of(one);
}

std::string text_of(const Scene& run) {
  const std::vector<analysis::Analysis> one = {analysis_of(run)};
  return render(one, Format::kText, {.width = 1000});
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

TEST(Verdict, ByADevicesOwnClock) {
  EXPECT_EQ(verdict_of({}), Verdict::kDominates);
  EXPECT_EQ(verdict_of({.kernel = 8 * kMillisecond}), Verdict::kMatters);
  // Hardly any of the run's time: but for start-up it may be most of it.
  EXPECT_EQ(verdict_of({.host = 100 * kMillisecond}), Verdict::kMatters);
  EXPECT_EQ(verdict_of({.kernel = 8 * kMillisecond, .host = 100 * kMillisecond}),
            Verdict::kNoProblem);
}

// The copies of a data directive are short beside what it takes to make its memory.
TEST(Verdict, CountsDataDirectivesFromBeginToEnd) {
  const Scene run{.copy = 1000, .kernel = kMillisecond, .allocation = 2 * kMillisecond};
  EXPECT_EQ(verdict_of(run), Verdict::kDominates);
  EXPECT_EQ(
      first_line(text_of(run)),
      "data movement dominates: 0.2 % of device time and 50 % of wall: a.cpp:10 moved 160 MB in 10 "
      "executions");
}

TEST(Verdict, OfHostDevicesIsThatItCannotBeJudgedUnlessHardlyAnythingMoves) {
  EXPECT_EQ(verdict_of({.clock = Clock::kHost}), Verdict::kUnjudged);
  const Scene little{.iterations = 1, .bytes = 356, .clock = Clock::kHost, .launches = 20};
  EXPECT_EQ(verdict_of(little), Verdict::kNoProblem);
  EXPECT_TRUE(text_of(little).starts_with(
      "data movement is not a problem here: 712 B moved: a.cpp:10 moved 712 B in 1 execution\n"
      "Program"));
}

TEST(Verdict, OfMissingEventsIsThatItCannotBeJudged) {
  std::vector<analysis::Analysis> one = {analysis_of({})};
  one[0].losses = {{"records_no_space", 5}};
  EXPECT_EQ(analysis::verdict_of(one), Verdict::kUnjudged);
}

TEST(Headline, IsOfSharesWhereTheyAreADevices) {
  EXPECT_EQ(
      first_line(text_of({})),
      "data movement dominates: 67 % of device time and 50 % of wall: a.cpp:10 moved 160 MB in 10 "
      "executions");
}

TEST(Headline, OfHostDevicesIsOfBytes) {
  const Scene run{.clock = Clock::kHost};
  EXPECT_TRUE(text_of(run).starts_with(
      "160 MB moved: a.cpp:10 moved 160 MB in 10 executions\n"
      "(no GPU: the processor copied and allocated for 20.0 ms of 40.0 ms. --link pcie4x16 models "
      "a GPU's link)\n"))
      << text_of(run);
  const Scene same{.clock = Clock::kHost, .full = true};
  EXPECT_NE(first_line(text_of(same)).find(" MB of it redundant: a.cpp:10 moved"),
            std::string::npos)
      << text_of(same);
}

// 50 MB there and back for one changed number: no proof of redundancy, and no all-clear.
TEST(NoneFound, SaysWhatWasComparedAndWhatMovedMost) {
  TraceBuilder build;
  build.trace.recording.hashing = "full";
  const auto a = build.variable("a", 8'000'000, "src/a.cpp", 3);
  std::vector<Index<Site>> updates;
  for (const int line : {10, 20, 30, 40}) {
    updates.push_back(build.site(Directive::kTargetUpdate, "src/a.cpp", line, "main"));
  }
  const auto target = build.site(Directive::kTarget, "src/a.cpp", 50, "main");
  for (std::uint64_t i = 0; i < updates.size(); ++i) {
    build.begin(updates[i]);
    build.op(OpKind::kHtoD, a, 1'000'000 * (i + 1), 10)->hash = i + 1;
    build.end();
    build.begin(target);
    build.launch(10);
    build.end();
  }
  const std::vector<analysis::Analysis> one = {analysis::analyze(build.take())};
  const std::string text = render(one, Format::kText, {.width = 1000});
  EXPECT_NE(text.find("No redundant transfer was proven in this run; all contents were compared. "
                      "Most bytes: a.cpp:40 (target update, 4.00 MB), a.cpp:30 (target update, "
                      "3.00 MB) and a.cpp:20 (target update, 2.00 MB).\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("data movement is not a problem"), std::string::npos);
}

// A sum that is copied back with each launch comes along: nothing is said of it but that.
TEST(NoneFound, SaysHowManyTransfersAreTooSmallToBeJudged) {
  EXPECT_NE(
      text_of({.iterations = 3, .bytes = 8}).find(" 6 transfers of at most 256 B were not judged."),
      std::string::npos);
}

// Many small copies that few could make: no byte would be spared.
TEST(Needless, OfCopiesWhoseBytesOthersCarryTellsNoBytes) {
  std::vector<analysis::Analysis> one = {analysis_of({.full = true})};
  one[0].prediction = analysis::Prediction{.wall = 1, .transfer = 1, .spared_transfers = 18};
  one[0].possible_prediction.reset();
  const std::string text = render(one, Format::kText, {.width = 1000});
  EXPECT_NE(text.find("Redundant: 18 of 20 copies, whose bytes fewer copies would carry, about"),
            std::string::npos)
      << text;
}

TEST(Explain, WithoutANumberListsFindingsAndShowsTheOnlyOne) {
  std::vector<analysis::Analysis> one = {analysis_of({.full = true})};
  ASSERT_EQ(one[0].findings.size(), 1U);
  EXPECT_EQ(explain(one, "", {}), explain(one, "1", {}));
  one[0].findings.push_back(one[0].findings[0]);
  const std::string text = explain(one, "", {.traces = "trace.json"});
  EXPECT_EQ(text.find("  1  "), 0U) << text;
  EXPECT_NE(text.find("\n  2  "), std::string::npos) << text;
  EXPECT_NE(text.find("\nAll of one: ompdm explain trace.json N\n"), std::string::npos) << text;
  one[0].findings.clear();
  EXPECT_TRUE(explain(one, "", {}).starts_with("No redundant transfer was proven"));
}

}  // namespace
}  // namespace ompdm::report::headline_test
