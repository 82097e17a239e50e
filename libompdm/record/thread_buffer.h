// A thread's buffer of records, and all that the recorder knows per thread. Everything here is
// called in callbacks; only growing by a chunk, a site's first event and a thread's first and
// last take the recorder's mutex.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/hashing.h"
#include "record/process_facts.h"
#include "record/recorder.h"
#include "record/spool_writer.h"
#include "spool_format/definitions.h"
#include "spool_format/format.h"
#include "spool_format/stream.h"
#include "spool_format/tallies.h"

namespace ompdm::record {

struct Context;

/// The way so far determines where the next return address lies: a function that was called from
/// one place with its return address at one place has its frame there.
struct PathNode {
  std::uint64_t address;  ///< found there the last time
  PathNode* next;         ///< the node for that address
  std::uint32_t offset;   ///< of that place, from the site's call up; 0: the path ends here
  spool::PathId id;       ///< of the path that ends here
  Context* contexts;      ///< of its regions, the latest one first
};

/// One step down the tree.
struct PathEdge {
  const void* from;     ///< a node, or a site's slot; null: no edge
  std::uint64_t value;  ///< the address, or the call's place on the stack
  PathNode* to;
};

struct PathPages;

/// Edges, hashed through from where their hash says.
struct PathTable {
  /// More than any program has that does not recurse without end; then paths are no longer told.
  static constexpr std::uint32_t kMostNodes = 1U << 16U;

  PathEdge* places;  ///< null until the first path
  PathPages* pages;  ///< where nodes lie
  PathNode* fresh;   ///< nodes never used, up to
  PathNode* fresh_end;
  std::uint32_t shift;  ///< 64 less the logarithm of the number of places
  std::uint32_t edges;
};

/// Mapped memory that is given away bit by bit, and kept for the buffer's life.
struct Pages {
  std::byte* fresh;
  std::byte* end;
  std::size_t bytes;  ///< of the latest

  /// Zeroed; null if there is none.
  void* get(std::size_t size) noexcept;
};

struct Context {
  spool::DeltaState last;
  std::uint32_t id;
  std::uint32_t sequence;  ///< of the chunk that `last` is of, from 1; 0: of none
  std::uint32_t changes;   ///< of its items
  Context* older;          ///< of the same way
  Context** home;          ///< where its way has the latest one
  Context* next_made;
};

struct ContextTable {
  /// More than any program has that does not recurse without end; then the first made is another
  /// way's.
  static constexpr std::uint32_t kMost = 1U << 16U;
  /// Of a way.
  static constexpr unsigned kOfAPath = 4;

  Pages pages;
  Context* first;
  Context* last_made;
  Context* again;  ///< the next one to become another way's
  std::uint32_t count;
};

/// A site that a buffer has defined.
struct alignas(64) SiteSlot {
  union {
    const void* codeptr;
    SiteSlot* next_unused;  ///< of a slot that its site has left
  };
  const void* ident;
  std::uint64_t kernel;
  spool::SiteId id;
  spool::ModuleId module;  ///< that codeptr lies in
  // The tree of paths from where the latest call lay on the stack.
  std::uint64_t path_stack;
  PathNode* path_root;
  Context* contexts;  ///< of its regions whose path is not known, the latest one first
  HashSchedule hash_schedule;
};

/// Places that point to slots, hashed through from where a site's hash says: of four places at most
/// one is taken, so that nearly each search ends where it begins.
struct SiteTable {
  static constexpr unsigned kFirstBits = 6;
  static constexpr unsigned kFirstSlots = (1U << kFirstBits) / 4;

  SiteSlot** places;         ///< null where there is none
  std::uint32_t shift;       ///< 64 less the logarithm of their number
  std::uint32_t generation;  ///< modules_generation() for which the table holds
  std::uint32_t count;       ///< of places taken
  SiteSlot* fresh;           ///< slots never used, up to
  SiteSlot* fresh_end;
  SiteSlot* unused;  ///< slots that were used before
  SiteSlot* first_places[1U << kFirstBits];
  SiteSlot first_slots[kFirstSlots];
};

/// What a tally is of, in one buffer.
struct AggregateKey {
  std::uint64_t place;    ///< site, and above it the call path
  std::uint64_t what;     ///< TallyOf, and what tells two of that sort apart
  std::uint64_t devices;  ///< of an operation both, of a region its own
  bool operator==(const AggregateKey&) const = default;
};

struct AggregateSlot {
  AggregateKey key;
  spool::Tally* tally;   ///< null: a free slot, or one whose sample is told
  std::uint32_t sample;  ///< 0: a free slot
  std::uint32_t calls;   ///< the API call that was counted last
};

struct AggregateTable {
  AggregateSlot* slots;  ///< null until the first tally
  std::uint32_t mask;
  std::uint32_t count;
  AggregateSlot* latest[4];  ///< found last, by what is counted
  std::uint32_t sequence;    ///< of the next chunk
  bool has_lane;
  spool::LaneId lane;  ///< of the chunks
  std::byte* cursor;
  std::byte* limit;
};

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

/// A region that runs on this buffer, and what its call said.
struct OpenRegion {
  Call call;             ///< map and kernel are empty if no wrapper saw the call
  std::uint64_t handle;  ///< what the runtime keeps for it; never 0
  std::uint64_t begin;   ///< ticks
  SiteSlot* site;
  Context* context;  ///< of one that is told
  spool::OpCursor ops;
  bool moves;          ///< a transfer of it was met
  bool aggregated;     ///< it is not told, and neither is what happens in it (counting.h)
  std::uint8_t kind;   ///< bits of kContextKind
  int device;          ///< that it is for
  spool::PathId path;  ///< by which it was reached
  Context** home;      ///< where the way has its contexts
};

/// A text that a buffer has written, by its address.
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

struct ThreadBuffer {
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
  spool::CallId recorded_call;    ///< API call of which an operation was told last
  spool::CallId aggregated_call;  ///< and of which one was counted
  spool::PathId last_path;
  std::uint32_t last_argument;  ///< 1 + the map item that an operation was found to be about
  spool::CallId async_id;       ///< of the last task that made an operation here
  std::uint64_t async_call;     ///< what its data said
  std::uint64_t op_count;       ///< operations that were written
  std::uint64_t op_begin;       ///< ticks; 0: no operation runs
  bool aggregates_op;           ///< which is not told
  bool launches;                ///< a submit runs
  bool aggregates_launch;       ///< which is not told
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
  ThreadBuffer* next_free;
  StackRange stack;          ///< of the thread; empty: not found yet
  std::uint8_t stack_asked;  ///< how often it was hashed for
  PathTable paths;
  SiteTable sites;
  AggregateTable aggregates;
  MappedPiece pieces[kPieces];
  unsigned piece_count;
  std::uint32_t samples;  ///< that were told

  [[nodiscard]] bool idle() const noexcept { return next == open + 1; }
};

/// Per thread, in static TLS: plain data without constructor or destructor.
struct ThisThread {
  ThreadBuffer* buffer;
  bool inside;  ///< a callback of this thread runs: what a signal handler does meanwhile is not
                ///< recorded
  const Call* call;  ///< noted by a wrapper, no region has begun for it yet; else null
  Call first_call;   ///< its place until the thread has a buffer
  const void* api_codeptr;
  std::uint64_t api_stack;
  spool::CallId api_call;
  spool::Entry api_entry;
  std::uint64_t async_call;  ///< an asynchronous API call whose task is not made yet; 0: none
};

// Initial-exec: one instruction to reach, and no allocation at a thread's first access. It fits the
// surplus of static TLS that the loader keeps for libraries opened late.
extern __thread ThisThread this_thread __attribute__((tls_model("initial-exec")));

/// This thread's buffer, made or taken over at its first event; null (and a loss counted) if there
/// can be none.
[[gnu::cold]] ThreadBuffer* acquire_buffer() noexcept;

/// A buffer that no thread owns: whoever writes to it takes turns. Null (and a loss counted) if
/// there can be none.
ThreadBuffer* new_shared_buffer() noexcept;

inline ThreadBuffer* current_buffer() noexcept {
  ThreadBuffer* buffer = this_thread.buffer;
  return buffer != nullptr ? buffer : acquire_buffer();
}

/// Makes room for `size` bytes in a new chunk; false if the spool cannot grow.
[[gnu::cold]] bool grow(ThreadBuffer& buffer, std::size_t size) noexcept;

/// Makes room for a tally in a new chunk, which stays mapped; false (and a loss counted) if the
/// spool cannot grow.
[[gnu::cold]] bool grow_aggregates(AggregateTable& table) noexcept;

/// What is known of a context: nothing, if it was not told in the buffer's chunk.
inline void know_in_chunk(const ThreadBuffer& buffer, Context& context) noexcept {
  if (context.sequence != buffer.sequence) {
    spool::forget(context.last);
    context.sequence = buffer.sequence;
  }
}

/// Refreshes the clock triple of the buffer's chunk, by which a killed process's clock is
/// calibrated.
[[gnu::cold]] void refresh_clock(ThreadBuffer& buffer) noexcept;

/// Ends are written whatever room is left: behind the limit is some for as many as can be open.
inline constexpr std::size_t kRoomForEnds =
    (ThreadBuffer::kMostOpen + 1) * spool::kMostEndBytes + spool::kOverrun;

/// Room for `size` bytes behind the cursor; null (and a loss counted) if there is none.
inline std::byte* room_for(ThreadBuffer& buffer, std::size_t size) noexcept {
  if (buffer.limit < buffer.cursor || static_cast<std::size_t>(buffer.limit - buffer.cursor) < size)
      [[unlikely]] {
    if (!grow(buffer, size)) {
      return nullptr;
    }
  }
  return buffer.cursor;
}

/// Room for a record and `extra` bytes behind it, zeroed, not committed; null (and a loss counted)
/// if there is none.
template <class Record>
Record* reserve(ThreadBuffer& buffer, std::size_t extra = 0) noexcept {
  const std::size_t size = (sizeof(Record) + extra + 7U) & ~std::size_t{7};
  if (room_for(buffer, size + 7) == nullptr) [[unlikely]] {
    return nullptr;
  }
  while (reinterpret_cast<std::uint64_t>(buffer.cursor) % 8 != 0) {
    *buffer.cursor++ = static_cast<std::byte>(spool::Tag::kPadding);
  }
  return reinterpret_cast<Record*>(buffer.cursor);
}

/// Publishes a record's head; `size` in bytes, a multiple of 8.
inline void store_head(spool::Head& at, spool::Tag tag, std::uint8_t flags,
                       std::size_t size) noexcept {
  const std::uint32_t head = static_cast<std::uint32_t>(tag) |
                             static_cast<std::uint32_t>(flags) << 8U |
                             static_cast<std::uint32_t>(size / 8) << 16U;
  __atomic_store_n(reinterpret_cast<std::uint32_t*>(&at), head, __ATOMIC_RELEASE);
}

/// Commits the record at the buffer's cursor.
template <class Record>
void commit(ThreadBuffer& buffer, Record* record, spool::Tag tag, std::uint8_t flags,
            std::size_t extra = 0) noexcept {
  const std::size_t size = (sizeof(Record) + extra + 7U) & ~std::size_t{7};
  buffer.cursor += size;
  store_head(record->head, tag, flags, size);
}

/// Largest record, by the 16 bits of its size; longer texts and lists are cut and counted.
inline constexpr std::size_t kMostRecordBytes = std::size_t{48} * 1024;

/// Puts a copy in the place of the chunk that this thread writes, in a fork's child that is still
/// about to write there.
void detach_chunk() noexcept;

/// Forgets all buffers of the parent in a fork's child, whose only thread calls this.
void forget_buffers() noexcept;

/// Makes the hook by which a thread's end gives its buffer to the next thread. Called once at
/// attach.
void watch_thread_ends() noexcept;

/// The slot of a key: free (`sample` 0) where it is met for the first time. Null if there is no
/// memory.
[[gnu::noinline]] AggregateSlot* find_slot(AggregateTable& table, const AggregateKey& key) noexcept;

/// The same, most often the one that was found last.
inline AggregateSlot* slot_of(AggregateTable& table, const AggregateKey& key) noexcept {
  AggregateSlot* latest = table.latest[key.what & 3U];
  return latest != nullptr && latest->key == key ? latest : find_slot(table, key);
}

/// Room for a tally of `size` bytes, zeroed, not committed; null if the spool has none.
[[gnu::cold]] spool::Tally* aggregate_room(AggregateTable& table, std::size_t size) noexcept;

/// Gives a slot its tally, of an sample of the buffer. False if the spool has no room.
[[gnu::cold]] bool make_aggregate(ThreadBuffer& buffer, AggregateSlot& slot, spool::TallyOf of,
                                  std::uint32_t sample) noexcept;

/// The tally of a key, in `slot`; `tell` tells its sample, given its number, where there is none
/// yet. Null (and a loss counted) if there is no room.
template <class Tell>
spool::Tally* aggregate_of(ThreadBuffer& buffer, const AggregateKey& key, spool::TallyOf of,
                           AggregateSlot*& slot, Tell&& tell) noexcept {
  slot = slot_of(buffer.aggregates, key);
  if (slot != nullptr && slot->sample != 0) [[likely]] {
    return slot->tally;
  }
  if (slot == nullptr || !tell(buffer.samples + 1) ||
      !make_aggregate(buffer, *slot, of, buffer.samples + 1)) {
    count_loss(spool::Loss::kRecordsNoSpace);
    return nullptr;
  }
  ++buffer.samples;
  return slot->tally;
}

// Marks this thread as inside the recorder; a signal handler that gets here meanwhile is counted
// and left alone. The thread's errno is kept.
class Inside {
 public:
  Inside() noexcept : entered_(!this_thread.inside) {
    if (entered_) [[likely]] {
      this_thread.inside = true;
      // A handler that comes in the midst of what follows has to see it, however that is compiled.
      __atomic_signal_fence(__ATOMIC_SEQ_CST);
    } else {
      count_loss(spool::Loss::kRecordsReentrant);
    }
  }
  ~Inside() {
    if (entered_) {
      __atomic_signal_fence(__ATOMIC_SEQ_CST);
      this_thread.inside = false;
    }
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  explicit operator bool() const noexcept { return entered_; }

 private:
  KeptErrno errno_;
  bool entered_;
};

/// If a kernel call of this thread was never followed by its target region, tells or counts that it
/// ran on the host. Which device it asked for is only known while the runtime can be asked.
void note_host_fallback(bool runtime_can_be_asked) noexcept;

/// A runtime that goes on telling after its finalize is listened to; what comes once the trace is
/// being written is counted. Whether events are recorded again.
[[gnu::cold]] bool resume() noexcept;

/// Whether events are recorded now.
inline bool recording() noexcept { return armed() || resume(); }

}  // namespace ompdm::record
