#include <algorithm>
#include <vector>

#include "ompdm/trace_file.h"

namespace ompdm {

namespace {

using Kept = std::vector<bool>;
using Moved = std::vector<std::uint32_t>;

/// Where each kept row goes.
Moved positions(const Kept& kept) {
  Moved moved(kept.size(), Index<Region>::kNone);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) moved[i] = next++;
  }
  return moved;
}

template <class Row>
void follow(Index<Row>& index, const Moved& moved) {
  if (index) index.value = moved[index.value];
}

class Window {
 public:
  Window(const Trace& trace, Nanoseconds from, Nanoseconds to)
      : trace_(trace), from_(from), to_(to) {}

  Trace take() {
    choose();
    Trace part = without_events();
    const Moved regions = positions(regions_);
    const Moved ops = positions(ops_);
    const Moved launches = positions(launches_);
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      if (regions_[i]) part.regions.push_back(trace_.regions[i]);
    }
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      if (!ops_[i]) continue;
      DataOp op = trace_.ops[i];
      follow(op.region, regions);
      part.ops.push_back(op);
    }
    for (std::size_t i = 0; i < launches_.size(); ++i) {
      if (!launches_[i]) continue;
      Launch launch = trace_.launches[i];
      follow(launch.region, regions);
      part.launches.push_back(launch);
    }
    for (DeviceActivity activity : trace_.activities) {
      if (!is_in(activity.begin, activity.end)) continue;
      follow(activity.region, regions);
      follow(activity.op, ops);
      follow(activity.launch, launches);
      part.activities.push_back(activity);
    }
    for (Synchronization wait : trace_.synchronizations) {
      if (!is_in(wait.begin, wait.end)) continue;
      follow(wait.region, regions);
      follow(wait.op, ops);
      part.synchronizations.push_back(wait);
    }
    return part;
  }

 private:
  [[nodiscard]] bool is_in(Nanoseconds begin, Nanoseconds end) const {
    return begin <= to_ && end >= from_;
  }

  template <class Row>
  [[nodiscard]] Kept at_work(const Runs<Row>& rows) const {
    Kept kept(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      kept[i] = is_in(rows.begin_of(i), rows.end_of(i));
    }
    return kept;
  }

  // What is kept keeps what it belongs to.
  void choose() {
    regions_ = at_work(trace_.regions);
    ops_ = at_work(trace_.ops);
    launches_ = at_work(trace_.launches);
    const auto keep = [](auto index, Kept& kept) {
      if (index) kept[index.value] = true;
    };
    for (const DeviceActivity& activity : trace_.activities) {
      if (!is_in(activity.begin, activity.end)) continue;
      keep(activity.op, ops_);
      keep(activity.launch, launches_);
      keep(activity.region, regions_);
    }
    for (const Synchronization& wait : trace_.synchronizations) {
      if (!is_in(wait.begin, wait.end)) continue;
      keep(wait.op, ops_);
      keep(wait.region, regions_);
    }
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      if (ops_[i]) keep(trace_.ops.region_of(i), regions_);
    }
    for (std::size_t i = 0; i < launches_.size(); ++i) {
      if (launches_[i]) keep(trace_.launches.region_of(i), regions_);
    }
  }

  [[nodiscard]] Trace without_events() const {
    Trace part;
    part.file = trace_.file;
    part.truncated = trace_.truncated;
    part.process = trace_.process;
    part.recording = trace_.recording;
    const Nanoseconds begin = std::max(trace_.recording.told_from, Nanoseconds{0});
    const Nanoseconds end = std::max(
        begin, trace_.recording.told_to != 0 ? trace_.recording.told_to : trace_.process.wall);
    part.recording.detail = Recording::kPart;
    part.recording.told_from = std::clamp(from_, begin, end);
    part.recording.told_to = std::clamp(to_, part.recording.told_from, end);
    part.host_device = trace_.host_device;
    part.losses = trace_.losses;
    part.devices = trace_.devices;
    part.modules = trace_.modules;
    part.threads = trace_.threads;
    part.sites = trace_.sites;
    part.variables = trace_.variables;
    part.device_variables = trace_.device_variables;
    part.kernels = trace_.kernels;
    part.loops = trace_.loops;
    part.call_places = trace_.call_places;
    part.call_paths = trace_.call_paths;
    part.map_lists = trace_.map_lists;
    part.device_events = trace_.device_events;
    part.mapped_pointers = trace_.mapped_pointers;
    part.sources = trace_.sources;
    return part;
  }

  const Trace& trace_;
  Nanoseconds from_;
  Nanoseconds to_;
  Kept regions_;
  Kept ops_;
  Kept launches_;
};

}  // namespace

Trace window_of(const Trace& trace, Nanoseconds from, Nanoseconds to) {
  return Window(trace, from, to).take();
}

}  // namespace ompdm
