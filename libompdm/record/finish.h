// The recorder's end: trailer, messages, and the process that finishes the spool.
#pragma once

namespace ompdm::record {

/// Writes the trailer and leaves the spool to `ompdm record`, which finishes it once the process
/// has ended, or to a process of its own; with nothing recorded says so, if the process could have
/// offloaded at all. Later calls, and calls in a fork's child without a recording, do nothing.
void end_recording() noexcept;

/// The runtime was finalised and the process goes on: calls into it are counted as lost, until a
/// callback comes or the tool is started again.
void pause_recording() noexcept;

}  // namespace ompdm::record
