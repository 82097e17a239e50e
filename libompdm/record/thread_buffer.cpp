#include "record/thread_buffer.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/clock.h"
#include "record/definitions.h"
#include "record/entry_points.h"
#include "record/sites.h"

namespace ompdm::record {

__thread ThisThread this_thread __attribute__((tls_model("initial-exec")));

void* Pages::get(std::size_t size) noexcept {
  constexpr std::size_t kFirst = std::size_t{16} * 1024;
  constexpr std::size_t kLargest = std::size_t{1} << 20U;
  size = (size + 15U) & ~std::size_t{15};
  if (static_cast<std::size_t>(end - fresh) < size) {
    std::size_t bytes = latest == nullptr          ? kFirst
                        : latest->bytes < kLargest ? 2 * latest->bytes
                                                   : kLargest;
    while (bytes < size + sizeof(Mapping)) {
      bytes *= 2;
    }
    auto* mapping = static_cast<Mapping*>(map_memory(bytes));
    if (mapping == nullptr) {
      return nullptr;
    }
    *mapping = {latest, bytes};
    latest = mapping;
    fresh = reinterpret_cast<std::byte*>(mapping + 1);
    end = reinterpret_cast<std::byte*>(mapping) + bytes;
  }
  void* given = fresh;
  fresh += size;
  return given;
}

void Pages::clear() noexcept {
  while (latest != nullptr) {
    Mapping* mapping = latest;
    latest = mapping->older;
    munmap(mapping, mapping->bytes);
  }
  fresh = end = nullptr;
}

namespace {

// Small at first and then doubled: a program may have thousands of threads with one region each.
constexpr std::size_t kFirstChunk = std::size_t{8} * 1024;
constexpr unsigned kDoublings = 7;

ThreadBuffer* free_buffers = nullptr;
std::uint32_t buffers_made = 0;
pthread_key_t thread_end;
bool thread_end_watched = false;

void close_all(ThreadBuffer& buffer) noexcept {
  buffer.open[0].handle = ~std::uint64_t{0};  // no region's
  buffer.next = buffer.open + 1;
}

ThreadBuffer* new_buffer() noexcept {
  auto* buffer = static_cast<ThreadBuffer*>(map_memory(sizeof(ThreadBuffer)));
  if (buffer == nullptr) {
    return nullptr;
  }
  buffer->id = spool::BufferId{buffers_made++};
  close_all(*buffer);
  start_sites(buffer->sites);
  return buffer;
}

std::size_t chunk_bytes(std::uint32_t sequence) noexcept {
  return kFirstChunk << (sequence < kDoublings ? sequence : kDoublings);
}

bool grow_locked(ThreadBuffer& buffer, std::size_t size) noexcept {
  std::size_t bytes = chunk_bytes(buffer.sequence);
  while (bytes < size + sizeof(spool::ChunkHeader) + kRoomForEnds) {
    bytes *= 2;
  }
  const Chunk chunk = new_chunk(buffer.id, buffer.sequence, bytes);
  if (chunk.base == nullptr) {
    return false;
  }
  release_chunk(buffer.chunk);
  buffer.chunk = chunk;
  buffer.cursor = chunk.base + sizeof(spool::ChunkHeader);
  buffer.limit = chunk.base + chunk.size - kRoomForEnds;
  buffer.instant = reinterpret_cast<const spool::ChunkHeader*>(chunk.base)->first.ticks;
  memset(buffer.api_op, 0, sizeof(buffer.api_op));
  memset(buffer.api, 0, sizeof(buffer.api));
  ++buffer.sequence;
  return true;
}

void return_buffer(void* /*value*/) noexcept {
  ThreadBuffer* buffer = this_thread.buffer;
  // No callback has looked whether this is a child, which has its parent's buffer.
  if (buffer == nullptr || wiped_on_fork.phase.load() == Phase::kDetached) {
    return;
  }
  const KeptErrno kept_errno;
  const WithoutCancellation uncancelled;
  if (this_thread.inside) {
    // The thread was cancelled asynchronously in the middle of a callback. A record may lie half
    // written behind the cursor, so the next thread begins with a new chunk.
    buffer->cursor = buffer->limit + 1;
  } else {
    note_host_fallback(false);
  }
  this_thread.buffer = nullptr;
  this_thread.inside = true;  // a signal handler that offloads now would deadlock on the mutex
  {
    const Lock lock;
    buffer->next_free = free_buffers;
    free_buffers = buffer;
  }
  this_thread.inside = false;
}

constexpr std::uint32_t kFirstSlots = 64;

std::uint32_t hash_of(const AggregateKey& key) noexcept {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 / the golden ratio
  std::uint64_t hash = key.place * kOdd;
  hash = (hash ^ hash >> 32U ^ key.what) * kOdd;
  hash = (hash ^ hash >> 32U ^ key.devices) * kOdd;
  return static_cast<std::uint32_t>(hash >> 32U);
}

AggregateSlot* place_of(AggregateSlot* slots, std::uint32_t mask,
                        const AggregateKey& key) noexcept {
  std::uint32_t at = hash_of(key) & mask;
  while (slots[at].sample != 0 && slots[at].key != key) {
    at = (at + 1) & mask;
  }
  return slots + at;
}

// Keeps half of the slots free.
[[gnu::cold]] bool grow_table(AggregateTable& table) noexcept {
  const std::uint32_t old_count = table.slots == nullptr ? 0 : table.mask + 1;
  const std::uint32_t count = old_count == 0 ? kFirstSlots : 2 * old_count;
  auto* slots = static_cast<AggregateSlot*>(map_memory(count * sizeof(AggregateSlot)));
  if (slots == nullptr) {
    return false;
  }
  for (std::uint32_t i = 0; i < old_count; ++i) {
    if (table.slots[i].sample != 0) {
      *place_of(slots, count - 1, table.slots[i].key) = table.slots[i];
    }
  }
  if (old_count != 0) {
    munmap(table.slots, old_count * sizeof(AggregateSlot));
  }
  for (AggregateSlot*& latest : table.latest) {
    latest = nullptr;
  }
  table.slots = slots;
  table.mask = count - 1;
  return true;
}

// Makes room for aggregates in a new chunk; false if the spool cannot grow.
[[gnu::cold]] bool grow_aggregates(AggregateTable& table) noexcept {
  const Lock lock;
  if (!table.has_buffer) {
    table.buffer = spool::BufferId{buffers_made++};
    table.has_buffer = true;
  }
  const Chunk chunk = new_chunk(table.buffer, table.sequence, chunk_bytes(table.sequence));
  if (chunk.base == nullptr) {
    return false;
  }
  ++table.sequence;
  table.cursor = chunk.base + sizeof(spool::ChunkHeader);
  table.limit = chunk.base + chunk.size;
  return true;
}

// Distinguishes a fallback from an aggregated region.
constexpr std::uint64_t kOfFallback = std::uint64_t{1} << 16U;

// 1 + the device of the call; 0: unknown. Without a device clause it is -1, the default device.
std::uint8_t wanted_device_flag(std::int64_t device, bool runtime_can_be_asked) noexcept {
  if (device < 0 && runtime_can_be_asked) {
    device = default_device();
  }
  return device >= 0 && device < 255 ? static_cast<std::uint8_t>(device + 1) : 0;
}

// `sample`: the number of the sample, 0 if this is none.
bool record_fallback(ThreadBuffer& buffer, const SiteSlot& site, std::uint64_t begin,
                     std::uint8_t device, std::uint64_t sample) noexcept {
  const std::size_t size = sample != 0 ? sizeof(sample) : 0;
  return write_record(buffer, spool::Fallback{{}, site.id, begin}, spool::Tag::kFallback, device,
                      {{reinterpret_cast<const char*>(&sample), size}});
}

void aggregate_fallback(ThreadBuffer& buffer, const SiteSlot& site, std::uint64_t begin,
                        std::uint8_t device) noexcept {
  const AggregateKey key{number(site.id),
                         static_cast<std::uint64_t>(spool::AggregateOf::kRegion) | kOfFallback,
                         device};
  const AggregateSlot* slot = aggregate_of(
      buffer, key, spool::AggregateOf::kRegion,
      [&](std::uint32_t sample) { return record_fallback(buffer, site, begin, device, sample); });
  if (slot != nullptr) {
    spool::add(slot->aggregate->times, 0);
  }
}

}  // namespace

bool resume() noexcept {
  if (wiped_on_fork.phase.load(std::memory_order_relaxed) == Phase::kFinished) {
    count_loss(spool::Loss::kRecordsAfterFinish);
  }
  Phase expected = Phase::kPaused;
  return wiped_on_fork.phase.compare_exchange_strong(expected, Phase::kArmed);
}

ThreadBuffer* acquire_buffer() noexcept {
  const WithoutCancellation uncancelled;
  ThreadBuffer* buffer = nullptr;
  {
    const Lock lock;
    if (!open_spool()) {
      count_loss(spool::Loss::kThreadsWithoutBuffer);
      return nullptr;
    }
    buffer = free_buffers;
    if (buffer != nullptr) {
      free_buffers = buffer->next_free;
    } else {
      buffer = new_buffer();
    }
    if (buffer == nullptr || (buffer->chunk.base == nullptr && !grow_locked(*buffer, 0))) {
      count_loss(spool::Loss::kThreadsWithoutBuffer);
      if (buffer != nullptr) {
        buffer->next_free = free_buffers;
        free_buffers = buffer;
      }
      return nullptr;
    }
    this_thread.buffer = buffer;
  }
  close_all(*buffer);
  buffer->stack = {};
  buffer->stack_asked = 0;
  buffer->op_begin = 0;
  buffer->launches = false;
  buffer->aggregates_launch = false;
  buffer->lost_launch = false;
  buffer->content.pending_count = 0;
  if (thread_end_watched) {
    pthread_setspecific(thread_end, buffer);
  }
  const auto tid = static_cast<std::uint32_t>(syscall(SYS_gettid));
  write_record(*buffer, spool::BufferThread{{}, tid, ticks()}, spool::Tag::kBufferThread);
  write_early_events(*buffer);
  return buffer;
}

ThreadBuffer* new_shared_buffer() noexcept {
  const Lock lock;
  ThreadBuffer* buffer = open_spool() ? new_buffer() : nullptr;
  if (buffer == nullptr || !grow_locked(*buffer, 0)) {
    count_loss(spool::Loss::kThreadsWithoutBuffer);
    return nullptr;
  }
  return buffer;
}

bool grow(ThreadBuffer& buffer, std::size_t size) noexcept {
  bool grown = false;
  if (!recorder.failed.load(std::memory_order_relaxed)) {
    const Lock lock;
    grown = grow_locked(buffer, size);
  }
  if (!grown) {
    count_loss(spool::Loss::kRecordsNoSpace);
  }
  return grown;
}

void refresh_clock(ThreadBuffer& buffer) noexcept {
  const spool::ClockTriple now = clock_triple();
  auto* chunk = reinterpret_cast<spool::ChunkHeader*>(buffer.chunk.base);
  __atomic_fetch_add(&chunk->last_writes, 1, __ATOMIC_ACQ_REL);  // before what follows
  chunk->last = now;
  __atomic_store_n(&chunk->last_writes, chunk->last_writes + 1, __ATOMIC_RELEASE);
}

void detach_chunk() noexcept {
  if (this_thread.buffer == nullptr) {
    return;
  }
  const Chunk chunk = this_thread.buffer->chunk;
  if (void* copy = map_memory(chunk.size)) {
    memcpy(copy, chunk.base, chunk.size);
    mremap(copy, chunk.size, chunk.size, MREMAP_MAYMOVE | MREMAP_FIXED, chunk.base);
  }
}

void forget_buffers() noexcept {
  free_buffers = nullptr;
  buffers_made = 0;
  this_thread.buffer = nullptr;
}

void watch_thread_ends() noexcept {
  if (!thread_end_watched) {
    thread_end_watched = pthread_key_create(&thread_end, return_buffer) == 0;
  }
}

AggregateSlot* find_slot(AggregateTable& table, const AggregateKey& key) noexcept {
  if (table.slots == nullptr || 2 * table.count > table.mask) [[unlikely]] {
    if (!grow_table(table)) {
      return nullptr;
    }
  }
  AggregateSlot* slot = place_of(table.slots, table.mask, key);
  if (slot->sample == 0) {
    slot->key = key;
  }
  table.latest[key.what & 3U] = slot;
  return slot;
}

spool::Aggregate* aggregate_room(AggregateTable& table, std::size_t size) noexcept {
  if (static_cast<std::size_t>(table.limit - table.cursor) < size && !grow_aggregates(table)) {
    return nullptr;
  }
  auto* aggregate = reinterpret_cast<spool::Aggregate*>(table.cursor);
  table.cursor += size;
  return aggregate;
}

bool make_aggregate(ThreadBuffer& buffer, AggregateSlot& slot, spool::AggregateOf of,
                    std::uint32_t sample) noexcept {
  AggregateTable& table = buffer.aggregates;
  spool::Aggregate* aggregate = aggregate_room(table, sizeof(spool::Aggregate));
  if (aggregate == nullptr) {
    return false;
  }
  aggregate->buffer = buffer.id;
  aggregate->sample = sample;
  store_head(aggregate->head, spool::Tag::kAggregate, static_cast<std::uint8_t>(of),
             sizeof(spool::Aggregate));
  slot.aggregate = aggregate;
  slot.sample = sample;
  ++table.count;
  return true;
}

void note_host_fallback(bool runtime_can_be_asked) noexcept {
  const Call* noted = this_thread.call;
  this_thread.call = nullptr;
  if (noted == nullptr ||
      (noted->entry != spool::Entry::kKernel && noted->entry != spool::Entry::kKernelNowait)) {
    return;
  }
  const Call fallen = *noted;
  ThreadBuffer* buffer = current_buffer();
  if (buffer == nullptr) {
    return;
  }
  // The call's arguments are gone by now, so this is a separate site, without names and kernel.
  Call known{};
  known.codeptr = fallen.codeptr;
  known.ident = fallen.ident;
  known.entry = fallen.entry;
  SiteSlot* site = site_of(*buffer, known);
  if (site == nullptr) {
    return;
  }
  check_window();
  const std::uint8_t device = wanted_device_flag(fallen.device, runtime_can_be_asked);
  if (recorder.aggregating.load(std::memory_order_relaxed)) [[unlikely]] {
    aggregate_fallback(*buffer, *site, fallen.begin, device);
  } else {
    record_fallback(*buffer, *site, fallen.begin, device, 0);
  }
}

}  // namespace ompdm::record
