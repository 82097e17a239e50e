// Kernel calls that no target region followed: they ran on the host. Called in callbacks, and when
// a thread or the recording ends.
#pragma once

namespace ompdm::record {

/// If a kernel call of this thread was never followed by its target region, tells or counts that it
/// ran on the host. Which device it asked for is only known while the runtime can be asked.
void note_host_fallback(bool runtime_can_be_asked) noexcept;

}  // namespace ompdm::record
