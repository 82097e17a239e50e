#include <gtest/gtest.h>

#include <clocale>
#include <locale>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "ompdm/report.h"
#include "sample_trace.h"
#include "support/trace_builder.h"

namespace ompdm::report::rendering_test {
namespace {

using nlohmann::json;

std::set<std::string> keys(const json& object) {
  std::set<std::string> names;
  for (const auto& item : object.items()) names.insert(item.key());
  return names;
}

void expect_keys(const json& object, const std::set<std::string>& promised) {
  const std::set<std::string> names = keys(object);
  for (const std::string& key : promised) EXPECT_TRUE(names.contains(key)) << key;
}

TEST(Rendering, WhatNeverChangesIsNamedAndNotCalledNeedless) {
  test::TraceBuilder build;
  build.trace.recording.hashing = "full";
  const auto update = build.site(Directive::kTargetUpdate, "a.cpp", 4, "main");
  const auto kernel = build.site(Directive::kTarget, "a.cpp", 6, "main");
  const auto table = build.variable("table", 8000, "a.cpp", 1);
  for (int i = 0; i < 10; ++i) {
    build.begin(update);
    build.op(OpKind::kHtoD, table, 8000, 100)->hash = 7;
    build.end();
    build.begin(kernel);
    build.launch(100);
    build.end();
    build.wait(1000);
  }
  std::vector<analysis::Analysis> analyses = {analysis::analyze(build.take())};
  const std::string text = render(analyses, Format::kText);
  EXPECT_NE(
      text.find("8.0 of 8.0 KB per iteration have the same content every time: table (a.cpp:4)\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("Data with the same content every time is"), std::string::npos) << text;
  analysis::LoopRow& loop = analyses[0].loops.at(0);
  loop.from_code = true;
  loop.file = "src/b.cpp";
  loop.line = 3;
  loop.function = "step(int)";
  analyses[0].loops.push_back(loop);
  EXPECT_NE(render(analyses, Format::kText).find("table (a.cpp:4); loop at b.cpp:3 in step"),
            std::string::npos);
}

TEST(Rendering, TellsWhyNothingMovesUnderUnifiedSharedMemory) {
  test::TraceBuilder build;
  build.trace.recording.unified_shared_memory = true;
  build.begin(build.site(Directive::kTarget, "a.cpp", 4, "main"));
  build.launch(100);
  build.end();
  const std::vector<analysis::Analysis> analyses = {analysis::analyze(build.take())};
  EXPECT_TRUE(render(analyses, Format::kText)
                  .starts_with(
                      "no data moved: 1 kernel in 1 execution of a directive: the program requires "
                      "unified_shared_memory, so nothing is copied\n"));
}

TEST(Rendering, JsonHasWhatIsPromised) {
  const std::vector<analysis::Analysis> analyses = {analysis::analyze(sample())};
  const json report = json::parse(render(analyses, Format::kJson));
  EXPECT_EQ(report["schema"], "ompdm.report/1");
  expect_keys(report, {"traces", "devices", "totals", "activities", "directives", "variables",
                       "iterations", "findings", "prediction", "withheld", "doubted"});
  expect_keys(report["traces"][0], {"file", "program", "arguments", "pid", "host", "rank",
                                    "wall_ns", "runtime", "truncated", "losses"});
  expect_keys(report["devices"][0], {"number", "type", "name", "is_host"});
  expect_keys(report["totals"],
              {"HtoD", "DtoH", "DtoD", "alloc", "delete", "kernel", "region", "runtime_internal"});
  EXPECT_EQ(keys(report["totals"]["HtoD"]), (std::set<std::string>{"bytes", "count", "time_ns"}));
  EXPECT_EQ(keys(report["totals"]["kernel"]), (std::set<std::string>{"count", "time_ns"}));
  expect_keys(report["activities"][0],
              {"type", "name", "count", "bytes", "total_ns", "avg_ns", "med_ns", "min_ns", "max_ns",
               "stddev_ns", "percent", "clock"});
  expect_keys(report["directives"][0], {"directive", "file", "line", "function", "count",
                                        "HtoD_bytes", "HtoD_count", "DtoH_bytes", "DtoH_count",
                                        "alloc_count", "kernel_count", "time_ns", "transfer_ns"});
  expect_keys(report["variables"][0], {"name", "file", "line", "bytes", "aliases", "HtoD_bytes",
                                       "HtoD_count", "DtoH_bytes", "DtoH_count", "transfer_ns"});
  expect_keys(report["iterations"][0],
              {"count", "directives", "HtoD_bytes", "DtoH_bytes", "invariant_bytes", "transfer_ns",
               "kernel_ns", "wall_ns", "first"});
  ASSERT_EQ(report["findings"].size(), 1U);
  expect_keys(report["findings"][0],
              {"id", "pattern", "file", "line", "variable", "count", "wasted_bytes",
               "allocated_bytes", "wasted_ns", "confidence", "coverage", "evidence", "edits",
               "unless", "unreached", "memory_bytes", "advice"});
  EXPECT_EQ(report["findings"][0]["pattern"], "per_iteration_mapping");
  EXPECT_EQ(report["findings"][0]["wasted_bytes"], 2 * 8000000 + 2 * 8000000);
  EXPECT_EQ(keys(report["findings"][0]["coverage"]), (std::set<std::string>{"examined", "of"}));
  EXPECT_EQ(keys(report["prediction"]),
            (std::set<std::string>{"wall_ns", "transfer_ns", "spared_transfers", "spared_bytes",
                                   "at_most", "possible"}));
  EXPECT_EQ(keys(report["prediction"]["possible"]),
            (std::set<std::string>{"wall_ns", "transfer_ns", "spared_transfers", "spared_bytes",
                                   "at_most"}));
  EXPECT_EQ(report["directives"][0]["HtoD_bytes"], 24000000);
  EXPECT_EQ(report["iterations"][0]["count"], 3);
  EXPECT_EQ(report["iterations"][0]["HtoD_bytes"], 8000000);
}

bool begins(const std::string& text, const std::string& beginning) {
  return text.starts_with(beginning);
}

TEST(Rendering, OfACutTraceSpeaksOfWhatIsLeft) {
  Trace trace = sample();
  trace.truncated = true;
  trace.losses = {{"records_no_space", 0}};
  std::vector<analysis::Analysis> analyses = {analysis::analyze(trace)};
  std::string text = render(analyses, Format::kText);
  EXPECT_TRUE(begins(text, "in this part of the trace, 48.0 MB moved, ")) << text;
  EXPECT_EQ(text.substr(0, text.find('\n')).find("of wall"), std::string::npos) << text;
  EXPECT_NE(text.find("\n! Lost: all behind the cut; in recording: 0 (1 kind of loss counted)"),
            std::string::npos)
      << text;
}

TEST(Rendering, OfARunWhoseEventsWereLostSpeaksOfWhatWasRecorded) {
  Trace trace = sample();
  trace.losses = {{"records_too_large", 9}, {"contents_over_time", 9}};
  const std::vector<analysis::Analysis> whole = {analysis::analyze(trace)};
  EXPECT_TRUE(begins(render(whole, Format::kText), "48.0 MB moved, "));
  trace.losses = {{"records_no_space", 18481}};
  const std::vector<analysis::Analysis> analyses = {analysis::analyze(trace)};
  const std::string text = render(analyses, Format::kText, {.width = 1000});
  EXPECT_TRUE(begins(text, "in the recorded part of the run, 48.0 MB moved, ")) << text;
  EXPECT_EQ(text.substr(0, text.find('\n')).find("of wall"), std::string::npos) << text;
  EXPECT_NE(text.find("\n! events were lost (records_no_space 18481): figures, shares, loops and "
                      "findings are of the recorded part\n"),
            std::string::npos)
      << text;
}

// What JSON tells of contents is told in words, too: it is no loss of events.
TEST(Rendering, ContentsThatWereNotLookedAtAreNoLossAndAreTold) {
  Trace trace = sample();
  trace.losses = {{"records_no_space", 0}, {"contents_pending_overflow", 8968}};
  const std::vector<analysis::Analysis> analyses = {analysis::analyze(trace)};
  const std::string text = render(analyses, Format::kText);
  EXPECT_NE(text.find("\nContents not looked at: of 8968 transfers (8968 were copied back in "
                      "regions with many more)\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("Lost"), std::string::npos) << text;
}

TEST(Rendering, OfATraceCutBeforeItsEventsClaimsNothingOfTheRun) {
  Trace trace;
  trace.truncated = true;
  for (const auto reach :
       {Recording::Reach::kUnknown, Recording::Reach::kOk, Recording::Reach::kUnreachable}) {
    trace.recording.reach = reach;
    const std::vector<analysis::Analysis> analyses = {analysis::analyze(trace)};
    const std::string text = render(analyses, Format::kText);
    EXPECT_TRUE(begins(text,
                       "no target event is in this part of the trace: the file ends early. Copy it "
                       "again, or record the program again\n"))
        << text;
    EXPECT_NE(text.find("\nProgram  ; 0 ns; devices not known\n"), std::string::npos) << text;
    EXPECT_NE(text.find("\n! Lost: all behind the cut; in recording: not known\n"),
              std::string::npos)
        << text;
  }
}

TEST(Rendering, RanksAreMerged) {
  const std::vector<analysis::Analysis> analyses = {analysis::analyze(sample(0)),
                                                    analysis::analyze(sample(1))};
  const json report = json::parse(render(analyses, Format::kJson));
  EXPECT_EQ(report["traces"].size(), 2U);
  EXPECT_EQ(report["totals"]["HtoD"]["bytes"], 48000000);
  ASSERT_EQ(report["directives"].size(), 2U);
  EXPECT_EQ(report["directives"][1]["rank"], 1);
  EXPECT_EQ(report["iterations"][1]["directives"][0], 1);
  const std::string csv = render(analyses, Format::kCsv);
  EXPECT_NE(csv.find("# directives\nrank,count,"), std::string::npos);
}

TEST(Rendering, WithoutRanksProcessesAreToldApart) {
  std::vector<analysis::Analysis> analyses = {analysis::analyze(sample()),
                                              analysis::analyze(sample())};
  analyses[1].process.pid = 4712;
  const json report = json::parse(render(analyses, Format::kJson));
  EXPECT_EQ(report["directives"][1]["pid"], 4712);
}

TEST(Rendering, TheLocaleChangesNothing) {
  const Trace trace = sample();
  const std::vector<analysis::Analysis> analyses = {analysis::analyze(trace)};
  const auto everything = [&] {
    std::ostringstream text;
    for (const Format format : {Format::kText, Format::kJson, Format::kCsv, Format::kMarkdown}) {
      text << render(analyses, format);
      render_gpu_trace({&trace, 1}, format, {}, text);
    }
    return text.str();
  };
  struct Grouping : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::string before = everything();
  const std::locale old = std::locale::global(std::locale(std::locale(), new Grouping));
  const std::string after = everything();
  std::locale::global(old);
  EXPECT_EQ(before, after);
}

TEST(Rendering, ColorIsOnlyColor) {
  const std::vector<analysis::Analysis> analyses = {analysis::analyze(sample())};
  std::string colored = render(analyses, Format::kText, {120, true});
  for (std::size_t at; (at = colored.find('\x1b')) != std::string::npos;) {
    colored.erase(at, colored.find('m', at) + 1 - at);
  }
  EXPECT_EQ(colored, render(analyses, Format::kText, {120, false}));
}

TEST(Rendering, LinesFitTheTerminal) {
  Trace trace = sample();
  trace.sites[0].function =
      "solver::Stencil<double, 5>::advance_one_time_step(double const*, double*)";
  const std::vector<analysis::Analysis> analyses = {analysis::analyze(trace)};
  for (const std::size_t width : {80U, 100U, 120U, 160U, 200U}) {
    std::istringstream lines(render(analyses, Format::kText, {width, false, true}));
    for (std::string line; std::getline(lines, line);) {
      // To be pasted into the program: left whole.
      if (line.find("#pragma") != std::string::npos) continue;
      EXPECT_LE(line.size(), width) << line;
    }
  }
}

std::string text_of(const Trace& trace) {
  const std::vector<analysis::Analysis> analyses = {analysis::analyze(trace)};
  return render(analyses, Format::kText, {.width = 1000});
}

TEST(Rendering, WhereLinesAreMissingTheReasonIsSaid) {
  EXPECT_EQ(text_of(sample()).find("without -g"), std::string::npos);
  Trace trace = sample();
  trace.sites[0].file.clear();
  EXPECT_NE(text_of(trace).find("! 1 of 1 directive has no source file, and no names of "
                                "variables: compiled without -g (-gline-tables-only is enough)\n"),
            std::string::npos)
      << text_of(trace);
  trace.recording.names = Recording::Names::kOff;
  EXPECT_NE(text_of(trace).find("build with -g, and record without OMPDM_NAMES=off"),
            std::string::npos);
}

TEST(Rendering, WhyNothingRanOnADeviceIsSaid) {
  test::TraceBuilder build;
  const auto solve = build.site(Directive::kTarget, "heat.cpp", 41, "solve");
  build.begin(solve);
  build.end();
  Trace trace = build.take();
  trace.regions.edit(0)->host_fallback = true;
  trace.recording.target_offload = "disabled";
  const std::string text = text_of(trace);
  EXPECT_TRUE(
      text.starts_with("nothing ran on a device: 1 kernel ran on the host: "
                       "OMP_TARGET_OFFLOAD=DISABLED forbids it\n"))
      << text;
  EXPECT_NE(text.find("run without it"), std::string::npos) << text;
  trace.recording.target_offload.clear();
  EXPECT_TRUE(text_of(trace).starts_with("nothing ran on a device: 1 kernel ran on the host\n"));
}

TEST(Rendering, WhatLookingAtContentsTookIsNotTheProgramsTime) {
  std::vector<analysis::Analysis> analyses = {analysis::analyze(sample())};
  EXPECT_EQ(render(analyses, Format::kText).find("hashing"), std::string::npos);
  analyses[0].process.wall = analyses[0].program_wall + 30'000'000;
  EXPECT_NE(render(analyses, Format::kText).find(", and 30.0 ms of ompdm's hashing"),
            std::string::npos);
}

TEST(Rendering, ANameOfSeveralPiecesOfStorageSaysSo) {
  Trace trace = sample();
  std::vector<analysis::Analysis> analyses = {analysis::analyze(trace)};
  EXPECT_EQ(render(analyses, Format::kText).find("pieces)"), std::string::npos);
  trace.variables[0].pieces = 3;
  analyses = {analysis::analyze(trace)};
  EXPECT_NE(render(analyses, Format::kText).find(" u (3 addresses) heat.cpp:32"),
            std::string::npos);
}

TEST(Rendering, NoSavingIsToldWhereThereIsNone) {
  std::vector<analysis::Analysis> analyses = {analysis::analyze(sample())};
  const auto tells = [&](const std::string& words) {
    return render(analyses, Format::kText).find("\n" + words) != std::string::npos;
  };
  EXPECT_TRUE(
      tells("Redundant: possibly 4 of 6 copies, 32.0 MB of 48.0 MB, about 4.27 ms of 8.81 ms\n"));
  // What is possible only is told after what is likely, as in the verdict.
  analyses[0].prediction = analyses[0].possible_prediction;
  analyses[0].possible_prediction->spared_transfers = 5;
  analyses[0].possible_prediction->spared_bytes = 40000000;
  EXPECT_TRUE(
      tells("Redundant: at most 4 of 6 copies, 32.0 MB of 48.0 MB, about 4.27 ms of 8.81 ms; "
            "possibly 5 copies, 40.0 MB\n"));
  analyses[0].possible_prediction.reset();
  EXPECT_TRUE(
      tells("Redundant: at most 4 of 6 copies, 32.0 MB of 48.0 MB, about 4.27 ms of 8.81 ms\n"));
  analyses[0].prediction->wall = analyses[0].program_wall - analyses[0].program_wall / 101;
  EXPECT_TRUE(tells("Redundant: at most 4 of 6 copies, 32.0 MB of 48.0 MB\n"));
  analyses[0].headline.device_clock = true;
  EXPECT_TRUE(
      tells("Redundant: at most 4 of 6 copies, 32.0 MB of 48.0 MB, less than 1 % of the time\n"));
  analyses[0].prediction->spared_transfers = 0;
  analyses[0].prediction->spared_bytes = 0;
  EXPECT_TRUE(tells("What to do first\n"));
}

}  // namespace
}  // namespace ompdm::report::rendering_test
