#pragma once

#include <functional>
#include <string>
#include <vector>

#include "launch.h"

namespace ompdm::cli {

/// A number and ns, us, ms, s, min or h, more than zero.
std::string is_time(const std::string& value);

/// Such a time as the recorder reads it: in whole microseconds, no less than asked for; empty
/// of an empty one.
std::string recorder_time(const std::string& value);

/// FILE:LINE.
std::string is_place(const std::string& value);

/// "none", or a whole number and K, M, G, T, KB … TB, KiB, MiB or GiB; without one of them bytes.
std::string is_spool_size(const std::string& value);

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
