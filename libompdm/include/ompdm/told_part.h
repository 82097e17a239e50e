// Which part of a run its recording tells event by event. The rest was counted: totals and tables
// by directive, variable and activity are of the whole run all the same. What was lost is in no
// figure. Pure.
#pragma once

#include <algorithm>
#include <string_view>

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

/// Whether events of the run are missing for this reason: then figures are of what is left. Names,
/// contents, call paths and a device's own times may be missing where all events are there.
inline bool is_of_events(const Loss& loss) {
  constexpr std::string_view kEvents[] = {"records_", "regions_", "ops_",
                                          "threads_", "forked_",  "chunks_"};
  // Of a list that is too long its first items are told, and the event.
  return loss.count > 0 && loss.name != "records_too_large" &&
         std::ranges::any_of(
             kEvents, [&](std::string_view prefix) { return loss.name.starts_with(prefix); });
}

}  // namespace ompdm
