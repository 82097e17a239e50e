#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "ompdm/comparison.h"
#include "ompdm/trace.h"

namespace ompdm::analysis {

namespace {

/// What a row is recognised by.
struct RowLabel {
  std::string sort;  ///< rows of different sorts are never paired
  std::string name;  ///< function or variable
  std::string file;
  int line = 0;
  int column = 0;
  std::uint64_t address = 0;  ///< decides the order where there are no lines
  bool nameless = false;      ///< nothing of it means anything in another process: never paired
};

/// Whether two rows that are the only ones of their sort left in a file are the same one under
/// another name.
enum class Renamed : bool { kNo, kYes };

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

RowLabel label(const DirectiveRow& row) {
  const std::string sort = std::string(directive_name(row.directive)) + ' ' + row.api;
  return {sort, row.function, row.file, row.line, row.column, row.address, false};
}

RowLabel label(const Activity& row) {
  const auto clock = static_cast<std::uint64_t>(row.clock);
  return {
      std::string(activity_type_name(row.type)), row.function, row.file, row.line, 0, clock, false};
}

RowLabel label(const VariableRow& row) {
  return {"", row.name, row.file, row.line, 0, row.address, row.name.empty() && row.file.empty()};
}

RowLabel label(const Finding& row) {
  return {row.pattern, row.variable, row.file, row.line, 0, 0, false};
}

template <class Row>
std::vector<RowLabel> labels(const std::vector<Row>& rows) {
  std::vector<RowLabel> labels;
  labels.reserve(rows.size());
  for (const Row& row : rows) labels.push_back(label(row));
  return labels;
}

/// How alike two loops are: first by the directives that both have, then by those that one lacks.
using Likeness = std::pair<std::size_t, std::ptrdiff_t>;

Likeness likeness(const Iteration& before, const Iteration& after,
                  const std::vector<std::size_t>& after_of_before) {
  const auto shared =
      static_cast<std::size_t>(std::ranges::count_if(before.directives, [&](std::size_t directive) {
        return std::ranges::find(after.directives, after_of_before[directive]) !=
               after.directives.end();
      }));
  const std::size_t in_one = before.directives.size() + after.directives.size() - 2 * shared;
  return {shared, -static_cast<std::ptrdiff_t>(in_one)};
}

std::vector<RowPair> pair_loops(const Analysis& before, const Analysis& after,
                                const std::vector<RowPair>& directives) {
  std::vector<std::size_t> after_of_before(before.directives.size(), kNoRow);
  for (const RowPair& pair : directives) {
    if (pair.before != kNoRow) after_of_before[pair.before] = pair.after;
  }
  std::vector<RowPair> pairs;
  std::vector<bool> taken(after.iterations.size());
  for (std::size_t i = 0; i < before.iterations.size(); ++i) {
    RowPair pair{i, kNoRow};
    Likeness best{0, 0};
    for (std::size_t j = 0; j < after.iterations.size(); ++j) {
      const Likeness like = likeness(before.iterations[i], after.iterations[j], after_of_before);
      const bool is_better = pair.after == kNoRow ? like.first > 0 : like > best;
      if (taken[j] || !is_better) continue;
      pair.after = j;
      best = like;
    }
    if (pair.after != kNoRow) taken[pair.after] = true;
    pairs.push_back(pair);
  }
  for (std::size_t j = 0; j < after.iterations.size(); ++j) {
    if (!taken[j]) pairs.push_back({kNoRow, j});
  }
  return pairs;
}

}  // namespace

Comparison compare(const Analysis& before, const Analysis& after) {
  Comparison comparison;
  comparison.activities =
      pair_rows(labels(before.activities), labels(after.activities), Renamed::kYes);
  comparison.directives =
      pair_rows(labels(before.directives), labels(after.directives), Renamed::kYes);
  comparison.variables = pair_rows(labels(before.variables), labels(after.variables), Renamed::kNo);
  // What was not looked for throughout has neither gone nor come.
  if (!is_told_whole(before) || !is_told_whole(after)) return comparison;
  comparison.iterations = pair_loops(before, after, comparison.directives);
  comparison.findings = pair_rows(labels(before.findings), labels(after.findings), Renamed::kNo);
  return comparison;
}

namespace {

/// The chains of one table, recording by recording.
class Chains {
 public:
  explicit Chains(std::size_t recordings) : recordings_(recordings) {}

  /// Rows of `recording` that are those of an earlier one: each joins its chain, unless it has one.
  void join(std::size_t earlier, std::size_t recording, const std::vector<RowPair>& pairs) {
    for (const RowPair& pair : pairs) {
      if (pair.before == kNoRow || pair.after == kNoRow) continue;
      RowChain& chain = chains_[chain_of(earlier, pair.before)];
      if (chain[recording] != kNoRow || chain_of(recording, pair.after) != kNoRow) continue;
      chain[recording] = pair.after;
      place(recording, pair.after) = chain_of(earlier, pair.before);
    }
  }

  /// Those of its rows that have no chain begin one.
  void begin(std::size_t recording, std::size_t rows) {
    for (std::size_t row = 0; row < rows; ++row) {
      if (chain_of(recording, row) != kNoRow) continue;
      place(recording, row) = chains_.size();
      chains_.emplace_back(recordings_, kNoRow)[recording] = row;
    }
  }

  std::vector<RowChain> take() { return std::move(chains_); }

 private:
  std::size_t& place(std::size_t recording, std::size_t row) {
    if (places_.size() <= recording) places_.resize(recording + 1);
    std::vector<std::size_t>& places = places_[recording];
    if (places.size() <= row) places.resize(row + 1, kNoRow);
    return places[row];
  }
  std::size_t chain_of(std::size_t recording, std::size_t row) { return place(recording, row); }

  std::size_t recordings_;
  std::vector<RowChain> chains_;
  std::vector<std::vector<std::size_t>> places_;  // by recording and row: the chain
};

}  // namespace

Ladder ladder_of(std::span<const Analysis> recordings) {
  Chains directives(recordings.size());
  Chains variables(recordings.size());
  Chains iterations(recordings.size());
  Chains findings(recordings.size());
  const bool all_told =
      std::ranges::all_of(recordings, [](const Analysis& one) { return is_told_whole(one); });
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    for (std::size_t earlier = i; earlier-- > 0;) {
      const Comparison pairs = compare(recordings[earlier], recordings[i]);
      directives.join(earlier, i, pairs.directives);
      variables.join(earlier, i, pairs.variables);
      if (!all_told) continue;
      iterations.join(earlier, i, pairs.iterations);
      findings.join(earlier, i, pairs.findings);
    }
    directives.begin(i, recordings[i].directives.size());
    variables.begin(i, recordings[i].variables.size());
    if (!all_told) continue;
    iterations.begin(i, recordings[i].iterations.size());
    findings.begin(i, recordings[i].findings.size());
  }
  return {directives.take(), variables.take(), iterations.take(), findings.take()};
}

}  // namespace ompdm::analysis
