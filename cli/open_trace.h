// What a TRACE argument of report and compare may be: a trace, the spool of a process (also one
// that still runs), or the name of a trace whose process died and left only its spool.
#pragma once

#include <string>

#include "ompdm/trace.h"

namespace ompdm::cli {

struct OpenedTrace {
  Trace trace;
  bool running = false;  ///< read from the spool of a process that still runs
};

/// Reads it; a dead process' spool beside the name is finished first, which is said in one line on
/// stderr. Throws Error.
OpenedTrace open_trace(const std::string& name);

}  // namespace ompdm::cli
