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

/// What a clause of a directive for data names.
struct Motion {
  enum class Kind : std::uint8_t { kTo, kFrom, kMapped };
  Kind kind = Kind::kTo;
  bool sends = false;    ///< of kMapped: where the data is not there yet
  bool returns = false;  ///< of kMapped: where nothing else keeps it there
  bool is_plain = true;  ///< of kMapped: neither `always` nor `delete`
  const Directive* directive = nullptr;
  const Expr* item = nullptr;
};

/// All of the program's, by positions in Asked::items, to which they are added; of regions only
/// where `of_regions` says so.
std::map<std::uint32_t, Motion> motions_of(const WholeProgram& program, Asked& asked,
                                           bool of_regions = false);

/// Data that regions find on the device, and that updates in a loop keep up to date.
struct UpdatedData {
  const Places& places;
  bool is_sent = false;  ///< some of these updates send
  /// Directives of the loop map the data, which is not on the device before.
  bool is_mapped = false;
  /// Items of updates that move all of it, as they are written, without blanks. What the run did
  /// not reach is taken to be the same by its text.
  const std::set<std::string>& whole;
};

/// Whether directives that map the data, or update it, are in the loop; regions left aside.
bool is_moved_in(const Trail& trail, const std::map<std::uint32_t, Motion>& motions,
                 const LoopSpan& loop, const Places& data);

/// Of data in a loop, on all ways to it and behind it.
struct OldCopies {
  HostUse use;  ///< of a copy while the other is newer
  /// The device has the newest before the loop: nothing needs to be sent there.
  bool sent_before = true;
  /// The host's copy is old behind the loop, and nothing uses it: nothing needs to be brought back.
  bool left_old = true;
};

/// Whether the host, or a region, may use data in a loop while the other's copy is newer: "no"
/// where each region comes behind an update of what the host has written, and each use of the
/// host's behind one of what regions have written, on every way through the code. Where
/// updates of the loop send, nothing in it uses what the device alone had before; and where the
/// loop may have no iteration, nothing behind it uses an old copy on the device. Of data that the
/// loop maps also whether nothing that is new is lost where it leaves the device.
OldCopies use_of_old_copies(const WholeProgram& program, const Trail& trail,
                            const TrailLoops& loops, const std::map<std::uint32_t, Motion>& motions,
                            const LoopSpan& loop, const UpdatedData& data);

}  // namespace ompdm::edit
