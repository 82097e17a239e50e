// CUPTI in the recorder: activities of CUDA devices with the device's own clock, tied to regions,
// data operations and submits by external correlation ids. Opened only once a CUDA device is met;
// a failure is reported once, and recording goes on with the host's clock.
#pragma once

#include <cstddef>
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

/// Flushes before the recorder pauses or ends. Also waits, a tenth of a second at most, for buffers
/// that CUPTI's own thread is still returning. Later activities are lost (activities_late).
void flush_all_activities() noexcept;

/// Stops CUPTI in a fork's child, where the parent's CUDA cannot be used.
void forget_cupti() noexcept;

/// Ties the driver calls of this thread, until end_external(), to the event of `buffer` that began
/// at `begin` (ticks).
inline void begin_external(spool::BufferId buffer, std::uint64_t begin) noexcept {
  if (recorder.cupti.load(std::memory_order_acquire)) [[unlikely]] {
    cupti_functions.push_external(cupti::kCustom0, spool::external_id(buffer, begin));
  }
}
/// Ties them to an aggregated event, by the number of its sample (spool::counted_external_id).
/// Needs `recorder.cupti`.
inline void begin_aggregated_external(spool::BufferId buffer, std::uint32_t sample) noexcept {
  cupti_functions.push_external(cupti::kCustom0, spool::counted_external_id(buffer, sample));
}
/// Ends the latest begin_external().
inline void end_external() noexcept {
  if (recorder.cupti.load(std::memory_order_acquire)) [[unlikely]] {
    cupti_functions.pop_external(cupti::kCustom0, nullptr);
  }
}

/// Keeps a device and its name until it can be written.
void note_cuda_device(const spool::CudaDevice& device, const char* name) noexcept;

/// Takes CUPTI's clock beside the recorder's now, and keeps both until they can be written.
void note_cupti_clock() noexcept;

/// CUPTI's callbacks (cuptiActivityRegisterCallbacks), on its own thread or on one that flushes.
void request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records);
void complete_buffer(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t size,
                     std::size_t valid);

/// Records or aggregates the first `valid` bytes of a buffer, and counts what CUPTI dropped before.
/// After the recording has ended, activities are counted as lost (activities_late).
void write_activities(void* context, std::uint32_t stream, std::uint8_t* records,
                      std::size_t valid) noexcept;

/// Waits, 0.1 s at most, until CUPTI has returned as many buffers as it had requested.
/// cuptiActivityFlushAll does not wait for a buffer that CUPTI's own thread is about to return.
void await_activity_buffers() noexcept;

/// Waits at most a second for the thread that writes activities; after the phase has changed no
/// other will begin. Then writes the activities whose owner has not become known.
void finish_activities() noexcept;

/// Drops all state of activities in a fork's child.
void forget_activities() noexcept;

}  // namespace ompdm::record
