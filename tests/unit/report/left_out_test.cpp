// What the findings leave out, and which contents were not looked at: in words.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ompdm/report.h"
#include "support/trace_builder.h"

namespace ompdm::report::left_out_test {
namespace {

using nlohmann::json;

analysis::Analysis one_update() {
  test::TraceBuilder build;
  const auto update = build.site(Directive::kTargetUpdate, "a.cpp", 4, "main");
  const auto a = build.variable("a", 8000);
  build.begin(update);
  build.op(OpKind::kHtoD, a, 8000, 100);
  build.end();
  return analysis::analyze(build.take());
}

using Reason = analysis::Doubt::Reason;

TEST(LeftOut, IsSaidAtTheEndOfTheFindings) {
  std::vector<analysis::Analysis> analyses = {one_update()};
  EXPECT_EQ(render(analyses, Format::kText).find("Below threshold"), std::string::npos);
  analyses[0].withheld = {3, 12, 3400, 20, 5};
  analyses[0].doubts = {{Reason::kDeviceAddress, 8, 600'000}, {Reason::kPointerTable, 12, 55'000}};
  const std::string markdown = render(analyses, Format::kMarkdown);
  for (const std::string sentence :
       {"Below threshold: 3 findings of less than 1 % each (12 transfers, 3.40 KB, 20 "
        "allocations): "
        "--all shows them.",
        "Not called redundant: 20 transfers, 655 KB with known content that kernels may have "
        "changed (its device address was given out: 8; a table of pointers may hold it: 12)."}) {
    EXPECT_NE(markdown.find(sentence), std::string::npos) << markdown;
  }
  EXPECT_NE(render(analyses, Format::kText).find("Below threshold: 3 findings"), std::string::npos);
  const json report = json::parse(render(analyses, Format::kJson));
  EXPECT_EQ(
      report["withheld"],
      json::parse(
          R"({"findings": 3, "transfers": 12, "bytes": 3400, "allocations": 20, "small_transfers": 5})"));
  EXPECT_EQ(report["doubted"][1]["reason"], "pointer_table");
  EXPECT_EQ(report["doubted"][1]["transfers"], 12);
  EXPECT_EQ(report["doubted"][1]["bytes"], 55000);
}

TEST(LeftOut, WhatNoFindingTellsHowToAvoid) {
  std::vector<analysis::Analysis> analyses = {one_update()};
  analyses[0].doubts = {{Reason::kNoChangeKnown, 8, 600'000}};
  const std::string markdown = render(analyses, Format::kMarkdown);
  EXPECT_NE(markdown.find("8 transfers, 600 KB had content that was on the device: no finding "
                          "shows how to avoid these."),
            std::string::npos)
      << markdown;
  EXPECT_EQ(markdown.find("No redundant transfer was proven"), std::string::npos) << markdown;
}

TEST(LeftOut, ContentsThatWereNotLookedAtByTheReason) {
  std::vector<analysis::Analysis> analyses = {one_update()};
  analyses[0].losses = {{"contents_over_time", 5}, {"contents_pending_overflow", 2}};
  EXPECT_NE(render(analyses, Format::kMarkdown)
                .find("Contents not looked at: of 7 transfers (2 were copied back in regions with "
                      "many more, comparing had taken too long at 5)"),
            std::string::npos);
}

}  // namespace
}  // namespace ompdm::report::left_out_test
