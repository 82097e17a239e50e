// Lanes: each thread's own stream of records. Everything here is called in callbacks; only growing
// by a chunk, a site's first event and a thread's first and last take the recorder's mutex.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/contents/state.h"
#include "record/process/own_stack.h"
#include "record/process/recorder.h"
#include "record/stream/contexts.h"
#include "record/stream/path_table.h"
#include "record/stream/site_table.h"
#include "record/stream/spool_file.h"
#include "record/stream/tallies.h"
#include "spool_format/definitions.h"
#include "spool_format/format.h"
#include "spool_format/stream.h"

namespace ompdm::record {

/// libomptarget's source location, first argument of its entry points.
struct Ident {
  std::int32_t reserved[4];
  const char* psource;
};

/// The mapped items of a call, where the runtime was given them; valid while the call runs.
struct MapArguments {
  const std::uint64_t* bases;
  const std::uint64_t* begins;
  const std::int64_t* sizes;
  const std::int64_t* types;
  const char* const* names;
  std::uint32_t count;
};

/// What a kernel call asked for.
struct KernelArguments {
  std::uint64_t host_pointer;
  std::uint64_t trip_count;
  std::uint32_t num_teams;
  std::uint32_t thread_limit;
};

/// What a wrapper saw on its way into the runtime, for the callbacks on the same thread.
struct Call {
  const void* codeptr;  ///< return address into the program
  std::uint64_t stack;  ///< where on the stack that lies; 0 if no wrapper saw it
  const Ident* ident;
  MapArguments map;
  KernelArguments kernel;
  std::int64_t device;
  std::uint64_t
      begin;  ///< ticks, of kernel calls only: when one falls back to the host this is all there is
  spool::Entry entry;
};

/// A region that runs on this lane, and what its call said.
struct OpenRegion {
  Call call;             ///< map and kernel are empty if no wrapper saw the call
  std::uint64_t handle;  ///< what the runtime keeps for it; never 0
  std::uint64_t begin;   ///< ticks
  SiteSlot* site;
  Context* context;  ///< of one that is told
  spool::OpWalk ops;
  bool moves;          ///< a transfer of it was met
  bool counted;        ///< it is not told, and neither is what happens in it (counting.h)
  std::uint8_t kind;   ///< bits of kContextKind
  int device;          ///< that it is for
  spool::PathId path;  ///< by which it was reached
  Context** home;      ///< where the way has its contexts
};

/// A text that a lane has written, by its address.
struct NameSlot {
  const char* text;
  spool::MapperNameId id;
};

/// A piece that a `declare mapper` added to the region that is counted.
struct MappedPiece {
  std::uint64_t begin;
  std::uint64_t size;
  std::uint64_t type;
  spool::MapperNameId name;
};

struct Lane {
  static constexpr unsigned kMostOpen = 16;
  static constexpr unsigned kModules = 64;  // a power of two
  static constexpr unsigned kNames = 64;    // a power of two
  static constexpr unsigned kAsked = 16;    // a power of two
  static constexpr unsigned kPieces = 32;   // of a region that is counted

  std::byte* cursor;
  std::byte* limit;
  OpenRegion* next;  ///< takes the next call; the open regions are before it
  Chunk chunk;
  spool::LaneId id;
  std::uint32_t sequence;
  std::uint32_t regions;  ///< that began
  spool::SiteId last_site;
  spool::MapperNameId last_name;
  spool::DeferralId last_deferral;
  spool::CallId last_api_call;
  spool::CallId told_call;     ///< API call of which an operation was told last
  spool::CallId counted_call;  ///< and of which one was counted
  spool::PathId last_path;
  std::uint32_t last_argument;  ///< 1 + the map item that an operation was found to be about
  spool::CallId async_id;       ///< of the last task that made an operation here
  std::uint64_t async_call;     ///< what its data said
  std::uint64_t op_count;       ///< operations that were written
  std::uint64_t op_begin;       ///< ticks; 0: no operation runs
  bool counts_op;               ///< which is not told
  bool launches;                ///< a submit runs
  bool counts_launch;           ///< which is not told
  bool lost_launch;             ///< of which there was no room to tell
  std::uint64_t launch_begin;   ///< ticks, of one that is not
  std::uint64_t instant;        ///< ticks, that the next event counts from
  spool::OpFields api_op;       ///< of the last one in the chunk
  spool::ApiFields api;
  ContextTable contexts;
  OpenRegion open[kMostOpen + 2];  ///< a sentinel, the open ones, and that of the next call
  ContentState content;
  spool::ModuleId modules_written[kModules];  ///< each at its number modulo kModules
  NameSlot names[kNames];
  std::uint64_t asked[kAsked];  ///< host addresses that omp_get_mapped_ptr was given, by address
  Lane* next_free;
  StackRange stack;          ///< of the thread; empty: not found yet
  std::uint8_t stack_asked;  ///< how often it was looked for
  PathTable paths;
  SiteTable sites;
  TallyTable tallies;
  MappedPiece pieces[kPieces];
  unsigned piece_count;
  std::uint32_t examples;  ///< that were told

  [[nodiscard]] bool idle() const noexcept { return next == open + 1; }
};

/// Per thread, in static TLS: plain data without constructor or destructor.
struct ThisThread {
  Lane* lane;
  bool inside;  ///< a callback of this thread runs: what a signal handler does meanwhile is not
                ///< recorded
  const Call* call;  ///< noted by a wrapper, no region has begun for it yet; else null
  Call first_call;   ///< its place until the thread has a lane
  const void* api_codeptr;
  std::uint64_t api_stack;
  spool::CallId api_call;
  spool::Entry api_entry;
  std::uint64_t async_call;  ///< an asynchronous API call whose task is not made yet; 0: none
};

// Initial-exec: one instruction to reach, and no allocation at a thread's first access. It fits the
// surplus of static TLS that the loader keeps for libraries opened late.
extern __thread ThisThread this_thread __attribute__((tls_model("initial-exec")));

/// This thread's lane, made or taken over at its first event; null (and a loss counted) if there
/// can be none.
[[gnu::cold]] Lane* acquire_lane() noexcept;

/// A lane that no thread owns: whoever writes to it takes turns. Null (and a loss counted) if there
/// can be none.
Lane* new_shared_lane() noexcept;

inline Lane* current_lane() noexcept {
  Lane* lane = this_thread.lane;
  return lane != nullptr ? lane : acquire_lane();
}

/// Makes room for `size` bytes in a new chunk; false if the spool cannot grow.
[[gnu::cold]] bool grow(Lane& lane, std::size_t size) noexcept;

/// Makes room for a tally in a new chunk, which stays mapped; false (and a loss counted) if the
/// spool cannot grow.
[[gnu::cold]] bool grow_tallies(TallyTable& table) noexcept;

/// What is known of a context: nothing, if it was not told in the lane's chunk.
inline void know_in_chunk(const Lane& lane, Context& context) noexcept {
  if (context.sequence != lane.sequence) {
    spool::forget(context.last);
    context.sequence = lane.sequence;
  }
}

/// Refreshes the clock triple of the lane's chunk, by which a killed process's clock is calibrated.
[[gnu::cold]] void refresh_clock(Lane& lane) noexcept;

/// Ends are written whatever room is left: behind the limit is some for as many as can be open.
inline constexpr std::size_t kRoomForEnds =
    (Lane::kMostOpen + 1) * spool::kMostEndBytes + spool::kOverrun;

/// Room for `size` bytes behind the cursor; null (and a loss counted) if there is none.
inline std::byte* room_for(Lane& lane, std::size_t size) noexcept {
  if (lane.limit < lane.cursor || static_cast<std::size_t>(lane.limit - lane.cursor) < size)
      [[unlikely]] {
    if (!grow(lane, size)) {
      return nullptr;
    }
  }
  return lane.cursor;
}

/// Room for a record and `extra` bytes behind it, zeroed, not committed; null (and a loss counted)
/// if there is none.
template <class Record>
Record* reserve(Lane& lane, std::size_t extra = 0) noexcept {
  const std::size_t size = (sizeof(Record) + extra + 7U) & ~std::size_t{7};
  if (room_for(lane, size + 7) == nullptr) [[unlikely]] {
    return nullptr;
  }
  while (reinterpret_cast<std::uint64_t>(lane.cursor) % 8 != 0) {
    *lane.cursor++ = static_cast<std::byte>(spool::Tag::kPadding);
  }
  return reinterpret_cast<Record*>(lane.cursor);
}

/// Publishes a record's head; `size` in bytes, a multiple of 8.
inline void store_head(spool::Head& at, spool::Tag tag, std::uint8_t flags,
                       std::size_t size) noexcept {
  const std::uint32_t head = static_cast<std::uint32_t>(tag) |
                             static_cast<std::uint32_t>(flags) << 8U |
                             static_cast<std::uint32_t>(size / 8) << 16U;
  __atomic_store_n(reinterpret_cast<std::uint32_t*>(&at), head, __ATOMIC_RELEASE);
}

/// Commits the record at the lane's cursor.
template <class Record>
void commit(Lane& lane, Record* record, spool::Tag tag, std::uint8_t flags,
            std::size_t extra = 0) noexcept {
  const std::size_t size = (sizeof(Record) + extra + 7U) & ~std::size_t{7};
  lane.cursor += size;
  store_head(record->head, tag, flags, size);
}

/// Largest record, by the 16 bits of its size; longer texts and lists are cut and counted.
inline constexpr std::size_t kMostRecordBytes = std::size_t{48} * 1024;

/// Puts a copy in the place of the chunk that this thread writes, in a fork's child that is still
/// about to write there.
void part_from_chunk() noexcept;

/// Forgets all lanes of the parent in a fork's child, whose only thread calls this.
void forget_lanes() noexcept;

/// Makes the hook by which a thread's end gives its lane to the next thread. Called once at attach.
void watch_thread_ends() noexcept;

}  // namespace ompdm::record
