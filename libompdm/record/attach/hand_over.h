// Handing the finished spool over to `ompdm finish`: a process of which the program sees nothing
// and for which its end does not wait.
#pragma once

namespace ompdm::record {

/// Starts `ompdm finish` on the open spool, whose trailer is written, and returns at once. The
/// spool is locked (flock) from here until the other process ends, however it ends, so that whoever
/// wants the trace meanwhile can wait for it. Returns whether it was started; where it then dies,
/// the spool is all there and `ompdm report` finishes it.
bool hand_over_spool() noexcept;

}  // namespace ompdm::record
