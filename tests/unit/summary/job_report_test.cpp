#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ompdm/report.h"
#include "summary/random_summary.h"

namespace ompdm::report::job_report_test {
namespace {

using Json = nlohmann::json;
using summary::RankSet;
using summary::Summary;

/// Ranks of nearly the same wall time, and one that took ten times as long.
Summary job_with_a_slow_rank(std::int32_t ranks, std::int32_t slow) {
  Summary job;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    Summary one;
    one.ranks = RankSet(rank);
    one.rank_count = ranks + 2;
    one.totals["wall_ns"].add(rank, rank == slow ? 10'000'000 : 1'000'000 + rank);
    one.totals["HtoD_bytes"].add(rank, 1000);
    if (rank == slow) one.killed = RankSet(rank);
    summary::Row& row = one.findings["0123456789abcdef"];
    row.what["pattern"] = "round_trip_transfer";
    row.ranks = RankSet(rank);
    row.figures["wasted_ns"].add(rank, rank == 5 ? 70 : 7);
    row.confidences["likely"] = 1;
    if (rank == 1) one.findings.clear();
    summary::merge(job, one);
  }
  return job;
}

TEST(JobReport, NamesTheRankThatIsFarFromTheOthers) {
  const Json json = Json::parse(render_job(job_with_a_slow_rank(64, 17), Format::kJson));
  ASSERT_EQ(json["outliers"].size(), 1U) << json["outliers"];
  EXPECT_EQ(json["outliers"][0]["rank"], 17);
  EXPECT_EQ(json["outliers"][0]["quantity"], "wall_ns");
  EXPECT_EQ(json["outliers"][0]["value"], 10'000'000);
  EXPECT_EQ(json["outliers"][0]["alike"], 1);
}

TEST(JobReport, HasNoOutlierAmongEquals) {
  const Json json = Json::parse(render_job(job_with_a_slow_rank(64, -1), Format::kJson));
  EXPECT_EQ(json["outliers"].size(), 0U) << json["outliers"];
}

TEST(JobReport, TellsMissingAndKilledRanks) {
  const Summary job = job_with_a_slow_rank(64, 17);
  const std::string text = render_job(job, Format::kText);
  EXPECT_NE(text.find("! 2 ranks of the job without a trace: 64-65\n"), std::string::npos) << text;
  EXPECT_NE(text.find("! 1 rank killed, or left by _exit, quick_exit or exec: 17\n"),
            std::string::npos)
      << text;
}

TEST(JobReport, SaysThatNoRankHasAFinding) {
  Summary job = job_with_a_slow_rank(4, -1);
  job.findings.clear();
  const std::string sentence = "No redundant transfer was proven in any rank: `ompdm report ";
  for (const Format format : {Format::kText, Format::kMarkdown}) {
    EXPECT_NE(render_job(job, format, {}).find("\n" + sentence), std::string::npos);
  }
}

TEST(JobReport, SaysHowToSeeWhatToDoAboutAFinding) {
  const std::string text = render_job(job_with_a_slow_rank(64, -1), Format::kText);
  EXPECT_TRUE(text.ends_with("ompdm explain trace.rank5.json 0123456789abcdef\n")) << text;
}

// An edit is made in source that all ranks share.
TEST(JobReport, SaysThatOtherRanksComeThereWithoutTheFinding) {
  Summary job = job_with_a_slow_rank(64, -1);
  summary::Row& finding = job.findings["0123456789abcdef"];
  finding.what["file"] = "/src/heat.cpp";
  finding.line = 56;
  summary::Row& directive = job.directives["fedcba9876543210"];
  directive.what["file"] = "/src/heat.cpp";
  directive.line = 56;
  directive.ranks = RankSet("0-9");
  const std::string text = render_job(job, Format::kText, {.width = 200});
  EXPECT_NE(text.find("63 of 64"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with(
      "It holds for 63 of the ranks that come to heat.cpp:56, and an edit there is made for all. "
      "What another says of it: ompdm report --as inputs trace.rank5.json trace.rank1.json\n"))
      << text;
  finding.ranks = RankSet("2-3");
  EXPECT_NE(render_job(job, Format::kText, {.width = 200}).find("2 of 10"), std::string::npos);
  finding.ranks = directive.ranks;
  EXPECT_TRUE(render_job(job, Format::kText).ends_with("0123456789abcdef\n"));
}

TEST(JobReport, NamesRanksThatCouldNotBeReadAndWhy) {
  Summary job = job_with_a_slow_rank(64, 17);
  job.unread["line 7 is damaged"].add(RankSet(65));
  const Json json = Json::parse(render_job(job, Format::kJson));
  EXPECT_EQ(json["ranks"]["missing"], "64");
  EXPECT_EQ(json["ranks"]["unread"][0]["ranks"], "65");
  EXPECT_EQ(json["ranks"]["unread"][0]["why"], "line 7 is damaged");
  const std::string text = render_job(job, Format::kText);
  EXPECT_NE(text.find("! 1 rank not read: 65 (line 7 is damaged)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("! 1 rank of the job without a trace: 64\n"), std::string::npos) << text;
  Summary other = job_with_a_slow_rank(1, -1);
  other.rank_count = job.rank_count;
  other.ranks = RankSet(64);
  summary::merge(other, summary::from_json(summary::to_json(job), "job.json"));
  EXPECT_EQ(other.unread, job.unread);
}

TEST(JobReport, NamesRanksThatWereCountedOrToldInPart) {
  Summary job = job_with_a_slow_rank(8, -1);
  EXPECT_EQ(render_job(job, Format::kText).find("! Ranks"), std::string::npos);
  job.facts["detail"]["tallies"] = RankSet("0-2");
  job.facts["detail"]["window"] = RankSet("4");
  job.facts["detail"]["spool_limit"] = RankSet("5,7");
  job.facts["detail"]["part"] = RankSet("3");
  const std::string text = render_job(job, Format::kText, {.width = 200});
  EXPECT_NE(text.find("! Ranks only counted: 0-2; recorded event by event in part: 4-5,7: shares "
                      "of time, loops and findings are of the recorded part\n"),
            std::string::npos)
      << text;
  const Json json = Json::parse(render_job(job, Format::kJson));
  EXPECT_EQ(json["ranks"]["counted"], "0-2");
  EXPECT_EQ(json["ranks"]["told_in_part"], "4-5,7");
  EXPECT_EQ(json["ranks"]["parts"], "3");
  EXPECT_NE(text.find("1 rank of which a part of the run is here, and in the figures: 3\n"),
            std::string::npos)
      << text;
}

TEST(JobReport, TellsAFindingOnceAndWhereToLook) {
  const Summary job = job_with_a_slow_rank(64, 17);
  const Json json = Json::parse(render_job(job, Format::kJson));
  ASSERT_EQ(json["findings"].size(), 1U);
  EXPECT_EQ(json["findings"][0]["ranks"], 63);
  EXPECT_EQ(json["findings"][0]["which"], "0,2-63");
  EXPECT_EQ(json["findings"][0]["look_at_rank"], 5);
  EXPECT_NE(render_job(job, Format::kText).find("63 of 64"), std::string::npos);
}

TEST(JobReport, FitsAScreenHoweverManyRanks) {
  Summary job;
  for (std::int32_t rank = 0; rank < 300; ++rank) {
    summary::merge(job, test::random_summary(rank, 300));
  }
  const std::string text = render_job(job, Format::kText);
  EXPECT_LE(std::ranges::count(text, '\n'), 75) << text;
  EXPECT_NE(render_job(job, Format::kMarkdown).find("## Directives, all ranks"), std::string::npos);
}

TEST(JobReport, HasEachTableAsCsv) {
  const Summary job = job_with_a_slow_rank(8, 3);
  EXPECT_NE(render_job(job, Format::kCsv).find("\n# findings\n"), std::string::npos);
  EXPECT_TRUE(render_job(job, Format::kCsv, {.section = "rank_bytes"})
                  .starts_with("quantity,ranks,sum,least,least_rank,median,most,most_rank,"
                               "imbalance\nHtoD,8,8000,1000,0,1000,1000,0,1.0000\n"));
}

}  // namespace
}  // namespace ompdm::report::job_report_test
