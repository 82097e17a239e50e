// The tally of what is alike in a lane, its example told where it is met for the first time. Called
// in callbacks.
#pragma once

#include "record/stream/lane.h"

namespace ompdm::record {

/// The tally of a key, in `slot`; `tell` tells its example, given its number, where there is none
/// yet. Null (and a loss counted) if there is no room.
template <class Tell>
spool::Tally* tally_of(Lane& lane, const TallyKey& key, spool::TallyOf of, TallySlot*& slot,
                       Tell&& tell) noexcept {
  slot = slot_of(lane.tallies, key);
  if (slot != nullptr && slot->example != 0) [[likely]] {
    return slot->tally;
  }
  if (slot == nullptr || !tell(lane.examples + 1) ||
      !make_tally(lane, *slot, of, lane.examples + 1)) {
    count_loss(spool::Loss::kRecordsNoSpace);
    return nullptr;
  }
  ++lane.examples;
  return slot->tally;
}

}  // namespace ompdm::record
