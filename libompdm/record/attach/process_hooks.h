// What the recorder does when its process forks or exits.
#pragma once

namespace ompdm::record {

/// Has fork and exit call the recorder, from the first call on.
void watch_process() noexcept;

}  // namespace ompdm::record
