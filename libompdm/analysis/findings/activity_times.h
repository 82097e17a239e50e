// When kernels were running on each device: questions about time that detectors ask again and
// again, answered in logarithmic time. Inside the analysis library only.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "ompdm/trace.h"

namespace ompdm::analysis {

/// From when on a kernel may be at work: the program asked for it then, and if a task runs it does
/// not see when it begins.
Nanoseconds begin_of(const Trace& trace, const Launch& launch);

/// Positions in Trace::launches, in order of that.
std::vector<std::uint32_t> launches_by_begin(const Trace& trace);

class KernelTimes {
 public:
  explicit KernelTimes(const Trace& trace);

  /// Whether a kernel may have been running on the device at any time in (from, to). Where only the
  /// submission of a kernel was timed it counts as running until its region ended, or for ever.
  [[nodiscard]] bool any(std::int32_t device, Nanoseconds from, Nanoseconds to) const;

 private:
  struct Device {
    std::vector<Nanoseconds> begins;
    std::vector<Nanoseconds> latest_end;  // of that launch and all before it
  };
  std::map<std::int32_t, Device> devices_;
};

}  // namespace ompdm::analysis
