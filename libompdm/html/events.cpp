#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "analysis/order.h"
#include "html/page.h"
#include "model/device_memory.h"

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

/// The position of an event's track among those of its device: some kinds share a track.
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

/// Makes a track for each kind of a device's events and for each host thread.
class Tracks {
 public:
  void put(Event& event, std::int32_t device, std::uint32_t thread) {
    const bool on_host = event.kind == EventKind::kRegion;
    const Key key(on_host, on_host ? -1 : device, track_rank(event.kind), on_host ? thread : 0);
    event.track = keys_.try_emplace(key, static_cast<std::uint32_t>(keys_.size())).first->second;
  }

  /// Adds the tracks in the order in which they are shown, and returns their positions by the
  /// numbers that put() gave.
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

/// The time of an operation, a launch or a region.
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
    tracks.put(event, drawn_device(trace, op), op.thread);
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

namespace {

constexpr std::uint64_t kMostBins = 150'000;  // of all tracks, and of all variables

/// The width of a bin, so that `lines` lines have at most kMostBins bins.
std::uint64_t width_of(std::uint64_t end, std::uint64_t lines) {
  const std::uint64_t slots =
      std::clamp<std::uint64_t>(kMostBins / std::max<std::uint64_t>(lines, 1), 16, 8192);
  return std::max<std::uint64_t>((end + slots) / slots, 1);
}

/// Bins in the order in which a page reads them.
template <class Value>
std::vector<Value> by_slot(const std::map<std::pair<std::uint32_t, std::uint32_t>, Value>& bins) {
  std::vector<Value> rows;
  rows.reserve(bins.size());
  for (const auto& [key, value] : bins) rows.push_back(value);
  return rows;
}

std::vector<TransferBin> transfers_of(const Events& events, std::uint64_t width) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, TransferBin> bins;
  for (const Event& event : events.rows) {
    const bool is_transfer = event.kind == EventKind::kHtoD || event.kind == EventKind::kDtoH;
    if (!is_transfer || event.variable == kNoRow32) continue;
    const auto slot = static_cast<std::uint32_t>(event.begin / width);
    TransferBin& bin = bins[{slot, event.variable}];
    bin.variable = event.variable;
    bin.slot = slot;
    ++(event.kind == EventKind::kHtoD ? bin.htod : bin.dtoh);
    if (event.finding != kNoRow32) ++bin.redundant;
  }
  return by_slot(bins);
}

std::uint64_t variables_in(const Events& events) {
  std::uint64_t count = 0;
  for (const Event& event : events.rows) {
    if (event.variable != kNoRow32) count = std::max<std::uint64_t>(count, event.variable + 1);
  }
  return count;
}

}  // namespace

Binned bin(Events& events, std::size_t most) {
  Binned binned;
  if (events.rows.size() <= most) return binned;
  binned.transfer_width = width_of(events.end, variables_in(events));
  binned.transfers = transfers_of(events, binned.transfer_width);
  binned.width = width_of(events.end, events.tracks.size());
  std::vector<std::uint64_t> durations;
  durations.reserve(events.rows.size());
  for (const Event& event : events.rows) durations.push_back(event.duration);
  const auto shortest_kept = durations.begin() + static_cast<std::ptrdiff_t>(most / 2);
  std::ranges::nth_element(durations, shortest_kept, std::greater<>());
  const std::uint64_t limit = *shortest_kept;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Bin> bins;
  std::vector<Event> kept;
  for (const Event& event : events.rows) {
    if (event.duration > limit) {
      kept.push_back(event);
      continue;
    }
    const auto slot = static_cast<std::uint32_t>(event.begin / binned.width);
    Bin& bin = bins[{slot, event.track}];
    bin.track = event.track;
    bin.slot = slot;
    ++bin.count;
    bin.bytes += event.bytes;
    bin.busy += event.duration;
    if (event.finding != kNoRow32) ++bin.redundant;
  }
  binned.bins = by_slot(bins);
  events.rows = std::move(kept);
  return binned;
}

namespace {

/// Keeps the largest and the last sample of each span, so that peaks are seen.
std::vector<MemorySample> thinned(const std::vector<MemorySample>& samples, std::uint64_t end,
                                  std::size_t most) {
  if (samples.size() <= most) return samples;
  const std::uint64_t width = std::max<std::uint64_t>(2 * end / most, 1);
  struct Span {
    std::uint64_t slot = 0;
    MemorySample highest;
    MemorySample last;
  };
  std::map<std::int32_t, Span> spans;
  std::vector<MemorySample> kept;
  const auto close = [&kept](const Span& span) {
    if (span.highest.time < span.last.time) kept.push_back(span.highest);
    kept.push_back(span.last);
  };
  for (const MemorySample& sample : samples) {
    const std::uint64_t slot = sample.time / width;
    const auto [at, is_new] = spans.try_emplace(sample.device, Span{slot, sample, sample});
    Span& span = at->second;
    if (is_new) continue;
    if (span.slot != slot) {
      close(span);
      span = {slot, sample, sample};
    }
    if (sample.bytes >= span.highest.bytes) span.highest = sample;
    span.last = sample;
  }
  for (const auto& [device, span] : spans) close(span);
  analysis::sort_rows(kept, std::mem_fn(&MemorySample::time));
  return kept;
}

/// Joins residencies of a variable with less than a pixel between them.
std::vector<Residency> joined(const std::vector<Residency>& residencies, std::uint64_t end,
                              std::size_t most) {
  if (residencies.size() <= most) return residencies;
  const std::uint64_t least_gap = end / 2000;
  std::map<std::pair<std::uint32_t, std::int32_t>, std::size_t> latest;
  std::vector<Residency> rows;
  for (const Residency& residency : residencies) {
    const auto [at, is_new] =
        latest.try_emplace({residency.variable, residency.device}, rows.size());
    if (!is_new && residency.begin <= rows[at->second].end + least_gap) {
      rows[at->second].end = std::max(rows[at->second].end, residency.end);
      rows[at->second].count += residency.count;
      continue;
    }
    at->second = rows.size();
    rows.push_back(residency);
  }
  return rows;
}

}  // namespace

DeviceMemory memory_of(const Trace& trace, const std::vector<std::uint32_t>& variable,
                       std::uint64_t end, std::size_t most) {
  DeviceMemory memory;
  DeviceMemoryReplay replay(trace);
  const auto add_residency = [&](std::int32_t device, const DeviceMemoryReplay::Block& block,
                                 std::uint64_t until) {
    const std::uint32_t row = block.variable ? variable[block.variable.value] : kNoRow32;
    if (row != kNoRow32) memory.residencies.push_back({row, device, instant(block.begin), until});
  };
  for (const DataOp& op : trace.ops) {
    const auto change = replay.after(op);
    if (!change) continue;
    const std::uint64_t time = instant(change->time);
    if (change->ended) add_residency(change->device, *change->ended, time);
    memory.samples.push_back({change->device, time, change->bytes});
  }
  for (const auto& [place, block] : replay.memory().blocks())
    add_residency(place.first, block, end);
  analysis::sort_rows(memory.samples, std::mem_fn(&MemorySample::time));
  analysis::sort_rows(memory.residencies, std::mem_fn(&Residency::begin));
  memory.samples = thinned(memory.samples, end, most);
  memory.residencies = joined(memory.residencies, end, most);
  return memory;
}

}  // namespace ompdm::report::page
