#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "analysis/order.h"
#include "analysis/retimer.h"
#include "analysis/tables.h"
#include "ompdm/error.h"
#include "ompdm/link.h"
#include "ompdm/told_part.h"

namespace ompdm::analysis {
namespace {

bool crosses(const DataOp& op) {
  return is_transfer(op.kind) && !op.unfinished && op.src_device != op.dst_device;
}

// Those of operations, launches and regions, in order; before a region's, that of its making.
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
  std::sort(boundaries.begin(), boundaries.end(),
            [](const Boundary& a, const Boundary& b) { return a.key() < b.key(); });
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
                    ": its transfers crossed a link of their own: a model of one is for recordings "
                    "of host devices, look at this one without",
                Error::Kind::kUsage);
  }
}

void check_detail(const Trace& trace) {
  const Recording& recording = trace.recording;
  if (is_told_whole(recording)) return;
  const bool counted = is_only_counted(recording, trace.process.wall);
  const char* again = recording.detail == "tallies"       ? "without --detail tallies"
                      : recording.detail == "spool_limit" ? "with a larger --max-spool"
                                                          : "without --after and --until";
  throw Error(trace.file + ": a model of a link re-times single events, and this run was " +
                  (counted ? "only counted" : "told event by event only in part") +
                  ": record it again " + again,
              Error::Kind::kUsage);
}

std::uint32_t thread_count(const std::vector<Span>& spans) {
  std::uint32_t last = 0;
  for (const Span& span : spans) last = std::max(last, span.thread);
  return last + 1;
}

}  // namespace

Trace retime(Trace trace, const Link& link) {
  check_detail(trace);
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
