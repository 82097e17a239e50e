// What `ompdm.compare/1` promises, and what is said where there is little to say.
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "ompdm/report.h"
#include "support/trace_builder.h"

namespace ompdm::report::comparison_test {
namespace {

using nlohmann::json;
using Recordings = std::array<analysis::Analysis, 2>;

/// `steps` launches in `function`; each maps 8 MB both ways, or all of them do together.
analysis::Analysis heat(bool resident, int steps, int line, const std::string& function) {
  test::TraceBuilder build;
  build.trace.file = resident ? "after.json" : "before.json";
  const auto u = build.variable("u", 8000000, "heat.cpp", line);
  const auto solve = build.site(Directive::kTarget, "heat.cpp", line, function);
  if (resident) {
    build.begin(build.site(Directive::kTargetEnterData, "heat.cpp", line - 2, function));
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
  if (resident) {
    build.begin(build.site(Directive::kTargetExitData, "heat.cpp", line + 9, function));
    build.op(OpKind::kDtoH, u, 8000000, 1000000);
    build.end();
  }
  return analysis::analyze(build.take());
}

Recordings naive_and_data() { return {heat(false, 10, 56, "naive"), heat(true, 10, 71, "data")}; }

analysis::Finding finding(const std::string& pattern, int line) {
  analysis::Finding row;
  row.pattern = pattern;
  row.file = "heat.cpp";
  row.line = line;
  row.variable = "u";
  row.count = 9;
  row.wasted_bytes = 72000000;
  return row;
}

json compared(const Recordings& recordings) {
  return json::parse(render_comparison(recordings, Format::kJson));
}

bool says(const Recordings& recordings, const std::string& what) {
  return render_comparison(recordings, Format::kText).find(what) != std::string::npos;
}

std::string first_line(const Recordings& recordings) {
  const std::string text = render_comparison(recordings, Format::kText);
  return text.substr(0, text.find('\n'));
}

/// What a run of which only the first part was told would have.
Recordings recorded_in_part(std::size_t side, Recording::Detail detail) {
  Recordings recordings = naive_and_data();
  recordings[0].findings = {finding("per_iteration_mapping", 56)};
  analysis::Analysis& part = recordings.at(side);
  part.recording.detail = detail;
  part.recording.recorded_to = part.process.wall / 2;
  return recordings;
}

TEST(ComparedParts, NothingIsSaidOfWhatWasNotToldThroughout) {
  ASSERT_FALSE(compared(naive_and_data())["iterations"].empty());
  for (const auto detail : {Recording::Detail::kAggregates, Recording::Detail::kWindow,
                            Recording::Detail::kSpoolLimit}) {
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const json part = compared(recorded_in_part(side, detail));
      for (const char* table : {"iterations", "findings", "prediction"}) {
        EXPECT_TRUE(part[table].is_null()) << table << " " << static_cast<int>(detail);
      }
      EXPECT_TRUE(part["trace"][side == 0 ? "before" : "after"]["transfer_union_ns"].is_null());
      EXPECT_TRUE(part["trace"][side == 0 ? "after" : "before"]["transfer_union_ns"].is_number());
      EXPECT_TRUE(part["trace"]["ratio"]["transfer_union_ns"].is_null());
      EXPECT_EQ(part["totals"], compared(naive_and_data())["totals"]);
    }
  }
}

TEST(ComparedParts, OfWhatIsLeftOfARunNothingIsSoManyTimesTheOthers) {
  ASSERT_TRUE(first_line(naive_and_data()).starts_with("AFTER moves 10x less"))
      << first_line(naive_and_data());
  for (const char* why : {"lost", "cut", "killed"}) {
    Recordings recordings = naive_and_data();
    if (why == std::string("lost")) recordings[1].losses = {{"records_no_space", 18481}};
    if (why == std::string("cut")) recordings[1].truncated = true;
    if (why == std::string("killed")) {
      recordings[1].recording.finished = false;
      recordings[1].unfinished = {{}};
    }
    EXPECT_TRUE(first_line(recordings).starts_with("not compared as a whole: ")) << why;
    EXPECT_EQ(first_line(recordings).find("less"), std::string::npos) << first_line(recordings);
    const json all = compared(recordings);
    EXPECT_EQ(all["totals"]["HtoD"]["bytes"],
              (json{{"before", 80000000}, {"after", 8000000}, {"ratio", nullptr}}));
    EXPECT_TRUE(all["directives"][0]["ratio"].is_null());
    EXPECT_TRUE(all["trace"]["ratio"].is_null());
  }
  Recordings left = naive_and_data();
  left[1].recording.finished = false;
  EXPECT_TRUE(first_line(left).starts_with("AFTER was killed, or left by _exit"))
      << first_line(left);
}

TEST(ComparedParts, WhatIsLeftOutIsSaidAndWhy) {
  const auto text = [](const Recordings& recordings) {
    return render_comparison(recordings, Format::kText, {.width = 1000});
  };
  const std::string left_out =
      "Loops, findings, unions of time and the prediction are not compared: ";
  EXPECT_EQ(text(naive_and_data()).find(left_out), std::string::npos);
  const std::string counted = text(recorded_in_part(0, Recording::Detail::kAggregates));
  EXPECT_NE(counted.find(left_out + "BEFORE was aggregated\n"), std::string::npos) << counted;
  EXPECT_EQ(counted.find("fixed"), std::string::npos);
  EXPECT_EQ(counted.find("enqueue"), std::string::npos);
  const std::string part = text(recorded_in_part(1, Recording::Detail::kSpoolLimit));
  EXPECT_NE(part.find(left_out + "AFTER is recorded event by event only in part\n"),
            std::string::npos)
      << part;
}

TEST(Comparison, JsonHasWhatIsPromised) {
  const json all = compared(naive_and_data());
  EXPECT_EQ(all["schema"], "ompdm.compare/1");
  EXPECT_EQ(all["trace"]["before"]["file"], "before.json");
  EXPECT_EQ(all["trace"]["ratio"]["wall_ns"], 7.0 / 25);
  EXPECT_EQ(all["totals"]["HtoD"]["bytes"],
            (json{{"before", 80000000}, {"after", 8000000}, {"ratio", 0.1}}));
  EXPECT_EQ(all["totals"]["alloc"]["count"]["ratio"], nullptr);
  EXPECT_FALSE(all.contains("link"));
  EXPECT_EQ(all["prediction"], nullptr);
  EXPECT_EQ(all["findings"],
            (json{{"went", json::array()}, {"stay", json::array()}, {"came", json::array()}}));

  ASSERT_EQ(all["directives"].size(), 3U);
  const json& target = all["directives"][0];
  EXPECT_EQ(target["before"]["line"], 56);
  EXPECT_EQ(target["after"]["line"], 71);
  EXPECT_EQ(target["ratio"]["HtoD_bytes"], 0);
  EXPECT_EQ(target["ratio"]["count"], 1);
  EXPECT_FALSE(target["ratio"].contains("line"));
  EXPECT_EQ(all["directives"][1]["before"], nullptr);
  EXPECT_EQ(all["directives"][1]["ratio"], nullptr);

  ASSERT_EQ(all["iterations"].size(), 1U);
  EXPECT_EQ(all["iterations"][0]["before"]["directives"], json::array({0}));
  EXPECT_EQ(all["iterations"][0]["after"]["directives"], json::array({0}));
  ASSERT_EQ(all["variables"].size(), 1U);
  EXPECT_EQ(all["variables"][0]["ratio"]["DtoH_count"], 0.1);
  EXPECT_EQ(all["activities"].size(), 3U);
}

TEST(Comparison, HeadlineTellsBothDirections) {
  Recordings better = naive_and_data();
  EXPECT_EQ(first_line(better), "AFTER moves 10x less: 160 MB → 16.0 MB");
  EXPECT_EQ(first_line({heat(false, 20, 56, "f"), heat(false, 19, 56, "f")}),
            "AFTER moves 5.0 % less: 320 MB → 304 MB");
  // Only with a device's own times is the wall time more than the load of the machine.
  for (analysis::Analysis& one : better) one.headline.device_clock = true;
  EXPECT_EQ(first_line(better),
            "AFTER moves 10x less: 160 MB → 16.0 MB; wall 3.6x shorter: 25.0 ms → 7.00 ms");
  EXPECT_EQ(first_line({better[1], better[0]}),
            "AFTER moves 10x more: 16.0 MB → 160 MB; wall 3.6x longer: 7.00 ms → 25.0 ms");
  EXPECT_EQ(first_line({better[0], better[0]}),
            "AFTER moves as much as BEFORE: 160 MB; wall the same: 25.0 ms");
  EXPECT_EQ(first_line({better[0], heat(false, 0, 56, "f")}).find("AFTER: no target event"), 0U);
}

TEST(Comparison, SaysWhatBecameOfFindings) {
  Recordings recordings = naive_and_data();
  EXPECT_TRUE(says(recordings, "\nFindings: none in either\n"));
  recordings[0].findings = {finding("per_iteration_mapping", 56), finding("device_leak", 60)};
  recordings[1].findings = {finding("device_leak", 75), finding("small_transfers", 71)};
  EXPECT_TRUE(says(recordings,
                   "\nFindings: 1 fixed (72.0 MB were possibly redundant), 1 unchanged, 1 new\n"));
  // A finding that went looks fixed, and wastes nothing any more.
  EXPECT_TRUE(says(recordings, "  ✓ fixed    per_iteration_mapping  heat.cpp:56"));
  EXPECT_TRUE(says(recordings, "72.0 MB      0 B"));
  EXPECT_TRUE(says(recordings, "  unchanged  device_leak            heat.cpp:75 (was"));
  const std::string markdown = render_comparison(recordings, Format::kMarkdown);
  EXPECT_NE(markdown.find("\n| ✓ fixed | per"), std::string::npos) << markdown;
  const std::string csv = render_comparison(recordings, Format::kCsv);
  EXPECT_NE(csv.find("\nwent,per_iteration_mapping,u,9,,72000000,,"), std::string::npos) << csv;
  const json findings = compared(recordings)["findings"];
  EXPECT_EQ(findings["went"][0]["pattern"], "per_iteration_mapping");
  EXPECT_EQ(findings["stay"][0]["after"]["line"], 75);
  EXPECT_EQ(findings["stay"][0]["ratio"]["wasted_bytes"], 1);
  EXPECT_EQ(findings["came"][0]["pattern"], "small_transfers");
}

TEST(Comparison, HoldsThePredictionAgainstWhatCame) {
  Recordings recordings = naive_and_data();
  recordings[0].prediction = {.wall = 5000000, .transfer = 2000000};
  EXPECT_TRUE(says(recordings,
                   "Predicted for BEFORE without its redundant operations: transfers 2.00 ms, wall "
                   "5.00 ms. AFTER has: transfers "));
  EXPECT_EQ(compared(recordings)["prediction"]["wall_ns"],
            (json{{"predicted", 5000000}, {"achieved", 7000000}, {"ratio", 1.4}}));
}

TEST(Comparison, AModelIsCalledOneEverywhere) {
  Recordings recordings = naive_and_data();
  for (analysis::Analysis& one : recordings) one.link = analysis::parse_link("pcie3x16");
  EXPECT_EQ(first_line(recordings).find("on a model of pcie3x16: AFTER moves"), 0U);
  EXPECT_TRUE(says(recordings,
                   "! a model, not a measurement: each transfer takes 6.00 us and its "
                   "bytes at 12.0 GB/s (pcie3x16);"));
  EXPECT_EQ(compared(recordings)["link"]["latency_ns"], 6000);
  const std::string csv = render_comparison(recordings, Format::kCsv);
  EXPECT_EQ(
      csv.find(
          "# link\nmodel,bytes_per_second,latency_ns,kernel_factor\npcie3x16,12000000000,6000,\n"),
      0U);
}

TEST(Comparison, UnknownFiguresAreNeverShownAsRatios) {
  Recordings recordings = naive_and_data();
  recordings[0].recording.reach = Recording::Reach::kNoEmi;
  EXPECT_EQ(first_line(recordings).find("BEFORE: how much data moved is not known"), 0U);
  const std::string csv = render_comparison(recordings, Format::kCsv);
  EXPECT_NE(csv.find("\nHtoD,,1,,,8000000,,"), std::string::npos) << csv;
}

TEST(Comparison, TextFits) {
  Recordings recordings = naive_and_data();
  recordings[1].process.program = std::string(300, 'p');
  recordings[0].directives[0].function = "a_namespace::" + std::string(200, 'f');
  recordings[0].findings = {finding("per_iteration_mapping", 56)};
  for (analysis::Analysis& one : recordings) {
    one.variables[0].htod = {123456789, 123456, 1234567};
    one.variables[0].dtoh = {2345678, 23456, 12345678};
    one.directives[0].count = 123456;
  }
  recordings[0].variables[0].htod.bytes *= 1234;
  std::istringstream lines(render_comparison(recordings, Format::kText));
  for (std::string line; std::getline(lines, line);) {
    std::size_t columns = 0;
    for (const char byte : line) columns += (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
    EXPECT_LE(columns, 120U) << line;
  }
}

TEST(Conditions, ComparePairsOfValues) {
  const Recordings recordings = naive_and_data();
  const std::string before = render(std::span(recordings.data(), 1), Format::kJson);
  const std::string after = render(std::span(&recordings[1], 1), Format::kJson);
  const auto tested = [&](const std::string& text) {
    const Condition condition = parse_condition(text);
    return holds(condition, values_of(condition.path, before, after));
  };
  EXPECT_TRUE(tested("HtoD.bytes < 0.11x"));
  EXPECT_FALSE(tested("HtoD.bytes > 1.05x"));
  EXPECT_TRUE(tested("HtoD.bytes == 8000000"));
  EXPECT_TRUE(tested("traces.0.wall_ns <= 0.28x"));
  EXPECT_TRUE(tested("kernel.count == 1x"));
  EXPECT_TRUE(tested("DtoD.bytes == 1x"));                           // nothing in either
  EXPECT_TRUE(tested("directives.heat.cpp:56.HtoD_bytes == 0"));     // gone
  EXPECT_TRUE(tested("directives.heat.cpp:69.HtoD_bytes > 1000x"));  // new
  EXPECT_TRUE(tested("findings.device_leak == 0"));
  EXPECT_ANY_THROW(tested("HtoD.byte > 1x"));
}

}  // namespace
}  // namespace ompdm::report::comparison_test
