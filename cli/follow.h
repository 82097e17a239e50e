// A process that still runs, looked at again and again: its spool is read, the process itself has
// nothing to do.
#pragma once

#include <chrono>
#include <string>

namespace ompdm::cli {

/// Prints what the process moved by directive, `every` so long and no sooner than ten times as long
/// as reading takes, until it ends (returns 0) or Ctrl-C ends the command. `name` is its spool, or
/// the trace that it is to become. Throws Error where no such process runs.
int follow(const std::string& name, std::chrono::seconds every);

}  // namespace ompdm::cli
