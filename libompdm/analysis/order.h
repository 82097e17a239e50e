// Rows in order, times that overlap counted once, and sets that are joined. Inside the analysis
// library only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "ompdm/columns.h"
#include "ompdm/trace.h"

namespace ompdm::analysis {

/// Positions of `rows` in ascending order of `key_of(row)` under `before`; equal keys keep their
/// order.
template <class Row, class KeyOf, class Before = std::less<>>
std::vector<std::size_t> stable_order(const std::vector<Row>& rows, KeyOf key_of,
                                      Before before = {}) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, before, [&](std::size_t at) { return key_of(rows[at]); });
  return order;
}

/// Sorts rows by `key_of(row)`.
template <class Row, class KeyOf, class Before = std::less<>>
void sort_rows(std::vector<Row>& rows, KeyOf key_of, Before before = {}) {
  std::ranges::stable_sort(rows, before, key_of);
}

/// Puts rows in order of their begin, and tells where each one went.
template <class Row>
std::vector<std::uint32_t> order_by_begin(DedupColumn<Row>& rows) {
  const std::vector<std::uint32_t> order = rows.sort_by_begin();
  std::vector<std::uint32_t> moved_to(rows.size());
  for (std::uint32_t i = 0; i < moved_to.size(); ++i) {
    moved_to[order.empty() ? i : order[i]] = i;
  }
  return moved_to;
}

/// A half-open interval; one whose end is not after its begin is empty.
struct Interval {
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
};

/// Time covered by at least one interval, which come in order of their begins.
class UnionLength {
 public:
  void add(Interval interval) {
    if (interval.end <= interval.begin || (!is_empty_ && interval.end <= reach_)) return;
    length_ += interval.end - (is_empty_ ? interval.begin : std::max(interval.begin, reach_));
    reach_ = interval.end;
    is_empty_ = false;
  }
  [[nodiscard]] Nanoseconds length() const { return length_; }

 private:
  Nanoseconds length_ = 0;
  Nanoseconds reach_ = 0;  ///< the latest end so far
  bool is_empty_ = true;
};

/// The time covered by intervals, as intervals in order that do not touch. Linear if they are in
/// order of begin, else it sorts them.
inline std::vector<Interval> merged(std::vector<Interval> intervals) {
  const auto earlier = [](const Interval& a, const Interval& b) { return a.begin < b.begin; };
  if (!std::is_sorted(intervals.begin(), intervals.end(), earlier)) {
    std::sort(intervals.begin(), intervals.end(), earlier);
  }
  std::size_t count = 0;
  for (const Interval& interval : intervals) {
    if (interval.end <= interval.begin) continue;
    if (count > 0 && interval.begin <= intervals[count - 1].end) {
      intervals[count - 1].end = std::max(intervals[count - 1].end, interval.end);
    } else {
      intervals[count++] = interval;
    }
  }
  intervals.resize(count);
  return intervals;
}

/// Time covered by at least one interval.
inline Nanoseconds union_length(std::vector<Interval> intervals) {
  Nanoseconds length = 0;
  for (const Interval& interval : merged(std::move(intervals))) {
    length += interval.end - interval.begin;
  }
  return length;
}

/// Of the time of `merged` intervals what lies in `within`. Logarithmic in their number, linear in
/// that of those inside.
inline Nanoseconds overlap(const std::vector<Interval>& merged, Interval within) {
  Nanoseconds length = 0;
  auto at = std::ranges::upper_bound(merged, within.begin, std::less<>{}, &Interval::end);
  for (; at != merged.end() && at->begin < within.end; ++at) {
    length += std::min(at->end, within.end) - std::max(at->begin, within.begin);
  }
  return length;
}

/// Spans, those that overlap made one.
template <class Number>
class Spans {
 public:
  [[nodiscard]] bool overlap(Number begin, Number end) const {
    const auto after = spans_.lower_bound(end);
    return after != spans_.begin() && std::prev(after)->second > begin;
  }

  void add(Number begin, Number end) {
    auto at = spans_.lower_bound(end);
    while (at != spans_.begin() && std::prev(at)->second > begin) {
      --at;
      begin = std::min(begin, at->first);
      end = std::max(end, at->second);
      at = spans_.erase(at);
    }
    spans_.emplace(begin, end);
  }

 private:
  std::map<Number, Number> spans_;  // begin -> end
};

/// Members 0, 1, ..., of which some are joined to sets (union-find).
class Joined {
 public:
  /// So many members, each a set of its own.
  explicit Joined(std::uint32_t count) : leader_(count) {
    std::iota(leader_.begin(), leader_.end(), 0U);
  }

  /// The member that tells its set.
  std::uint32_t find(std::uint32_t one) {
    while (leader_[one] != one) one = leader_[one] = leader_[leader_[one]];
    return one;
  }
  void join(std::uint32_t a, std::uint32_t b) { leader_[find(a)] = find(b); }

 private:
  std::vector<std::uint32_t> leader_;
};

}  // namespace ompdm::analysis
