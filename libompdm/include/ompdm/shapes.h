// What rows of a column have in common, each kind of row once. Part of Runs (ompdm/runs.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

namespace ompdm {

/// Specialised beside each Row that Runs hold:
///   struct Rare         what few rows have of their own beside begin, end and region; default
///                       constructed where a row has nothing of it, and comparable
///   Rare take(Row&)     moves that out of a row
///   give(Rare, Row&)    and back in
///   repeated(row)       std::tie of all the rest: what a shape is
template <class Row>
struct RowParts;

/// The distinct shapes of a column's rows, in the order in which they were met.
template <class Row>
class Shapes {
  using Parts = RowParts<Row>;
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

 public:
  [[nodiscard]] std::size_t size() const { return all_.size(); }
  const Row& operator[](std::uint32_t number) const { return all_[number]; }

  /// The number of this shape, which becomes one of them if it is not yet. `likely` is looked at
  /// first, then what rows of that shape became last.
  std::uint32_t number_of(const Row& shape, std::uint32_t likely) {
    const auto is_it = [&](std::uint32_t number) {
      return Parts::repeated(all_[number]) == Parts::repeated(shape);
    };
    if (likely >= size()) return find(shape, is_it);
    if (is_it(likely)) return likely;
    if (became_.size() < size()) became_.resize(size(), kNone);
    const std::uint32_t last = became_[likely];
    if (last != kNone && is_it(last)) return last;
    const std::uint32_t number = find(shape, is_it);
    became_[likely] = number;
    return number;
  }

  /// Calls `change` with each. Two may become equal; they stay two.
  template <class Change>
  void change(Change&& change_one) {
    for (Row& shape : all_) change_one(shape);
    slots_.clear();
    became_.clear();
  }

  /// Gives back the room that no shape takes.
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

  // Another in each process, so that no file can be made whose shapes all collide.
  static std::uint64_t seed() {
    static const std::uint64_t seed = (std::uint64_t{std::random_device()()} << 32) | 1;
    return seed;
  }

  static std::uint64_t hash(const Row& row) {
    std::uint64_t hash = seed();
    const std::uint64_t own = hash;
    const auto mix = [&hash, own](const auto& field) {
      constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 / the golden ratio
      std::uint64_t value = 0;
      if constexpr (requires { field.value; }) {
        value = field.value;
      } else {
        value = static_cast<std::uint64_t>(field);
      }
      hash = (hash ^ value) * kOdd;
      hash = (hash ^ (hash >> 32)) + own;
    };
    std::apply([&](const auto&... fields) { (mix(fields), ...); }, Parts::repeated(row));
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

}  // namespace ompdm
