// Whether the process that wrote a spool still runs. Reads /proc of this machine.
#pragma once

#include "spool/format.h"
#include "spool/owner.h"

namespace ompdm::trace {

/// As seen from this process.
spool::Owner owner_state(const spool::FileHeader& header);

/// Whether the header was written on this machine since it last started.
bool is_this_boot(const spool::FileHeader& header);

}  // namespace ompdm::trace
