// Loops of the program, and what their passes cost. Part of the analysis (ompdm/analysis.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ompdm/trace.h"

namespace ompdm::analysis {

/// Position in a table that means "no row".
inline constexpr std::size_t kNoRow = std::numeric_limits<std::size_t>::max();

/// What one pass of a loop costs.
struct PassCost {
  std::uint64_t htod_bytes = 0;
  std::uint64_t dtoh_bytes = 0;
  Nanoseconds transfer = 0;  ///< sum of the transfers' durations
  Nanoseconds kernel = 0;    ///< sum of the launches' durations
  /// From the pass's first directive to the next pass's (of the last pass: to its own end), less
  /// `hashing`.
  Nanoseconds wall = 0;
  Nanoseconds hashing = 0;  ///< what the recorder spent on contents meanwhile
  std::uint64_t allocations = 0;
};

/// What a text like "a (jacobi.cpp:75)" stands for.
struct CrossedItem {
  std::vector<std::size_t> variables;  ///< rows of Analysis::variables
  std::size_t directive = kNoRow;      ///< row of Analysis::directives
};

/// Data that crossed again and again in a loop, mostly as it had crossed before.
struct Recurring {
  std::string item;  ///< "a (jacobi.cpp:75)"; empty if its name is not known
  CrossedItem of;
  std::uint64_t bytes = 0;      ///< of all its transfers
  std::uint64_t unchanged = 0;  ///< transfers that carried what the one before had, of
  std::uint64_t compared = 0;   ///< this many
};

/// Why a loop was found from the order of events alone.
struct ByOrder {
  enum class Why : std::uint8_t {
    kNot,         ///< it is one of the code
    kNoCalls,     ///< of a directive of its thread it is not known which calls led to it
    kCodeUnread,  ///< code on the way to one is not known
  };
  Why why = Why::kNot;
  std::string function;  ///< whose code that is; empty: not known
  bool operator==(const ByOrder&) const = default;
};

/// A group of directives that was executed again and again on one thread: a loop of the program.
struct Iteration {
  /// By its place, or by its directives where it has none: equal in another run of the same build.
  std::string id;
  /// Where its `for` or `while` is, and in which function; empty and 0 where it was found from the
  /// order of events alone, or the compiler left no line.
  std::string file;
  int line = 0;
  int inside = 0;  ///< a line in the loop, where it is not known in which it begins
  std::string function;
  bool unrolled = false;   ///< repeats of one source line: the code has no loop there (any more)
  bool from_code = false;  ///< found in the program's code, not from the order of events
  ByOrder by_order = {};
  bool at_least = false;        ///< more passes may have come, in which nothing was recorded
  std::size_t parent = kNoRow;  ///< row of the loop that all of its passes were in
  std::vector<std::size_t>
      directives;             ///< rows of Analysis::directives in the order of a pass, each once
  std::uint64_t count = 0;    ///< passes in all, first and last included
  std::uint64_t entries = 0;  ///< how many times the loop was entered, over all threads
  bool entries_at_least = false;  ///< it may have been entered more often, unseen
  std::uint32_t devices = 1;      ///< that each pass goes over, one after the other
  PassCost steady;                ///< mean over the passes that are not the first of an entry
  PassCost first;                 ///< the first pass of the first entry
  /// Bytes a pass, both ways, of pieces whose content was the same in every pass that was looked
  /// at; none if no contents were compared.
  std::optional<std::uint64_t> invariant_bytes;
  std::vector<std::string> invariant_items;  ///< what these are: "a (jacobi.cpp:75)", most first
  std::vector<CrossedItem> invariant_rows;   ///< the same as rows, item by item
  /// Of what did change, that which mostly did not; most bytes first.
  std::vector<Recurring> recurring;
  bool timed = true;  ///< false if a transfer or kernel has only an enqueue time: `wall` alone can
                      ///< be trusted
};

}  // namespace ompdm::analysis
