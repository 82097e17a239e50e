// What rows of a column that are alike add up to: their number and their durations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "ompdm/runs.h"

namespace ompdm {

/// How many rows, and the sum of their durations; modulo 2^64, since damaged files hold times whose
/// sum has no room.
struct RunSum {
  std::uint64_t count = 0;
  std::uint64_t time = 0;

  void add(Nanoseconds duration) {
    ++count;
    time += static_cast<std::uint64_t>(duration);
  }
};

/// Calls `take` with each shape that rows have, how many these are, and the sum of their durations;
/// in the order of the first rows that have them.
template <class Row, class Take>
void sum_up(const Runs<Row>& rows, Take&& take) {
  std::vector<RunSum> sums(rows.shape_count());
  std::vector<std::size_t> firsts;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    RunSum& sum = sums[rows.shape_of(i)];
    if (sum.count == 0) firsts.push_back(i);
    sum.add(rows.duration_of(i));
  }
  for (const std::size_t first : firsts) {
    const RunSum& sum = sums[rows.shape_of(first)];
    take(rows.common(first), sum.count, static_cast<Nanoseconds>(sum.time));
  }
}

/// The same apart for rows that `group_of`, called with positions, puts into different groups; the
/// group is told after the shape.
template <class Row, class GroupOf, class Take>
void sum_up(const Runs<Row>& rows, GroupOf&& group_of, Take&& take) {
  using Group = decltype(group_of(std::size_t{}));
  constexpr std::size_t kNone = ~std::size_t{0};
  struct GroupSum {
    std::size_t first;  // row
    Group group;
    RunSum sum;
  };
  std::vector<GroupSum> sums;
  std::vector<std::size_t> latest(rows.shape_count(), kNone);  // of sums, by shape
  std::map<std::pair<std::uint32_t, Group>, std::size_t> known;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::size_t& last = latest[rows.shape_of(i)];
    const Group group = group_of(i);
    if (last == kNone || sums[last].group != group) {
      const auto [at, is_new] = known.try_emplace({rows.shape_of(i), group}, sums.size());
      if (is_new) sums.push_back({i, group, {}});
      last = at->second;
    }
    sums[last].sum.add(rows.duration_of(i));
  }
  for (const GroupSum& one : sums) {
    take(rows.common(one.first), one.group, one.sum.count, static_cast<Nanoseconds>(one.sum.time));
  }
}

}  // namespace ompdm
