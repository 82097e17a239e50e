// Several analyses: runs of one program on several inputs, and versions of a program that are
// compared. Pure functions.
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

/// Numbers the runs of one program (Analysis::run), and fills in the verdict of each run on every
/// finding (Finding::runs). Takes the edits from findings that a run contradicts; these findings
/// keep their figures. A run that lacks an edit does not contradict it if the run executed none of
/// the edit's directives. Nor does a run whose edits of the finding are withdrawn because it did
/// not execute a branch that this run executed.
void agree(std::span<Analysis> runs);

/// The positions of one row in the same table of each version; kNoRow where a version has no such
/// row.
using RowChain = std::vector<std::size_t>;

/// The rows of all versions. Each row of a version is in exactly one chain. Loops and findings have
/// no chains where a version records only a part of its run as events. Chains are in the order of
/// the first version's rows; those that begin later follow, in the order in which they begin.
struct Comparison {
  std::vector<RowChain> activities;
  std::vector<RowChain> directives;
  std::vector<RowChain> variables;
  std::vector<RowChain> loops;
  std::vector<RowChain> findings;
  std::vector<RowChain> mapping;  ///< of Analysis::mapping
};

/// Recognizes the rows of each version in the version before it, and rows that this one lacks in
/// earlier versions, the nearest first. Rows are recognized by properties that an edit of the
/// source does not change:
/// - a directive or kernel by its sort, file and function, in order of lines if there are several
///   (an equal line decides if one side has more of them); then by sort and function in files of
///   other names; then as the only row of its sort that is left in a file on both sides;
/// - a variable by name and file, then by name;
/// - a finding by pattern, variable, function and file, then without its function;
/// - a loop by the directives that it shares with another.
Comparison compare(std::span<const Analysis> versions);

}  // namespace ompdm::analysis
