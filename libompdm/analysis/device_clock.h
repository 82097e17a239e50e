// A trace as the device saw it: operations and launches at the times of the activities that did
// their work. Inside the libraries of the report only.
#pragma once

#include <optional>

#include "ompdm/trace.h"

namespace ompdm::analysis {

/// Whether devices told of times of their own, one by one or counted.
inline bool has_device_times(const Trace& trace) {
  return !trace.activities.empty() || !trace.activity_tallies.empty();
}

/// Gives operations and launches that activities belong to the device's interval (Clock::kDevice);
/// activities that stand for none become operations and launches of their own, the runtime's as
/// internal ones. All columns are in order of their begin again, and activities refer to what they
/// became. So with what was counted. A trace that is on the device's clock already stays as it is.
Trace on_device_clock(Trace trace);

/// That of what was counted.
void put_tallies_on_device_clock(Trace& trace);

/// The operation that an activity stands for; none of kernels and what is no work of a device.
std::optional<OpKind> op_kind(ActivityKind kind);

/// The rows that an activity becomes which stands for none.
Launch launch_of(const Trace& trace, const DeviceActivity& activity);
DataOp op_of(const Trace& trace, const DeviceActivity& activity, OpKind kind);

}  // namespace ompdm::analysis
