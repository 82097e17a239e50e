// What is known of devices while the program runs. Called in callbacks.
#pragma once

namespace ompdm::record {

/// The runtime has initialised a device, of this type as ompt_callback_device_initialize tells it.
void learn_device(int number, const char* type) noexcept;

/// Whether the runtime has initialised a device of this number. Nothing is known of numbers
/// past 63.
bool device_is_known(int number) noexcept;

/// Whether it is the host's: a number, but none of the devices', or omp_initial_device.
bool device_is_host(int number) noexcept;

/// Whether it is a host that plays a device: its copies are done when they return.
bool device_is_emulated(int number) noexcept;

}  // namespace ompdm::record
