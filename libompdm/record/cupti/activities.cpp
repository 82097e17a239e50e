#include "record/cupti/activities.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "record/cupti/activity_lane.h"
#include "record/cupti/activity_owners.h"
#include "record/cupti/activity_tallies.h"
#include "record/cupti/cupti.h"
#include "record/cupti/device_activity.h"
#include "record/process/cancellation.h"

namespace ompdm::record {
namespace {

using cupti::Kind;

bool is_counting() noexcept { return recorder.counting.load(std::memory_order_relaxed); }

// Where all is told nothing has to wait for its owner.
bool may_be_counted() noexcept {
  return is_counting() || recorder.draft.detail != spool::Detail::kAll;
}

bool is_counted(std::uint64_t id) noexcept { return (id & spool::kCountedExternal) != 0; }

void write_external(Lane& lane, std::uint32_t correlation, std::uint64_t id) noexcept {
  if (auto* record = reserve<spool::ExternalId>(lane)) {
    record->correlation = correlation;
    record->id = id;
    commit(lane, record, spool::Tag::kExternalId, 0);
  }
}

// What was asked for by what is told is told, also once counting has begun.
void settle(Lane& lane, const Activity& activity, std::uint64_t id) noexcept {
  if (is_counted(id) || (id == 0 && is_counting())) {
    return count_activity(lane, activity, id);
  }
  tell_activity(lane, activity);
}

void take_activity(Lane& lane, const Activity& activity) noexcept {
  if (activity.tag == spool::Tag::kNone) {
    return;
  }
  if (!may_be_counted()) {
    tell_activity(lane, activity);
    return;
  }
  const std::uint64_t id = owner_of(correlation_of(activity));
  if (id != 0 || !recorder.cupti.load(std::memory_order_relaxed)) {
    return settle(lane, activity, id);
  }
  const Activity leaves = keep_waiting(activity);
  if (leaves.tag != spool::Tag::kNone) {
    settle(lane, leaves, 0);
  }
}

void take_external(Lane& lane, const cupti::ExternalRecord& external) noexcept {
  if (external.external_kind != cupti::kCustom0) {
    return;  // another tool's
  }
  note_owner(external.correlation, external.id);
  if (!is_counted(external.id)) {
    write_external(lane, external.correlation, external.id);
  }
  for (Activity waited = take_waiting(external.correlation); waited.tag != spool::Tag::kNone;
       waited = take_waiting(external.correlation)) {
    settle(lane, waited, external.id);
  }
}

// Of what is counted the waits are not: what the device did meanwhile, which makes a wait worth
// telling, is known of single events alone.
void take_synchronization(Lane& lane, const cupti::SynchronizationRecord& wait) noexcept {
  const std::uint64_t id = owner_of(wait.correlation);
  if (is_counted(id) || (id == 0 && is_counting())) {
    return;
  }
  auto* record = has_times(wait.start, wait.end) ? reserve<spool::Synchronization>(lane) : nullptr;
  if (record == nullptr) {
    return;
  }
  record->correlation = wait.correlation;
  record->begin = wait.start;
  record->end = wait.end;
  record->context = wait.context;
  record->stream = wait.stream;
  record->event = wait.event;
  commit(lane, record, spool::Tag::kSynchronization, static_cast<std::uint8_t>(wait.type));
}

Kind kind_of(const std::uint8_t* activity) noexcept {
  Kind kind{};
  memcpy(&kind, activity, sizeof(kind));
  return kind;
}

// What would have been a row of the trace.
bool is_activity(const std::uint8_t* record) noexcept {
  const Kind kind = kind_of(record);
  return kind != Kind::kDriver && kind != Kind::kExternalCorrelation;
}

void take(Lane& lane, const std::uint8_t* record) noexcept {
  switch (kind_of(record)) {
    case Kind::kConcurrentKernel:
    case Kind::kMemcpy:
    case Kind::kMemcpyPeer:
    case Kind::kMemset:
      return take_activity(lane, read_activity(lane, record));
    case Kind::kExternalCorrelation:
      return take_external(lane, *reinterpret_cast<const cupti::ExternalRecord*>(record));
    case Kind::kSynchronization:
      return take_synchronization(lane,
                                  *reinterpret_cast<const cupti::SynchronizationRecord*>(record));
    case Kind::kDriver:  // asked for only because external ids come with it
      break;
  }
}

}  // namespace

void write_activities(void* context, std::uint32_t stream, std::uint8_t* buffer,
                      std::size_t valid) noexcept {
  const ActivityLock lock;
  std::size_t dropped = 0;
  if (cupti_functions.dropped_records(context, stream, &dropped) == cupti::kSuccess) {
    count_loss(spool::Loss::kActivitiesDropped, dropped);
  }
  Lane* lane = valid > 0 ? activity_lane() : nullptr;
  std::uint8_t* record = nullptr;
  std::uint64_t unwritten = 0;
  while (valid > 0 && cupti_functions.next_record(buffer, valid, &record) == cupti::kSuccess) {
    if (lane != nullptr) {
      take(*lane, record);
    } else {
      unwritten += is_activity(record) ? 1 : 0;
    }
  }
  if (lane != nullptr) {
    if (!is_counting()) {
      write_cupti_clock(*lane);
    }
    refresh_clock(*lane);
  } else if (spool_is_open()) {
    // While the recorder is armed it is the lane that could not be made.
    count_loss(armed() ? spool::Loss::kActivitiesDropped : spool::Loss::kActivitiesLate, unwritten);
  }
}

void settle_activities() noexcept {
  const WithoutCancellation uncancelled;
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);
  ++until.tv_sec;
  if (pthread_mutex_timedlock(&activity_mutex, &until) != 0) {
    return;
  }
  if (Lane* lane = made_activity_lane()) {
    for (Activity waited = take_any_waiting(); waited.tag != spool::Tag::kNone;
         waited = take_any_waiting()) {
      settle(*lane, waited, 0);
    }
  }
  pthread_mutex_unlock(&activity_mutex);
}

}  // namespace ompdm::record
