// The timeline of chosen ranks: what `ompdm export --format json` makes of several traces.
#pragma once

#include <string>
#include <vector>

#include "exported_part.h"
#include "named_traces.h"

namespace ompdm::cli {

struct TimelineOptions {
  std::vector<std::string> files;  ///< the traces
  std::string ranks;               ///< of them, as "0,3-5"; empty: all
  std::string output;              ///< empty: standard output
  AskedPart part;                  ///< on the timeline's clock
};

/// Writes the timeline, holding one trace at a time, and says on stderr how far times agree. Its
/// clock begins as the first of all `files` starts, chosen or not. Throws Error.
void write_timeline(const TimelineOptions& options, const NamedTraces& named);

}  // namespace ompdm::cli
