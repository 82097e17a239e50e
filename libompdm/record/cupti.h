// CUPTI in the recorder: activities of CUDA devices with the device's own clock, tied to regions,
// data operations and submits by external correlation ids. Opened only once a CUDA device is met;
// a failure is reported once, and recording goes on with the host's clock.
#pragma once

#include <atomic>
#include <cstdint>

#include "record/cupti_api.h"
#include "record/recorder.h"
#include "spool_format/activities.h"

namespace ompdm::record {

/// Valid while `recorder.cupti`.
extern cupti::Functions cupti_functions;

/// A device of this type was initialised: starts CUPTI if it is the first of CUDA's, and notes what
/// the driver says of the device that is current. `number` is OpenMP's.
void cupti_device(int number, const char* type) noexcept;

/// Starts CUPTI in a program that CUDA itself told us of; there are no directives to tie to.
void cupti_injected() noexcept;

/// Writes what the devices have done so far. To be called when they have nothing left to do: what
/// they still do is lost (activities_incomplete).
void flush_activities() noexcept;

/// The same before the recorder pauses or ends: waits as well for the buffers that CUPTI's own
/// thread is still giving back, since activities that come later are lost (activities_late).
void flush_all_activities() noexcept;

/// In a fork's child: a parent's CUDA is of no use there.
void forget_cupti() noexcept;

/// From now until end_external, what this thread asks the driver for belongs to what began at
/// `begin` ticks in `lane`.
inline void begin_external(spool::LaneId lane, std::uint64_t begin) noexcept {
  if (recorder.cupti.load(std::memory_order_acquire)) [[unlikely]] {
    cupti_functions.push_external(cupti::kCustom0, spool::external_id(lane, begin));
  }
}
/// The same where that is counted: `sample` as spool::counted_external_id has it. To be called
/// while `recorder.cupti`.
inline void begin_aggregated_external(spool::LaneId lane, std::uint32_t sample) noexcept {
  cupti_functions.push_external(cupti::kCustom0, spool::counted_external_id(lane, sample));
}
inline void end_external() noexcept {
  if (recorder.cupti.load(std::memory_order_acquire)) [[unlikely]] {
    cupti_functions.pop_external(cupti::kCustom0, nullptr);
  }
}

}  // namespace ompdm::record
