// A trace as the device saw it: operations and launches at the times of the activities that did
// their work. Inside the libraries of the report only.
#pragma once

#include "ompdm/trace.h"

namespace ompdm::analysis {

/// Gives operations and launches that activities belong to the device's interval (Clock::kDevice);
/// activities that stand for none become operations and launches of their own, the runtime's as
/// internal ones. All columns are in order of their begin again, and activities refer to what they
/// became. A trace that is on the device's clock already stays as it is.
Trace on_device_clock(Trace trace);

}  // namespace ompdm::analysis
