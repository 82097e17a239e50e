#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <tuple>

#include "analysis/order.h"
#include "analysis/tables.h"
#include "ompdm/error.h"
#include "ompdm/link.h"

namespace ompdm::analysis {

namespace {

using Unit = std::pair<std::string_view, double>;
/// In bytes a second.
constexpr Unit kPresets[] = {
    {"pcie3x16", 12e9}, {"pcie4x16", 25e9}, {"pcie5x16", 55e9}, {"nvlink4", 346e9}};
constexpr Nanoseconds kLatency = 6000;
constexpr Unit kRates[] = {{"TB/s", 1e12}, {"GB/s", 1e9}, {"MB/s", 1e6}, {"KB/s", 1e3}, {"B/s", 1}};
constexpr Unit kTimes[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

std::optional<double> number_of(std::string_view text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || !std::isfinite(number)) return std::nullopt;
  return number;
}

/// "25GB/s" in bytes a second; nothing if it is no number with one of the units.
template <std::size_t count>
std::optional<double> quantity(std::string_view text, const Unit (&units)[count]) {
  for (const auto& [unit, scale] : units) {
    if (!text.ends_with(unit)) continue;
    const std::optional<double> number = number_of(text.substr(0, text.size() - unit.size()));
    return number ? std::optional(*number * scale) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

Link parse_link(std::string_view text) {
  std::string names;
  for (const auto& [name, bytes_per_second] : kPresets) {
    if (text == name) return {std::string(text), bytes_per_second, kLatency};
    names += std::string(name) + ", ";
  }
  const std::size_t comma = text.find(',');
  if (comma != std::string_view::npos) {
    constexpr double kLongest = 1e12;
    const auto rate = quantity(text.substr(0, comma), kRates);
    const auto latency = quantity(text.substr(comma + 1), kTimes);
    if (rate && latency && *rate >= 1 && *latency >= 0 && *latency <= kLongest) {
      return {std::string(text), *rate, std::llround(*latency)};
    }
  }
  throw Error("'" + std::string(text) + "': not a link: write " + names +
                  "or BANDWIDTH,LATENCY as in 25GB/s,10us",
              Error::Kind::kUsage);
}

double parse_kernel_factor(std::string_view text) {
  constexpr double kMost = 1e6;
  const double factor = number_of(text).value_or(0);
  if (!(factor > 0) || factor > kMost) {
    throw Error("'" + std::string(text) +
                    "': how many times as fast kernels would be: write a number, as in 20",
                Error::Kind::kUsage);
  }
  return factor;
}

Nanoseconds transfer_time(const Link& link, std::uint64_t bytes) {
  return link.latency + std::llround(static_cast<double>(bytes) * 1e9 / link.bytes_per_second);
}

namespace {

/// An interval of any column, with its new duration; -1: that follows from what is in it.
struct Span {
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
  std::uint32_t thread = 0;
  std::array<std::int32_t, 2> devices = {-1, -1};  ///< that it is on, but for the host
  OpKind kind = OpKind::kAlloc;
  Nanoseconds modelled = -1;
  bool takes_link = false;       ///< while it is modelled, in its kind's direction
  bool first_of_region = false;  ///< an operation at the very begin of the region it belongs to
  bool is_region = false;
  std::size_t made = kNoRow;  ///< of a region that a task ran: the span that says when it was made
};

/// The order of what happens at one instant. Intervals that end there end before others begin. An
/// instant operation is on the side of the region that it belongs to.
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

/// Walks through the recording in order of time and computes each instant again. Threads are
/// independent of each other, but for waits on a device.
class Retimer {
 public:
  /// The spans have to outlive this.
  explicit Retimer(std::vector<Span>& spans) : spans_(spans) {
    for (const Span& span : spans) old_.emplace_back(span.begin, span.end);
  }

  /// The next boundary in the order of their keys.
  void iteration(const Boundary& boundary) {
    Span& span = spans_[boundary.span];
    Place& place = places_[span.thread];
    if (!place.seen) start(place, boundary.time);
    move_on(place, boundary.time);
    note_idle(place);
    if (boundary.phase == Phase::kEnd || boundary.phase == Phase::kRegionEnd) {
      end(boundary.span, place);
    } else {
      begin(boundary, place);
    }
    note_idle(place);
    last_before_ = boundary.time;
    last_after_ = std::max(last_after_, place.after);
  }

  /// The new time of an instant that is on no thread, and at or after the last boundary.
  [[nodiscard]] Nanoseconds map(Nanoseconds instant) const {
    return last_after_ + std::max<Nanoseconds>(instant - last_before_, 0);
  }

 private:
  /// A thread's place on both time scales.
  struct Place {
    bool seen = false;
    Nanoseconds before = 0;
    Nanoseconds after = 0;
    std::size_t transfer = kNoRow;  ///< the span that is being modelled on this thread
    int depth = 0;                  ///< of the spans that it is in
    Nanoseconds idle_before = 0;    ///< when it last was in none
    Nanoseconds idle_after = 0;
  };

  /// What happened on a device so far, on the new time scale.
  struct DeviceTimes {
    Nanoseconds ended = 0;                    ///< when the last interval so far ended
    std::map<OpKind, Nanoseconds> link_free;  ///< from when on, by the direction of a transfer
  };

  static void note_idle(Place& place) {
    if (place.depth > 0) return;
    place.idle_before = place.before;
    place.idle_after = place.after;
  }

  /// The first thread started a new thread when it was last in no interval.
  void start(Place& place, Nanoseconds time) {
    if (first_ == nullptr) first_ = &place;
    place.seen = true;
    place.after = place.idle_after = first_->idle_after + (time - first_->idle_before);
    place.before = place.idle_before = time;
  }

  void begin(const Boundary& boundary, Place& place) {
    Span& span = spans_[boundary.span];
    if (span.made != kNoRow) place.after = std::max(place.after, spans_[span.made].begin);
    for (const std::int32_t device : span.devices) {
      if (device < 0) continue;
      const DeviceTimes& busy = devices_[device];
      place.after = std::max(place.after, busy.ended);
      const auto link = busy.link_free.find(span.kind);
      if (span.takes_link && link != busy.link_free.end()) {
        place.after = std::max(place.after, link->second);
      }
    }
    if (span.takes_link) {
      for (const std::int32_t device : span.devices) {
        if (device >= 0) devices_[device].link_free[span.kind] = place.after + span.modelled;
      }
    }
    span.begin = place.after;
    if (boundary.phase == Phase::kBegin || boundary.phase == Phase::kRegionBegin) {
      ++place.depth;
      if (span.modelled >= 0) place.transfer = boundary.span;
    } else {
      end_at(span, place, place.after + std::max<Nanoseconds>(span.modelled, 0));
    }
  }

  void end(std::size_t number, Place& place) {
    Span& span = spans_[number];
    --place.depth;
    Nanoseconds end = place.after;
    if (place.transfer == number) {
      place.transfer = kNoRow;
      end = std::max(end, span.begin + span.modelled);
    }
    end_at(span, place, end);
  }

  void end_at(Span& span, Place& place, Nanoseconds end) {
    place.after = span.end = end;
    for (const std::int32_t device : span.devices) {
      if (device < 0) continue;
      Nanoseconds& ended = devices_[device].ended;
      ended = std::max(ended, end);
    }
  }

  void move_on(Place& place, Nanoseconds to) const {
    const Nanoseconds passed = to - place.before;
    place.before = to;
    if (place.transfer == kNoRow) {
      place.after += passed;
      return;
    }
    // Another event of this thread within the transfer keeps its relative position in it.
    const auto& [begin, end] = old_[place.transfer];
    const double share = static_cast<double>(passed) / static_cast<double>(end - begin);
    const auto modelled = static_cast<double>(spans_[place.transfer].modelled);
    place.after =
        std::min<Nanoseconds>(place.after + std::llround(share * modelled),
                              spans_[place.transfer].begin + spans_[place.transfer].modelled);
  }

  std::vector<Span>& spans_;
  std::vector<std::pair<Nanoseconds, Nanoseconds>> old_;  // extents as recorded, by span
  std::map<std::uint32_t, Place> places_;                 // by thread
  const Place* first_ = nullptr;                          // of the thread that was seen first
  std::map<std::int32_t, DeviceTimes> devices_;
  Nanoseconds last_before_ = 0;
  Nanoseconds last_after_ = 0;
};

bool crosses(const DataOp& op) {
  return is_transfer(op.kind) && !op.unfinished && op.src_device != op.dst_device;
}

// The intervals of operations, launches and regions, in order. Before that of a region that a task
// ran: the instant at which the task was made.
std::vector<Span> spans_of(const Trace& trace, const Link& link) {
  std::vector<Span> spans;
  spans.reserve(trace.regions.size() + trace.ops.size() + trace.launches.size());
  const auto on = [&](std::int32_t device) { return device == trace.host_device ? -1 : device; };
  const auto starts_region = [&](const auto& row) {
    return row.region && trace.regions.begin_of(row.region.value) == row.begin;
  };
  for (const DataOp& op : trace.ops) {
    const std::array devices = {on(op.src_device), on(op.dst_device)};
    Span& span = spans.emplace_back(Span{op.begin, op.end, op.thread, devices, op.kind});
    span.takes_link = crosses(op);
    if (span.takes_link) span.modelled = transfer_time(link, op.bytes);
    span.first_of_region = starts_region(op);
  }
  for (const Launch& launch : trace.launches) {
    Span& span =
        spans.emplace_back(Span{launch.begin, launch.end, launch.thread, {on(launch.device), -1}});
    if (link.kernels && !launch.unfinished) {
      span.modelled = std::llround(static_cast<double>(launch.end - launch.begin) / *link.kernels);
    }
    span.first_of_region = starts_region(launch);
  }
  for (const Region& region : trace.regions) {
    if (region.made != 0) spans.push_back({region.made, region.made, region.maker});
    Span& span =
        spans.emplace_back(Span{region.begin, region.end, region.thread, {on(region.device), -1}});
    span.is_region = true;
    if (region.made != 0 && region.made <= region.begin) span.made = spans.size() - 2;
  }
  return spans;
}

std::vector<Boundary> boundaries_of(const std::vector<Span>& spans) {
  std::vector<Boundary> boundaries;
  boundaries.reserve(2 * spans.size());
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const Span& span = spans[i];
    if (span.end <= span.begin) {
      const Phase phase = span.is_region         ? Phase::kRegionInstant
                          : span.first_of_region ? Phase::kInstantAtBegin
                                                 : Phase::kInstantAtEnd;
      boundaries.push_back({span.begin, phase, 0, i});
      continue;
    }
    const Phase begin = span.is_region ? Phase::kRegionBegin : Phase::kBegin;
    const Phase end = span.is_region ? Phase::kRegionEnd : Phase::kEnd;
    boundaries.push_back({span.begin, begin, -span.end, i});
    boundaries.push_back({span.end, end, -span.begin, i});
  }
  std::ranges::sort(boundaries, {}, &Boundary::key);
  return boundaries;
}

void take_times(Trace& trace, const std::vector<Span>& spans) {
  auto span = spans.begin();
  for (std::size_t i = 0; i < trace.ops.size(); ++i, ++span) {
    trace.ops.set_times(i, span->begin, span->end);
  }
  for (std::size_t i = 0; i < trace.launches.size(); ++i, ++span) {
    trace.launches.set_times(i, span->begin, span->end);
  }
  for (std::size_t i = 0; i < trace.regions.size(); ++i, ++span) {
    if (trace.regions.rare(i).made != 0) trace.regions.rare_of(i).made = span++->begin;
    trace.regions.set_times(i, span->begin, span->end);
  }
}

void check_clocks(const Trace& trace) {
  for (const DataOp& op : trace.ops) {
    if (!crosses(op) || op.clock == Clock::kHost) continue;
    throw Error(trace.file +
                    ": its transfers used a real link, so --link models nothing: it is for "
                    "recordings of host devices",
                Error::Kind::kUsage);
  }
}

void check_detail(const Trace& trace) {
  const Recording& recording = trace.recording;
  if (is_recorded_whole(recording)) return;
  const bool counted = is_only_counted(recording, trace.process.wall);
  const char* again =
      recording.detail == Recording::Detail::kAggregates   ? "without --detail tallies"
      : recording.detail == Recording::Detail::kSpoolLimit ? "with a larger --max-spool"
                                                           : "without --after and --until";
  throw Error(trace.file + ": --link re-times single events, and this run was " +
                  (counted ? "aggregated" : "recorded event by event only in part") +
                  ": record it again " + again,
              Error::Kind::kUsage);
}

}  // namespace

Trace retime(Trace trace, const Link& link) {
  check_detail(trace);
  check_clocks(trace);
  std::vector<Span> spans = spans_of(trace, link);
  Retimer retimer(spans);
  std::ranges::sort(trace.device_events, {}, &DeviceEvent::time);
  auto event = trace.device_events.begin();
  for (const Boundary& boundary : boundaries_of(spans)) {
    for (; event != trace.device_events.end() && event->time <= boundary.time; ++event) {
      event->time = retimer.map(event->time);
    }
    retimer.iteration(boundary);
  }
  for (; event != trace.device_events.end(); ++event) event->time = retimer.map(event->time);
  trace.process.wall = retimer.map(trace.process.wall);

  take_times(trace, spans);
  trace.ops.change_shapes([](DataOp& op) {
    if (crosses(op)) op.clock = Clock::kModel;
  });
  if (link.kernels) {
    trace.launches.change_shapes([](Launch& launch) {
      if (!launch.unfinished) launch.clock = Clock::kModel;
    });
  }
  const std::vector<std::uint32_t> moved_to = order_by_begin(trace.regions);
  const auto follow = [&](std::uint32_t region) { return moved_to[region]; };
  trace.ops.change_regions(follow);
  trace.launches.change_regions(follow);
  order_by_begin(trace.ops);
  order_by_begin(trace.launches);
  return trace;
}

}  // namespace ompdm::analysis
