// What transfers carry: it is looked at where host memory surely holds it, and noted behind the
// operation's record. Called in callbacks. Host memory alone is read.
#pragma once

#include "record/contents/transfer.h"
#include "record/stream/lane.h"
#include "spool_format/format.h"

namespace ompdm::record {

/// Who asked for an operation.
struct Origin {
  OpenRegion* region;      ///< null: an API call, or nothing that is known
  SiteSlot* site;          ///< null if there was no room for it
  spool::CallId api_call;  ///< its ordinal in the lane, 0 if there is none
  spool::PathId path;      ///< of an API call
};

/// Before an operation runs, and before its begin is taken: looks at what goes to a device.
void look_before(Lane& lane, const Origin& origin, const Operation& op) noexcept;

/// Behind the record of an operation: notes what was seen before it, or what is to be looked at
/// once it has surely arrived. Nothing to do where ContentState::transfer has no host address.
void look_after(Lane& lane, const Origin& origin, const Operation& op) noexcept;

/// At a region's end, after its end was taken: what came from the device has arrived.
void look_at_arrived(Lane& lane, std::uint64_t region) noexcept;

}  // namespace ompdm::record
