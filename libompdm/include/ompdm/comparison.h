// Several analyses: runs of one program on several inputs, and two versions held against each
// other. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ompdm/analysis.h"

namespace ompdm::analysis {

/// Whether two recordings are of the same program, as far as they tell.
enum class SameProgram : std::uint8_t {
  kYes,         ///< by build ids
  kByName,      ///< the program's name is the same; a build id is missing
  kOtherBuild,  ///< the same name, and another build of it or of a library with directives
  kOtherProgram,
};
SameProgram same_program(const Analysis& one, const Analysis& other);

/// Numbers the runs of one program (Analysis::run), fills in what each says of every finding
/// (Finding::runs), and takes the edits from findings that a run disagrees with: these keep their
/// figures. An edit that a run lacks is no disagreement where that run came to none of its
/// directives; nor is a finding whose edits a run withholds, because it took no branch that this
/// one took.
void agree(std::span<Analysis> runs);

/// Positions in the same table of two analyses; kNoRow where one of them has no such row.
struct RowPair {
  std::size_t before = kNoRow;
  std::size_t after = kNoRow;
  bool operator==(const RowPair&) const = default;
};

/// Each row of either analysis is in exactly one pair, but for loops and findings where a recording
/// tells only a part of its run event by event: then these have no pairs. Pairs are in the order of
/// BEFORE's rows; those that only AFTER has come last, in its own order.
struct Comparison {
  std::vector<RowPair> activities;
  std::vector<RowPair> directives;
  std::vector<RowPair> variables;
  std::vector<RowPair> iterations;
  std::vector<RowPair> findings;
};

/// Pairs rows by what does not move when a source is edited: a directive or kernel by its sort,
/// file and function, in order of lines where there are several (an equal line decides where one
/// side has more of them); then by sort and function in files of other names; then as the only one
/// of its sort left in a file on both sides. A variable by name and file, then by name; a finding
/// by pattern, variable and file; a loop by the directives that it shares with another.
Comparison compare(const Analysis& before, const Analysis& after);

/// The positions of one row in the same table of each recording; kNoRow where one has no such row.
using RowChain = std::vector<std::size_t>;

/// Each row of any recording is in exactly one chain, but for loops and findings where a recording
/// tells only a part of its run event by event: then these have no chains. Chains are in the order
/// of the first recording's rows; those that begin later come after them, in the order in which
/// they come.
struct Ladder {
  std::vector<RowChain> directives;
  std::vector<RowChain> variables;
  std::vector<RowChain> iterations;
  std::vector<RowChain> findings;
};

/// Recordings of which each is a step from the one before: each is paired with that one (compare),
/// and what that one lacks with those before it, the nearest first.
Ladder ladder_of(std::span<const Analysis> recordings);

}  // namespace ompdm::analysis
