#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "ompdm/error.h"
#include "ompdm/summary.h"
#include "summary/random_summary.h"

namespace ompdm::summary::merge_test {
namespace {

using test::random_summary;

std::vector<Summary> ranks_of_a_job(std::int32_t count, unsigned seed) {
  std::vector<Summary> ranks;
  for (std::int32_t rank = 0; rank < count; ++rank) {
    ranks.push_back(random_summary(rank, count, seed));
  }
  return ranks;
}

Summary in_a_row(const std::vector<Summary>& ranks) {
  Summary all;
  for (const Summary& one : ranks) merge(all, one);
  return all;
}

TEST(Merge, IsTheSameInAnyOrderAndTree) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::vector<Summary> ranks = ranks_of_a_job(23, seed);
    const std::string wanted = to_json(in_a_row(ranks));
    std::mt19937 random(seed);
    std::ranges::shuffle(ranks, random);
    while (ranks.size() > 1) {  // any two become one, through their files
      const std::size_t at = random() % (ranks.size() - 1);
      merge(ranks[at], ranks.back());
      ranks[at] = from_json(to_json(ranks[at]), "part.json");
      ranks.pop_back();
      std::ranges::shuffle(ranks, random);
    }
    ASSERT_EQ(to_json(ranks.front()), wanted) << "seed " << seed;
  }
}

TEST(Merge, HasTheSumsOfItsRanks) {
  const std::vector<Summary> ranks = ranks_of_a_job(9, 3);
  const Figure bytes = in_a_row(ranks).totals.at("HtoD_bytes");
  std::uint64_t sum = 0;
  for (const Summary& one : ranks) sum += one.totals.at("HtoD_bytes").ranks.sum;
  EXPECT_EQ(bytes.ranks.sum, sum);
  EXPECT_EQ(bytes.ranks.count, 9U);
  const auto most = std::ranges::max_element(
      ranks, {}, [](const Summary& one) { return one.totals.at("HtoD_bytes").ranks.sum; });
  EXPECT_EQ(bytes.most_rank, most - ranks.begin());
  EXPECT_EQ(bytes.ranks.most, most->totals.at("HtoD_bytes").ranks.sum);
}

TEST(Merge, OfEqualQuantitiesNamesTheLowestRank) {
  Figure figure;
  for (const int rank : {5, 2, 7}) figure.add(rank, 10);
  EXPECT_EQ(figure.least_rank, 2);
  EXPECT_EQ(figure.most_rank, 2);
}

TEST(Merge, RefusesARankThatIsThereAlready) {
  Summary all = in_a_row(ranks_of_a_job(4, 1));
  const Summary before = all;
  EXPECT_THROW(merge(all, random_summary(2, 4)), Error);
  EXPECT_EQ(all, before);
}

TEST(Merge, RefusesAnotherJob) {
  Summary all = random_summary(0, 4);
  EXPECT_THROW(merge(all, random_summary(1, 8)), Error);
}

TEST(Merge, DoesNotGrowWithTheRanks) {
  const auto size = [](std::int32_t ranks) {
    return to_json(in_a_row(ranks_of_a_job(ranks, 1))).size();
  };
  EXPECT_LT(size(4), 60'000U);
  EXPECT_LT(static_cast<double>(size(512)), 4.0 * static_cast<double>(size(64)));
  EXPECT_LT(to_json(random_summary(0, 512)).size(), 8'000U);
}

TEST(Summary, IsReadAsItWasWritten) {
  Summary one = random_summary(3, 8);
  one.source = Source{123, -5};
  EXPECT_EQ(from_json(to_json(one), "one.json"), one);
  const Summary all = in_a_row(ranks_of_a_job(8, 2));
  EXPECT_EQ(from_json(to_json(all), "all.json"), all);
}

TEST(Summary, OfWhichAnyPartIsMissingIsRefused) {
  const std::string whole = to_json(in_a_row(ranks_of_a_job(2, 1)));
  for (std::size_t size = 0; size + 2 < whole.size(); size += 97) {
    EXPECT_THROW(from_json(whole.substr(0, size), "cut.json"), Error) << size;
  }
  EXPECT_THROW(from_json(R"({"schema":"ompdm.summary/2"})", "newer.json"), Error);
  EXPECT_THROW(from_json(R"({"schema":"ompdm.summary/1","ranks":"3-1"})", "odd.json"), Error);
}

TEST(RankSet, IsWrittenAsRanges) {
  RankSet ranks;
  for (const int rank : {7, 1, 0, 2, 9, 8}) EXPECT_TRUE(ranks.add(RankSet(rank)));
  EXPECT_EQ(ranks.text(), "0-2,7-9");
  EXPECT_EQ(ranks.size(), 6U);
  EXPECT_EQ(RankSet("0-2,7-9"), ranks);
  EXPECT_FALSE(ranks.add(RankSet(8)));
  EXPECT_EQ(ranks.missing(12).text(), "3-6,10-11");
  EXPECT_EQ(ranks.missing(8).text(), "3-6");
  EXPECT_TRUE(ranks.contains(7));
  EXPECT_FALSE(ranks.contains(6));
}

}  // namespace
}  // namespace ompdm::summary::merge_test
