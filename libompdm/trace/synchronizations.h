// What the host waited for, tied to the directive that it waited in.
#pragma once

#include "trace/draft.h"
#include "trace/external_owners.h"

namespace ompdm::trace {

/// Finds the device of each synchronization, and the operation or region that it belongs to. Needs
/// activities that are tied.
void tie_synchronizations(Draft& draft, const ExternalOwners& owners);

}  // namespace ompdm::trace
