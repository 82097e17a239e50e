// The lane that activities are written to, and what the reader needs beside them: CUPTI's clock,
// the devices, names. Whoever writes takes turns by ActivityLock, which nothing but
// `settle_activities` waits for.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "record/stream/lane.h"
#include "spool_format/activities.h"

namespace ompdm::record {

extern pthread_mutex_t activity_mutex;

/// Scoped hold of the activities' lane. Its own mutex: CUPTI calls from inside the driver, whatever
/// the recorder's holds.
class ActivityLock {
 public:
  ActivityLock() noexcept { pthread_mutex_lock(&activity_mutex); }
  ~ActivityLock() { pthread_mutex_unlock(&activity_mutex); }
  ActivityLock(const ActivityLock&) = delete;
  ActivityLock& operator=(const ActivityLock&) = delete;

 private:
  WithoutCancellation uncancelled_;
};

/// The lane, made when the first activity comes; null if nothing is recorded (any more). The lock
/// is held.
Lane* activity_lane() noexcept;

/// The lane if there is one, also once nothing is recorded any more. The lock is held.
Lane* made_activity_lane() noexcept;

/// A name in the lane, written there when it is new; none for null. The lock is held.
spool::ActivityNameId activity_name(Lane& lane, const char* text) noexcept;

/// Writes CUPTI's clock beside ours, now. The lock is held.
void write_cupti_clock(Lane& lane) noexcept;

/// A device to be described in the lane, once there is one; `name` is kept.
void note_cuda_device(const spool::CudaDevice& device, const char* name) noexcept;

/// Notes CUPTI's clock beside ours, now, to be written once there is a lane.
void note_cupti_clock() noexcept;

/// In a fork's child.
void forget_activity_lane() noexcept;

}  // namespace ompdm::record
