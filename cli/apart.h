// Work that an impatient user cannot spoil: it is done in a process of its own, out of the
// terminal's reach, while this one waits and may leave.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "launch.h"

namespace ompdm::cli {

/// How far the work had come when the waiting ended.
struct Apart {
  std::vector<std::string> lines;  ///< what it has to say, if it is done
  bool left = false;               ///< a signal came first; the work goes on
  bool died = false;               ///< it was killed, for instance for want of memory
};

/// Does `work` in a child process of a session of its own, without this one's streams, and waits
/// for its lines, or for a signal that would end this process. `slow` is called once if it takes a
/// second. Where no process can be had the work is done here.
Apart work_apart(const std::function<std::vector<std::string>()>& work,
                 const SignalForwarding& signals, const std::function<void()>& slow);

}  // namespace ompdm::cli
