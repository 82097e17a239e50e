#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ompdm/error.h"
#include "ompdm/report.h"
#include "support/trace_builder.h"

namespace ompdm::report::conditions_test {
namespace {

std::string sample_report() {
  test::TraceBuilder build;
  const auto enter = build.site(Directive::kTargetEnterData, "src/heat.cpp", 60, "main");
  const auto solve = build.site(Directive::kTarget, "src/heat.cpp", 41, "solve");
  const auto u = build.variable("u", 800);
  build.begin(enter);
  build.op(OpKind::kHtoD, u, 800, 100);
  build.end();
  for (int i = 0; i < 3; ++i) {
    build.begin(solve);
    build.launch(50);
    build.op(OpKind::kDtoH, u, 800, 100);
    build.end();
  }
  std::vector<analysis::Analysis> analyses = {analysis::analyze(build.take())};
  analysis::Finding finding;
  finding.pattern = "round_trip_transfer";
  finding.confidence = analysis::Confidence::kLikely;
  analyses[0].findings.push_back(finding);
  return render(analyses, Format::kJson);
}

bool tested(const std::string& condition) {
  const Condition parsed = parse_condition(condition);
  return holds(parsed, value_of(parsed.path, sample_report()));
}

TEST(Conditions, BarePathsAreTotals) {
  EXPECT_TRUE(tested("DtoH.count == 3"));
  EXPECT_FALSE(tested("DtoH.count > 12"));
  EXPECT_TRUE(tested("HtoD.bytes<=800"));
  EXPECT_TRUE(tested("totals.kernel.count >= 3"));
  EXPECT_TRUE(tested("HtoD.bytes != 8e3"));
}

TEST(Conditions, NumbersMayHaveUnits) {
  EXPECT_TRUE(tested("HtoD.bytes < 1KB"));
  EXPECT_TRUE(tested("HtoD.bytes == 0.8 KB"));
  EXPECT_TRUE(tested("HtoD.bytes < 1KiB"));
  EXPECT_TRUE(tested("HtoD.time_ns == 0.1us"));
  EXPECT_TRUE(tested("memory.peak < 2GB"));
  EXPECT_THROW(parse_condition("HtoD.bytes < 1 KX"), Error);
}

TEST(Conditions, ArraysCountAndRowsHaveNames) {
  EXPECT_TRUE(tested("findings > 0"));
  EXPECT_TRUE(tested("findings.round_trip_transfer == 1"));
  EXPECT_TRUE(tested("findings.duplicate_transfer == 0"));
  EXPECT_TRUE(tested("findings.likely == 1"));
  EXPECT_TRUE(tested("mapping == 0"));
  EXPECT_TRUE(tested("mapping.wrong_values == 0"));
  EXPECT_TRUE(tested("mapping.never_sent == 0"));
  EXPECT_TRUE(tested("findings.certain == 0"));
  EXPECT_TRUE(tested("directives == 2"));
  EXPECT_TRUE(tested("directives.0.DtoH_bytes == 2400"));
  EXPECT_TRUE(tested("directives.heat.cpp:41.DtoH_bytes == 2400"));
  EXPECT_TRUE(tested("directives.src/heat.cpp:60.HtoD_count == 1"));
  EXPECT_TRUE(tested("variables.u.DtoH_count == 3"));
  EXPECT_TRUE(tested("activities.DtoH.count == 3"));
  EXPECT_TRUE(tested("iterations.0.count == 3"));
  EXPECT_TRUE(tested("iterations.0.first.DtoH_bytes == 800"));
  EXPECT_TRUE(tested("traces.0.truncated == 0"));
}

TEST(Conditions, WhatIsNotThereIsAUsageError) {
  const std::string report = sample_report();
  for (const char* path : {"HtoD.byte", "nothing", "findings.no_such_pattern", "directives.7.count",
                           "directives.eat.cpp:41.count", "HtoD", "schema"}) {
    try {
      (void)value_of(path, report);
      ADD_FAILURE() << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::kUsage) << path;
    }
  }
  try {
    (void)value_of("prediction", R"({"totals": {}, "prediction": null})");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kFailure);
  }
}

TEST(Conditions, Syntax) {
  EXPECT_EQ(parse_condition(" a.b >= 1.5 ").path, "a.b");
  EXPECT_EQ(parse_condition("a >= 1").op, Condition::Operator::kGreaterEqual);
  EXPECT_EQ(parse_condition("activities.f<int>.count < 3").path, "activities.f<int>.count");
  EXPECT_TRUE(parse_condition("HtoD.bytes > 1.05x").ratio);
  EXPECT_DOUBLE_EQ(parse_condition("HtoD.bytes > 1.05x").number, 1.05);
  for (const char* text : {"", "a", "a >", "> 3", "a > b", "a = 3", "a > 3 4", "a > 3y",
                           "a >> 3x x", "a > nan", "a < inf", "a > -infinity", "a > nanx"}) {
    try {
      (void)parse_condition(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::kUsage) << text;
    }
  }
}

std::string said_of(const std::string& condition) {
  try {
    (void)tested(condition);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kUsage) << condition;
    return error.what();
  }
  ADD_FAILURE() << condition;
  return {};
}

TEST(Conditions, SaysWhatIsWrongAndWhatWasMeant) {
  EXPECT_EQ(said_of("DtoH.count => 3"), "'DtoH.count => 3': => is no operator: write >=");
  EXPECT_EQ(said_of("DtoH.count = 3"), "'DtoH.count = 3': = is no operator: write ==");
  EXPECT_EQ(
      said_of("DtoH.count"),
      "'DtoH.count': has no operator: write PATH OP NUMBER, as in 'DtoH.count > 12' (OP is <, "
      "<=, >, >=, == or !=)");
  EXPECT_TRUE(said_of("DtoH.count > many").starts_with("'DtoH.count > many': many is no number"));
  EXPECT_EQ(said_of("DtoH.cuont > 3"),
            "'DtoH.cuont': no such number in the report: did you mean DtoH.count?");
  EXPECT_EQ(said_of("finding > 0"),
            "'finding': no such number in the report: did you mean findings?");
  EXPECT_EQ(said_of("findings.round_trip > 0"),
            "'findings.round_trip': no such number in the report: did you mean "
            "findings.round_trip_transfer?");
  EXPECT_EQ(
      said_of("nothing > 0"),
      "'nothing': no such number in the report: HtoD.bytes, DtoH.count, kernel.count, findings, "
      "prediction.spared_bytes (redundant) and others: see `ompdm report --format json`");
  EXPECT_EQ(said_of("directives.heat.cpp:41.DtoH_byte > 0"),
            "'directives.heat.cpp:41.DtoH_byte': no such number in the report: did you mean "
            "directives.heat.cpp:41.DtoH_bytes?");
  EXPECT_EQ(said_of("variables.v.DtoH_count > 0"),
            "'variables.v.DtoH_count': no such number in the report: did you mean "
            "variables.u.DtoH_count?");
}

TEST(Conditions, NumbersAreWrittenPlainly) {
  EXPECT_EQ(plain_number(20480000000), "20480000000");
  EXPECT_EQ(plain_number(53.25), "53.25");
  EXPECT_EQ(plain_number(0), "0");
  EXPECT_EQ(plain_number(100), "100");
}

}  // namespace
}  // namespace ompdm::report::conditions_test
