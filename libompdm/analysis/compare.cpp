#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/names.h"
#include "ompdm/comparison.h"
#include "ompdm/trace.h"

namespace ompdm::analysis {

namespace {

/// The properties by which a row is recognized.
struct RowLabel {
  std::string sort;  ///< rows of different sorts are never paired
  std::string name;  ///< of the function or variable
  std::string file;
  int line = 0;
  int column = 0;
  std::uint64_t address = 0;  ///< decides the order where there are no lines
  std::string function = {};  ///< of a finding, which is paired with other functions' last
  bool nameless = false;      ///< has no property of meaning in another process: never paired
};

using Rows = std::vector<std::size_t>;
using Labels = std::vector<RowLabel>;

std::string file_name(const RowLabel& row) { return last_name(row.file); }

/// Pairs the rows of two versions: each row of BEFORE with at most one row of AFTER.
class Pairing {
 public:
  Pairing(const Labels& before, const Labels& after)
      : before_(before),
        after_(after),
        after_of_before_(before.size(), kNoRow),
        is_taken_(after.size()) {}

  /// Pairs the rows that are left of each group of equal keys, in order of their places.
  template <class KeyOf>
  void pair_groups(KeyOf key_of) {
    for (auto& [key, group] : groups(key_of)) {
      auto& [before, after] = group;
      if (before.size() != after.size()) pair_equal_lines(before, after);
      for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
        pair(before[i], after[i]);
      }
    }
  }

  /// Pairs the rows that are left of groups that have one row on each side.
  template <class KeyOf>
  void pair_the_only_ones(KeyOf key_of) {
    for (const auto& [key, group] : groups(key_of)) {
      const auto& [before, after] = group;
      if (before.size() == 1 && after.size() == 1) pair(before.front(), after.front());
    }
  }

  Rows take() { return std::move(after_of_before_); }

 private:
  using Key = std::tuple<std::string, std::string, std::string, std::string>;

  template <class KeyOf>
  [[nodiscard]] std::map<Key, std::pair<Rows, Rows>> groups(KeyOf key_of) const {
    std::map<Key, std::pair<Rows, Rows>> groups;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      const bool free = after_of_before_[i] == kNoRow && !before_[i].nameless;
      if (free) groups[key_of(before_[i])].first.push_back(i);
    }
    for (std::size_t i = 0; i < after_.size(); ++i) {
      if (!is_taken_[i] && !after_[i].nameless) groups[key_of(after_[i])].second.push_back(i);
    }
    for (auto& [key, group] : groups) {
      sort(group.first, before_);
      sort(group.second, after_);
    }
    return groups;
  }

  static void sort(Rows& rows, const Labels& labels) {
    std::ranges::sort(rows, {}, [&](std::size_t row) {
      return std::tuple(labels[row].line, labels[row].column, labels[row].address, row);
    });
  }

  /// If one side has more rows, only an equal line shows which rows belong together.
  void pair_equal_lines(Rows& before, Rows& after) {
    for (const std::size_t i : before) {
      const auto same = std::ranges::find_if(after, [&](std::size_t j) {
        return !is_taken_[j] && before_[i].line > 0 && before_[i].line == after_[j].line;
      });
      if (same != after.end()) pair(i, *same);
    }
    std::erase_if(before, [&](std::size_t i) { return after_of_before_[i] != kNoRow; });
    std::erase_if(after, [&](std::size_t j) { return is_taken_[j]; });
  }

  void pair(std::size_t before, std::size_t after) {
    after_of_before_[before] = after;
    is_taken_[after] = true;
  }

  const Labels& before_;
  const Labels& after_;
  Rows after_of_before_;
  std::vector<bool> is_taken_;  ///< by AFTER's row
};

RowLabel label(const Analysis& /*of*/, const DirectiveRow& row) {
  const std::string sort = std::string(directive_name(row.directive)) + ' ' + row.api;
  return {sort, row.function, row.file, row.line, row.column, row.address};
}

RowLabel label(const Analysis& /*of*/, const Activity& row) {
  const auto clock = static_cast<std::uint64_t>(row.clock);
  return {std::string(activity_type_name(row.type)), row.function, row.file, row.line, 0, clock};
}

RowLabel label(const Analysis& /*of*/, const VariableRow& row) {
  const bool nameless = row.name.empty() && row.file.empty();
  return {"", row.name, row.file, row.line, 0, row.address, "", nameless};
}

RowLabel label(const Analysis& of, const Finding& row) {
  std::string function;
  if (!row.directives.empty()) function = of.directives[row.directives.front()].function;
  return {row.pattern, row.variable, row.file, row.line, 0, 0, function};
}

template <class Row>
Labels labels(const Analysis& of, std::vector<Row> Analysis::* table) {
  Labels labels;
  for (const Row& row : of.*table) labels.push_back(label(of, row));
  return labels;
}

/// `may_be_renamed`: rows that are the only ones of their sort left in a file are the same row.
template <class Row>
Rows pair_rows(const Analysis& before, const Analysis& after, std::vector<Row> Analysis::* table,
               bool may_be_renamed) {
  const Labels of_before = labels(before, table);
  const Labels of_after = labels(after, table);
  Pairing pairing(of_before, of_after);
  const auto own_file = [](const RowLabel& row) { return row.file; };
  const auto any_file = [](const RowLabel& /*row*/) { return std::string(); };
  for (const bool in_function : {true, false}) {
    for (std::string (*file)(const RowLabel&) : {+own_file, file_name, +any_file}) {
      pairing.pair_groups([&](const RowLabel& row) {
        return std::tuple(row.sort, row.name, file(row), in_function ? row.function : "");
      });
    }
  }
  if (may_be_renamed) {
    pairing.pair_the_only_ones(
        [](const RowLabel& row) { return std::tuple(row.sort, file_name(row), "", ""); });
  }
  return pairing.take();
}

/// How alike two loops are: first by the directives that both have, then by those that only one of
/// them has.
using Likeness = std::pair<std::size_t, std::ptrdiff_t>;

Likeness likeness(const LoopRow& before, const LoopRow& after, const Rows& after_of_before) {
  const auto shared =
      static_cast<std::size_t>(std::ranges::count_if(before.directives, [&](std::size_t directive) {
        return std::ranges::find(after.directives, after_of_before[directive]) !=
               after.directives.end();
      }));
  const std::size_t in_one = before.directives.size() + after.directives.size() - 2 * shared;
  return {shared, -static_cast<std::ptrdiff_t>(in_one)};
}

/// `directives`: by directive of BEFORE, its row in AFTER.
Rows pair_loops(const Analysis& before, const Analysis& after, const Rows& directives) {
  Rows pairs(before.loops.size(), kNoRow);
  std::vector<bool> is_taken(after.loops.size());
  for (std::size_t i = 0; i < before.loops.size(); ++i) {
    Likeness best{0, 0};
    for (std::size_t j = 0; j < after.loops.size(); ++j) {
      const Likeness like = likeness(before.loops[i], after.loops[j], directives);
      const bool is_better = pairs[i] == kNoRow ? like.first > 0 : like > best;
      if (is_taken[j] || !is_better) continue;
      pairs[i] = j;
      best = like;
    }
    if (pairs[i] != kNoRow) is_taken[pairs[i]] = true;
  }
  return pairs;
}

/// The chains of one table, version by version.
class Chains {
 public:
  explicit Chains(std::size_t versions) : chain_of_(versions) {}

  /// Adds rows of `version` to the chains of the rows of `earlier`; `pairs` has their rows in
  /// `version`. A row that has a chain is left out, and so is a chain that has another row of the
  /// version.
  void join(std::size_t earlier, std::size_t version, const Rows& pairs) {
    for (std::size_t row = 0; row < pairs.size(); ++row) {
      if (pairs[row] == kNoRow) continue;
      const std::size_t chain = chain_of_[earlier][row];
      std::size_t& own = place(version, pairs[row]);
      if (own != kNoRow || chains_[chain][version] != kNoRow) continue;
      chains_[chain][version] = pairs[row];
      own = chain;
    }
  }

  /// Begins a chain for each row of the version that has none.
  void begin(std::size_t version, std::size_t rows) {
    for (std::size_t row = 0; row < rows; ++row) {
      std::size_t& own = place(version, row);
      if (own != kNoRow) continue;
      own = chains_.size();
      chains_.emplace_back(chain_of_.size(), kNoRow)[version] = row;
    }
  }

  std::vector<RowChain> take() { return std::move(chains_); }

 private:
  std::size_t& place(std::size_t version, std::size_t row) {
    if (chain_of_[version].size() <= row) chain_of_[version].resize(row + 1, kNoRow);
    return chain_of_[version][row];
  }

  std::vector<RowChain> chains_;
  std::vector<Rows> chain_of_;  ///< by version and row
};

}  // namespace

Comparison compare(std::span<const Analysis> versions) {
  Chains activities(versions.size());
  Chains directives(versions.size());
  Chains variables(versions.size());
  Chains loops(versions.size());
  Chains findings(versions.size());
  Chains mapping(versions.size());
  // If a run is recorded in part, missing loops and findings are not known to be gone.
  const bool are_whole =
      std::ranges::all_of(versions, [](const Analysis& one) { return is_recorded_whole(one); });
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const Analysis& own = versions[i];
    for (std::size_t before = i; before-- > 0;) {
      const Analysis& other = versions[before];
      const Rows same = pair_rows(other, own, &Analysis::directives, true);
      directives.join(before, i, same);
      activities.join(before, i, pair_rows(other, own, &Analysis::activities, true));
      variables.join(before, i, pair_rows(other, own, &Analysis::variables, false));
      if (!are_whole) continue;
      loops.join(before, i, pair_loops(other, own, same));
      findings.join(before, i, pair_rows(other, own, &Analysis::findings, false));
      mapping.join(before, i, pair_rows(other, own, &Analysis::mapping, false));
    }
    directives.begin(i, own.directives.size());
    activities.begin(i, own.activities.size());
    variables.begin(i, own.variables.size());
    if (!are_whole) continue;
    loops.begin(i, own.loops.size());
    findings.begin(i, own.findings.size());
    mapping.begin(i, own.mapping.size());
  }
  return {activities.take(), directives.take(), variables.take(),
          loops.take(),      findings.take(),   mapping.take()};
}

}  // namespace ompdm::analysis
