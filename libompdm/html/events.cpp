#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <ranges>
#include <tuple>
#include <utility>

#include "analysis/order.h"
#include "html/page.h"
#include "model/device_memory.h"

namespace ompdm::report::page {

namespace {

constexpr std::size_t kMostLanes = 6;

/// By OpKind; the other kinds are not shown.
constexpr std::array kKindOfOp = {EventKind::kAlloc, EventKind::kHtoD,   EventKind::kDtoH,
                                  EventKind::kDtoD,  EventKind::kMemset, EventKind::kDelete};
static_assert(OpKind::kAssociate == OpKind{kKindOfOp.size()});

/// Kinds of tracks, in the order in which those of a device are shown.
constexpr std::array kTrackKinds = {EventKind::kHtoD, EventKind::kKernel, EventKind::kDtoH,
                                    EventKind::kDtoD, EventKind::kAlloc,  EventKind::kRegion};
/// By EventKind its track in kTrackKinds: some kinds share one.
constexpr std::array<std::size_t, 8> kTrackOfKind = {0, 2, 3, 3, 4, 4, 1, 5};

std::uint64_t instant(Nanoseconds time) { return time < 0 ? 0 : static_cast<std::uint64_t>(time); }

/// Events of a track that run at the same time get different numbers in `Event::lane`.
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

}  // namespace

Events events_of(const Trace& trace, const analysis::Picture& picture,
                 const std::vector<std::uint32_t>& variable) {
  Events events;
  events.rows.reserve(trace.ops.size() + trace.launches.size() + trace.regions.size());
  /// Whether of the host, device, position in kTrackKinds, thread of the host: the rows of a track.
  std::map<std::tuple<bool, std::int32_t, std::size_t, std::uint32_t>, std::vector<std::size_t>>
      rows_of_track;
  const auto add = [&](const auto& row, EventKind kind, std::int32_t device, int flags,
                       Event event = {}) {
    event.kind = kind;
    event.begin = instant(row.begin);
    event.duration = instant(row.end) - std::min(event.begin, instant(row.end));
    event.flags = static_cast<std::uint8_t>(flags | (row.unfinished ? kUnfinishedEvent : 0));
    event.directive = row.site ? picture.directive_of_site[row.site.value] : kNoRow32;
    const bool on_host = kind == EventKind::kRegion;
    rows_of_track[{on_host, on_host ? -1 : device, kTrackOfKind[static_cast<std::size_t>(kind)],
                   on_host ? row.thread : 0}]
        .push_back(events.rows.size());
    events.rows.push_back(event);
  };
  for (std::size_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp op = trace.ops[i];
    if (op.kind >= OpKind::kAssociate) continue;
    add(op, kKindOfOp[static_cast<std::size_t>(op.kind)], drawn_device(trace, op),
        (op.internal ? kInternalEvent : 0) | (op.clock == Clock::kEnqueue ? kEnqueueEvent : 0),
        {.bytes = op.bytes,
         .variable = op.variable ? variable[op.variable.value] : kNoRow32,
         .finding = picture.finding_of_op[i]});
  }
  for (const Launch& launch : trace.launches) {
    add(launch, EventKind::kKernel, launch.device,
        launch.clock == Clock::kEnqueue ? kEnqueueEvent : 0);
  }
  for (const Region& region : trace.regions) {
    add(region, EventKind::kRegion, region.device,
        (region.ends_data ? kDataEndEvent : 0) | (region.host_fallback ? kFallbackEvent : 0));
  }
  for (const auto& [key, rows] : rows_of_track) {
    const auto& [on_host, device, kind, thread] = key;
    const auto number = static_cast<std::uint32_t>(events.tracks.size());
    for (const std::size_t row : rows) events.rows[row].track = number;
    const bool is_known = on_host && thread < trace.threads.size();
    events.tracks.push_back({device, kTrackKinds[kind], is_known ? trace.threads[thread].tid : 0});
  }
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

/// Bins by span and by line, in the order in which a page reads them.
template <class Value>
class BySlot {
 public:
  explicit BySlot(std::uint64_t width) : width_(width) {}

  /// The bin of an event in one line. Counts the event if it is redundant.
  Value& at(const Event& event, std::uint32_t line) {
    const auto slot = static_cast<std::uint32_t>(event.begin / width_);
    Value& bin = bins_.try_emplace({slot, line}, Value{line, slot}).first->second;
    if (event.finding != kNoRow32) ++bin.redundant;
    return bin;
  }

  [[nodiscard]] std::vector<Value> rows() const {
    const auto values = std::views::values(bins_);
    return {values.begin(), values.end()};
  }

 private:
  std::uint64_t width_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Value> bins_;
};

}  // namespace

Binned bin(Events& events, std::size_t most) {
  Binned binned;
  if (events.rows.size() <= most) return binned;
  std::uint32_t variables = 0;
  for (const Event& event : events.rows) {
    if (event.variable != kNoRow32) variables = std::max(variables, event.variable + 1);
  }
  binned.transfer_width = width_of(events.end, variables);
  binned.width = width_of(events.end, events.tracks.size());
  std::vector<std::uint64_t> durations;
  durations.reserve(events.rows.size());
  for (const Event& event : events.rows) durations.push_back(event.duration);
  const auto shortest_kept = durations.begin() + static_cast<std::ptrdiff_t>(most / 2);
  std::ranges::nth_element(durations, shortest_kept, std::greater<>());
  const std::uint64_t limit = *shortest_kept;
  BySlot<Bin> bins(binned.width);
  BySlot<TransferBin> transfers(binned.transfer_width);
  std::vector<Event> kept;
  for (const Event& event : events.rows) {
    const bool is_transfer = event.kind == EventKind::kHtoD || event.kind == EventKind::kDtoH;
    if (is_transfer && event.variable != kNoRow32) {
      TransferBin& crossed = transfers.at(event, event.variable);
      ++(event.kind == EventKind::kHtoD ? crossed.htod : crossed.dtoh);
    }
    if (event.duration > limit) {
      kept.push_back(event);
      continue;
    }
    Bin& sum = bins.at(event, event.track);
    ++sum.count;
    sum.bytes += event.bytes;
    sum.busy += event.duration;
  }
  binned.bins = bins.rows();
  binned.transfers = transfers.rows();
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
    MemorySample highest;
    MemorySample last;
  };
  std::map<std::pair<std::int32_t, std::uint64_t>, Span> spans;
  for (const MemorySample& sample : samples) {
    Span& span =
        spans.try_emplace({sample.device, sample.time / width}, Span{sample, sample}).first->second;
    if (sample.bytes >= span.highest.bytes) span.highest = sample;
    span.last = sample;
  }
  std::vector<MemorySample> kept;
  for (const auto& [place, span] : spans) {
    if (span.highest.time < span.last.time) kept.push_back(span.highest);
    kept.push_back(span.last);
  }
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
