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

/// CUPTI's functions. Valid while `recorder.cupti`.
extern cupti::Functions cupti_functions;

/// Starts CUPTI if this is the first CUDA device to be initialised, and notes the properties of the
/// current device. `number` is OpenMP's.
void cupti_device(int number, const char* type) noexcept;

/// Starts CUPTI in a program without OpenMP, where activities have no directives.
void cupti_injected() noexcept;

/// Flushes CUPTI's buffers. Called when the devices are idle: running activities are lost
/// (activities_incomplete).
void flush_activities() noexcept;

/// Flushes before the recorder pauses or ends: also waits for buffers that CUPTI's own thread is
/// still returning, since later activities are lost (activities_late).
void flush_all_activities() noexcept;

/// Stops CUPTI in a fork's child, where the parent's CUDA cannot be used.
void forget_cupti() noexcept;

/// Ties the driver calls of this thread, until end_external(), to the event that began at `begin`
/// ticks in `lane`.
inline void begin_external(spool::LaneId lane, std::uint64_t begin) noexcept {
  if (recorder.cupti.load(std::memory_order_acquire)) [[unlikely]] {
    cupti_functions.push_external(cupti::kCustom0, spool::external_id(lane, begin));
  }
}
/// Ties them to an aggregated event, by its sample (spool::counted_external_id). Needs
/// `recorder.cupti`.
inline void begin_aggregated_external(spool::LaneId lane, std::uint32_t sample) noexcept {
  cupti_functions.push_external(cupti::kCustom0, spool::counted_external_id(lane, sample));
}
/// Ends the latest begin_external().
inline void end_external() noexcept {
  if (recorder.cupti.load(std::memory_order_acquire)) [[unlikely]] {
    cupti_functions.pop_external(cupti::kCustom0, nullptr);
  }
}

}  // namespace ompdm::record
