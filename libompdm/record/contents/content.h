// What transfers carry: it is looked at where host memory surely holds it, and noted behind the
// operation's record. Called in callbacks. Host memory alone is read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/contents/digest.h"
#include "record/contents/sampling.h"
#include "record/contents/transfer.h"
#include "spool/ids.h"

namespace ompdm::record {

struct Lane;
struct OpenRegion;
struct SiteSlot;

/// Who asked for an operation.
struct Origin {
  OpenRegion* region;      ///< null: an API call, or nothing that is known
  SiteSlot* site;          ///< null if there was no room for it
  spool::CallId api_call;  ///< its ordinal in the lane, 0 if there is none
};

/// Contents of a lane that are on their way to a record.
struct ContentState {
  static constexpr unsigned kMostPending = 32;

  /// From a device, readable once its region has ended.
  struct Pending {
    const void* host;
    std::uint64_t bytes;
    std::uint64_t op;  ///< Lane::op_records after its record
    SiteSlot* site;
    spool::RegionId region;
    bool whole;
  };

  /// Of the operation that runs, if something is to be noted behind its record.
  Transfer transfer;
  Digest digest;        ///< to a device: what was seen before the operation began
  std::uint64_t ticks;  ///< that looking took
  std::uint32_t pending_count;
  spool::CallId api_call;  ///< that transferred last
  Pending pending[kMostPending];
  Turns turns;
};

/// Before an operation runs, and before its begin is taken: looks at what goes to a device.
void look_before(Lane& lane, const Origin& origin, const Operation& op) noexcept;

/// Behind the record of an operation: notes what was seen before it, or what is to be looked at
/// once it has surely arrived. Nothing to do where ContentState::transfer has no host address.
void look_after(Lane& lane, const Origin& origin, const Operation& op) noexcept;

/// At a region's end, after its end was taken: what came from the device has arrived.
void look_at_arrived(Lane& lane, spool::RegionId region) noexcept;

}  // namespace ompdm::record
