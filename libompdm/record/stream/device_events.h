// What becomes of devices, as records. Called in callbacks; takes the recorder's mutex.
#pragma once

#include <cstdint>

#include "record/stream/lane.h"
#include "spool_format/definitions.h"

namespace ompdm::record {

/// Remembers a device event, or writes it when the spool is open already.
void note_device(spool::DeviceEvent event, int number, std::uint64_t bytes,
                 const char* type) noexcept;

/// Writes the device events that came before the spool was opened (once), and offload entries not
/// yet written.
void write_early_events(Lane& lane) noexcept;

/// Keeps the early events for the recording of a fork's child.
void forget_early_events() noexcept;

}  // namespace ompdm::record
