#include "record/cupti_activities.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <atomic>

#include "record/cupti.h"
#include "record/recorder.h"

namespace ompdm::record {

namespace {

using cupti::Kind;

// Who asked the driver for what: external ids by CUPTI's correlation numbers, and activities that
// came before the id of their call. CUPTI reports calls and activities in separate buffers, in any
// order.
//
// A stream holds a thousand or so calls ahead of the device, and a buffer of 64 KiB as many.
constexpr std::uint32_t kOwners = std::uint32_t{1} << 16U;
constexpr std::uint32_t kBuckets = std::uint32_t{1} << 12U;
constexpr std::uint32_t kInBucket = 4;

struct Owner {
  std::uint64_t id;  // 0: free
  std::uint32_t correlation;
};

struct Table {
  Owner owners[kOwners];  // each at its correlation modulo kOwners
  Activity waiting[kBuckets]
                  [kInBucket];  // each at its correlation modulo kBuckets, the latest first
};

Table* table = nullptr;
std::uint32_t waiting_count = 0;
std::uint32_t next_bucket = 0;  // of take_any_waiting

Table* get_table() noexcept {
  if (table == nullptr) {
    // Pages are touched as far as they are used.
    void* memory = mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    table = memory != MAP_FAILED ? static_cast<Table*>(memory) : nullptr;
  }
  return table;
}

Activity take(Activity& place) noexcept {
  const Activity taken = place;
  if (taken.tag != spool::Tag::kNone) {
    place.tag = spool::Tag::kNone;
    --waiting_count;
  }
  return taken;
}

// Notes the external id that was on the thread's stack at a driver call.
void note_owner(std::uint32_t correlation, std::uint64_t id) noexcept {
  if (Table* all = get_table()) {
    all->owners[correlation % kOwners] = {id, correlation};
  }
}

// The external id of a driver call; 0: unknown.
std::uint64_t owner_of(std::uint32_t correlation) noexcept {
  if (table == nullptr) {
    return 0;
  }
  const Owner& owner = table->owners[correlation % kOwners];
  return owner.correlation == correlation ? owner.id : 0;
}

// Keeps an activity until its owner is known. Returns the activity that has to leave for it:
// another one, the same without memory, or none.
Activity keep_waiting(const Activity& activity) noexcept {
  Table* all = get_table();
  if (all == nullptr) {
    return activity;
  }
  Activity* bucket = all->waiting[correlation_of(activity) % kBuckets];
  std::uint32_t last = 0;
  while (last < kInBucket - 1 && bucket[last].tag != spool::Tag::kNone) {
    ++last;
  }
  const Activity leaves = take(bucket[last]);
  memmove(bucket + 1, bucket, last * sizeof(Activity));
  bucket[0] = activity;
  ++waiting_count;
  return leaves;
}

// Takes an activity that waits for the owner of a call, or none.
Activity take_waiting(std::uint32_t correlation) noexcept {
  if (waiting_count != 0) {
    for (Activity& place : table->waiting[correlation % kBuckets]) {
      if (place.tag != spool::Tag::kNone && correlation_of(place) == correlation) {
        return take(place);
      }
    }
  }
  return no_activity();
}

// Takes any activity that waits for its owner, or none.
Activity take_any_waiting() noexcept {
  for (std::uint32_t tries = 0; waiting_count != 0 && tries <= kBuckets; ++tries) {
    for (Activity& place : table->waiting[next_bucket]) {
      if (place.tag != spool::Tag::kNone) {
        return take(place);
      }
    }
    next_bucket = (next_bucket + 1) % kBuckets;
  }
  return no_activity();
}

void forget_owners() noexcept {
  if (table != nullptr) {
    munmap(table, sizeof(Table));
  }
  table = nullptr;
  waiting_count = 0;
  next_bucket = 0;
}

bool is_aggregating() noexcept { return recorder.aggregating.load(std::memory_order_relaxed); }

// Where all is recorded as events, no activity has to wait for its owner.
bool may_be_aggregated() noexcept {
  return is_aggregating() || recorder.draft.detail != spool::Detail::kAll;
}

bool is_aggregated(std::uint64_t id) noexcept { return (id & spool::kCountedExternal) != 0; }

void write_external(ThreadBuffer& buffer, std::uint32_t correlation, std::uint64_t id) noexcept {
  if (auto* record = reserve<spool::ExternalId>(buffer)) {
    record->correlation = correlation;
    record->id = id;
    commit(buffer, record, spool::Tag::kExternalId, 0);
  }
}

// Activities of operations recorded as events are recorded as events, even after aggregation has
// started.
void record_or_aggregate(ThreadBuffer& buffer, const Activity& activity,
                         std::uint64_t id) noexcept {
  if (is_aggregated(id) || (id == 0 && is_aggregating())) {
    return aggregate_activity(buffer, activity, id);
  }
  record_activity(buffer, activity);
}

void take_activity(ThreadBuffer& buffer, const Activity& activity) noexcept {
  if (activity.tag == spool::Tag::kNone) {
    return;
  }
  if (!may_be_aggregated()) {
    record_activity(buffer, activity);
    return;
  }
  const std::uint64_t id = owner_of(correlation_of(activity));
  if (id != 0 || !recorder.cupti.load(std::memory_order_relaxed)) {
    return record_or_aggregate(buffer, activity, id);
  }
  const Activity leaves = keep_waiting(activity);
  if (leaves.tag != spool::Tag::kNone) {
    record_or_aggregate(buffer, leaves, 0);
  }
}

void take_external(ThreadBuffer& buffer, const cupti::ExternalRecord& external) noexcept {
  if (external.external_kind != cupti::kCustom0) {
    return;  // another tool's
  }
  note_owner(external.correlation, external.id);
  if (!is_aggregated(external.id)) {
    write_external(buffer, external.correlation, external.id);
  }
  for (Activity waited = take_waiting(external.correlation); waited.tag != spool::Tag::kNone;
       waited = take_waiting(external.correlation)) {
    record_or_aggregate(buffer, waited, external.id);
  }
}

// Waits of aggregated calls are dropped: a wait means little without what the device did meanwhile.
void take_synchronization(ThreadBuffer& buffer, const cupti::SynchronizationRecord& wait) noexcept {
  const std::uint64_t id = owner_of(wait.correlation);
  if (is_aggregated(id) || (id == 0 && is_aggregating())) {
    return;
  }
  auto* record =
      has_times(wait.start, wait.end) ? reserve<spool::Synchronization>(buffer) : nullptr;
  if (record == nullptr) {
    return;
  }
  record->correlation = wait.correlation;
  record->begin = wait.start;
  record->end = wait.end;
  record->context = wait.context;
  record->stream = wait.stream;
  record->event = wait.event;
  commit(buffer, record, spool::Tag::kSynchronization, static_cast<std::uint8_t>(wait.type));
}

Kind kind_of(const std::uint8_t* activity) noexcept {
  Kind kind{};
  memcpy(&kind, activity, sizeof(kind));
  return kind;
}

// Whether the record would have been a row of the trace.
bool is_activity(const std::uint8_t* record) noexcept {
  const Kind kind = kind_of(record);
  return kind != Kind::kDriver && kind != Kind::kExternalCorrelation;
}

void take(ThreadBuffer& buffer, const std::uint8_t* record) noexcept {
  switch (kind_of(record)) {
    case Kind::kConcurrentKernel:
    case Kind::kMemcpy:
    case Kind::kMemcpyPeer:
    case Kind::kMemset:
      return take_activity(buffer, read_activity(buffer, record));
    case Kind::kExternalCorrelation:
      return take_external(buffer, *reinterpret_cast<const cupti::ExternalRecord*>(record));
    case Kind::kSynchronization:
      return take_synchronization(buffer,
                                  *reinterpret_cast<const cupti::SynchronizationRecord*>(record));
    case Kind::kDriver:  // enabled only because external ids come with it
      break;
  }
}

// Small: a killed process loses the contents of the buffer that CUPTI fills.
constexpr std::size_t kBufferBytes = std::size_t{64} * 1024;
constexpr unsigned kMostKept = 32;  // buffers kept for reuse; further ones are unmapped

// A mutex of its own: CUPTI requests buffers from inside the driver.
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
std::uint8_t* kept[kMostKept];
unsigned kept_count = 0;

std::atomic<std::uint64_t> handed_out{0};  // buffers that CUPTI got
std::atomic<std::uint64_t> written{0};     // of those, the ones whose records are in the spool

constexpr timespec kPause{0, 100'000};
constexpr unsigned kMostPauses = 1000;

std::uint8_t* take_kept() noexcept {
  pthread_mutex_lock(&mutex);
  std::uint8_t* buffer = kept_count > 0 ? kept[--kept_count] : nullptr;
  pthread_mutex_unlock(&mutex);
  return buffer;
}

bool keep(std::uint8_t* buffer) noexcept {
  pthread_mutex_lock(&mutex);
  const bool has_place = kept_count < kMostKept;
  if (has_place) {
    kept[kept_count++] = buffer;
  }
  pthread_mutex_unlock(&mutex);
  return has_place;
}

}  // namespace

void write_activities(void* context, std::uint32_t stream, std::uint8_t* records,
                      std::size_t valid) noexcept {
  const ActivityLock lock;
  std::size_t dropped = 0;
  if (cupti_functions.dropped_records(context, stream, &dropped) == cupti::kSuccess) {
    count_loss(spool::Loss::kActivitiesDropped, dropped);
  }
  ThreadBuffer* buffer = valid > 0 ? shared_buffer() : nullptr;
  std::uint8_t* record = nullptr;
  std::uint64_t unwritten = 0;
  while (valid > 0 && cupti_functions.next_record(records, valid, &record) == cupti::kSuccess) {
    if (buffer != nullptr) {
      take(*buffer, record);
    } else {
      unwritten += is_activity(record) ? 1 : 0;
    }
  }
  if (buffer != nullptr) {
    if (!is_aggregating()) {
      write_cupti_clock(*buffer);
    }
    refresh_clock(*buffer);
  } else if (spool_is_open()) {
    // While the recorder is armed, the buffer could not be created.
    count_loss(armed() ? spool::Loss::kActivitiesDropped : spool::Loss::kActivitiesLate, unwritten);
  }
}

void finish_activities() noexcept {
  const WithoutCancellation uncancelled;
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);
  ++until.tv_sec;
  if (pthread_mutex_timedlock(&activity_mutex, &until) != 0) {
    return;
  }
  if (ThreadBuffer* buffer = existing_shared_buffer()) {
    for (Activity waited = take_any_waiting(); waited.tag != spool::Tag::kNone;
         waited = take_any_waiting()) {
      record_or_aggregate(*buffer, waited, 0);
    }
  }
  pthread_mutex_unlock(&activity_mutex);
}

void request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  const KeptErrno kept_errno;
  *size = kBufferBytes;
  *most_records = 0;  // as many as fit
  *buffer = take_kept();
  if (*buffer == nullptr) {
    *buffer = static_cast<std::uint8_t*>(map_memory(kBufferBytes));
    if (*buffer == nullptr) {
      return;
    }
  }
  handed_out.fetch_add(1);
}

void complete_buffer(void* context, std::uint32_t stream, std::uint8_t* buffer,
                     std::size_t /*size*/, std::size_t valid) {
  const KeptErrno kept_errno;
  write_activities(context, stream, buffer, valid);
  written.fetch_add(1);
  if (buffer != nullptr && !keep(buffer)) {
    munmap(buffer, kBufferBytes);
  }
}

void await_activity_buffers() noexcept {
  const WithoutCancellation uncancelled;
  const std::uint64_t expected = handed_out.load();
  for (unsigned pauses = 0; written.load() < expected && pauses < kMostPauses; ++pauses) {
    nanosleep(&kPause, nullptr);
  }
}

void forget_activities() noexcept {
  pthread_mutex_init(&mutex, nullptr);
  handed_out.store(0);
  written.store(0);
  forget_owners();
  forget_shared_buffer();
}

}  // namespace ompdm::record
