#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ompdm/trace_file.h"
#include "trace_files/trace_metadata.h"

namespace ompdm {

namespace {

/// By row, where it goes; kNotKept: it is not kept. Until all are known that are kept, these have
/// 0.
using Places = std::vector<std::uint32_t>;
constexpr std::uint32_t kNotKept = Index<Region>::kNone;

/// Those of events that others refer to.
struct Referred {
  Places regions;
  Places ops;
  Places launches;
};

/// Calls `take` with each reference of a row to an event, and the places of events of that kind.
template <class Row, class Take>
void each_reference(Row& row, Referred& referred, Take take) {
  const auto visit = [&]<class Field>(std::string_view, Field& field, FieldRule = {}) {
    using Reference = std::remove_const_t<Field>;
    if constexpr (std::same_as<Reference, Index<Region>>) {
      if (field) take(field.value, referred.regions);
    } else if constexpr (std::same_as<Reference, Index<DataOp>>) {
      if (field) take(field.value, referred.ops);
    } else if constexpr (std::same_as<Reference, Index<Launch>>) {
      if (field) take(field.value, referred.launches);
    }
  };
  fields(visit, row);
}

template <class Rows>
Places at_work(const Rows& rows, Nanoseconds from, Nanoseconds to) {
  Places places(rows.size(), kNotKept);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    bool is_kept = false;
    if constexpr (requires { rows.begin_of(i); }) {
      is_kept = rows.begin_of(i) <= to && rows.end_of(i) >= from;
    } else {
      is_kept = rows[i].begin <= to && rows[i].end >= from;
    }
    if (is_kept) places[i] = 0;
  }
  return places;
}

/// What is kept keeps what it belongs to.
template <class Rows>
void keep_referred(const Rows& rows, const Places& places, Referred& referred) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (places[i] == kNotKept) continue;
    const auto& row = rows[i];
    each_reference(row, referred, [](std::uint32_t at, Places& of_kind) { of_kind[at] = 0; });
  }
}

void number_kept(Places& places) {
  std::uint32_t next = 0;
  for (std::uint32_t& place : places) {
    if (place != kNotKept) place = next++;
  }
}

template <class Rows>
void take_rows(const Rows& rows, const Places& places, Referred& referred, Rows& part) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (places[i] == kNotKept) continue;
    typename Rows::value_type row = rows[i];
    each_reference(row, referred,
                   [](std::uint32_t& at, const Places& of_kind) { at = of_kind[at]; });
    part.push_back(row);
  }
}

}  // namespace

Trace window_of(const Trace& trace, Nanoseconds from, Nanoseconds to) {
  Referred referred{at_work(trace.regions, from, to), at_work(trace.ops, from, to),
                    at_work(trace.launches, from, to)};
  const Places activities = at_work(trace.activities, from, to);
  const Places synchronizations = at_work(trace.synchronizations, from, to);
  keep_referred(trace.activities, activities, referred);
  keep_referred(trace.synchronizations, synchronizations, referred);
  keep_referred(trace.ops, referred.ops, referred);
  keep_referred(trace.launches, referred.launches, referred);
  for (Places* places : {&referred.regions, &referred.ops, &referred.launches})
    number_kept(*places);

  Trace part;
  part.file = trace.file;
  part.truncated = trace.truncated;
  part.process = trace.process;
  part.recording = trace.recording;
  const Recording& whole = trace.recording;
  const Nanoseconds begin = std::max(whole.recorded_from, Nanoseconds{0});
  const Nanoseconds end =
      std::max(begin, whole.recorded_to != 0 ? whole.recorded_to : trace.process.wall);
  part.recording.detail = Recording::Detail::kPart;
  part.recording.recorded_from = std::clamp(from, begin, end);
  part.recording.recorded_to = std::clamp(to, part.recording.recorded_from, end);
  part.host_device = trace.host_device;
  definition_lists([&](std::string_view, auto rows) { part.*rows = trace.*rows; });
  part.unsent_items.clear();
  for (UnsentItem item : trace.unsent_items) {
    item.region.value = referred.regions[item.region.value];
    if (item.region.value != kNotKept) part.unsent_items.push_back(item);
  }
  part.block_touches.clear();
  for (BlockTouch touch : trace.block_touches) {
    touch.launch.value = referred.launches[touch.launch.value];
    if (touch.launch.value != kNotKept) part.block_touches.push_back(touch);
  }
  std::erase_if(part.bad_accesses,
                [&](const BadAccess& access) { return access.time < from || access.time > to; });
  take_rows(trace.regions, referred.regions, referred, part.regions);
  take_rows(trace.ops, referred.ops, referred, part.ops);
  take_rows(trace.launches, referred.launches, referred, part.launches);
  take_rows(trace.activities, activities, referred, part.activities);
  take_rows(trace.synchronizations, synchronizations, referred, part.synchronizations);
  return part;
}

}  // namespace ompdm
