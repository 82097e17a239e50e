// What is said of several recordings in a row, and of that in which they are not alike.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ompdm/comparison.h"
#include "ompdm/report.h"
#include "report/comparison.h"
#include "support/trace_builder.h"

namespace ompdm::report::ladder_test {
namespace {

using analysis::Analysis;
using analysis::kNoRow;
using analysis::RowChain;
using nlohmann::json;

/// `steps` launches that map u, or find it there; `b` is mapped by a directive of its own.
Analysis heat(bool resident, int steps, bool with_b = false) {
  test::TraceBuilder build;
  const auto u = build.variable("u", 8000000, "heat.cpp", 5);
  const auto solve = build.site(Directive::kTarget, "heat.cpp", resident ? 30 : 20, "solve");
  if (resident) {
    build.begin(build.site(Directive::kTargetEnterData, "heat.cpp", 28, "solve"));
    build.op(OpKind::kHtoD, u, 8000000, 1000000);
    build.end();
  }
  for (int i = 0; i < steps; ++i) {
    build.begin(solve);
    if (!resident) build.op(OpKind::kHtoD, u, 8000000, 1000000);
    build.launch(500000);
    if (!resident) build.op(OpKind::kDtoH, u, 8000000, 1000000);
    build.end();
  }
  if (with_b) {
    const auto b = build.variable("b", 800, "heat.cpp", 6);
    build.begin(build.site(Directive::kTargetUpdate, "heat.cpp", 40, "solve"));
    build.op(OpKind::kHtoD, b, 800, 1000);
    build.end();
  }
  build.trace.process.arguments = {"./heat", resident ? "data" : "naive", "10"};
  return analysis::analyze(build.take());
}

const std::vector<std::string> kNames = {"naive", "extra", "data"};

std::vector<Analysis> rungs() { return {heat(false, 10), heat(false, 10, true), heat(true, 10)}; }

std::string shown(const std::vector<Analysis>& recordings, Format format = Format::kText) {
  return render_comparison(recordings, format, {}, kNames);
}

TEST(LadderOfParts, NothingIsSaidOfWhatWasNotToldThroughout) {
  std::vector<Analysis> all = rungs();
  all[1].recording.detail = Recording::Detail::kAggregates;
  const json ladder = json::parse(render_comparison(all, Format::kJson, {}, kNames));
  EXPECT_TRUE(ladder["iterations"].is_null());
  EXPECT_TRUE(ladder["findings"].is_null());
  EXPECT_TRUE(ladder["rungs"][1]["needless_bytes"].is_null());
  EXPECT_TRUE(ladder["rungs"][0]["needless_bytes"].is_number());
  EXPECT_FALSE(ladder["directives"].empty());
  const std::string text = render_comparison(all, Format::kText, {.width = 1000}, kNames);
  EXPECT_NE(text.find("Loops, findings, unions of time and the prediction are not compared: "
                      "extra was aggregated\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("Wall time of an iteration"), std::string::npos);
}

TEST(Ladder, EachRowIsInOneChain) {
  const analysis::Comparison ladder = analysis::compare(rungs());
  // The kernel, which moved; the update, which only the middle has; the last one's enter data.
  const std::vector<RowChain> wanted = {{0, 0, 1}, {kNoRow, 1, kNoRow}, {kNoRow, kNoRow, 0}};
  EXPECT_EQ(ladder.directives, wanted);
  const std::vector<RowChain> variables = {{0, 0, 0}, {kNoRow, 1, kNoRow}};
  EXPECT_EQ(ladder.variables, variables);
}

TEST(Ladder, ARowThatIsMissingBetweenIsTheSameAfterwards) {
  const std::vector<Analysis> recordings = {heat(false, 10, true), heat(false, 10),
                                            heat(false, 10, true)};
  const std::vector<RowChain> wanted = {{0, 0, 0}, {1, kNoRow, 1}};
  EXPECT_EQ(analysis::compare(recordings).variables, wanted);
}

TEST(Ladder, TellsHowMuchFasterEachRungIs) {
  const json all = json::parse(shown(rungs(), Format::kJson));
  EXPECT_EQ(all["schema"], "ompdm.ladder/1");
  ASSERT_EQ(all["rungs"].size(), 3U);
  EXPECT_EQ(all["rungs"][0]["name"], "naive");
  EXPECT_EQ(all["rungs"][0]["step"], nullptr);
  EXPECT_EQ(all["rungs"][0]["speedup"], 1.0);
  const double walls[] = {all["rungs"][0]["trace"]["wall_ns"], all["rungs"][1]["trace"]["wall_ns"],
                          all["rungs"][2]["trace"]["wall_ns"]};
  EXPECT_EQ(all["rungs"][2]["step"], walls[1] / walls[2]);
  EXPECT_EQ(all["rungs"][2]["speedup"], walls[0] / walls[2]);
  EXPECT_EQ(all["directives"][0][2]["line"], 30);
  EXPECT_EQ(all["directives"][1][0], nullptr);
  // References of a rung's rows are to the document's.
  EXPECT_EQ(all["iterations"][0][2]["directives"], json::array({0}));
}

TEST(Ladder, IsATableWithARowARung) {
  const std::string text = shown(rungs());
  EXPECT_TRUE(
      text.starts_with("data moves 20x less: 160 MB → 8.00 MB\nWall 25.0 ms → 25.0 ms → 6.00 ms"))
      << text;
  EXPECT_NE(text.find("\nDiffer   argument 1: naive → naive → data\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nVersions, one after the other\n"), std::string::npos) << text;
  EXPECT_NE(text.find("   naive   extra     data  Where                  Directive\n"
                      "  160 MB  160 MB      0 B  heat.cpp:30 (was :20)  target\n"),
            std::string::npos)
      << text;
}

// Figures of three functions in one row are of three lines.
TEST(Ladder, ARowTellsWhereItWasInEarlierVersions) {
  const auto version = [](int line, const std::string& function) {
    test::TraceBuilder build;
    const auto u = build.variable("u", 8000, "heat.cpp", 5);
    build.begin(build.site(Directive::kTarget, "heat.cpp", line, function));
    build.op(OpKind::kHtoD, u, 8000, 1000);
    build.launch(500);
    build.end();
    return analysis::analyze(build.take());
  };
  const std::vector<Analysis> all = {version(20, "naive"), version(40, "data"),
                                     version(40, "other"), version(60, "last")};
  const std::vector<std::string> names = {"naive", "data", "other", "last"};
  const std::string text = render_comparison(all, Format::kText, {}, names);
  EXPECT_NE(text.find("  heat.cpp:60 (was :20, :40)  target\n"), std::string::npos) << text;
}

// A finding that a later version does not have is not one that is still to be worked on.
TEST(Ladder, FindingsThatWentAreSolved) {
  std::vector<Analysis> all = rungs();
  for (const std::size_t version : {std::size_t{0}, std::size_t{1}}) {
    analysis::Finding& finding = all[version].findings.emplace_back();
    finding.pattern = "per_iteration_mapping";
    finding.variable = "u";
    finding.file = "heat.cpp";
    finding.line = 20;
    finding.wasted_bytes = 144000000;
  }
  const std::string text = shown(all);
  EXPECT_NE(text.find("  144 MB  144 MB   0 B  ✓ fixed in data  per_iteration_mapping "),
            std::string::npos)
      << text;
  const std::string csv = shown(all, Format::kCsv);
  EXPECT_NE(csv.find("\n# findings\nrung_1,rung_2,rung_3,pattern,place,variable\n"
                     "144000000,144000000,,per_iteration_mapping,heat.cpp:20,u\n"),
            std::string::npos)
      << csv;
}

TEST(Ladder, NamesThatAreTooLongForAColumnAreNumbersThere) {
  const std::vector<std::string> names = {"naive", "a_name_of_many_letters", "data"};
  const std::string text = render_comparison(rungs(), Format::kText, {}, names);
  EXPECT_NE(text.find("       1       2        3  Where "), std::string::npos) << text;
  EXPECT_NE(text.find("  2  a_name_of_many_letters "), std::string::npos) << text;
}

TEST(Ladder, OfCsvIsATableAfterEachName) {
  const std::string csv = shown(rungs(), Format::kCsv);
  EXPECT_TRUE(csv.starts_with("# rungs\nnumber,name,HtoD_bytes,")) << csv;
  EXPECT_NE(csv.find("\n# variables\nrung_1,rung_2,rung_3,name,place\n"
                     "160000000,160000000,8000000,u,heat.cpp:5\n,800,,b,heat.cpp:6\n"),
            std::string::npos)
      << csv;
}

TEST(Differences, AreToldByWhatDiffers) {
  std::vector<Analysis> two = {heat(false, 2), heat(false, 2)};
  EXPECT_EQ(differences(two), "");
  two[1].process.arguments.back() = "20";
  EXPECT_EQ(differences(two), "argument 2: 10 → 20");
  two[1].process.arguments.push_back("-v");
  EXPECT_EQ(differences(two), "arguments 'naive 10' → 'naive 20 -v'");
  two[1].process.host = "elsewhere";
  two[0].process.host = "here";
  EXPECT_EQ(differences(two, ", "), "arguments 'naive 10', 'naive 20 -v'; machine here, elsewhere");
  two[1].process.arguments = {"./cold", "naive", "10"};
  two[1].process.program = "/bin/cold";
  two[0].process.program = "/bin/heat";
  EXPECT_EQ(differences(two), "program ./heat → ./cold; machine here → elsewhere");
}

}  // namespace
}  // namespace ompdm::report::ladder_test
