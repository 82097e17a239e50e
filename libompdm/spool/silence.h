// What `ompdm record` is told of a process that could have offloaded and recorded nothing.
#pragma once

namespace ompdm::spool {

/// Nothing was in the way.
inline constexpr const char* kNothingExecuted = "no target region was executed on a device";

}  // namespace ompdm::spool
