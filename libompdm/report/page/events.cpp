#include "report/page/events.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <tuple>

#include "analysis/order.h"

namespace ompdm::report::page {
namespace {

constexpr std::size_t kMostLanes = 6;

std::optional<EventKind> event_kind(OpKind kind) {
  switch (kind) {
    case OpKind::kHtoD:
      return EventKind::kHtoD;
    case OpKind::kDtoH:
      return EventKind::kDtoH;
    case OpKind::kDtoD:
      return EventKind::kDtoD;
    case OpKind::kMemset:
      return EventKind::kMemset;
    case OpKind::kAlloc:
      return EventKind::kAlloc;
    case OpKind::kDelete:
      return EventKind::kDelete;
    case OpKind::kAssociate:
    case OpKind::kDisassociate:
      break;
  }
  return std::nullopt;
}

/// Sorts of events that share a track, in the order of tracks.
int track_rank(EventKind kind) {
  switch (kind) {
    case EventKind::kHtoD:
      return 0;
    case EventKind::kKernel:
      return 1;
    case EventKind::kDtoH:
      return 2;
    case EventKind::kDtoD:
    case EventKind::kMemset:
      return 3;
    case EventKind::kAlloc:
    case EventKind::kDelete:
      return 4;
    case EventKind::kRegion:
      break;
  }
  return 5;
}

std::uint64_t instant(Nanoseconds time) { return time < 0 ? 0 : static_cast<std::uint64_t>(time); }

/// Makes tracks as events come, and numbers them in the order in which they are shown.
class Tracks {
 public:
  void put(Event& event, std::int32_t device, std::uint32_t thread) {
    const bool on_host = event.kind == EventKind::kRegion;
    const Key key(on_host, on_host ? -1 : device, track_rank(event.kind), on_host ? thread : 0);
    event.track = keys_.try_emplace(key, static_cast<std::uint32_t>(keys_.size())).first->second;
  }

  /// By the numbers that put() gave: where each track is shown.
  std::vector<std::uint32_t> order(const Trace& trace, std::vector<EventTrack>& tracks) const {
    constexpr std::array kKinds = {EventKind::kHtoD, EventKind::kKernel, EventKind::kDtoH,
                                   EventKind::kDtoD, EventKind::kAlloc,  EventKind::kRegion};
    std::vector<std::uint32_t> shown(keys_.size());
    for (const auto& [key, number] : keys_) {
      const auto& [on_host, device, rank, thread] = key;
      shown[number] = static_cast<std::uint32_t>(tracks.size());
      EventTrack& track = tracks.emplace_back();
      track.device = device;
      track.kind = kKinds[static_cast<std::size_t>(rank)];
      if (on_host && thread < trace.threads.size()) track.tid = trace.threads[thread].tid;
    }
    return shown;
  }

 private:
  using Key = std::tuple<bool, std::int32_t, int, std::uint32_t>;
  std::map<Key, std::uint32_t> keys_;
};

/// Puts events that run at the same time into lanes of their own.
void assign_lanes(Events& events) {
  std::vector<std::vector<std::uint64_t>> ends(events.tracks.size());
  for (Event& event : events.rows) {
    std::vector<std::uint64_t>& lanes = ends[event.track];
    auto free = std::ranges::find_if(lanes, [&](std::uint64_t end) { return end <= event.begin; });
    if (free == lanes.end() && lanes.size() < kMostLanes) free = lanes.insert(lanes.end(), 0);
    if (free == lanes.end()) --free;
    *free = std::max(*free, event.begin + event.duration);
    event.lane = static_cast<std::uint8_t>(free - lanes.begin());
    events.tracks[event.track].lanes = static_cast<std::uint8_t>(lanes.size());
  }
}

/// What an operation, a launch or a region has that says when it was, and how far it is known.
template <class Row>
Event timed_event(const Row& row, EventKind kind) {
  Event event;
  event.kind = kind;
  event.begin = instant(row.begin);
  event.duration = instant(row.end) - std::min(event.begin, instant(row.end));
  if (row.unfinished) event.flags |= kUnfinishedEvent;
  return event;
}

}  // namespace

std::int32_t drawn_under(const Trace& trace, const DataOp& op) {
  return op.dst_device >= 0 && op.dst_device != trace.host_device ? op.dst_device : op.src_device;
}

std::vector<std::uint32_t> variable_rows(const Trace& trace,
                                         const std::vector<analysis::VariableRow>& variables) {
  std::vector<std::uint32_t> rows(trace.variables.size(), kNoRow32);
  for (std::uint32_t i = 0; i < variables.size(); ++i) rows[variables[i].piece.value] = i;
  return rows;
}

Events events_of(const Trace& trace, const analysis::Picture& picture,
                 const std::vector<analysis::VariableRow>& variables) {
  const std::vector<std::uint32_t> variable = variable_rows(trace, variables);
  const auto directive = [&](Index<Site> site) {
    return site ? picture.directive_of_site[site.value] : kNoRow32;
  };
  Events events;
  events.rows.reserve(trace.ops.size() + trace.launches.size() + trace.regions.size());
  Tracks tracks;
  for (std::size_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp op = trace.ops[i];
    const std::optional<EventKind> kind = event_kind(op.kind);
    if (!kind) continue;
    Event event = timed_event(op, *kind);
    event.bytes = op.bytes;
    if (op.internal) event.flags |= kInternalEvent;
    if (op.clock == Clock::kEnqueue) event.flags |= kEnqueueEvent;
    event.directive = directive(op.site);
    if (op.variable) event.variable = variable[op.variable.value];
    event.finding = picture.finding_of_op[i];
    tracks.put(event, drawn_under(trace, op), op.thread);
    events.rows.push_back(event);
  }
  for (const Launch& launch : trace.launches) {
    Event event = timed_event(launch, EventKind::kKernel);
    if (launch.clock == Clock::kEnqueue) event.flags |= kEnqueueEvent;
    event.directive = directive(launch.site);
    tracks.put(event, launch.device, launch.thread);
    events.rows.push_back(event);
  }
  for (const Region& region : trace.regions) {
    Event event = timed_event(region, EventKind::kRegion);
    if (region.ends_data) event.flags |= kDataEndEvent;
    if (region.host_fallback) event.flags |= kFallbackEvent;
    event.directive = directive(region.site);
    tracks.put(event, region.device, region.thread);
    events.rows.push_back(event);
  }
  const std::vector<std::uint32_t> shown = tracks.order(trace, events.tracks);
  for (Event& event : events.rows) event.track = shown[event.track];
  analysis::sort_rows(events.rows, std::mem_fn(&Event::begin));
  assign_lanes(events);
  events.end = instant(trace.process.wall);
  for (const Event& event : events.rows) {
    events.end = std::max(events.end, event.begin + event.duration);
  }
  return events;
}

}  // namespace ompdm::report::page
