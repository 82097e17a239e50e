// Rows of directives, opened by the call paths that reached them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ompdm/report.h"
#include "support/trace_builder.h"

namespace ompdm::report::call_path_tables_test {
namespace {

using nlohmann::json;

/// One directive, reached by as many calls of main.
Trace reached_from(int places) {
  test::TraceBuilder build;
  const auto step = build.site(Directive::kTarget, "heat.cpp", 41, "step");
  const auto u = build.variable("u", 8000, "heat.cpp", 32);
  for (int i = 0; i < places; ++i) {
    build.begin(step);
    build.trace.regions.edit_back()->path =
        build.call(build.call({}, "main", "heat.cpp", 100 + i), "step", "heat.cpp", 41);
    build.op(OpKind::kHtoD, u, 8000, 100);
    build.end();
  }
  return build.take();
}

TEST(CallPathTables, OfManyPathsTheLeastAreTogether) {
  const std::vector<analysis::Analysis> analyses = {analysis::analyze(reached_from(20))};
  const std::string text = render(analyses, Format::kText, {.paths = true});
  EXPECT_NE(
      text.find("8.00 KB       1   0 B       0        0     100 ns   100 ns  < main heat.cpp:100"),
      std::string::npos)
      << text;
  EXPECT_NE(
      text.find(
          "96.0 KB      12   0 B       0        0    1.20 us  1.20 us  (12 other call paths)"),
      std::string::npos)
      << text;
  const json report = json::parse(render(analyses, Format::kJson));
  EXPECT_EQ(report["directives"][0]["paths"].size(), 20U);
  EXPECT_EQ(report["directives"][0]["paths"][3]["frames"][1]["line"], 103);
  EXPECT_EQ(report["directives"][0]["paths"][3]["HtoD_bytes"], 8000);
}

TEST(CallPathTables, SayThatRowsCanBeOpenedWhereTheyCan) {
  const auto text_of = [](int places) {
    const std::vector<analysis::Analysis> analyses = {analysis::analyze(reached_from(places))};
    return render(analyses, Format::kText);
  };
  EXPECT_EQ(text_of(1).find("--paths"), std::string::npos);
  EXPECT_NE(text_of(2).find("(one directive was reached by several call paths: --paths"),
            std::string::npos);
}

}  // namespace
}  // namespace ompdm::report::call_path_tables_test
