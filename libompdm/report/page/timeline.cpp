#include "report/page/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/device_clock.h"
#include "report/page/bins.h"
#include "report/page/events.h"
#include "report/page/memory.h"
#include "report/page/pass_rows.h"

namespace ompdm::report::page {
namespace {

/// A column of `rows`, what `of` says of each.
template <class Row, class Of>
std::vector<std::uint64_t> column(const std::vector<Row>& rows, Of of) {
  std::vector<std::uint64_t> values;
  values.reserve(rows.size());
  for (const Row& row : rows) values.push_back(static_cast<std::uint64_t>(of(row)));
  return values;
}

/// References to rows are stored plus 1; 0 is none.
std::uint64_t reference(std::uint32_t row, std::size_t offset) {
  return row == kNoRow32 ? 0 : row + offset + 1;
}

void add_events(const std::vector<Event>& rows, const RowOffsets& offsets, Columns& columns) {
  columns.begin_block("events", rows.size());
  columns.add_growing("begin", column(rows, [](const Event& e) { return e.begin; }));
  columns.add("duration", column(rows, [](const Event& e) { return e.duration; }));
  columns.add("bytes", column(rows, [](const Event& e) { return e.bytes; }));
  columns.add("kind", column(rows, [](const Event& e) { return e.kind; }));
  columns.add("flags", column(rows, [](const Event& e) { return e.flags; }));
  columns.add("track", column(rows, [](const Event& e) { return e.track; }));
  columns.add("lane", column(rows, [](const Event& e) { return e.lane; }));
  columns.add("directive", column(rows, [&](const Event& e) {
                return reference(e.directive, offsets.directives);
              }));
  columns.add("variable", column(rows, [&](const Event& e) {
                return reference(e.variable, offsets.variables);
              }));
  columns.add("finding",
              column(rows, [&](const Event& e) { return reference(e.finding, offsets.findings); }));
}

void add_bins(const Binned& binned, const RowOffsets& offsets, Columns& columns) {
  const std::vector<Bin>& bins = binned.bins;
  columns.begin_block("bins", bins.size());
  columns.add_growing("slot", column(bins, [](const Bin& b) { return b.slot; }));
  columns.add("track", column(bins, [](const Bin& b) { return b.track; }));
  columns.add("count", column(bins, [](const Bin& b) { return b.count; }));
  columns.add("bytes", column(bins, [](const Bin& b) { return b.bytes; }));
  columns.add("busy", column(bins, [](const Bin& b) { return b.busy; }));
  columns.add("needless", column(bins, [](const Bin& b) { return b.needless; }));
  const std::vector<CrossingBin>& crossings = binned.crossings;
  columns.begin_block("crossings", crossings.size());
  columns.add_growing("slot", column(crossings, [](const CrossingBin& b) { return b.slot; }));
  columns.add("variable", column(crossings, [&](const CrossingBin& b) {
                return reference(b.variable, offsets.variables);
              }));
  columns.add("htod", column(crossings, [](const CrossingBin& b) { return b.htod; }));
  columns.add("dtoh", column(crossings, [](const CrossingBin& b) { return b.dtoh; }));
  columns.add("needless", column(crossings, [](const CrossingBin& b) { return b.needless; }));
}

/// Devices are numbered from -1.
std::uint64_t device_column(std::int32_t device) {
  return device < 0 ? 0 : static_cast<std::uint64_t>(device) + 1;
}

void add_memory(const DeviceMemory& memory, const RowOffsets& offsets, Columns& columns) {
  const std::vector<MemorySample>& samples = memory.samples;
  columns.begin_block("memory", samples.size());
  columns.add_growing("time", column(samples, [](const MemorySample& s) { return s.time; }));
  columns.add("device",
              column(samples, [](const MemorySample& s) { return device_column(s.device); }));
  columns.add("bytes", column(samples, [](const MemorySample& s) { return s.bytes; }));
  const std::vector<Stay>& stays = memory.stays;
  columns.begin_block("stays", stays.size());
  columns.add_growing("begin", column(stays, [](const Stay& s) { return s.begin; }));
  columns.add("duration", column(stays, [](const Stay& s) { return s.end - s.begin; }));
  columns.add("device", column(stays, [](const Stay& s) { return device_column(s.device); }));
  columns.add("count", column(stays, [](const Stay& s) { return s.count; }));
  columns.add("variable", column(stays, [&](const Stay& s) {
                return reference(s.variable, offsets.variables);
              }));
}

/// Transfers that findings call needless, apart by how sure they are.
Json needless_json(const std::vector<Event>& events,
                   const std::vector<analysis::Finding>& findings) {
  analysis::Flow sure;
  analysis::Flow possible;
  for (const Event& event : events) {
    const bool crosses = event.kind == EventKind::kHtoD || event.kind == EventKind::kDtoH ||
                         event.kind == EventKind::kDtoD;
    if (!crosses || event.finding == kNoRow32) continue;
    const bool is_possible = findings[event.finding].confidence == analysis::Confidence::kPossible;
    analysis::Flow& sum = is_possible ? possible : sure;
    ++sum.count;
    sum.bytes += event.bytes;
    sum.time += static_cast<Nanoseconds>(event.duration);
  }
  const auto flow = [](const analysis::Flow& sum) {
    return Json{{"count", sum.count}, {"bytes", sum.bytes}, {"time_ns", sum.time}};
  };
  return {{"sure", flow(sure)}, {"possible", flow(possible)}};
}

Json track_json(const EventTrack& track) {
  Json json = {{"kind", track.kind}, {"lanes", track.lanes}};
  if (track.kind == EventKind::kRegion) {
    json["tid"] = track.tid;
  } else {
    json["device"] = track.device;
  }
  return json;
}

}  // namespace

Timeline timeline_of(const Trace& recorded, const analysis::Picture& picture,
                     const analysis::Analysis& analysis, const RowOffsets& offsets,
                     std::size_t most) {
  Trace converted;
  if (!recorded.activities.empty()) converted = analysis::on_device_clock(recorded);
  const Trace& trace = recorded.activities.empty() ? recorded : converted;
  Events events = events_of(trace, picture, analysis.variables);
  Json head = {{"end_ns", events.end}, {"events", events.rows.size()}, {"tracks", Json::array()}};
  for (const EventTrack& track : events.tracks) head["tracks"].push_back(track_json(track));
  head["first"] = {{"directives", offsets.directives},
                   {"variables", offsets.variables},
                   {"iterations", offsets.iterations},
                   {"findings", offsets.findings}};
  head["needless"] = needless_json(events.rows, analysis.findings);
  const Binned binned = bin(events, most);
  head["bin_ns"] = binned.width;
  head["crossing_ns"] = binned.crossing_width;
  Columns columns;
  add_events(events.rows, offsets, columns);
  add_bins(binned, offsets, columns);
  add_memory(memory_of(trace, variable_rows(trace, analysis.variables), events.end), offsets,
             columns);
  add_passes(picture.passes, offsets.iterations, columns);
  head["blocks"] = columns.layout();
  return {std::move(head), columns.base64()};
}

}  // namespace ompdm::report::page
