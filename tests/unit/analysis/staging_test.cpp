// What ranks of a job staged through the host, by the contents of their transfers.
#include "ompdm/staging.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "model/map_types.h"
#include "support/trace_builder.h"

namespace ompdm::analysis::staging_test {
namespace {

constexpr std::uint32_t kBack = 0;  // the directives of each rank
constexpr std::uint32_t kTo = 1;

RankTransfers rank(std::int32_t number) {
  RankTransfers rank;
  rank.rank = number;
  rank.places = {{{"a.cpp", 10, "main", 0}, Directive::kTargetUpdate, "", "u[n:1]"},
                 {{"a.cpp", 12, "main", 0}, Directive::kTargetUpdate, "", "u[0:1]"}};
  return rank;
}

void back(RankTransfers& rank, std::uint64_t content) {
  rank.transfers.push_back({800, content, kBack, false, 10});
}
void to(RankTransfers& rank, std::uint64_t content) {
  rank.transfers.push_back({800, content, kTo, true, 20});
}

TEST(Staging, IsWhatOneRankCopiesBackAndAnotherSends) {
  std::vector<RankTransfers> ranks = {rank(0), rank(1)};
  for (std::uint64_t step = 1; step <= 5; ++step) {
    back(ranks[0], step);
    to(ranks[1], step);
    back(ranks[1], 100 + step);
    to(ranks[0], 100 + step);
  }
  to(ranks[1], 999);  // what the host set
  const std::vector<Staging> found = staging_of(ranks);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].from.item, "u[n:1]");
  EXPECT_EQ(found[0].to.place.line, 12);
  EXPECT_EQ(found[0].count, 10U);
  EXPECT_EQ(found[0].of, 11U);
  EXPECT_EQ(found[0].bytes, 8000U);
  EXPECT_EQ(found[0].time, 300);
  using Pair = std::pair<std::int32_t, std::int32_t>;
  EXPECT_EQ(found[0].ranks, (std::set<Pair>{{0, 1}, {1, 0}}));
}

TEST(Staging, IsNotWhatARankHasOfItsOwn) {
  std::vector<RankTransfers> ranks = {rank(0), rank(1)};
  for (std::uint64_t step = 1; step <= 5; ++step) {
    for (RankTransfers& each : ranks) {
      back(each, step);
      to(each, step);
    }
  }
  EXPECT_TRUE(staging_of(ranks).empty());
}

TEST(Staging, IsNotOneContentAlone) {
  std::vector<RankTransfers> ranks = {rank(0), rank(1)};
  for (int step = 0; step < 5; ++step) {
    back(ranks[0], 7);
    to(ranks[1], 7);
  }
  EXPECT_TRUE(staging_of(ranks).empty());
}

TEST(Staging, IsNotWhatIsSentSoAtTimes) {
  std::vector<RankTransfers> ranks = {rank(0), rank(1)};
  for (std::uint64_t step = 1; step <= 9; ++step) {
    back(ranks[0], step);
    to(ranks[1], step <= 4 ? step : 1000 + step);
  }
  EXPECT_TRUE(staging_of(ranks).empty());
}

/// Of a trace those count whose bytes are all known.
TEST(Staging, LooksAtTransfersOfKnownContents) {
  test::TraceBuilder program;
  const Index<Variable> u = program.variable("u", 800);
  const Index<Variable> large = program.variable("large", 10'000'000);
  const std::uint64_t host = program.trace.variables[u.value].address;
  program.trace.map_lists = {{{u, "u[0:100]", host, host, 800, kMapTo}}};
  const Index<Site> update = program.site(Directive::kTargetUpdate, "a.cpp", 12, "main");
  const auto send = [&](Index<Variable> what, std::uint64_t bytes, std::uint64_t fingerprint,
                        std::uint64_t hash, bool trivial) {
    program.begin(update);
    program.trace.regions.edit_back()->map_list = 0;
    auto op = program.op(OpKind::kHtoD, what, bytes, 10);
    op->fingerprint = fingerprint;
    op->hash = hash;
    op->trivial = trivial;
    program.end();
  };
  send(u, 800, 5, 5, false);
  send(u, 800, 6, 6, true);              // all bytes equal
  send(u, 64, 7, 7, false);              // few
  send(u, 800, 0, 0, false);             // not looked at
  send(large, 10'000'000, 8, 0, false);  // in part
  send(large, 10'000'000, 8, 9, false);
  const Trace alone = program.trace;
  EXPECT_TRUE(rank_transfers(alone).transfers.empty()) << "it is no rank";
  program.trace.process.rank = 3;
  program.trace.process.rank_count = 8;
  const RankTransfers found = rank_transfers(program.take());
  EXPECT_EQ(found.rank, 3);
  ASSERT_EQ(found.transfers.size(), 2U);
  EXPECT_EQ(found.transfers[0].content, 5U);
  EXPECT_EQ(found.transfers[1].content, 9U);
  ASSERT_EQ(found.places.size(), 2U);
  EXPECT_EQ(found.places[0].item, "u[0:100]");
  EXPECT_EQ(found.places[1].item, "");
}

}  // namespace
}  // namespace ompdm::analysis::staging_test
