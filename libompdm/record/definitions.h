// Records that define modules, their offload entries, and devices. Called in callbacks; takes the
// recorder's mutex.
#pragma once

#include <cstdint>

#include "record/thread_buffer.h"
#include "spool_format/definitions.h"
#include "spool_format/format.h"

namespace ompdm::record {

/// Writes a module's record, unless it is among those that the buffer wrote last.
void write_module(ThreadBuffer& buffer, spool::ModuleId id) noexcept;

/// Whether the runtime has initialised a device of this number. False from number 64 on.
bool device_is_known(int number) noexcept;

/// Whether the number is the host's: omp_initial_device, or one that is no initialised device's.
bool device_is_host(int number) noexcept;

/// Whether the device is emulated on the host: its copies are complete when they return.
bool device_is_emulated(int number) noexcept;

/// Writes a device event, or keeps it until the spool is open.
void note_device(spool::DeviceEvent event, int number, std::uint64_t bytes,
                 const char* type) noexcept;

/// Writes the device events kept until now, and new offload entries. Called when the spool is open.
void write_early_events(ThreadBuffer& buffer) noexcept;

/// Makes the kept events be written again, for a fork's child.
void forget_early_events() noexcept;

}  // namespace ompdm::record
