// Records that define modules, their offload entries, and devices. Called in callbacks; takes the
// recorder's mutex.
#pragma once

#include <cstdint>

#include "record/thread_buffer.h"
#include "spool_format/definitions.h"
#include "spool_format/format.h"

namespace ompdm::record {

/// Writes the module's record to this buffer, unless it is among those that the buffer wrote last.
void write_module(ThreadBuffer& buffer, spool::ModuleId id) noexcept;

/// Writes the offload entries of modules found since the last call.
void write_offload_entries(ThreadBuffer& buffer) noexcept;

/// The runtime has initialised a device, of this type as ompt_callback_device_initialize tells it.
void learn_device(int number, const char* type) noexcept;

/// Whether the runtime has initialised a device of this number. Nothing is known of numbers
/// past 63.
bool device_is_known(int number) noexcept;

/// Whether it is the host's: a number, but none of the devices', or omp_initial_device.
bool device_is_host(int number) noexcept;

/// Whether it is a host that plays a device: its copies are done when they return.
bool device_is_emulated(int number) noexcept;

/// Remembers a device event, or writes it when the spool is open already.
void note_device(spool::DeviceEvent event, int number, std::uint64_t bytes,
                 const char* type) noexcept;

/// Writes the device events that came before the spool was opened (once), and offload entries not
/// yet written.
void write_early_events(ThreadBuffer& buffer) noexcept;

/// Keeps the early events for the recording of a fork's child.
void forget_early_events() noexcept;

}  // namespace ompdm::record
