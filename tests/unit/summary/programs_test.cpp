// Several programs of one rank: added up.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ompdm/error.h"
#include "ompdm/report.h"
#include "ompdm/summary.h"
#include "summary/random_summary.h"

namespace ompdm::summary::programs_test {
namespace {

constexpr std::int64_t kStart = 1'700'000'000'000'000'000;

/// A program of rank 2 of 4 that began at that nanosecond.
Summary program(std::uint32_t pid, std::int64_t from, std::int64_t wall,
                const std::string& session = "/tmp/ompdm-a") {
  Summary one = test::random_summary(2, 4, pid);
  one.processes = {{"node0", pid, 70, session, kStart + from, wall}};
  one.totals["wall_ns"] = {};
  one.totals["wall_ns"].add(2, static_cast<std::uint64_t>(wall));
  one.facts["program"] = {{"./p" + std::to_string(pid), RankSet(2)}};
  return one;
}

std::uint64_t sum(const Summary& of, const std::string& total) {
  return of.totals.at(total).ranks.sum;
}

TEST(ProgramsOfARank, AreAddedUp) {
  const Summary first = program(1, 0, 100);
  const Summary second = program(2, 150, 50);
  Summary rank = first;
  merge(rank, second);
  EXPECT_EQ(rank.ranks.text(), "2");
  EXPECT_EQ(rank.totals.at("HtoD_bytes").ranks.count, 1U);
  EXPECT_EQ(sum(rank, "HtoD_bytes"), sum(first, "HtoD_bytes") + sum(second, "HtoD_bytes"));
  EXPECT_EQ(sum(rank, "wall_ns"), 150U);
  EXPECT_EQ(rank.facts.at("program").size(), 2U);
  EXPECT_EQ(rank.processes.size(), 2U);
  for (const auto& [id, row] : rank.directives) {
    std::uint64_t count = 0;
    for (const Summary* one : {&first, &second}) {
      const auto found = one->directives.find(id);
      if (found != one->directives.end()) count += found->second.figures.at("count").ranks.sum;
    }
    EXPECT_EQ(row.figures.at("count").ranks.sum, count);
    EXPECT_EQ(row.ranks.text(), "2");
  }
  for (const auto& [id, row] : rank.findings) {
    EXPECT_EQ(row.confidences.size(), 1U);
    EXPECT_EQ(row.confidences.begin()->second, 1U);
  }
}

TEST(ProgramsOfARank, ThatRanAtTheSameTimeAreOneWall) {
  Summary rank = program(1, 0, 100);
  merge(rank, program(2, 20, 30));
  merge(rank, program(3, 90, 40));
  EXPECT_EQ(sum(rank, "wall_ns"), 130U);
}

TEST(ProgramsOfARank, HaveTheHeaviestPassOfALoop) {
  const auto of_passes = [](std::uint32_t pid, std::uint64_t count, std::uint64_t bytes) {
    Summary one = program(pid, pid * 100, 10);
    one.loops.clear();
    Row& loop = one.loops["loop"];
    loop.ranks = RankSet(2);
    loop.figures["count"].add(2, count);
    loop.figures["HtoD_bytes"].add(2, bytes);
    return one;
  };
  Summary rank = of_passes(1, 10, 500);
  merge(rank, of_passes(2, 3, 800));
  EXPECT_EQ(rank.loops.at("loop").figures.at("count").ranks.sum, 13U);
  EXPECT_EQ(rank.loops.at("loop").figures.at("HtoD_bytes").ranks.sum, 800U);
}

TEST(ProgramsOfARank, AreTheSameInAnyOrderAndThroughFiles) {
  std::vector<Summary> programs;
  for (std::uint32_t pid = 1; pid <= 4; ++pid) programs.push_back(program(pid, pid * 10, 25));
  std::vector<std::size_t> order = {0, 1, 2, 3};
  std::string wanted;
  do {
    Summary rank;
    for (const std::size_t at : order) {
      merge(rank, programs[at]);
      rank = from_json(to_json(rank), "rank.json");
    }
    Summary job = test::random_summary(0, 4);
    merge(job, rank);
    const std::string json = to_json(job);
    if (wanted.empty()) wanted = json;
    ASSERT_EQ(json, wanted);
  } while (std::ranges::next_permutation(order).found);
}

TEST(ProgramsOfARank, OfOtherRunsAreRefused) {
  Summary rank = program(1, 0, 100);
  const Summary before = rank;
  EXPECT_THROW(merge(rank, program(2, 0, 100, "/tmp/ompdm-b")), Error);
  EXPECT_THROW(merge(rank, program(2, 0, 100, "")), Error);
  EXPECT_EQ(rank, before);
}

TEST(ProgramsOfARank, ThatAreTheSameAreRefused) {
  Summary rank = program(1, 0, 100);
  EXPECT_THROW(merge(rank, program(1, 0, 100)), Error);
  merge(rank, program(1, 200, 100));  // what the process became by exec
  EXPECT_EQ(rank.processes.size(), 2U);
}

TEST(ProgramsOfARank, UnderNoRecordAreKnownByTheirGroup) {
  RankProcess one{"node0", 1, 70, "", 0, 1};
  RankProcess other{"node0", 2, 70, "", 5, 1};
  EXPECT_TRUE(of_one_run(one, other));
  other.host = "node1";
  EXPECT_FALSE(of_one_run(one, other));
  other = {"node0", 2, 71, "", 5, 1};
  EXPECT_FALSE(of_one_run(one, other));
  one.group = other.group = 0;
  EXPECT_FALSE(of_one_run(one, other));
}

TEST(ProgramsOfARank, AreToldInTheReport) {
  Summary job = test::random_summary(0, 4);
  Summary rank = program(1, 0, 100);
  merge(rank, program(2, 150, 50));
  for (Summary* one : {&job, &rank}) {
    one->totals["process_count"].add(one->ranks.first(), one->processes.size());
  }
  merge(job, rank);
  const std::string text = report::render_job(job, report::Format::kText);
  EXPECT_NE(text.find("2 processes, at most 2 of a rank"), std::string::npos) << text;
  EXPECT_NE(text.find("./p1 (ranks 2)"), std::string::npos) << text;
}

}  // namespace
}  // namespace ompdm::summary::programs_test
