// Rows come out of Runs as they went in, whatever they share.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "ompdm/columns.h"
#include "ompdm/events.h"

namespace ompdm::runs_test {
namespace {

/// Rows that repeat a few shapes, with times, regions and contents of their own: some long, some
/// that end before they begin.
std::vector<DataOp> drawn(std::size_t count) {
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t bound) {
    return std::uniform_int_distribution<std::uint32_t>(0, bound - 1)(random);
  };
  std::vector<DataOp> rows;
  for (std::size_t i = 0; i < count; ++i) {
    DataOp row;
    row.kind = below(2) == 0 ? OpKind::kHtoD : OpKind::kDtoH;
    row.src = 0x1000 * below(9);
    row.bytes = 8 * below(3);
    row.site = {below(2)};
    row.begin = below(1'000'000);
    row.end = row.begin + below(1000);
    if (below(20) == 0) row.end = row.begin + (Nanoseconds{1} << 40U);
    if (below(20) == 0) row.end = -1;
    if (below(50) == 0) row.begin = std::numeric_limits<Nanoseconds>::min();
    if (below(50) == 0) row.end = std::numeric_limits<Nanoseconds>::max();
    if (below(3) > 0) row.region = {below(100)};
    if (below(4) == 0) row.fingerprint = row.hash = below(5);
    if (below(9) == 0) row.call = 1 + below(5);
    row.trivial = below(30) == 0;
    rows.push_back(row);
  }
  return rows;
}

DedupColumn<DataOp> runs_of(const std::vector<DataOp>& rows) {
  DedupColumn<DataOp> runs;
  for (const DataOp& row : rows) runs.push_back(row);
  return runs;
}

void expect_rows(const DedupColumn<DataOp>& runs, const std::vector<DataOp>& rows) {
  ASSERT_EQ(runs.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(runs[i], rows[i]) << i;
    EXPECT_EQ(runs.begin_of(i), rows[i].begin);
    EXPECT_EQ(runs.end_of(i), rows[i].end);
    EXPECT_EQ(runs.region_of(i), rows[i].region);
    EXPECT_EQ(runs.common(i).src, rows[i].src);
    EXPECT_EQ(runs.rare(i).hash, rows[i].hash);
  }
}

TEST(DedupColumn, GiveWhatTheyWereGiven) {
  const std::vector<DataOp> rows = drawn(5000);
  const DedupColumn<DataOp> runs = runs_of(rows);
  expect_rows(runs, rows);
  EXPECT_LE(runs.shape_count(), 2U * 9 * 3 * 2);
  EXPECT_TRUE(std::equal(runs.begin(), runs.end(), rows.begin(), rows.end()));
}

TEST(DedupColumn, TakeAnyShapes) {
  std::vector<DataOp> rows = drawn(5000);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].dst = i;
  expect_rows(runs_of(rows), rows);
}

TEST(DedupColumn, AreEdited) {
  std::vector<DataOp> rows = drawn(500);
  DedupColumn<DataOp> runs = runs_of(rows);
  const std::vector<DataOp> others = drawn(1000);
  for (std::size_t i = 0; i < rows.size(); i += 3) {
    rows[i] = others[999 - i];
    *runs.edit(i) = rows[i];
  }
  runs.edit_back()->bytes = rows.back().bytes = 77;
  expect_rows(runs, rows);
}

TEST(DedupColumn, AreKeptByPosition) {
  std::vector<DataOp> rows = drawn(300);
  DedupColumn<DataOp> runs = runs_of(rows);
  const std::vector<std::uint32_t> moved = runs.keep([](std::size_t i) { return i % 3 != 1; });
  std::vector<DataOp> kept;
  ASSERT_EQ(moved.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(moved[i], i % 3 == 1 ? DedupColumn<DataOp>::kGone : kept.size());
    if (i % 3 != 1) kept.push_back(rows[i]);
  }
  expect_rows(runs, kept);
}

TEST(DedupColumn, AreChangedOnceForAShapeAndAKey) {
  std::vector<DataOp> rows = drawn(500);
  DedupColumn<DataOp> runs = runs_of(rows);
  std::size_t changes = 0;
  const auto key_of = [](std::size_t i) { return i / 7 % 2; };
  runs.change_by(key_of, [&](DataOp& op, std::size_t key) {
    ++changes;
    op.map_type += static_cast<std::uint32_t>(key);
  });
  std::set<std::pair<std::uint32_t, std::size_t>> pairs;
  const DedupColumn<DataOp> before = runs_of(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    pairs.insert({before.shape_of(i), key_of(i)});
    rows[i].map_type += static_cast<std::uint32_t>(key_of(i));
  }
  expect_rows(runs, rows);
  EXPECT_EQ(changes, pairs.size());
}

TEST(DedupColumn, RepeatAShapeWithNothingElseOfTheRow) {
  std::vector<DataOp> rows = drawn(10);
  rows[3].hash = 9;
  rows[3].end = rows[3].begin - 5;
  DedupColumn<DataOp> runs = runs_of(rows);
  runs.repeat(3, 50, 60, 2);
  DataOp again = rows[3];
  again.begin = 50;
  again.end = 60;
  again.region = {2};
  again.hash = again.fingerprint = 0;
  again.call = 0;
  again.trivial = false;
  rows.push_back(again);
  expect_rows(runs, rows);
}

TEST(DedupColumn, ChangeShapesAndRegionsAtOnce) {
  std::vector<DataOp> rows = drawn(500);
  DedupColumn<DataOp> runs = runs_of(rows);
  runs.change_shapes([](DataOp& row) { row.src = 0; });
  runs.change_regions([](std::uint32_t region) { return region + 1; });
  for (DataOp& row : rows) {
    row.src = 0;
    if (row.region) ++row.region.value;
  }
  expect_rows(runs, rows);
  rows.push_back(rows[17]);  // shapes that have become equal are found
  runs.push_back(rows[17]);
  expect_rows(runs, rows);
}

TEST(DedupColumn, ForgetShapesThatNoRowHas) {
  std::vector<DataOp> rows = drawn(500);
  DedupColumn<DataOp> runs = runs_of(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    runs.edit(i)->dst = rows[i].dst = 0x100000 + i;
    runs.edit(i)->dst = rows[i].dst = i % 7;
  }
  EXPECT_GT(runs.shape_count(), 500U);
  runs.tidy();
  EXPECT_LE(runs.shape_count(), 2U * 9 * 3 * 2 * 7);
  expect_rows(runs, rows);
  runs.push_back(rows.front());
  rows.push_back(rows.front());
  expect_rows(runs, rows);
}

// Tables list what costs the same in this order.
TEST(DedupColumn, TellShapesInTheOrderOfTheirFirstRows) {
  std::vector<DataOp> rows = drawn(20);
  rows[0].src = 0x777;
  DedupColumn<DataOp> runs = runs_of(rows);
  runs.edit(0)->src = 0x999;  // leaves a shape without a row
  std::vector<std::uint64_t> told;
  const auto of_shape = runs.of_shapes([&](const DataOp& shape) {
    told.push_back(shape.src);
    return shape.src;
  });
  EXPECT_EQ(told.front(), 0x999U);
  EXPECT_EQ(std::ranges::count(told, 0x777U), 0);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    EXPECT_EQ(of_shape[runs.shape_of(i)], runs[i].src);
  }
}

// What makes one is what all its rows have in common.
TEST(DedupColumn, ShapesHaveNothingOfARowsOwn) {
  DedupColumn<DataOp> runs = runs_of({DataOp(), DataOp()});
  runs.change_shapes([](DataOp& shape) {
    shape.bytes = 8;
    shape.begin = 5;
    shape.region = {3};
    shape.hash = 9;
  });
  EXPECT_EQ(runs[0].bytes, 8U);
  EXPECT_EQ(runs[0].hash, 0U);
  EXPECT_FALSE(runs[0].region);
  EXPECT_EQ(runs.common(0).begin, 0);
}

TEST(DedupColumn, SortEqualsAsTheyCome) {
  std::vector<DataOp> rows = drawn(500);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].begin %= 50;
    rows[i].src = i;
  }
  DedupColumn<DataOp> runs = runs_of(rows);
  const std::vector<std::uint32_t> order = runs.sort_by_begin();
  std::ranges::sort(rows, {}, [](const DataOp& row) { return std::pair(row.begin, row.src); });
  expect_rows(runs, rows);
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], rows[i].src);
  EXPECT_TRUE(runs.sort_by_begin().empty());
}

TEST(DedupColumn, SumUpEachShapeInEachGroup) {
  std::vector<DataOp> rows = drawn(2000);
  for (DataOp& row : rows) {
    row.begin = std::max<Nanoseconds>(row.begin, 0);
    row.end = std::min(row.end, row.begin + 1000);
  }
  const DedupColumn<DataOp> runs = runs_of(rows);
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
  Nanoseconds time = 0;
  sum_up(runs, [&](const DataOp& row, std::uint64_t times, Nanoseconds took) {
    bytes += times * row.bytes;
    count += times;
    time += took;
  });
  for (const DataOp& row : rows) {
    bytes -= row.bytes;
    time -= row.end - row.begin;
  }
  EXPECT_EQ(bytes, 0U);
  EXPECT_EQ(count, rows.size());
  EXPECT_EQ(time, 0);
  std::vector<std::uint64_t> odd_and_even(2);
  sum_up(
      runs, [](std::size_t at) { return at % 2; },
      [&](const DataOp& row, std::size_t group, std::uint64_t times, Nanoseconds) {
        odd_and_even[group] += times * row.bytes;
      });
  for (std::size_t i = 0; i < rows.size(); ++i) odd_and_even[i % 2] -= rows[i].bytes;
  EXPECT_EQ(odd_and_even, (std::vector<std::uint64_t>{0, 0}));
}

TEST(DedupColumn, OfALoopShareOneShape) {
  DedupColumn<DataOp> runs;
  DataOp row;
  for (Nanoseconds iteration = 0; iteration < 1000; ++iteration) {
    row.begin = 10 * iteration;
    row.end = row.begin + 5;
    row.region = {static_cast<std::uint32_t>(iteration)};
    runs.push_back(row);
  }
  EXPECT_EQ(runs.shape_count(), 1U);
}

}  // namespace
}  // namespace ompdm::runs_test
