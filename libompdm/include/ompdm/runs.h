// A column of rows that mostly repeat earlier ones: what they have in common is held once, and of
// each row only what is its own. Rows are read and written by value.
#pragma once

#include <algorithm>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "ompdm/index.h"
#include "ompdm/large_pages.h"
#include "ompdm/row_iterator.h"
#include "ompdm/shapes.h"

namespace ompdm {

/// Rows of one type, in order. A loop's regions and operations differ in their times, and some in
/// their contents: such a row takes 24 bytes, and its *shape*, the row without what is its own, is
/// shared. An analysis that asks what a row is, not when, asks once a shape. What refers to rows
/// does so by position.
template <class Row>
class Runs {
  using Parts = RowParts<Row>;
  using Rare = typename Parts::Rare;
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

 public:
  using Iterator = RowIterator<Runs, Row>;
  using value_type = Row;
  using iterator = Iterator;
  static constexpr std::uint32_t kGone = kNone;  ///< where keep() put a row that it took away
  using const_iterator = Iterator;

  Runs() = default;
  Runs(std::initializer_list<Row> rows) {
    for (const Row& row : rows) push_back(row);
  }

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] Iterator begin() const { return {this, 0}; }
  [[nodiscard]] Iterator end() const { return {this, size()}; }
  [[nodiscard]] const Row front() const { return (*this)[0]; }
  [[nodiscard]] const Row back() const { return (*this)[size() - 1]; }
  /// Const, so that nothing is assigned to a part of a copy by mistake.
  [[nodiscard]] const Row operator[](std::size_t at) const {
    const Own& own = rows_[at];
    Row row = shapes_[own.shape];
    row.begin = own.begin;
    row.end = end_of(at);
    if constexpr (kHasRegion) row.region.value = own.region;
    if (own.rare != kNone) Parts::give(rare_[own.rare].rare, row);
    return row;
  }

  /// How many shapes are held; after edits some may have no row any more.
  [[nodiscard]] std::size_t shape_count() const { return shapes_.size(); }
  /// What `of` makes of each shape, by `shape_of`: called once a shape, in the order of the first
  /// rows that have them.
  template <class Of>
  [[nodiscard]] auto of_shapes(Of&& of) const {
    std::vector<decltype(of(std::declval<const Row&>()))> results(shapes_.size());
    std::vector<bool> known(shapes_.size());
    for (const Own& own : rows_) {
      if (known[own.shape]) continue;
      known[own.shape] = true;
      results[own.shape] = of(shapes_[own.shape]);
    }
    return results;
  }
  /// Calls `take` with the position and what is rare of each row that has some of it.
  template <class Take>
  void each_rare(Take&& take) const {
    for (std::size_t i = 0; i < size(); ++i) {
      if (rows_[i].rare != kNone) take(i, rare_[rows_[i].rare].rare);
    }
  }
  /// Parts of a row, without the rest of it.
  [[nodiscard]] std::uint32_t shape_of(std::size_t at) const { return rows_[at].shape; }
  [[nodiscard]] const Row& common(std::size_t at) const { return shapes_[rows_[at].shape]; }
  [[nodiscard]] Nanoseconds begin_of(std::size_t at) const { return rows_[at].begin; }
  [[nodiscard]] Nanoseconds end_of(std::size_t at) const {
    const Own& own = rows_[at];
    return own.duration == kLong ? rare_[own.rare].end : own.begin + own.duration;
  }
  [[nodiscard]] Nanoseconds duration_of(std::size_t at) const {
    const Own& own = rows_[at];
    return own.duration == kLong ? wrapping(rare_[own.rare].end, own.begin, std::minus<>())
                                 : Nanoseconds{own.duration};
  }
  /// What is rare of a row's own, and the same to be changed.
  [[nodiscard]] const Rare& rare(std::size_t at) const {
    static const Rare kNothing;
    return rows_[at].rare == kNone ? kNothing : rare_[rows_[at].rare].rare;
  }
  Rare& rare_of(std::size_t at) { return rare_own(rows_[at]).rare; }
  [[nodiscard]] auto region_of(std::size_t at) const
    requires requires(Row row) { row.region; }
  {
    return decltype(Row::region){rows_[at].region};
  }

  void push_back(const Row& row) {
    Own own;
    put(own, row);
    rows_.push_back(own);
  }
  /// One more of the shape of the row at `earlier`, with nothing of its own but these.
  void repeat(std::size_t earlier, Nanoseconds begin, Nanoseconds end,
              std::uint32_t region = kNone) {
    Own own;
    put_times(own, begin, end);
    own.region = region;
    own.shape = rows_[earlier].shape;
    rows_.push_back(own);
  }
  void set(std::size_t at, const Row& row) { put(rows_[at], row); }
  void set_times(std::size_t at, Nanoseconds begin, Nanoseconds end) {
    put_times(rows_[at], begin, end);
  }
  /// A row that is written back when this goes, unless an exception takes it away:
  /// `runs.edit(i)->bytes = 8;`. One at a time.
  class Edit {
   public:
    Edit(Runs& runs, std::size_t at) : runs_(runs), at_(at), row_(runs[at]) {}
    ~Edit() noexcept(false) {
      if (std::uncaught_exceptions() == before_) runs_.set(at_, row_);
    }
    Edit(const Edit&) = delete;
    Edit& operator=(const Edit&) = delete;
    Row* operator->() { return &row_; }
    Row& operator*() { return row_; }

   private:
    Runs& runs_;
    std::size_t at_;
    Row row_;
    int before_ = std::uncaught_exceptions();
  };
  Edit edit(std::size_t at) { return {*this, at}; }
  Edit edit_back() { return {*this, size() - 1}; }
  /// Calls `change` with each shape: what is changed in one is changed in all its rows.
  template <class Change>
  void change_shapes(Change&& change) {
    shapes_.change([&](Row& shape) {
      change(shape);
      without_own(shape);
    });
  }
  /// Forgets the shapes that no row has any more: each edit may leave one.
  void tidy() {
    Shapes<Row> used;
    std::vector<std::uint32_t> numbers(shapes_.size(), kNone);
    for (Own& own : rows_) {
      std::uint32_t& number = numbers[own.shape];
      if (number == kNone) number = used.number_of(shapes_[own.shape], kNone);
      own.shape = number;
    }
    used.fit();
    shapes_ = std::move(used);
  }
  /// Every row's region becomes what `change` makes of it, where it has one.
  template <class Change>
  void change_regions(Change&& change)
    requires requires(Row row) { row.region; }
  {
    for (Own& own : rows_) {
      if (own.region != kNone) own.region = change(own.region);
    }
  }
  /// Changes rows that `key_of`, called with positions, puts apart and that have one shape, at
  /// once: `change` is called with the shape and the key, in the order of the first rows that have
  /// both.
  template <class KeyOf, class Change>
  void change_by(KeyOf&& key_of, Change&& change) {
    using Key = decltype(key_of(std::size_t{}));
    struct Latest {
      Key key{};
      std::uint32_t shape = kNone;
    };
    std::vector<Latest> latest(shapes_.size());
    std::map<std::pair<std::uint32_t, Key>, std::uint32_t> known;
    for (std::size_t i = 0; i < size(); ++i) {
      Own& own = rows_[i];
      const Key key = key_of(i);
      Latest& last = latest[own.shape];
      if (last.shape == kNone || last.key != key) {
        const auto [at, is_new] = known.try_emplace({own.shape, key});
        if (is_new) {
          Row row = shapes_[own.shape];
          change(row, key);
          without_own(row);
          at->second = shapes_.number_of(row, own.shape);
        }
        last = {key, at->second};
      }
      own.shape = last.shape;
    }
  }
  /// Keeps the rows that `is_kept` says so of, called with positions; says where each of them went,
  /// kGone for the others.
  template <class IsKept>
  std::vector<std::uint32_t> keep(IsKept&& is_kept) {
    std::vector<std::uint32_t> moved(size(), kGone);
    std::uint32_t kept = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      if (!is_kept(i)) continue;
      rows_[kept] = rows_[i];
      moved[i] = kept++;
    }
    rows_.resize(kept);
    return moved;
  }
  /// Puts the rows in the order of their begins, equals as they come; says where each of them was,
  /// or nothing if that is their order already.
  std::vector<std::uint32_t> sort_by_begin() {
    const auto earlier = [](const Own& a, const Own& b) { return a.begin < b.begin; };
    if (std::is_sorted(rows_.begin(), rows_.end(), earlier)) return {};
    std::vector<std::uint32_t> order(size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
      return std::pair(rows_[a].begin, a) < std::pair(rows_[b].begin, b);
    });
    std::vector<Own, LargePages<Own>> rows;
    rows.reserve(order.size());
    for (const std::uint32_t at : order) rows.push_back(rows_[at]);
    rows_ = std::move(rows);
    return order;
  }
  void reserve(std::size_t count) { rows_.reserve(count); }
  [[nodiscard]] std::size_t capacity() const { return rows_.capacity(); }
  /// The memory that reserve() got.
  [[nodiscard]] std::span<std::byte> room() {
    return std::as_writable_bytes(std::span(rows_.data(), rows_.capacity()));
  }

  bool operator==(const Runs& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

 private:
  static constexpr bool kHasRegion = requires(Row row) { row.region; };
  static constexpr std::uint32_t kLong = std::numeric_limits<std::uint32_t>::max();

  struct Own {
    Nanoseconds begin = 0;
    std::uint32_t duration = 0;  // kLong: `end` is with what is rare
    std::uint32_t region = kNone;
    std::uint32_t shape = 0;
    std::uint32_t rare = kNone;
  };
  static_assert(sizeof(Own) == 24);
  struct RareOwn {
    Rare rare;
    Nanoseconds end = 0;  // of one that is long, or ends before it begins
  };

  /// Damaged files hold times whose difference or sum has no room.
  template <class Op>
  static Nanoseconds wrapping(Nanoseconds a, Nanoseconds b, Op op) {
    return static_cast<Nanoseconds>(
        op(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
  }

  static void without_own(Row& row) {
    row.begin = row.end = 0;
    if constexpr (kHasRegion) row.region = {};
    [[maybe_unused]] const Rare rare = Parts::take(row);
  }

  RareOwn& rare_own(Own& own) {
    if (own.rare == kNone) {
      own.rare = static_cast<std::uint32_t>(rare_.size());
      rare_.emplace_back();
    }
    return rare_[own.rare];
  }

  void put_times(Own& own, Nanoseconds begin, Nanoseconds end) {
    own.begin = begin;
    const Nanoseconds duration = wrapping(end, begin, std::minus<>());
    const bool is_short = end >= begin && duration >= 0 && duration < Nanoseconds{kLong};
    own.duration = is_short ? static_cast<std::uint32_t>(duration) : kLong;
    if (!is_short) rare_own(own).end = end;
  }

  void put(Own& own, Row row) {
    put_times(own, row.begin, row.end);
    if constexpr (kHasRegion) own.region = row.region.value;
    Rare rare = Parts::take(row);
    if (own.rare != kNone || !(rare == Rare())) rare_own(own).rare = std::move(rare);
    without_own(row);
    own.shape = shapes_.number_of(row, own.shape);
  }

  std::vector<Own, LargePages<Own>> rows_;
  std::vector<RareOwn> rare_;
  Shapes<Row> shapes_;
};

}  // namespace ompdm
