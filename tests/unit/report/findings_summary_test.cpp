// The summary of findings, what to write over the lines of the source, and one finding in full.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/found.h"
#include "analysis/one_array.h"
#include "ompdm/error.h"
#include "ompdm/report.h"

namespace ompdm::report::findings_summary_test {
namespace {

using test::contains;
using test::OneArray;
using test::TraceBuilder;

/// Brings its array back unchanged, and leaves it on the device.
analysis::Analysis wasteful() {
  OneArray program;
  for (int iteration = 0; iteration < 12; ++iteration)
    program.map_tofrom(program.solve, 7 + iteration, 7 + iteration);
  program.map();
  return analysis::analyze(program.take());
}

std::string text_of(const Layout& layout) {
  const std::vector<analysis::Analysis> analyses = {wasteful()};
  return render(analyses, Format::kText, layout);
}

/// The lines from the first that has this up to an empty one.
std::vector<std::string> block(const std::string& text, const std::string& first) {
  std::vector<std::string> lines;
  for (std::size_t at = text.find(first); at < text.size();) {
    const std::size_t end = text.find('\n', at);
    if (end == at) break;
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

TEST(FindingsSummary, WhatCouldBeSavedComesBeforeAllTables) {
  const std::string text = text_of({});
  EXPECT_LT(text.find("Redundant: 1 of 25 copies, 1.00 MB of 25.0 MB; possibly 13 copies, 13.0 MB"),
            text.find("Time(%)"))
      << text;
  EXPECT_TRUE(contains(text, "write map(to: a): it is copied back unchanged")) << text;
}

TEST(FindingsSummary, AFindingIsSixLinesAtMost) {
  const std::string text = text_of({.traces = "trace.json"});
  std::size_t lines = 0;
  for (const std::string& line : block(text, "Findings: edits")) {
    lines = line.starts_with("1. ") || line.starts_with("2. ") ? 1 : lines + 1;
    EXPECT_LE(lines, 6U) << text;
    EXPECT_LE(line.size(), Layout{}.width);
  }
  EXPECT_TRUE(contains(text, "\n     unless a kernel changes it\n")) << text;
  EXPECT_TRUE(contains(text, "Findings: edits (all of one: ompdm explain trace.json N)\n")) << text;
}

// A line of the source that is marked to go is a line to delete.
TEST(FindingsSummary, WhatIsInWordsMarksNoLine) {
  OneArray program;
  const auto memory = program.api("omp_target_alloc", "a.cpp", 50, "main");
  const auto copy = program.api("omp_target_memcpy", "a.cpp", 51, "main");
  program.op(OpKind::kAlloc, {}, OneArray::kBytes, 10)->site = memory;
  program.trace.ops.edit_back()->src = 0;
  for (int i = 0; i < 5; ++i) program.op(OpKind::kHtoD, {}, OneArray::kBytes, 10)->site = copy;
  program.kernel();
  program.op(OpKind::kDtoH, {}, OneArray::kBytes, 10)->site = copy;
  program.op(OpKind::kDelete, {}, 0, 10)->site = memory;
  const std::vector<analysis::Analysis> analyses = {analysis::analyze(program.take())};
  const std::string text = render(analyses, Format::kText, {.traces = "trace.json"});
  EXPECT_TRUE(contains(text, "4 of 5 are overwritten before a kernel runs: keep the last")) << text;
  EXPECT_FALSE(contains(text, " | -")) << text;
}

TEST(FindingsSummary, OneFindingAloneIsToldAtOnce) {
  OneArray program;
  for (int iteration = 0; iteration < 12; ++iteration) program.map_tofrom(program.solve, 7, 8);
  const std::vector<analysis::Analysis> analyses = {analysis::analyze(program.take())};
  const std::string text = render(analyses, Format::kText, {.traces = "trace.json"});
  EXPECT_FALSE(contains(text, "Findings: edits")) << text;
  const std::size_t heading =
      text.find("\nWhat to do first (ompdm explain trace.json 1; ompdm fix trace.json)\n");
  const std::size_t step = text.find("\n     - after a.cpp:30 for the last time");
  EXPECT_LT(heading, step) << text;
  EXPECT_LT(step, text.find("Time(%)")) << text;
}

/// An array that is to be kept around a loop whose function knows its name.
analysis::Analysis kept_around_a_loop() {
  OneArray program;
  for (int iteration = 0; iteration < 12; ++iteration)
    program.map_tofrom(program.solve, 7 + iteration, 8 + iteration);
  analysis::Analysis one = analysis::analyze(program.take());
  for (analysis::Edit& edit : one.findings.at(0).edits) {
    if (edit.anchor.of != analysis::Anchor::Of::kLoop) continue;
    edit.anchor.places = {{"a.cpp", 28, "main", 0}};
    edit.anchor.unplaced = {};
    edit.in_scope = true;
  }
  return one;
}

TEST(FindingsSummary, TheLoopsOwnLineIsShownWhereItIsAtHand) {
  const std::vector<analysis::Analysis> analyses = {kept_around_a_loop()};
  Layout layout;
  layout.source = [](const std::string& /*file*/, int line) {
    return line == 28 ? "  for (int t = 0; t < steps; ++t) {" : "  }";
  };
  const std::string text = render(analyses, Format::kText, layout);
  EXPECT_TRUE(contains(text,
                       "     - before the loop at a.cpp:28 in main:\n"
                       "         + #pragma omp target enter data map(to: a)\n"
                       "           for (int t = 0; t < steps; ++t) {\n"))
      << text;
  layout.source = [](const std::string& /*file*/, int /*line*/) { return "  } while (more);"; };
  const std::string at_its_end = render(analyses, Format::kText, layout);
  EXPECT_FALSE(contains(at_its_end, "while (more)")) << "the pragma does not belong before it";
}

TEST(FindingsSummary, CodeIsWholeOrElsewhere) {
  std::vector<analysis::Analysis> analyses = {kept_around_a_loop()};
  analysis::Finding& finding = analyses[0].findings[0];
  for (std::uint32_t i = 1; i < 40; ++i) {
    finding.data.push_back(finding.data[0]);
    finding.data.back().expression = "array_" + std::to_string(i) + "[0:n * n]";
    for (analysis::Edit& edit : finding.edits) {
      if (!edit.clauses.empty()) edit.clauses[0].data.push_back(i);
    }
  }
  for (const std::size_t width : {60, 80, 120}) {
    const std::string text =
        render(analyses, Format::kText, {.width = width, .traces = "trace.json"});
    EXPECT_TRUE(contains(text, "\n     code: ompdm explain trace.json 1\n")) << text;
    EXPECT_FALSE(contains(text, "#pragma")) << text;
    EXPECT_TRUE(contains(explain(analyses, "1", {.width = width}), "array_9[0:n * n])\n"));
  }
}

TEST(FindingsSummary, FindingsAndRowsAreFewUnlessAllAreAskedFor) {
  const std::string few = text_of({.findings = 1});
  EXPECT_TRUE(contains(few, "... and 1 more: --all shows it")) << few;
  EXPECT_FALSE(contains(few, "\n2. ")) << few;
  EXPECT_TRUE(contains(text_of({.findings = 0}), "\n2. "));
}

TEST(FindingsSummary, ATableKeepsTheRowsThatAreFirstByTimeBytesAndCount) {
  TraceBuilder build;
  for (int line = 1; line <= 30; ++line) {
    const auto site = build.site(Directive::kTargetUpdate, "a.cpp", line, "main");
    const auto data = build.variable("v" + std::to_string(line), 1000);
    for (int i = 0; i < (line == 29 ? 50 : 1); ++i) {
      build.begin(site);
      build.op(OpKind::kHtoD, data, line == 28 ? 900'000 : 1000, line == 30 ? 90'000 : 100);
      build.end();
    }
  }
  const std::vector<analysis::Analysis> analyses = {analysis::analyze(build.take())};
  const std::string text = render(analyses, Format::kText, {.rows = 3});
  const auto rows = block(text, "Movement by directive");
  for (const char* place : {"a.cpp:28", "a.cpp:29", "a.cpp:30"}) {
    EXPECT_TRUE(
        std::ranges::any_of(rows, [&](const std::string& row) { return contains(row, place); }))
        << place << text;
  }
  EXPECT_TRUE(contains(text, "... and 27 more rows: --all shows them")) << text;
}

// A hundred directives, a thousand arrays, fifty findings and more.
TEST(FindingsSummary, ALargeProgramIsAPage) {
  TraceBuilder build;
  for (int line = 1; line <= 100; ++line) {
    const auto site = build.site(Directive::kTargetEnterData, "a.cpp", line, "main");
    build.begin(site);
    for (int i = 0; i < 10; ++i) {
      const auto data = build.variable("v" + std::to_string(10 * line + i), 10'000);
      build.op(OpKind::kAlloc, data, 10'000, 10);
      build.op(OpKind::kHtoD, data, 10'000, 100);
    }
    build.end();
  }
  const std::vector<analysis::Analysis> analyses = {analysis::analyze(build.take())};
  const std::size_t findings = analyses[0].findings.size();
  EXPECT_GE(findings, 50U);
  const std::string text = render(analyses, Format::kText);
  EXPECT_LE(std::ranges::count(text, '\n'), 80) << text;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    EXPECT_LE(end - at, Layout{}.width) << text.substr(at, end - at);
    at = end + 1;
  }
}

// The same program, where all of it is asked for, and where every format is.
TEST(FindingsSummary, NothingOfALargeProgramIsLostWhereAllIsAskedFor) {
  TraceBuilder build;
  for (int line = 1; line <= 100; ++line) {
    const auto site = build.site(Directive::kTargetUpdate, "a.cpp", line, "main");
    build.begin(site);
    for (int i = 0; i < 10; ++i) {
      build.op(OpKind::kHtoD, build.variable("v" + std::to_string(10 * line + i), 100), 100, 10);
    }
    build.end();
  }
  const std::vector<analysis::Analysis> analyses = {analysis::analyze(build.take())};
  const std::string all = render(analyses, Format::kText, {.rows = 0, .findings = 0});
  // The title, the head and the total are lines, too.
  EXPECT_EQ(block(all, "Movement by directive").size(), 3U + 100U);
  EXPECT_EQ(block(all, "Movement by variable").size(), 3U + 1000U);
  EXPECT_FALSE(contains(all, "--all shows")) << all;
  EXPECT_LE(std::ranges::count(render(analyses, Format::kText), '\n'), 60);
}

// What is to be done in any case comes first, and is counted; code is as it is to be copied.
TEST(FindingsSummary, AnExplanationIsAListOfSteps) {
  const std::vector<analysis::Analysis> analyses = {kept_around_a_loop()};
  const std::string text = explain(analyses, "1");
  std::size_t before = 0;
  for (const char* part :
       {"1. a.cpp:30, a: mapped again", "\n\n   a was mapped again",
        "\n\n   What to do:\n   1) before",
        "\n          #pragma omp target enter data map(to: a)\n   2) leave",
        "\n   3) after the loop",
        "\n\n   Conditions, and facts of the sources:\n   - where the host reads a in the loop",
        "\n         #pragma omp target update from(a)\n"}) {
    const std::size_t at = text.find(part);
    ASSERT_NE(at, std::string::npos) << part << text;
    EXPECT_GE(at, before) << part << text;
    before = at;
  }
  for (const std::string& line : block(text + '\n', "1. ")) {
    EXPECT_LE(line.size(), 101U) << "a line's end comes before it";
  }
}

// Also where one was entered after a loop that is not in it.
TEST(FindingsSummary, ALoopStandsBeneathTheOneThatItIsIn) {
  std::vector<analysis::Analysis> analyses = {wasteful()};
  const auto loop = [](int line, std::size_t parent) {
    analysis::LoopRow row;
    row.file = "a.cpp";
    row.line = line;
    row.function = "solve";
    row.from_code = true;
    row.parent = parent;
    row.count = 7;
    return row;
  };
  analyses[0].loops = {loop(1, analysis::kNoRow), loop(50, analysis::kNoRow), loop(5, 0),
                       loop(9, 2)};
  const std::string text = render(analyses, Format::kText);
  std::vector<std::string> ends;
  for (const std::string& line : block(text, "Loops: cost of an iteration")) {
    const std::size_t at = line.find("a.cpp:");
    if (at != std::string::npos)
      ends.push_back(line.substr(line.find_last_not_of(' ', at - 1) + 1));
  }
  ASSERT_EQ(ends.size(), 4U) << text;
  const auto depth = [](const std::string& end) { return end.find_first_not_of(' '); };
  EXPECT_EQ(depth(ends[1]), depth(ends[0]) + 2) << text;
  EXPECT_EQ(depth(ends[2]), depth(ends[0]) + 4) << text;
  EXPECT_EQ(depth(ends[3]), depth(ends[0])) << text;
  EXPECT_TRUE(ends[1].ends_with("a.cpp:5") && ends[2].ends_with("a.cpp:9")) << text;
  EXPECT_TRUE(contains(render(analyses, Format::kMarkdown), "| &nbsp;&nbsp;&nbsp;&nbsp;a.cpp:9 |"))
      << render(analyses, Format::kMarkdown);
}

// Four kernels of one function, and one of another: by hand, as a kernel's launch has it.
analysis::Analysis serial_kernels() {
  analysis::Analysis one = wasteful();
  one.findings.clear();
  for (const int line : {10, 20, 30, 40}) {
    analysis::Finding finding;
    finding.pattern = "serial_kernel";
    finding.file = "a.cpp";
    finding.line = line;
    finding.id = "id" + std::to_string(line);
    finding.count = 7;
    finding.wasted_time = 1'000'000;
    finding.facts = analysis::facts::SerialKernel{
        .shape = analysis::facts::SerialKernel::Shape::kOneTeam,
        .place = analysis::SourcePlace{"a.cpp", line, line < 40 ? "solve" : "norm", 0}};
    one.findings.push_back(finding);
  }
  return one;
}

TEST(FindingsSummary, KernelsOfOneFunctionThatAreToBeChangedAlikeAreOneRow) {
  const std::vector<analysis::Analysis> analyses = {serial_kernels()};
  const std::string text = render(analyses, Format::kText, {.traces = "trace.json"});
  EXPECT_TRUE(contains(text, "share the loops of 3 target regions in solve among many teams"))
      << text;
  EXPECT_TRUE(contains(text, "a.cpp:10 +2")) << text;
  EXPECT_TRUE(contains(text, "\n     also 2 (a.cpp:20) and 3 (a.cpp:30)\n")) << text;
  EXPECT_TRUE(contains(text, "  4  possible  a.cpp:40     share its loop among many teams"))
      << text;
  EXPECT_FALSE(contains(text, "\n2. ")) << text;
  EXPECT_TRUE(contains(explain(analyses, "2"), "2. a.cpp:20: kernel with too little parallelism"));
  EXPECT_TRUE(contains(render(analyses, Format::kText, {.findings = 1}), "... and 1 more"));
  const std::string json = render(analyses, Format::kJson);
  for (const auto& finding : analyses[0].findings) EXPECT_TRUE(contains(json, finding.id));
}

// Tables have as many cells in each row, code stands by itself, and no blank line is doubled.
TEST(FindingsSummary, TheDocumentHasNoGaps) {
  const std::vector<analysis::Analysis> analyses = {wasteful()};
  const std::string text = render(analyses, Format::kMarkdown);
  EXPECT_TRUE(
      contains(text, "## Redundant: 1 of 25 copies, 1.00 MB of 25.0 MB; possibly 13 copies"))
      << text;
  EXPECT_FALSE(contains(text, "\n\n\n")) << text;
  std::ptrdiff_t cells = 0;
  std::string before;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.ends_with("  map(to: a)")) {
      EXPECT_EQ(line, "            map(to: a)");
      EXPECT_EQ(before, "");
    }
    before = line;
    const std::ptrdiff_t bars = line.starts_with('|') ? std::ranges::count(line, '|') : 0;
    EXPECT_TRUE(cells == 0 || bars == 0 || bars == cells) << line;
    EXPECT_FALSE(contains(line, "|  |")) << line;
    cells = bars;
  }
  EXPECT_TRUE(contains(text, "\n            map(to: a)\n")) << text;
}

TEST(FindingsSummary, OneTableIsCsvByItself) {
  const std::vector<analysis::Analysis> analyses = {wasteful()};
  const std::string all = render(analyses, Format::kCsv);
  const std::string one = render(analyses, Format::kCsv, {.section = "variables"});
  EXPECT_TRUE(one.starts_with("HtoD_bytes,")) << one;
  EXPECT_TRUE(contains(all, "# variables\n" + one));
  EXPECT_THROW(render(analyses, Format::kCsv, {.section = "variable"}), Error);
}

TEST(FindingsSummary, OneFindingIsExplainedByNumberOrId) {
  const std::vector<analysis::Analysis> analyses = {wasteful()};
  const std::string first = explain(analyses, "1");
  EXPECT_TRUE(contains(first, "a was copied back unchanged in 12 transfers")) << first;
  EXPECT_EQ(explain(analyses, analyses[0].findings[0].id), first);
  for (const char* wrong : {"0", "99", "1x"}) {
    EXPECT_THROW(explain(analyses, wrong), Error) << wrong;
  }
}

}  // namespace
}  // namespace ompdm::report::findings_summary_test
