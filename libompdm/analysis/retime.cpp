#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/order.h"
#include "analysis/tables.h"
#include "ompdm/error.h"
#include "ompdm/link.h"

namespace ompdm::analysis {
namespace {

/// An interval of any column, with what it is to take; -1 where that follows from what is in it.
struct Span {
  Nanoseconds* begin = nullptr;
  Nanoseconds* end = nullptr;
  std::uint32_t thread = 0;
  Nanoseconds modelled = -1;
  bool first_of_region = false;  ///< an operation at the very begin of the region it belongs to
  bool is_region = false;
};

/// What happens at one instant, in this order: what ends there must have ended before what begins
/// there, and what takes no time is on the side of the region that it belongs to.
enum class Phase : std::uint8_t {
  kEnd,
  kInstantAtEnd,
  kRegionEnd,
  kRegionInstant,
  kRegionBegin,
  kInstantAtBegin,
  kBegin,
};

struct Boundary {
  Nanoseconds time = 0;
  Phase phase = Phase::kBegin;
  Nanoseconds nesting = 0;  ///< the outer interval begins first and ends last
  std::size_t span = 0;

  [[nodiscard]] auto key() const { return std::tuple(time, phase, nesting, span); }
};

/// A thread's place on both time scales.
struct Place {
  bool seen = false;
  Nanoseconds before = 0;
  Nanoseconds after = 0;
  std::size_t transfer = kNoRow;  ///< the span that is being modelled on this thread
};

bool crosses(const DataOp& op) {
  return is_transfer(op.kind) && !op.unfinished && op.src_device != op.dst_device;
}

std::vector<Span> spans_of(Trace& trace, const Link& link) {
  std::vector<Span> spans;
  spans.reserve(trace.regions.size() + trace.ops.size() + trace.launches.size());
  const auto starts_region = [&](const auto& row) {
    return row.region && trace.regions[row.region.value].begin == row.begin;
  };
  for (DataOp& op : trace.ops) {
    const Nanoseconds modelled = crosses(op) ? transfer_time(link, op.bytes) : -1;
    spans.push_back({&op.begin, &op.end, op.thread, modelled, starts_region(op), false});
  }
  for (Launch& launch : trace.launches) {
    spans.push_back({&launch.begin, &launch.end, launch.thread, -1, starts_region(launch), false});
  }
  for (Region& region : trace.regions) {
    spans.push_back({&region.begin, &region.end, region.thread, -1, false, true});
  }
  return spans;
}

std::vector<Boundary> boundaries_of(const std::vector<Span>& spans) {
  std::vector<Boundary> boundaries;
  boundaries.reserve(2 * spans.size());
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const Span& span = spans[i];
    if (*span.end <= *span.begin) {
      const Phase phase = span.is_region         ? Phase::kRegionInstant
                          : span.first_of_region ? Phase::kInstantAtBegin
                                                 : Phase::kInstantAtEnd;
      boundaries.push_back({*span.begin, phase, 0, i});
      continue;
    }
    const Phase begin = span.is_region ? Phase::kRegionBegin : Phase::kBegin;
    const Phase end = span.is_region ? Phase::kRegionEnd : Phase::kEnd;
    boundaries.push_back({*span.begin, begin, -*span.end, i});
    boundaries.push_back({*span.end, end, -*span.begin, i});
  }
  std::sort(boundaries.begin(), boundaries.end(),
            [](const Boundary& a, const Boundary& b) { return a.key() < b.key(); });
  return boundaries;
}

/// Walks through the recording in order of time and sets each instant anew.
class Retimer {
 public:
  Retimer(std::vector<Span>& spans, std::size_t threads) : spans_(spans), places_(threads) {
    for (const Span& span : spans) old_.emplace_back(*span.begin, *span.end);
  }

  void pass(const Boundary& boundary) {
    Span& span = spans_[boundary.span];
    Place& place = places_[span.thread];
    if (!place.seen) place = {true, boundary.time, map(boundary.time)};
    move_on(place, boundary.time);
    const bool begins = boundary.phase == Phase::kBegin || boundary.phase == Phase::kRegionBegin;
    if (boundary.phase == Phase::kEnd || boundary.phase == Phase::kRegionEnd) {
      if (place.transfer == boundary.span) {
        place.transfer = kNoRow;
        place.after = std::max(place.after, *span.begin + span.modelled);
      }
      *span.end = place.after;
    } else {
      place.after = std::max(place.after, ended_);
      *span.begin = place.after;
      if (begins) {
        if (span.modelled >= 0) place.transfer = boundary.span;
      } else {
        place.after += std::max<Nanoseconds>(span.modelled, 0);
        *span.end = place.after;
      }
    }
    if (!begins) ended_ = std::max(ended_, place.after);
    last_before_ = boundary.time;
    last_after_ = std::max(last_after_, place.after);
  }

  /// Where an instant that is on no thread, at or after the last boundary, comes to lie.
  [[nodiscard]] Nanoseconds map(Nanoseconds instant) const {
    return last_after_ + std::max<Nanoseconds>(instant - last_before_, 0);
  }

 private:
  void move_on(Place& place, Nanoseconds to) const {
    const Nanoseconds passed = to - place.before;
    place.before = to;
    if (place.transfer == kNoRow) {
      place.after += passed;
      return;
    }
    // Something else happens on this thread within the transfer: it keeps its part of the way.
    const auto& [begin, end] = old_[place.transfer];
    const double share = static_cast<double>(passed) / static_cast<double>(end - begin);
    const auto modelled = static_cast<double>(spans_[place.transfer].modelled);
    place.after =
        std::min<Nanoseconds>(place.after + std::llround(share * modelled),
                              *spans_[place.transfer].begin + spans_[place.transfer].modelled);
  }

  std::vector<Span>& spans_;
  std::vector<std::pair<Nanoseconds, Nanoseconds>> old_;  ///< extents as recorded, by span
  std::vector<Place> places_;                             ///< by thread
  Nanoseconds ended_ = 0;                                 ///< when the last interval so far ended
  Nanoseconds last_before_ = 0;
  Nanoseconds last_after_ = 0;
};

void check_clocks(const Trace& trace) {
  for (const DataOp& op : trace.ops) {
    if (!crosses(op) || op.clock == Clock::kHost) continue;
    throw Error(trace.file +
                    ": its transfers crossed a link of their own: a model of one is for recordings "
                    "of host devices, look at this one without",
                Error::Kind::kUsage);
  }
}

std::uint32_t thread_count(const std::vector<Span>& spans) {
  std::uint32_t last = 0;
  for (const Span& span : spans) last = std::max(last, span.thread);
  return last + 1;
}

}  // namespace

Trace retime(Trace trace, const Link& link) {
  check_clocks(trace);
  std::vector<Span> spans = spans_of(trace, link);
  Retimer retimer(spans, thread_count(spans));
  std::sort(trace.device_events.begin(), trace.device_events.end(),
            [](const DeviceEvent& a, const DeviceEvent& b) { return a.time < b.time; });
  auto event = trace.device_events.begin();
  for (const Boundary& boundary : boundaries_of(spans)) {
    for (; event != trace.device_events.end() && event->time <= boundary.time; ++event) {
      event->time = retimer.map(event->time);
    }
    retimer.pass(boundary);
  }
  for (; event != trace.device_events.end(); ++event) event->time = retimer.map(event->time);
  trace.process.wall = retimer.map(trace.process.wall);

  for (DataOp& op : trace.ops) {
    if (crosses(op)) op.clock = Clock::kModel;
  }
  const std::vector<std::uint32_t> moved_to = order_by_begin(trace.regions);
  for (DataOp& op : trace.ops) {
    if (op.region) op.region.value = moved_to[op.region.value];
  }
  for (Launch& launch : trace.launches) {
    if (launch.region) launch.region.value = moved_to[launch.region.value];
  }
  order_by_begin(trace.ops);
  order_by_begin(trace.launches);
  return trace;
}

}  // namespace ompdm::analysis
