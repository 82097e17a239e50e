#include "analysis/findings/findings.h"
#include "analysis/findings/resends.h"

namespace ompdm::analysis {

std::vector<Claim> round_trip_transfer(const Evidence& evidence, const Claimed& claimed) {
  return needless_resends(evidence, claimed, Resend::kRoundTrip, "round_trip_transfer");
}

}  // namespace ompdm::analysis
