// Versions of a program that are compared: two, BEFORE and AFTER, or more, each a step from the
// version before it. Inside the report library only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ompdm/comparison.h"
#include "report/source_names.h"
#include "report/table.h"
#include "report/tables.h"

namespace ompdm::report {

/// Refers to the recordings, at least two, which must outlive it.
struct Versions {
  /// `called`: a name for each; BEFORE and AFTER if there are none.
  explicit Versions(Analyses of, std::span<const std::string> called = {});

  [[nodiscard]] std::size_t size() const { return recordings.size(); }
  [[nodiscard]] bool are_two() const { return size() == 2; }
  [[nodiscard]] const analysis::Analysis& first() const { return recordings.front(); }
  [[nodiscard]] const analysis::Analysis& last() const { return recordings.back(); }

  Analyses recordings;
  std::vector<std::string> names;
  analysis::Comparison rows;
  SourceNames sources;

  /// Whether all runs are recorded as events throughout, and nothing is missing. If not, only
  /// figures that are also aggregated can be compared.
  bool recorded_whole = false;

  /// Whether the figures of the first and the last are those of whole runs. If not, no ratio of
  /// figures is given.
  bool are_whole = false;
};

/// The differences between recordings: "program ./naive → ./data; argument 2: 60 → 600; machine a →
/// b". It has those of programs, their builds, arguments, runtimes and machines that differ, with
/// the value of each recording in turn (`between` them). Empty if all are of the same build with
/// the same arguments on one machine.
std::string differences(Analyses analyses, std::string_view between = " → ");

/// "AFTER moves 31x less: 80.0 MB → 2.6 MB; wall 1.9x shorter: 30 ms → 16 ms", of the last against
/// the first; or the reason why that is not known.
std::string comparison_headline(const Versions& versions);

/// The parts of the wall times, version by version. Example: "Wall 902 ms → 599 ms: copies 489 ms
/// → 19.9 ms, kernels 287 ms → 333 ms, no device activity 126 ms → 246 ms". Empty if a part is not
/// known.
std::string wall_sentence(const Versions& versions);

/// The warnings of all recordings, each with the version's name, and that of a model.
std::vector<std::string> comparison_warnings(const Versions& versions);

/// How many of the first version's findings are gone or remain in the last, and how many are new.
/// Also that there are none, or that they are not compared.
std::string findings_sentence(const Versions& versions);

/// The same of Analysis::mapping; empty where neither version has any.
std::string clauses_sentence(const Versions& versions);

/// The speedup of a version over another (`than`), by their wall times. None if there is no such
/// version, or if a time is not known.
std::optional<double> speedup(const Versions& versions, std::size_t of, std::size_t than);

/// Bytes that a recording would not have moved without what findings call redundant; without what
/// they call possibly redundant, if there is nothing else.
std::uint64_t redundant_bytes(const analysis::Analysis& one);

/// All tables in the report's order, empty ones too. Of two versions each figure of both and their
/// ratio; of more one figure a table, with a column a version.
std::vector<Table> comparison_tables(const Versions& versions);

}  // namespace ompdm::report
