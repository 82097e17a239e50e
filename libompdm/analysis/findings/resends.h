// Data that went over to a device which had it, or could have kept it: what duplicates and round
// trips have in common. Inside the analysis library only.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/findings/tallies.h"

namespace ompdm::analysis {

/// How a transfer to a device relates to the one before it of the same data.
enum class Resend : std::uint8_t {
  kNone,
  kDuplicate,  ///< after it was sent (and came back at most as it had been sent)
  kRoundTrip,  ///< after it came back, changed there
};

/// One claim a directive: transfers to a device, of that relation, whose content the device still
/// had, or would have had if its memory had been kept; with the allocations and deletes that
/// keeping it makes needless.
std::vector<Claim> needless_resends(const Evidence& evidence, const Claimed& claimed,
                                    Resend relation, const char* pattern);

}  // namespace ompdm::analysis
