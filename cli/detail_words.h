// Which part of a run is told event by event, in words.
#pragma once

#include <fmt/format.h>

#include <string>

#include "ompdm/trace.h"
#include "report/units.h"

namespace ompdm::cli {

/// "events told from 40.0 ms to 60.0 ms, the rest counted", of a recording that has a detail;
/// `running`: its process still runs.
inline std::string detail_of(const Trace& trace, bool running) {
  const Recording& recording = trace.recording;
  if (recording.detail == "tallies") return "counted, no event is told (OMPDM_DETAIL)";
  if (recording.is_part()) {
    return fmt::format("a part of a run, from {} to {}: the rest is not here",
                       report::spoken_time(recording.told_from),
                       report::spoken_time(recording.told_to));
  }
  const Nanoseconds to = recording.told_to != 0 ? recording.told_to : trace.process.wall;
  if (recording.detail == "window" && to <= recording.told_from) {
    return to < trace.process.wall ? "counted, the window ended before it began"
           : running               ? "counted, the window has not begun yet"
                                   : "counted, the window did not begin before the end";
  }
  if (recording.detail == "window" && recording.told_from == 0 && recording.told_to == 0) {
    return running ? "all events are told: the window has not ended yet"
                   : "all events are told: the window did not end before the program did (the "
                     "directive of --until was not met, or --duration was not over)";
  }
  return fmt::format(
      "events told from {} {}, the rest counted{}", report::spoken_time(recording.told_from),
      recording.told_to == 0 ? "on" : "to " + report::spoken_time(recording.told_to),
      recording.detail == "spool_limit" ? ": the spool had reached its limit (OMPDM_MAX_SPOOL)"
                                        : "");
}

}  // namespace ompdm::cli
