// What each directive moved, in all and by the calls that led to it. Part of the analysis
// (ompdm/analysis.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ompdm/trace.h"

namespace ompdm::analysis {

/// Operations of one sort, summed. `time` is the sum of their durations, overlaps counted twice, on
/// the operations' own clocks; use Headline for shares.
struct Flow {
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
  Nanoseconds time = 0;
  bool operator==(const Flow&) const = default;
};

/// Instances of one directive (or one API call site), summed.
struct DirectiveFigures {
  std::uint64_t count = 0;  ///< instances; a `target data` region is one; API rows: calls
  Flow htod;
  Flow dtoh;
  Flow dtod;
  std::uint64_t alloc_count = 0;
  std::uint64_t kernel_count = 0;
  std::uint64_t fallback_count = 0;  ///< instances whose kernel ran on the host instead
  std::uint64_t mapped_bytes =
      0;  ///< sum of the extents named by its maps, whether or not they were sent
  Nanoseconds kernel_time = 0;  ///< sum of its launches' durations
  Nanoseconds time =
      0;              ///< sum of its instances' durations, host clock; API rows: of its operations
  bool timed = true;  ///< false if a transfer or kernel has only an enqueue time: `time` alone can
                      ///< be trusted
};

/// Adds `other` to `sum`.
void add(DirectiveFigures& sum, const DirectiveFigures& other);

/// Instances that were reached by the same calls.
struct DirectivePath : DirectiveFigures {
  std::string id;  ///< by its frames; unique in its row
  /// The directive's place, then the calls that led to it, the innermost first; functions that were
  /// inlined count as called. Calls within a library without debug information are one frame, whose
  /// function is the library's name in brackets. Empty: not known.
  std::vector<Frame> frames;
};

/// One directive of the source, all of its instances summed.
struct DirectiveRow : DirectiveFigures {
  /// By its sort, place and function: equal in another run of the same build (ompdm/row_id.h).
  std::string id;
  Directive directive = Directive::kRuntime;
  std::string file;  ///< as the compiler was given it; empty if unknown
  int line = 0;      ///< of the #pragma; 0 if unknown
  int column = 0;
  std::string function;
  std::string api;            ///< the API routine of a Directive::kApi row, empty if unknown
  std::string module;         ///< path of the binary, for rows whose line is unknown
  std::uint64_t address = 0;  ///< in that binary, of one of its sites
  /// Which add up to the row; most bytes first, then longest. Empty where no call path is known.
  std::vector<DirectivePath> paths;
};

}  // namespace ompdm::analysis
