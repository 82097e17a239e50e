#include "exported_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "instant.h"
#include "ompdm/error.h"
#include "report/units.h"

namespace ompdm::cli {

AskedPart parse_part(const std::string& from, const std::string& to) {
  AskedPart part;
  if (!from.empty()) part.from = parse_instant("--from", from);
  if (!to.empty()) part.to = parse_instant("--to", to);
  if (part.from && part.to && *part.from > *part.to) {
    throw Error("--from is later than --to", Error::Kind::kUsage);
  }
  return part;
}

Span part_of(const AskedPart& asked, const Span& there, const std::string& whose) {
  const std::string what = fmt::format("{} from {} to {}", whose, report::spoken_time(there.from),
                                       report::spoken_time(there.to));
  const Nanoseconds from = asked.from.value_or(there.from);
  const Nanoseconds to = asked.to.value_or(there.to);
  if (from > there.to || to < there.from) {
    throw Error(what + ": choose --from and --to within", Error::Kind::kUsage);
  }
  if (from < there.from || to > there.to) {
    fmt::print(stderr, "ompdm: {}: the part is cut to that\n", what);
  }
  return {std::max(from, there.from), std::min(to, there.to)};
}

Span told_span(const Trace& trace) {
  const Recording& recording = trace.recording;
  const Span told{recording.told_from,
                  recording.told_to != 0 ? recording.told_to : trace.process.wall};
  const bool is_counted =
      recording.detail == "tallies" || (!recording.detail.empty() && told.from >= told.to);
  if (is_counted) {
    throw Error(trace.file +
                ": was counted, and no event is told: there is no part to take, leave out --from "
                "and --to");
  }
  return told;
}

}  // namespace ompdm::cli
