#include "analysis/findings/findings.h"
#include "analysis/findings/resends.h"

namespace ompdm::analysis {

std::vector<Claim> duplicate_transfer(const Evidence& evidence, const Claimed& claimed) {
  return needless_resends(evidence, claimed, Resend::kDuplicate, "duplicate_transfer");
}

}  // namespace ompdm::analysis
