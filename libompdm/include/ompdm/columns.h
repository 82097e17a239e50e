// Columns of rows: typed positions, memory in large pages, and rows that are stored once however
// often they occur.
#pragma once

#include <sys/mman.h>

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
#include <new>
#include <numeric>
#include <random>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "ompdm/fields.h"

namespace ompdm {

/// Nanoseconds since Process::start (CLOCK_MONOTONIC at attach), or a duration.
using Nanoseconds = std::int64_t;

/// A typed position in one of Trace's columns; default-constructed it points nowhere.
template <class Row>
struct Index {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t value = kNone;

  explicit operator bool() const noexcept { return value != kNone; }
  auto operator<=>(const Index&) const = default;
};

/// An allocator that asks for large pages (transparent ones, MADV_HUGEPAGE) for allocations of 2
/// MiB or more.
template <class T>
struct LargePages {
  using value_type = T;

  LargePages() = default;
  template <class Other>
  explicit LargePages(const LargePages<Other>& /*other*/) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kWorthIt) return static_cast<T*>(::operator new(bytes));
    void* memory = ::operator new(bytes, std::align_val_t(kPage));
    madvise(memory, bytes / kPage * kPage, MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (count * sizeof(T) < kWorthIt) return ::operator delete(memory);
    ::operator delete(memory, std::align_val_t(kPage));
  }
  bool operator==(const LargePages&) const = default;

 private:
  static constexpr std::size_t kPage = std::size_t{2} << 20;
  static constexpr std::size_t kWorthIt = kPage;
};

/// Reads the rows of a column by position; they are made as they are read.
template <class Rows, class Row>
class RowIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using iterator_concept = std::random_access_iterator_tag;
  using value_type = Row;
  using difference_type = std::ptrdiff_t;
  using reference = const Row;
  struct pointer {
    Row row;
    const Row* operator->() const { return &row; }
  };

  RowIterator() = default;
  RowIterator(const Rows* runs, std::size_t at) : runs_(runs), at_(at) {}
  // Const, as operator[] is.
  const Row operator*() const { return (*runs_)[at_]; }
  pointer operator->() const { return {(*runs_)[at_]}; }
  const Row operator[](difference_type by) const { return *(*this + by); }
  RowIterator& operator++() { return *this += 1; }
  RowIterator& operator--() { return *this -= 1; }
  RowIterator operator++(int) { return std::exchange(*this, *this + 1); }
  RowIterator operator--(int) { return std::exchange(*this, *this - 1); }
  RowIterator& operator+=(difference_type by) {
    at_ = static_cast<std::size_t>(static_cast<difference_type>(at_) + by);
    return *this;
  }
  RowIterator& operator-=(difference_type by) { return *this += -by; }
  friend RowIterator operator+(RowIterator at, difference_type by) { return at += by; }
  friend RowIterator operator+(difference_type by, RowIterator at) { return at += by; }
  friend RowIterator operator-(RowIterator at, difference_type by) { return at -= by; }
  friend difference_type operator-(const RowIterator& a, const RowIterator& b) {
    return static_cast<difference_type>(a.at_) - static_cast<difference_type>(b.at_);
  }
  friend bool operator==(const RowIterator& a, const RowIterator& b) { return a.at_ == b.at_; }
  friend auto operator<=>(const RowIterator& a, const RowIterator& b) { return a.at_ <=> b.at_; }

 private:
  const Rows* runs_ = nullptr;
  std::size_t at_ = 0;
};

/// The base of rows that have all their fields in common with others, but for times and region.
struct NoRare {
  bool operator==(const NoRare&) const = default;
};

/// The distinct shapes of a column's rows, in the order in which they were met.
template <class Row>
class Shapes {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

 public:
  [[nodiscard]] std::size_t size() const { return all_.size(); }
  const Row& operator[](std::uint32_t number) const { return all_[number]; }

  /// The number of this shape, which is added if it is new. Tries `likely` first, then the shape
  /// that rows of `likely` had last in its place.
  std::uint32_t number_of(const Row& shape, std::uint32_t likely) {
    const auto is_it = [&](std::uint32_t number) { return all_[number] == shape; };
    if (likely >= size()) return find(shape, is_it);
    if (is_it(likely)) return likely;
    if (became_.size() < size()) became_.resize(size(), kNone);
    const std::uint32_t last = became_[likely];
    if (last != kNone && is_it(last)) return last;
    const std::uint32_t number = find(shape, is_it);
    became_[likely] = number;
    return number;
  }

  /// Calls `change` with each shape. Two may become equal; they remain two.
  template <class Change>
  void change(Change&& change_one) {
    for (Row& shape : all_) change_one(shape);
    slots_.clear();
    became_.clear();
  }

  /// Frees the memory that no shape takes.
  void fit() {
    all_.shrink_to_fit();
    slots_ = {};
    became_ = {};
  }

 private:
  template <class IsIt>
  std::uint32_t find(const Row& shape, IsIt is_it) {
    if (2 * size() >= slots_.size()) index();
    std::uint32_t& slot = slots_[slot_of(shape, is_it)];
    if (slot == kNone) {
      slot = static_cast<std::uint32_t>(size());
      all_.push_back(shape);
    }
    return slot;
  }

  // Different in each process, so that no file can be made whose shapes all collide.
  static std::uint64_t seed() {
    static const std::uint64_t seed = (std::uint64_t{std::random_device()()} << 32) | 1;
    return seed;
  }

  static std::uint64_t hash(const Row& row) {
    std::uint64_t hash = seed();
    const std::uint64_t own = hash;
    const auto mix = [&hash, own](std::string_view, const auto& field, FieldRule rule = {}) {
      constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 / the golden ratio
      if (rule.shape < 0) return;
      std::uint64_t value = 0;
      if constexpr (requires { field.value; }) {
        value = field.value;
      } else {
        value = static_cast<std::uint64_t>(field);
      }
      hash = (hash ^ value) * kOdd;
      hash = (hash ^ (hash >> 32)) + own;
    };
    fields(mix, row);
    return hash;
  }

  // Where it is in the table, or may be put.
  template <class IsIt>
  std::size_t slot_of(const Row& shape, IsIt is_it) const {
    std::size_t slot = hash(shape) & (slots_.size() - 1);
    while (slots_[slot] != kNone && !is_it(slots_[slot])) slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  void index() {
    std::size_t count = 16;
    while (count < 4 * (size() + 1)) count *= 2;
    slots_.assign(count, kNone);
    for (std::uint32_t i = 0; i < size(); ++i) {
      slots_[slot_of(all_[i], [](std::uint32_t) { return false; })] = i;
    }
  }

  std::vector<Row> all_;
  std::vector<std::uint32_t> slots_;   // a hash table of all_; empty: to be made
  std::vector<std::uint32_t> became_;  // by shape, kNone where nothing is known
};

/// Positions of rows in the order of their begins; equal begins keep their order. Empty if the rows
/// are in this order already.
template <class Rows>
std::vector<std::uint32_t> order_of_begins(const Rows& rows) {
  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto key = [&](std::uint32_t at) {
    if constexpr (requires { rows.begin_of(at); }) {
      return std::pair(rows.begin_of(at), at);
    } else {
      return std::pair(rows[at].begin, at);
    }
  };
  if (std::ranges::is_sorted(order, {}, key)) return {};
  std::ranges::sort(order, {}, key);
  return order;
}

/// Rows of one type, in order. The regions and operations of a loop differ in their times, and some
/// in their contents. A row takes 24 bytes; its *shape*, the row without its own fields, is shared.
/// An analysis that does not need times can look at each shape once. References to rows are
/// positions. `Row::Rare`, a base of Row, has the fields that few rows have. A row's own fields are
/// these, its begin, end and region; all others are those of the shape.
template <class Row>
class DedupColumn {
  using Rare = typename Row::Rare;
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

 public:
  using Iterator = RowIterator<DedupColumn, Row>;
  using value_type = Row;
  using iterator = Iterator;
  static constexpr std::uint32_t kGone = kNone;  ///< position of a row that keep() removed
  using const_iterator = Iterator;

  DedupColumn() = default;
  DedupColumn(std::initializer_list<Row> rows) {
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
    if (own.rare != kNone) static_cast<Rare&>(row) = rare_[own.rare].rare;
    return row;
  }

  /// How many shapes are held; after edits some may have no row any more.
  [[nodiscard]] std::size_t shape_count() const { return shapes_.size(); }
  /// The result of `of` for each shape, by `shape_of`. `of` is called once a shape, in the order of
  /// the first rows that have them.
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
  /// Calls `take` with the position and the rare fields of each row that has some.
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
  /// A row's rare fields, and the same to be changed.
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
  /// Adds a row with the shape of the row at `earlier`, these times and this region, and no rare
  /// fields.
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
  /// A row that is written back when the Edit is destroyed, unless by an exception:
  /// `runs.edit(i)->bytes = 8;`. One at a time.
  class Edit {
   public:
    Edit(DedupColumn& runs, std::size_t at) : runs_(runs), at_(at), row_(runs[at]) {}
    ~Edit() noexcept(false) {
      if (std::uncaught_exceptions() == before_) runs_.set(at_, row_);
    }
    Edit(const Edit&) = delete;
    Edit& operator=(const Edit&) = delete;
    Row* operator->() { return &row_; }
    Row& operator*() { return row_; }

   private:
    DedupColumn& runs_;
    std::size_t at_;
    Row row_;
    int before_ = std::uncaught_exceptions();
  };
  Edit edit(std::size_t at) { return {*this, at}; }
  Edit edit_back() { return {*this, size() - 1}; }
  /// Calls `change` with each shape: a change of a shape is a change of all its rows.
  template <class Change>
  void change_shapes(Change&& change) {
    shapes_.change([&](Row& shape) {
      change(shape);
      without_own(shape);
    });
  }
  /// Removes the shapes that no row has any more: each edit may leave one.
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
  /// Replaces the region of each row that has one by the result of `change`.
  template <class Change>
  void change_regions(Change&& change)
    requires requires(Row row) { row.region; }
  {
    for (Own& own : rows_) {
      if (own.region != kNone) own.region = change(own.region);
    }
  }
  /// Changes rows by shape and key; `key_of` is called with positions. `change` is called once for
  /// each pair of shape and key, in the order of the first rows that have both.
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
  /// Keeps the rows for which `is_kept`, called with positions, is true. Returns the new position
  /// of each row, kGone for the others.
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
  /// Puts the rows in the order of their begins; equal begins keep their order. Returns the former
  /// position of each row. Empty if the rows were in this order already.
  std::vector<std::uint32_t> sort_by_begin() {
    const std::vector<std::uint32_t> order = order_of_begins(*this);
    if (order.empty()) return order;
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

  bool operator==(const DedupColumn& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

 private:
  static constexpr bool kHasRegion = requires(Row row) { row.region; };
  static constexpr std::uint32_t kLong = std::numeric_limits<std::uint32_t>::max();

  struct Own {
    Nanoseconds begin = 0;
    std::uint32_t duration = 0;  // kLong: `end` is in RareOwn
    std::uint32_t region = kNone;
    std::uint32_t shape = 0;
    std::uint32_t rare = kNone;
  };
  static_assert(sizeof(Own) == 24);
  struct RareOwn {
    Rare rare;
    Nanoseconds end = 0;  // of a row that is long, or ends before it begins
  };

  /// Damaged files may have times whose difference or sum overflows.
  template <class Op>
  static Nanoseconds wrapping(Nanoseconds a, Nanoseconds b, Op op) {
    return static_cast<Nanoseconds>(
        op(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
  }

  static void without_own(Row& row) {
    row.begin = row.end = 0;
    if constexpr (kHasRegion) row.region = {};
    static_cast<Rare&>(row) = {};
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
    const Rare& rare = row;
    if (own.rare != kNone || !(rare == Rare())) rare_own(own).rare = rare;
    without_own(row);
    own.shape = shapes_.number_of(row, own.shape);
  }

  std::vector<Own, LargePages<Own>> rows_;
  std::vector<RareOwn> rare_;
  Shapes<Row> shapes_;
};

/// Sums up rows by shape and by group; `group_of` is called with positions. Calls `take` with the
/// shape, the group, the number of rows, and the sum of their durations. The order is that of the
/// first rows that have both. The sum is modulo 2^64: times of damaged files may overflow.
template <class Row, class GroupOf, class Take>
void sum_up(const DedupColumn<Row>& rows, GroupOf&& group_of, Take&& take) {
  using Group = decltype(group_of(std::size_t{}));
  constexpr std::size_t kNone = ~std::size_t{0};
  struct Sum {
    std::size_t first;  // row
    Group group;
    std::uint64_t count = 0;
    std::uint64_t time = 0;
  };
  std::vector<Sum> sums;
  std::vector<std::size_t> latest(rows.shape_count(), kNone);  // of sums, by shape
  std::map<std::pair<std::uint32_t, Group>, std::size_t> known;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::size_t& last = latest[rows.shape_of(i)];
    const Group group = group_of(i);
    if (last == kNone || sums[last].group != group) {
      const auto [at, is_new] = known.try_emplace({rows.shape_of(i), group}, sums.size());
      if (is_new) sums.push_back({i, group});
      last = at->second;
    }
    ++sums[last].count;
    sums[last].time += static_cast<std::uint64_t>(rows.duration_of(i));
  }
  for (const Sum& sum : sums) {
    take(rows.common(sum.first), sum.group, sum.count, static_cast<Nanoseconds>(sum.time));
  }
}

/// The same without groups.
template <class Row, class Take>
void sum_up(const DedupColumn<Row>& rows, Take&& take) {
  sum_up(
      rows, [](std::size_t) { return 0; },
      [&](const Row& row, int /*group*/, std::uint64_t count, Nanoseconds time) {
        take(row, count, time);
      });
}

}  // namespace ompdm
