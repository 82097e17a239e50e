#include "record/stream/lane.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/process/cancellation.h"
#include "record/process/clock.h"
#include "record/stream/device_events.h"
#include "record/stream/fallbacks.h"
#include "record/stream/inside.h"

namespace ompdm::record {

__thread ThisThread this_thread __attribute__((tls_model("initial-exec")));

namespace {

// Programs may have thousands of threads with a region each, or one with millions.
constexpr std::size_t kFirstChunk = std::size_t{8} * 1024;
constexpr unsigned kDoublings = 7;

Lane* free_lanes = nullptr;
std::uint32_t lanes_made = 0;
pthread_key_t thread_end;
bool thread_end_watched = false;

void close_all(Lane& lane) noexcept {
  lane.open[0].handle = ~std::uint64_t{0};  // no region's
  lane.next = lane.open + 1;
}

Lane* new_lane() noexcept {
  void* memory =
      mmap(nullptr, sizeof(Lane), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return nullptr;
  }
  auto* lane = static_cast<Lane*>(memory);
  lane->id = spool::LaneId{lanes_made++};
  close_all(*lane);
  start_sites(lane->sites);
  return lane;
}

std::size_t chunk_bytes(std::uint32_t sequence) noexcept {
  return kFirstChunk << (sequence < kDoublings ? sequence : kDoublings);
}

bool grow_locked(Lane& lane, std::size_t size) noexcept {
  std::size_t bytes = chunk_bytes(lane.sequence);
  while (bytes < size + sizeof(spool::ChunkHeader) + kRoomForEnds) {
    bytes *= 2;
  }
  const Chunk chunk = new_chunk(lane.id, lane.sequence, bytes);
  if (chunk.base == nullptr) {
    return false;
  }
  release_chunk(lane.chunk);
  lane.chunk = chunk;
  lane.cursor = chunk.base + sizeof(spool::ChunkHeader);
  lane.limit = chunk.base + chunk.size - kRoomForEnds;
  lane.instant = reinterpret_cast<const spool::ChunkHeader*>(chunk.base)->first.ticks;
  memset(lane.api_op, 0, sizeof(lane.api_op));
  memset(lane.api, 0, sizeof(lane.api));
  ++lane.sequence;
  return true;
}

void give_lane_back(void* /*value*/) noexcept {
  Lane* lane = this_thread.lane;
  // No callback has looked whether this is a child, which has its parent's lane.
  if (lane == nullptr || of_this_process.phase.load() == Phase::kDetached) {
    return;
  }
  const KeptErrno kept_errno;
  const WithoutCancellation uncancelled;
  if (this_thread.inside) {
    // Cancelled in the middle of a callback, asynchronously: whatever it was about to write may lie
    // half done behind the cursor, so the next thread begins with a chunk of its own.
    lane->cursor = lane->limit + 1;
  } else {
    note_host_fallback(false);
  }
  this_thread.lane = nullptr;
  this_thread.inside = true;  // a signal handler that offloads now would wait for our own lock
  {
    const Lock lock;
    lane->next_free = free_lanes;
    free_lanes = lane;
  }
  this_thread.inside = false;
}

}  // namespace

bool resume() noexcept {
  if (of_this_process.phase.load(std::memory_order_relaxed) == Phase::kFinished) {
    count_loss(spool::Loss::kRecordsAfterFinish);
  }
  Phase expected = Phase::kPaused;
  return of_this_process.phase.compare_exchange_strong(expected, Phase::kArmed);
}

Lane* acquire_lane() noexcept {
  const WithoutCancellation uncancelled;
  Lane* lane = nullptr;
  {
    const Lock lock;
    if (!open_spool()) {
      count_loss(spool::Loss::kThreadsWithoutLane);
      return nullptr;
    }
    lane = free_lanes;
    if (lane != nullptr) {
      free_lanes = lane->next_free;
    } else {
      lane = new_lane();
    }
    if (lane == nullptr || (lane->chunk.base == nullptr && !grow_locked(*lane, 0))) {
      count_loss(spool::Loss::kThreadsWithoutLane);
      if (lane != nullptr) {
        lane->next_free = free_lanes;
        free_lanes = lane;
      }
      return nullptr;
    }
    this_thread.lane = lane;
  }
  close_all(*lane);
  lane->stack = {};
  lane->stack_asked = 0;
  lane->op_begin = 0;
  lane->launches = false;
  lane->counts_launch = false;
  lane->lost_launch = false;
  lane->content.pending_count = 0;
  if (thread_end_watched) {
    pthread_setspecific(thread_end, lane);
  }
  if (auto* record = reserve<spool::LaneThread>(*lane)) {
    record->tid = static_cast<std::uint32_t>(syscall(SYS_gettid));
    record->ticks = ticks();
    commit(*lane, record, spool::Tag::kLaneThread, 0);
  }
  write_early_events(*lane);
  return lane;
}

Lane* new_shared_lane() noexcept {
  const Lock lock;
  Lane* lane = open_spool() ? new_lane() : nullptr;
  if (lane == nullptr || !grow_locked(*lane, 0)) {
    count_loss(spool::Loss::kThreadsWithoutLane);
    return nullptr;
  }
  return lane;
}

bool grow(Lane& lane, std::size_t size) noexcept {
  bool grown = false;
  if (!recorder.failed.load(std::memory_order_relaxed)) {
    const Lock lock;
    grown = grow_locked(lane, size);
  }
  if (!grown) {
    count_loss(spool::Loss::kRecordsNoSpace);
  }
  return grown;
}

bool grow_tallies(TallyTable& table) noexcept {
  const Lock lock;
  if (!table.has_lane) {
    table.lane = spool::LaneId{lanes_made++};
    table.has_lane = true;
  }
  const Chunk chunk = new_chunk(table.lane, table.sequence, chunk_bytes(table.sequence));
  if (chunk.base == nullptr) {
    return false;
  }
  ++table.sequence;
  table.cursor = chunk.base + sizeof(spool::ChunkHeader);
  table.limit = chunk.base + chunk.size;
  return true;
}

void refresh_clock(Lane& lane) noexcept {
  const spool::ClockTriple now = clock_triple();
  auto* chunk = reinterpret_cast<spool::ChunkHeader*>(lane.chunk.base);
  __atomic_fetch_add(&chunk->last_writes, 1, __ATOMIC_ACQ_REL);  // before what follows
  chunk->last = now;
  __atomic_store_n(&chunk->last_writes, chunk->last_writes + 1, __ATOMIC_RELEASE);
}

void part_from_chunk() noexcept {
  if (this_thread.lane == nullptr) {
    return;
  }
  const Chunk chunk = this_thread.lane->chunk;
  void* copy =
      mmap(nullptr, chunk.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy != MAP_FAILED) {
    memcpy(copy, chunk.base, chunk.size);
    mremap(copy, chunk.size, chunk.size, MREMAP_MAYMOVE | MREMAP_FIXED, chunk.base);
  }
}

void forget_lanes() noexcept {
  free_lanes = nullptr;
  lanes_made = 0;
  this_thread.lane = nullptr;
}

void watch_thread_ends() noexcept {
  if (!thread_end_watched) {
    thread_end_watched = pthread_key_create(&thread_end, give_lane_back) == 0;
  }
}

}  // namespace ompdm::record
