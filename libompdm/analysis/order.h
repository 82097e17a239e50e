// Rows in order, and times that overlap counted once. Inside the analysis library only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
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
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (before(key_of(rows[a]), key_of(rows[b]))) return true;
    if (before(key_of(rows[b]), key_of(rows[a]))) return false;
    return a < b;
  });
  return order;
}

/// Sorts rows by `key_of(row)`.
template <class Row, class KeyOf, class Before = std::less<>>
void sort_rows(std::vector<Row>& rows, KeyOf key_of, Before before = {}) {
  std::vector<Row> sorted;
  sorted.reserve(rows.size());
  for (const std::size_t position : stable_order(rows, key_of, before)) {
    sorted.push_back(std::move(rows[position]));
  }
  rows = std::move(sorted);
}

/// Puts rows in order of their begin, and tells where each one went.
template <class Row>
std::vector<std::uint32_t> order_by_begin(Runs<Row>& rows) {
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

/// Time covered by at least one interval. Linear if they are in order of begin, else it sorts its
/// copy.
Nanoseconds union_length(std::vector<Interval> intervals);

/// The same time as intervals in order that do not touch.
std::vector<Interval> merged(std::vector<Interval> intervals);

/// Of the time of `merged` intervals what lies in `within`. Logarithmic in their number, linear in
/// that of those inside.
Nanoseconds overlap(const std::vector<Interval>& merged, Interval within);

}  // namespace ompdm::analysis
