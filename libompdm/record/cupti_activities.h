// Activities of CUDA devices: from CUPTI's buffers to records or aggregates in the spool. CUPTI
// calls back on its own thread, or on one that flushes.
#pragma once

#include <pthread.h>
#include <string.h>

#include <cstddef>
#include <cstdint>

#include "record/thread_buffer.h"
#include "spool_format/activities.h"

namespace ompdm::record {

/// Serializes writers of the activities' buffer. Not the recorder's mutex: CUPTI calls back from
/// inside the driver, while other threads hold that.
extern pthread_mutex_t activity_mutex;

/// Scoped hold of `activity_mutex`.
class ActivityLock {
 public:
  ActivityLock() noexcept { pthread_mutex_lock(&activity_mutex); }
  ~ActivityLock() { pthread_mutex_unlock(&activity_mutex); }
  ActivityLock(const ActivityLock&) = delete;
  ActivityLock& operator=(const ActivityLock&) = delete;

 private:
  WithoutCancellation uncancelled_;
};

/// The buffer that activities are written to, created at the first one; null if nothing is
/// recorded. Needs the lock.
ThreadBuffer* shared_buffer() noexcept;

/// The same buffer if it exists, also after the recording has ended. Needs the lock.
ThreadBuffer* existing_shared_buffer() noexcept;

/// Writes CUPTI's clock beside the recorder's. Needs the lock.
void write_cupti_clock(ThreadBuffer& buffer) noexcept;

/// Keeps a device and its name until it can be written to the buffer.
void note_cuda_device(const spool::CudaDevice& device, const char* name) noexcept;

/// Takes CUPTI's clock beside the recorder's now, and keeps both until there is a buffer.
void note_cupti_clock() noexcept;

/// A kernel, copy or memset as a record of the spool, whose head is not filled in.
struct Activity {
  spool::Tag tag;  ///< kKernelActivity or kMemoryActivity; kNone: none
  spool::MemoryWork work;
  union {
    spool::KernelActivity kernel;
    spool::MemoryActivity memory;
  };
};

/// No activity.
inline Activity no_activity() noexcept {
  Activity activity;
  memset(&activity, 0, sizeof(activity));
  return activity;
}

/// CUPTI's number of the driver call that started the activity.
inline std::uint32_t correlation_of(const Activity& activity) noexcept {
  return activity.tag == spool::Tag::kKernelActivity ? activity.kernel.correlation
                                                     : activity.memory.correlation;
}

/// Converts a record of CUPTI. None if it is of another kind, or (a loss is counted) without times.
/// A kernel's name is written to the buffer.
Activity read_activity(ThreadBuffer& buffer, const std::uint8_t* record) noexcept;

/// Records an activity. False (and a loss counted) if there is no room.
bool record_activity(ThreadBuffer& buffer, const Activity& activity) noexcept;

/// Aggregates an activity of the external id `id` (spool::counted_external_id); 0: unknown.
void aggregate_activity(ThreadBuffer& buffer, const Activity& activity, std::uint64_t id) noexcept;

/// Whether CUPTI knows both times; otherwise one is 0, and a loss is counted.
bool has_times(std::uint64_t start, std::uint64_t end) noexcept;

/// Records or aggregates the first `valid` bytes of a buffer, and counts what CUPTI dropped before.
/// After the recording has ended, activities are counted as lost (activities_late).
void write_activities(void* context, std::uint32_t stream, std::uint8_t* records,
                      std::size_t valid) noexcept;

/// Waits at most a second for the thread that writes activities; after the phase has changed no
/// other will begin. Then writes the activities whose owner has not become known.
void finish_activities() noexcept;

/// CUPTI's callbacks (cuptiActivityRegisterCallbacks).
void request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records);
void complete_buffer(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t size,
                     std::size_t valid);

/// Waits at most a tenth of a second until CUPTI has returned as many buffers as it had requested.
/// cuptiActivityFlushAll does not wait for a buffer that CUPTI's own thread is about to return.
/// Called after a flush, while the recorder still records.
void await_activity_buffers() noexcept;

/// Drops all state of activities in a fork's child.
void forget_activities() noexcept;
/// Its part in cupti_records.cpp.
void forget_shared_buffer() noexcept;

}  // namespace ompdm::record
