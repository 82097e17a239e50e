#include "trace_files/tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>

#include "model/device_memory.h"
#include "trace_files/trace_schema.h"

namespace ompdm {

namespace {

// Threads of one process are told apart by number in the viewers; Linux gives none above 2^22.
constexpr std::uint32_t kFirstExtraThread = 1U << 23;
// A slice is tried on this many of the newest tracks of its name. So hostile overlaps do not cost
// the square of their number.
constexpr std::size_t kLanesTried = 256;

// Slices that share a name on the timeline, spread over as many tracks as their overlaps need.
class Bundle {
 public:
  // Returns the number of the track, and whether it is new.
  std::pair<std::size_t, bool> place(Nanoseconds begin, Nanoseconds end) {
    const std::size_t first = open_.size() > kLanesTried ? open_.size() - kLanesTried : 0;
    for (std::size_t lane = first; lane < open_.size(); ++lane) {
      std::vector<Nanoseconds>& ends = open_[lane];
      while (!ends.empty() && ends.back() <= begin) ends.pop_back();
      if (ends.empty() || end <= ends.back()) {
        ends.push_back(end);
        return {lane, false};
      }
    }
    open_.push_back({end});
    return {open_.size() - 1, true};
  }

 private:
  std::vector<std::vector<Nanoseconds>>
      open_;  // by track: ends of the slices that are open, outermost first
};

std::string_view track_kind(OpKind kind) {
  switch (kind) {
    case OpKind::kAlloc:
    case OpKind::kDelete:
      return "alloc/delete";
    case OpKind::kAssociate:
    case OpKind::kDisassociate:
      return "associate";
    default:
      return trace_schema::word_of(kind);
  }
}

constexpr std::string_view kKernelTrack = "kernels";
constexpr std::string_view kStreamTrack = "stream";
constexpr std::string_view kWaitTrack = "synchronization";

class Layouter {
 public:
  Layouter(const Trace& trace, std::uint32_t pid, Pids& pids) : trace_(trace) {
    layout_.groups.push_back({pid, {}});
    std::set<std::int32_t> devices;
    for (const Device& device : trace.devices) {
      if (!device.is_host) devices.insert(device.number);
    }
    for (const DataOp& op : trace.ops) devices.insert(drawn_device(trace, op));
    for (const Launch& launch : trace.launches) devices.insert(launch.device);
    for (const DeviceActivity& activity : trace.activities) devices.insert(activity.device);
    for (const Synchronization& wait : trace.synchronizations) devices.insert(wait.device);
    for (const std::int32_t device : devices) {
      layout_.devices.push_back(device);
      layout_.groups.push_back(
          {pids.next(), device < 0 ? "unknown device" : fmt::format("device {}", device)});
    }
    next_tid_.resize(layout_.groups.size());
  }

  // Columns are in order of begin unless someone made them by hand; viewers sort, so the order here
  // is theirs.
  template <class Rows, class Place>
  std::vector<std::uint32_t> place_rows(const Rows& rows, Place place) {
    std::vector<std::uint32_t> result(rows.size());
    const std::vector<std::uint32_t> order = order_of_begins(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t at = order.empty() ? i : order[i];
      result[at] = place(rows[at]);
    }
    return result;
  }

  TrackLayout lay_out() && {
    layout_.regions = place_rows(trace_.regions, [this](const Region& region) {
      const std::uint32_t tid = trace_.threads[region.thread].tid;
      return on_track(0, tid, {}, region.begin, region.end);
    });
    layout_.ops = place_rows(trace_.ops, [this](const DataOp& op) {
      return on_track(layout_.group_of(drawn_device(trace_, op)), 0, track_kind(op.kind), op.begin,
                      op.end);
    });
    layout_.launches = place_rows(trace_.launches, [this](const Launch& launch) {
      return on_track(layout_.group_of(launch.device), 0, kKernelTrack, launch.begin, launch.end);
    });
    layout_.activities = place_rows(trace_.activities, [this](const DeviceActivity& activity) {
      return on_track(layout_.group_of(activity.device), activity.stream, kStreamTrack,
                      activity.begin, activity.end);
    });
    // A thread waits inside its directive; who waits without one is not known.
    layout_.synchronizations =
        place_rows(trace_.synchronizations, [this](const Synchronization& wait) {
          if (wait.op || wait.region) {
            const std::uint32_t thread = wait.op ? trace_.ops.common(wait.op.value).thread
                                                 : trace_.regions.common(wait.region.value).thread;
            return on_track(0, trace_.threads[thread].tid, {}, wait.begin, wait.end);
          }
          return on_track(layout_.group_of(wait.device), 0, kWaitTrack, wait.begin, wait.end);
        });
    return std::move(layout_);
  }

 private:
  struct Named {
    Bundle bundle;
    std::vector<std::uint32_t> tracks;  // by number in the bundle
  };

  // `number`: of the thread or the stream, 0 for kinds of operations.
  std::uint32_t on_track(std::size_t group, std::uint32_t number, std::string_view kind,
                         Nanoseconds begin, Nanoseconds end) {
    const Key key{group, number, kind};
    if (last_ == nullptr || key != last_->first) last_ = &*bundles_.try_emplace(key).first;
    Named& named = last_->second;
    const auto [lane, is_new] = named.bundle.place(begin, std::max(begin, end));
    if (is_new) named.tracks.push_back(add_track(group, number, kind, lane));
    return named.tracks[lane];
  }

  std::uint32_t add_track(std::size_t group, std::uint32_t number, std::string_view kind,
                          std::size_t lane) {
    const TrackGroup& owner = layout_.groups[group];
    Track track;
    track.pid = owner.pid;
    if (group == 0) {
      track.tid = lane == 0 ? number : kFirstExtraThread + next_tid_[0]++;
      track.name = fmt::format("thread {}", number);
    } else {
      // Viewers take a thread with its process's number for the main thread.
      track.tid = owner.pid + ++next_tid_[group];
      track.name = fmt::format("{} {}", owner.name, kind);
      if (kind == kStreamTrack) track.name += fmt::format(" {}", number);
    }
    if (lane > 0) track.name += fmt::format(" ({})", lane + 1);
    layout_.tracks.push_back(std::move(track));
    return static_cast<std::uint32_t>(layout_.tracks.size() - 1);
  }

  const Trace& trace_;
  TrackLayout layout_;
  std::vector<std::uint32_t> next_tid_;  // by group
  using Key = std::tuple<std::size_t, std::uint32_t, std::string_view>;
  std::map<Key, Named> bundles_;
  std::pair<const Key, Named>* last_ = nullptr;  // the one before is mostly the same
};

}  // namespace

std::size_t TrackLayout::group_of(std::int32_t device) const {
  const auto found = std::ranges::lower_bound(devices, device);
  const bool is_known = found != devices.end() && *found == device;
  return is_known ? static_cast<std::size_t>(found - devices.begin()) + 1 : 0;
}

std::uint32_t Pids::next() {
  do {
    ++last_;
  } while (taken_.contains(last_));
  return last_;
}

TrackLayout lay_out_tracks(const Trace& trace, std::uint32_t pid, Pids& pids) {
  return Layouter(trace, pid, pids).lay_out();
}

namespace {

// A copy whose begin and end are known.
struct Timed {
  std::int32_t device = -1;
  OpKind direction = OpKind::kHtoD;
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
  std::uint64_t bytes = 0;
};

// By the host's clock where an operation is done when it returns, by the device's where it told.
std::vector<Timed> timed_copies(const Trace& trace) {
  std::vector<Timed> copies;
  const auto add = [&](const Timed& copy) {
    if (copy.begin >= 0 && copy.end > copy.begin && copy.bytes > 0) copies.push_back(copy);
  };
  for (const DataOp& op : trace.ops) {
    const bool crosses = op.kind == OpKind::kHtoD || op.kind == OpKind::kDtoH;
    if (!crosses || op.clock == Clock::kEnqueue || op.unfinished) continue;
    add({drawn_device(trace, op), op.kind, op.begin, op.end, op.bytes});
  }
  for (const DeviceActivity& activity : trace.activities) {
    if (activity.kind == ActivityKind::kHtoD || activity.kind == ActivityKind::kDtoH) {
      const bool up = activity.kind == ActivityKind::kHtoD;
      add({activity.device, up ? OpKind::kHtoD : OpKind::kDtoH, activity.begin, activity.end,
           activity.bytes});
    }
  }
  return copies;
}

// Bytes by bin. A transfer's bytes lie evenly over its interval. Whole bins are summed as
// differences, so that a long transfer costs no more than a short one.
class Bins {
 public:
  Bins(std::size_t count, Nanoseconds width) : partial_(count), step_(count + 1), width_(width) {}

  void add(const Timed& copy) {
    const auto duration = static_cast<double>(copy.end - copy.begin);
    const double rate = static_cast<double>(copy.bytes) / duration;
    const auto first = static_cast<std::size_t>(copy.begin / width_);
    const auto last = static_cast<std::size_t>((copy.end - 1) / width_);
    if (first == last) {
      partial_[first] += static_cast<double>(copy.bytes);
      return;
    }
    partial_[first] += rate * static_cast<double>(start(first + 1) - copy.begin);
    partial_[last] += rate * static_cast<double>(copy.end - start(last));
    step_[first + 1] += rate;
    step_[last] -= rate;
  }

  template <class Sink>
  void for_each_change(Sink sink) const {
    double whole = 0;
    std::uint64_t previous = 0;
    for (std::size_t bin = 0; bin <= partial_.size(); ++bin) {
      double rate = 0;
      if (bin < partial_.size()) {
        whole += step_[bin];
        rate = std::max(0.0, whole) + partial_[bin] / static_cast<double>(width_);
      }
      // In steps of 1 MB/s: what is left of sums that should cancel out is no change.
      const auto rounded = static_cast<std::uint64_t>(std::llround(std::min(rate, 1e12) * 1000));
      if (rounded != previous) sink(start(bin), static_cast<double>(rounded) / 1000);
      previous = rounded;
    }
  }

 private:
  [[nodiscard]] Nanoseconds start(std::size_t bin) const {
    return static_cast<Nanoseconds>(bin) * width_;
  }

  std::vector<double> partial_;
  std::vector<double> step_;
  Nanoseconds width_;
};

}  // namespace

std::vector<RateSample> transfer_rates(const Trace& trace, std::size_t bins) {
  const std::vector<Timed> copies = timed_copies(trace);
  Nanoseconds end = 0;
  for (const Timed& copy : copies) end = std::max(end, copy.end);
  const Nanoseconds width = end / static_cast<Nanoseconds>(bins) + 1;
  std::map<std::pair<std::int32_t, OpKind>, Bins> by_track;
  for (const Timed& copy : copies) {
    const auto key = std::pair{copy.device, copy.direction};
    by_track.try_emplace(key, bins, width).first->second.add(copy);
  }
  std::vector<RateSample> result;
  for (const auto& [key, track] : by_track) {
    track.for_each_change(
        [&, device = key.first, direction = key.second](Nanoseconds time, double rate) {
          result.push_back({device, direction, time, rate});
        });
  }
  std::sort(result.begin(), result.end(), [](const RateSample& a, const RateSample& b) {
    return std::tie(a.time, a.device, a.direction) < std::tie(b.time, b.device, b.direction);
  });
  return result;
}

}  // namespace ompdm
