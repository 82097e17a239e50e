// Summaries beside the traces of a job's ranks: `trace.rank3.summary.json` of `trace.rank3.json`.
// Made when a trace is, or by the first who wants one; where a folder cannot be written, in memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ompdm/finish.h"
#include "ompdm/summary.h"

namespace ompdm::cli {

/// Whether a program's end waits for what is done.
enum class WaitedFor : std::uint8_t { kNo, kYes };

/// Leaves the summary of a trace that was just written beside it, if its process is a rank of
/// several. Says nothing where that fails, and does nothing where somebody would wait long: whoever
/// wants it makes it then.
void leave_summary(const FinishResult& finished, WaitedFor waited);

/// Of a summary or of a trace, which is read only if its own summary is missing or of another
/// trace. Throws Error.
summary::Summary summary_of(const std::string& name);

}  // namespace ompdm::cli
