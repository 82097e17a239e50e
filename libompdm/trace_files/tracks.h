// Tracks and counters of a picture of the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ompdm/trace.h"

namespace ompdm {

/// Numbers of the groups of tracks of one file: no two get the same.
class Pids {
 public:
  explicit Pids(std::set<std::uint32_t> taken) : taken_(std::move(taken)) {}

  /// The smallest that was not taken, so that lines are short.
  std::uint32_t next();

 private:
  std::set<std::uint32_t> taken_;
  std::uint32_t last_ = 0;
};

/// One line of the timeline: a host thread, one kind of operation of a device, or one of its
/// streams.
struct Track {
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::string name;  ///< "thread 4711", "device 0 HtoD", "device 0 HtoD (2)"
};

/// A group of tracks.
struct TrackGroup {
  std::uint32_t pid = 0;
  std::string name;
};

/// Tracks of a trace, and the position in `tracks` of each region, operation, launch, activity and
/// synchronization.
struct TrackLayout {
  std::vector<TrackGroup> groups;  ///< the process, then its devices by number
  std::vector<Track> tracks;
  std::vector<std::uint32_t> regions;
  std::vector<std::uint32_t> ops;
  std::vector<std::uint32_t> launches;
  std::vector<std::uint32_t> activities;
  std::vector<std::uint32_t> synchronizations;

  std::vector<std::int32_t> devices;  ///< of groups[1], groups[2], …

  /// The group that shows a device; the process' own if the device has none.
  [[nodiscard]] std::size_t group_of(std::int32_t device) const;
};

/// Lays a trace out, whose threads exist (check_references()): in its file the process is `pid`,
/// its devices get numbers of `pids`.
TrackLayout lay_out_tracks(const Trace& trace, std::uint32_t pid, Pids& pids);

/// The mean rate of a device's transfers in one direction, from this instant to the next sample of
/// the same two.
struct RateSample {
  std::int32_t device = -1;
  OpKind direction = OpKind::kHtoD;
  Nanoseconds time = 0;
  double bytes_per_ns = 0;  ///< the same as GB/s
};

/// Rates over `bins` equal parts of the recording, in order of time and only where they change.
/// Where a device told, its activities count; transfers whose end is not known (clock enqueue,
/// unfinished) are left out.
std::vector<RateSample> transfer_rates(const Trace& trace, std::size_t bins);

}  // namespace ompdm
