// The names in a report. Each byte has the name of its own clause. Other data, other memory and
// other lifetimes under one name are told apart.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "recorded.h"

namespace ompdm::e2e::names_test {
namespace {

// `val` is one array in all iterations; `b` is x and y in turn, and one of the two stays.
TEST(Names, StrayOnlyWhereTheyStoodForOtherMemory) {
  const Json report = record({{program("stood_for_other_data")}}).report;
  std::map<std::string, bool> strays;
  for (const Json& finding : report["findings"]) {
    if (finding["pattern"] != "per_iteration_mapping") continue;
    for (const Json& edit : finding["edits"]) {
      for (const Json& clause : edit["clauses"]) {
        for (const Json& item : clause["items"]) strays[item["expression"]] = item["strays"];
      }
    }
  }
  ASSERT_TRUE(strays.contains("val[0:n]")) << report["findings"];
  EXPECT_FALSE(strays["val[0:n]"]) << report["findings"];
  EXPECT_TRUE(!strays.contains("b[0:n]") || strays["b[0:n]"]) << report["findings"];
}

// Each iteration frees both arrays, and malloc gives their memory to the other one.
TEST(Names, OfReusedMemoryAreThoseOfTheTransfersClauses) {
  const Recorded recorded = record({{program("ledger_reuse")}});
  expect_consistent(recorded);
  const Json& totals = recorded.report["totals"];
  for (const Json& row : recorded.report["variables"]) {
    const bool is_sent = row["name"] == "data";
    EXPECT_EQ(row["HtoD_bytes"], is_sent ? totals["HtoD"]["bytes"] : Json(0)) << row;
    EXPECT_EQ(row["DtoH_bytes"], is_sent ? Json(0) : totals["DtoH"]["bytes"]) << row;
    EXPECT_TRUE(row["aliases"].empty()) << row;
  }
}

// The local of a call that has returned, and that of another in its place.
TEST(Names, OfLocalsOfTwoCallsAreNoAliases) {
  const Json report = record({{program("s08_stale_frame")}}).report;
  for (const Json& row : report["variables"]) EXPECT_TRUE(row["aliases"].empty()) << row;
}

// Of two updates with a step one is too long: that is no fault of compiler and runtime.
TEST(Names, OfASectionThatIsTooLongIsNoFaultOfTheRuntime) {
  const Json report = record({{program("s18_strided_update")}}).report;
  for (const Json& finding : report["findings"]) EXPECT_NE(finding["line"], 17) << finding;
}

// Of rows that are released their pointers stay; and the runtime keeps what a mapper names.
TEST(Names, OfLeaksAreNoneOfWhatIsReleased) {
  const Json rows = record({{program("released"), "pointers"}}).report;
  for (const Json& finding : rows["findings"]) EXPECT_NE(finding["pattern"], "device_leak");
  const Json members = record({{program("released"), "members"}}).report;
  for (const Json& finding : members["findings"]) {
    if (finding["pattern"] == "device_leak") {
      EXPECT_TRUE(finding["edits"].empty()) << finding;
    }
  }
}

}  // namespace
}  // namespace ompdm::e2e::names_test
