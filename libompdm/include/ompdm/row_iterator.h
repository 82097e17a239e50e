// Iteration over rows that no memory holds as such. Part of Runs (ompdm/runs.h).
#pragma once

#include <compare>
#include <cstddef>
#include <iterator>
#include <utility>

namespace ompdm {

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

}  // namespace ompdm
