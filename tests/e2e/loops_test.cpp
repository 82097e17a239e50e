// Loops of real programs: which directives an iteration has, and how many iterations there were.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "recorded.h"

namespace ompdm::e2e::loops_test {
namespace {

/// Functions of a loop's directives with its iterations and entries, "sweep limit 100/1".
std::vector<std::string> loops_of(const Json& report) {
  std::vector<std::string> loops;
  for (const Json& row : report["iterations"]) {
    std::string text;
    for (const Json& directive : row["directives"]) {
      const Json& at = report["directives"][directive.get<std::size_t>()];
      text += at["function"].get<std::string>() + ' ';
    }
    loops.push_back(text + std::to_string(row["count"].get<int>()) + '/' +
                    std::to_string(row["entries"].get<int>()));
  }
  std::ranges::sort(loops);
  return loops;
}

Json shaped(const std::string& shape, int iterations) {
  return record({{program("loops"), shape, std::to_string(iterations)}}).report;
}

using Loops = std::vector<std::string>;

TEST(Loops, AProbeWithinEveryTenthIteration) {
  const Json report = shaped("probe_within", 105);
  EXPECT_EQ(loops_of(report), Loops({"sweep limit norm 105/1"}));
  // 16 kB in an iteration, and the mean of ten probes' copies back: 8 B each, in 104 iterations.
  EXPECT_EQ(report["iterations"][0]["DtoH_bytes"], 16000 + 1);
}

// Nothing says that there are none.
TEST(Loops, OfFunctionsWithoutUnwindTablesAreALoss) {
  const Json report = record({{program("loops_untabled"), "probe_within", "105"}}).report;
  EXPECT_TRUE(report["iterations"].empty());
  for (const Json& loss : report["traces"][0]["losses"]) {
    if (loss["name"] != "calls_without_unwind_table") continue;
    EXPECT_GT(loss["count"], 0);
    return;
  }
  ADD_FAILURE() << "no such loss";
}

TEST(Loops, AProbeBetweenIterations) {
  EXPECT_EQ(loops_of(shaped("probe_between", 100)), Loops({"sweep limit norm 100/1"}));
}

TEST(Loops, AnInnerGroupThatIsPassedOnceAtTimes) {
  EXPECT_EQ(loops_of(shaped("inner_group", 40)),
            Loops({"norm sweep limit 40/1", "sweep limit 110/40"}));
}

TEST(Loops, IterationsThatThreadsShare) {
  EXPECT_EQ(loops_of(shaped("threads", 40)), Loops({"sweep limit 40/4"}));
  EXPECT_EQ(loops_of(shaped("threads", 7)), Loops({"sweep limit 7/4"}));
}

TEST(Loops, WhatTheRuntimesThreadsRun) {
  EXPECT_EQ(loops_of(shaped("deferred", 60)), Loops({"deferred deferred 60/1"}));
}

TEST(Loops, WhatIsDeferredAfterTeamsOfItsThread) {
  const Json report = shaped("deferred_after_teams", 20);
  EXPECT_EQ(loops_of(report), Loops({"deferred_after_teams deferred_after_teams 20/1"}));
  EXPECT_EQ(report["iterations"][0]["from"], "code");
}

/// Their places, "heat.cpp:54"; "order" of those that no code tells.
std::vector<std::string> places_of(const Json& report) {
  std::vector<std::string> places;
  for (const Json& row : report["iterations"]) {
    const std::string file = row["file"];
    const int line = row["line"];
    places.push_back(row["from"] == "code"
                         ? file.substr(file.rfind('/') + 1) + ':' + std::to_string(line)
                         : "order");
  }
  return places;
}

TEST(Loops, BesideACycleWithSeveralEntriesHavePlaces) {
  for (const auto& [name, place] :
       {std::pair{"other_cycle", "other_cycle.c:10"}, {"two_vectors", "two_vectors.cpp:10"}}) {
    const Json report = record({{program(name)}}).report;
    EXPECT_EQ(places_of(report), Loops{place});
    EXPECT_EQ(report["iterations"][0]["count"], 20);
  }
}

/// Of the insertions of a report around a loop: the line before which they go; 0: none is known.
std::vector<int> loop_lines(const Json& report) {
  std::vector<int> lines;
  for (const Json& finding : report["findings"]) {
    for (const Json& edit : finding["edits"]) {
      if (edit["kind"] == "insert" && edit["of"] == "loop") {
        lines.push_back(edit["places"][0]["line"]);
        EXPECT_EQ(lines.back() == 0, edit.contains("inside")) << edit;
      }
    }
  }
  return lines;
}

// Of a do the compiler tells the end, of a loop that a break leaves the line of that.
TEST(Loops, BeginInNoLineThatIsWithin) {
  for (const char* name : {"begins_O1", "begins_O3"}) {
    for (const char* shape : {"do_while", "ends_by_break", "begins_by_break"}) {
      const Json report = record({{program(name), shape}}).report;
      const Json& loop = report["iterations"].at(0);
      EXPECT_EQ(loop["from"], "code");
      EXPECT_EQ(loop["count"], 20);
      EXPECT_EQ(loop["line"], 0) << name << ' ' << shape;
      EXPECT_GT(loop["inside"], 0);
      const std::vector<int> lines = loop_lines(report);
      EXPECT_FALSE(lines.empty());
      EXPECT_EQ(std::ranges::count(lines, 0), std::ssize(lines)) << name << ' ' << shape;
    }
    const Json report = record({{program(name), "plain"}}).report;
    EXPECT_EQ(places_of(report), Loops{"begins.cpp:43"});
    EXPECT_FALSE(report["iterations"][0].contains("inside"));
    EXPECT_EQ(std::ranges::count(loop_lines(report), 43), std::ssize(loop_lines(report)));
  }
}

TEST(Loops, LeadToTargetDataAndToNoHalfOfOne) {
  const Json report = record({{program("halves")}}).report;
  std::vector<std::string> unreached;
  for (const Json& row : report["findings"].at(0)["unreached"]) {
    unreached.push_back(row["directive"].get<std::string>() + ' ' +
                        std::to_string(row["line"].get<int>()));
  }
  EXPECT_EQ(unreached, (Loops{"target data 18", "target data 23"}));
}

}  // namespace
}  // namespace ompdm::e2e::loops_test
