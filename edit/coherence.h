// Whether a program's `target update` directives keep both copies of data the same wherever the
// host or a region uses it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "trail_loops.h"
#include "whole_program.h"

namespace ompdm::edit {

/// An item of a clause of a directive that maps or updates data.
struct Motion {
  enum class Kind : std::uint8_t { kTo, kFrom, kMapped };
  Kind kind = Kind::kTo;
  bool sends = false;    ///< of kMapped: where the data is not present yet
  bool returns = false;  ///< of kMapped: where no other mapping keeps the data present
  bool is_plain = true;  ///< of kMapped: neither `always` nor `delete`
  const Directive* directive = nullptr;
  const Expr* item = nullptr;
};

/// All motions of the program, by positions in Asked::items, to which their items are added.
/// Motions of regions are added only where `of_regions` is set.
std::map<std::uint32_t, Motion> motions_of(const WholeProgram& program, Asked& asked,
                                           bool of_regions = false);

/// Data that regions find on the device, and that updates in a loop keep up to date.
struct UpdatedData {
  const Places& places;
  bool is_sent = false;  ///< some of these updates send
  /// Directives of the loop map the data, which is not present before the loop.
  bool is_mapped = false;
  /// Items of updates that transfer all of the data, as they are written, without blanks. An update
  /// that the run did not execute is taken for the same by its text.
  const std::set<std::string>& whole;
};

/// Whether directives in the loop map or update the data. Regions do not count.
bool is_moved_in(const Trail& trail, const std::map<std::uint32_t, Motion>& motions,
                 const LoopSpan& loop, const Places& data);

/// Uses of old copies of data in a loop, on all execution paths to the loop and behind it.
struct OldCopies {
  HostUse use;  ///< of a copy while the other is newer
  /// The device has the newest copy before the loop: no transfer to the device is needed there.
  bool sent_before = true;
  /// The host's copy is old behind the loop, and nothing uses it: no transfer to the host is
  /// needed.
  bool left_old = true;
};

/// Whether the host, or a region, may use data in a loop while the other copy is newer. "no" holds
/// on every execution path. Between a write by the host and a region there is an update. Between a
/// region's write and a use by the host there is one, too.
///
/// Where updates of the loop send, nothing in the loop uses what only the device had before. Where
/// the loop may have no iteration, nothing behind it uses an old copy on the device. For data that
/// the loop maps, no new data may be lost where its mapping ends.
OldCopies use_of_old_copies(const WholeProgram& program, const Trail& trail,
                            const TrailLoops& loops, const std::map<std::uint32_t, Motion>& motions,
                            const LoopSpan& loop, const UpdatedData& data);

}  // namespace ompdm::edit
