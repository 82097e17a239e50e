#include "analysis/row_pairing.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace ompdm::analysis {
namespace {

using Rows = std::vector<std::size_t>;

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

auto place(const RowLabel& label) { return std::tuple(label.line, label.column, label.address); }

class Pairing {
 public:
  Pairing(const std::vector<RowLabel>& before, const std::vector<RowLabel>& after)
      : before_(before),
        after_(after),
        partner_of_before_(before.size(), kNoRow),
        partner_of_after_(after.size(), kNoRow) {}

  /// Pairs what is left of each group of rows with equal keys, in order of their places.
  template <class KeyOf>
  void pair_groups(KeyOf key_of) {
    for (auto& [key, group] : groups(key_of)) {
      auto& [before, after] = group;
      if (before.size() != after.size()) pair_equal_places(before, after);
      for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
        pair(before[i], after[i]);
      }
    }
  }

  /// Pairs what is left of groups that have one row on each side.
  template <class KeyOf>
  void pair_the_only_ones(KeyOf key_of) {
    for (const auto& [key, group] : groups(key_of)) {
      const auto& [before, after] = group;
      if (before.size() == 1 && after.size() == 1) pair(before.front(), after.front());
    }
  }

  [[nodiscard]] std::vector<RowPair> take() const {
    std::vector<RowPair> pairs;
    for (std::size_t i = 0; i < before_.size(); ++i) pairs.push_back({i, partner_of_before_[i]});
    for (std::size_t i = 0; i < after_.size(); ++i) {
      if (partner_of_after_[i] == kNoRow) pairs.push_back({kNoRow, i});
    }
    return pairs;
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;

  template <class KeyOf>
  [[nodiscard]] std::map<Key, std::pair<Rows, Rows>> groups(KeyOf key_of) const {
    std::map<Key, std::pair<Rows, Rows>> groups;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      const bool free = partner_of_before_[i] == kNoRow && !before_[i].nameless;
      if (free) groups[Key(key_of(before_[i]))].first.push_back(i);
    }
    for (std::size_t i = 0; i < after_.size(); ++i) {
      const bool free = partner_of_after_[i] == kNoRow && !after_[i].nameless;
      if (free) groups[Key(key_of(after_[i]))].second.push_back(i);
    }
    for (auto& [key, group] : groups) {
      sort(group.first, before_);
      sort(group.second, after_);
    }
    return groups;
  }

  static void sort(Rows& rows, const std::vector<RowLabel>& labels) {
    std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(place(labels[a]), a) < std::pair(place(labels[b]), b);
    });
  }

  /// Where one side has more rows, only an equal line tells which of them is the new one.
  void pair_equal_places(Rows& before, Rows& after) {
    for (const std::size_t i : before) {
      const auto same = std::ranges::find_if(after, [&](std::size_t j) {
        return partner_of_after_[j] == kNoRow && before_[i].line > 0 &&
               before_[i].line == after_[j].line;
      });
      if (same != after.end()) pair(i, *same);
    }
    std::erase_if(before, [&](std::size_t i) { return partner_of_before_[i] != kNoRow; });
    std::erase_if(after, [&](std::size_t j) { return partner_of_after_[j] != kNoRow; });
  }

  void pair(std::size_t before, std::size_t after) {
    partner_of_before_[before] = after;
    partner_of_after_[after] = before;
  }

  const std::vector<RowLabel>& before_;
  const std::vector<RowLabel>& after_;
  Rows partner_of_before_;
  Rows partner_of_after_;
};

}  // namespace

std::vector<RowPair> pair_rows(const std::vector<RowLabel>& before,
                               const std::vector<RowLabel>& after, Renamed renamed) {
  Pairing pairing(before, after);
  const auto file_name = [](const RowLabel& row) { return std::string(last_part(row.file)); };
  pairing.pair_groups([](const RowLabel& row) { return std::tuple(row.sort, row.name, row.file); });
  pairing.pair_groups(
      [&](const RowLabel& row) { return std::tuple(row.sort, row.name, file_name(row)); });
  pairing.pair_groups([](const RowLabel& row) { return std::tuple(row.sort, row.name, ""); });
  if (renamed == Renamed::kYes) {
    pairing.pair_the_only_ones(
        [&](const RowLabel& row) { return std::tuple(row.sort, file_name(row), ""); });
  }
  return pairing.take();
}

}  // namespace ompdm::analysis
