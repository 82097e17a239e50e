#include <gtest/gtest.h>

#include <algorithm>

#include "ompdm/analysis.h"
#include "ompdm/summary.h"
#include "support/synthetic_trace.h"

namespace ompdm::summary::summarize_test {
namespace {

Trace rank_of_a_job(std::int32_t rank) {
  Trace trace =
      test::synthetic_trace({.events = 1200, .seed = static_cast<std::uint64_t>(rank) + 1});
  trace.process.rank = rank;
  trace.process.rank_count = 4;
  return trace;
}

TEST(Summarize, HasTheReportsTotals) {
  const Trace trace = rank_of_a_job(2);
  const analysis::Analysis analysis = analysis::analyze(trace);
  const Summary one = summarize(trace);
  EXPECT_EQ(one.ranks.text(), "2");
  EXPECT_EQ(one.rank_count, 4);
  EXPECT_EQ(one.totals.at("HtoD_bytes").ranks.sum, analysis.totals.htod.bytes);
  EXPECT_EQ(one.totals.at("DtoH_count").ranks.sum, analysis.totals.dtoh.count);
  EXPECT_EQ(one.totals.at("wall_ns").ranks.sum, static_cast<std::uint64_t>(trace.process.wall));
  EXPECT_EQ(one.directives.size(), analysis.directives.size());
  EXPECT_EQ(one.findings.size(), analysis.findings.size());
  EXPECT_LT(to_json(one).size(), 16'000U);
}

TEST(Summarize, KeepsDurationsOfSingleEvents) {
  const Trace trace = rank_of_a_job(0);
  const analysis::Analysis analysis = analysis::analyze(trace);
  const Summary one = summarize(trace);
  ASSERT_FALSE(analysis.activities.empty());
  for (const analysis::Activity& row : analysis.activities) {
    const Distribution& kept = one.activities.at(row.id).durations;
    EXPECT_EQ(kept.count, row.count);
    EXPECT_EQ(kept.sum, static_cast<std::uint64_t>(row.total));
    EXPECT_EQ(kept.most, static_cast<std::uint64_t>(row.maximum));
  }
  for (const analysis::DirectiveRow& row : analysis.directives) {
    const Distribution& kept = one.directives.at(row.id).durations;
    EXPECT_EQ(kept.count, row.count);
    EXPECT_EQ(kept.sum, static_cast<std::uint64_t>(row.time));
  }
}

TEST(Summarize, RanksOfOneProgramShareTheirRows) {
  Summary all;
  for (std::int32_t rank = 0; rank < 4; ++rank) merge(all, summarize(rank_of_a_job(rank)));
  EXPECT_EQ(all.directives.size(), summarize(rank_of_a_job(0)).directives.size());
  for (const auto& [id, row] : all.directives) EXPECT_EQ(row.ranks.text(), "0-3");
}

}  // namespace
}  // namespace ompdm::summary::summarize_test
