// Which part of a run its recording tells event by event. The rest was counted: totals and tables
// by directive, variable and activity are of the whole run all the same. Pure.
#pragma once

#include "ompdm/recording.h"

namespace ompdm {

/// Whether all of the run is told event by event: else loops, findings, waits and unions of time
/// are of a part of it, or not known.
inline bool is_told_whole(const Recording& recording) {
  // A window that was open from the beginning to the end left nothing out.
  return recording.detail.empty() ||
         (recording.detail == "window" && recording.told_from <= 0 && recording.told_to == 0);
}

/// Whether none of it is. `wall` is how long the process took.
inline bool is_only_counted(const Recording& recording, Nanoseconds wall) {
  return recording.detail == "tallies" ||
         (!recording.detail.empty() &&
          recording.told_from >= (recording.told_to != 0 ? recording.told_to : wall));
}

}  // namespace ompdm
