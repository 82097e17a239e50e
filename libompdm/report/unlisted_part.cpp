#include <fmt/format.h>

#include <algorithm>

#include "ompdm/report.h"
#include "ompdm/told_part.h"
#include "report/losses.h"
#include "report/units.h"

namespace ompdm::report {

std::string unlisted_part(const Trace& trace) {
  const Recording& recording = trace.recording;
  const std::string lost = lost_events(trace.losses);
  if (is_told_whole(recording) || recording.is_part()) {
    return lost.empty() ? lost : "what was lost is not listed: " + lost;
  }
  const Nanoseconds wall = trace.process.wall;
  if (is_only_counted(recording, wall)) {
    return "nothing is listed: the run was counted, not told event by event";
  }
  const Nanoseconds to = recording.told_to != 0 ? recording.told_to : wall;
  return fmt::format(
      "what began from {} to {} of {} is listed: the rest was counted, not told event by event",
      spoken_time(std::max(recording.told_from, Nanoseconds{0})), spoken_time(to),
      spoken_time(wall));
}

}  // namespace ompdm::report
