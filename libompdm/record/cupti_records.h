// Device activities as the spool's records: recorded one by one, or aggregated.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "record/thread_buffer.h"
#include "spool_format/activities.h"

namespace ompdm::record {

extern pthread_mutex_t activity_mutex;

/// Scoped hold of the activities' buffer. Its own mutex: CUPTI calls from inside the driver,
/// whatever the recorder's holds.
class ActivityLock {
 public:
  ActivityLock() noexcept { pthread_mutex_lock(&activity_mutex); }
  ~ActivityLock() { pthread_mutex_unlock(&activity_mutex); }
  ActivityLock(const ActivityLock&) = delete;
  ActivityLock& operator=(const ActivityLock&) = delete;

 private:
  WithoutCancellation uncancelled_;
};

/// The buffer, made when the first activity comes; null if nothing is recorded (any more). The lock
/// is held.
ThreadBuffer* shared_buffer() noexcept;

/// The buffer if there is one, also once nothing is recorded any more. The lock is held.
ThreadBuffer* existing_shared_buffer() noexcept;

/// A name in the buffer, written there when it is new; none for null. The lock is held.
spool::ActivityNameId activity_name(ThreadBuffer& buffer, const char* text) noexcept;

/// Writes CUPTI's clock beside ours, now. The lock is held.
void write_cupti_clock(ThreadBuffer& buffer) noexcept;

/// A device to be described in the buffer, once there is one; `name` is kept.
void note_cuda_device(const spool::CudaDevice& device, const char* name) noexcept;

/// Notes CUPTI's clock beside ours, now, to be written once there is a buffer.
void note_cupti_clock() noexcept;

/// In a fork's child.
void forget_shared_buffer() noexcept;

/// Heads are not filled in.
struct Activity {
  spool::Tag tag;  ///< kKernelActivity or kMemoryActivity; kNone: nothing
  spool::MemoryWork work;
  union {
    spool::KernelActivity kernel;
    spool::MemoryActivity memory;
  };
};

inline std::uint32_t correlation_of(const Activity& activity) noexcept {
  return activity.tag == spool::Tag::kKernelActivity ? activity.kernel.correlation
                                                     : activity.memory.correlation;
}

/// What a record of CUPTI's stands for; nothing if it is none of these, or (a loss is counted)
/// without its times. A kernel's name is told in the buffer.
Activity read_activity(ThreadBuffer& buffer, const std::uint8_t* record) noexcept;

/// Tells it. False (and a loss counted) if there is no room.
bool record_activity(ThreadBuffer& buffer, const Activity& activity) noexcept;

/// Whether CUPTI knows its times: it gives 0 for those that it does not know (yet), which is
/// counted as a loss.
bool has_times(std::uint64_t start, std::uint64_t end) noexcept;

/// Counts an activity of what pushed `id` (spool::counted_external_id), or, where that is 0, of
/// nobody that is known.
void aggregate_activity(ThreadBuffer& buffer, const Activity& activity, std::uint64_t id) noexcept;

}  // namespace ompdm::record
