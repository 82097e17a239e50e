// Several recordings of one program, each a step from the one before: its rungs. What every
// rendering of them starts from. Inside the report library only.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "ompdm/comparison.h"
#include "report/sides.h"
#include "report/tables.h"

namespace ompdm::report {

/// Refers to the recordings, which must outlive it.
struct Rungs {
  Rungs(Analyses of, std::span<const std::string> called)
      : recordings(of),
        labels(called.begin(), called.end()),
        chains(analysis::ladder_of(of)),
        ends(of, labels.front(), labels.back()) {}

  /// How many times faster a rung is `than` another, by their wall times; none if there is no such
  /// rung, or a time is not known.
  [[nodiscard]] std::optional<double> faster(std::size_t rung, std::size_t than) const;

  /// Whether all are told event by event throughout (Sides::told_whole).
  [[nodiscard]] bool told_whole() const {
    return std::ranges::all_of(recordings,
                               [](const analysis::Analysis& one) { return is_told_whole(one); });
  }

  Analyses recordings;
  std::vector<std::string> labels;  ///< what each is called
  analysis::Ladder chains;
  Sides ends;  ///< the first and the last
};

/// What a rung would not have moved without what findings call needless; 0 where there are none.
std::uint64_t needless_bytes(const analysis::Analysis& one);

/// A row a rung: what it moves, how long it takes, and how much faster that is than the rung before
/// and than the first.
Table rungs_table(const Rungs& rungs);

/// Rows by what moves or is needless, a column a rung; the first of all tables is rungs_table().
std::vector<Table> ladder_tables(const Rungs& rungs);

/// `ompdm.ladder/1` (report/COMPARE.md).
std::string ladder_json(const Rungs& rungs);

}  // namespace ompdm::report
