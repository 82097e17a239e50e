// A thread's buffer of records, and all that the recorder knows per thread. Everything here is
// called in callbacks; only growing by a chunk, a site's first event and a thread's first and
// last take the recorder's mutex.
#pragma once

#include <string.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "record/hashing.h"
#include "record/process_facts.h"
#include "record/recorder.h"
#include "record/spool_writer.h"
#include "spool_format/aggregates.h"
#include "spool_format/definitions.h"
#include "spool_format/format.h"
#include "spool_format/stream.h"

namespace ompdm::record {

struct Context;

/// A call path so far. It determines where the next return address lies on the stack. A function
/// that is called from one place, at one stack depth, has its frame at one place.
struct PathNode {
  std::uint64_t address;  ///< the next return address, as found the last time
  PathNode* next;         ///< the node for that address
  std::uint32_t offset;   ///< where it lies, from the site's call up; 0: the path ends here
  spool::PathId id;       ///< of the path that ends here
  Context* contexts;      ///< contexts of its regions, the latest first
};

/// One step down the tree.
struct PathEdge {
  const void* from;     ///< a node, or a site's slot; null: no edge
  std::uint64_t value;  ///< the return address, or the call's place on the stack
  PathNode* to;
};

/// A bump allocator of mapped memory. Zeroed memory is a valid start.
struct Pages {
  /// Before the memory of each mapping.
  struct Mapping {
    Mapping* older;
    std::size_t bytes;
  };
  Mapping* latest;
  std::byte* fresh;  ///< the first unused byte, up to
  std::byte* end;

  /// Zeroed memory; null if there is none.
  void* get(std::size_t size) noexcept;
  /// Unmaps everything.
  void clear() noexcept;
};

/// The tree of call paths as a hash table of edges with linear probing. To follow a known path
/// needs no unwinding.
struct PathTable {
  /// Enough for every program without endless recursion. Further paths are not recorded.
  static constexpr std::uint32_t kMostNodes = 1U << 16U;

  PathEdge* places;  ///< null until the first path
  Pages nodes;
  std::uint32_t shift;  ///< 64 - log2(number of places)
  std::uint32_t edges;
};

/// What regions have in common that repeat each other: site, call path, device, kind and map items.
/// A region of a known context takes a few bytes in the spool.
struct Context {
  spool::DeltaState last;  ///< the values that deltas refer to
  std::uint32_t id;
  std::uint32_t sequence;  ///< of the chunk that `last` belongs to, from 1; 0: none
  std::uint32_t changes;   ///< how often its map items changed
  std::uint64_t to_items;  ///< of the first 64: whose clause sends data unless present
  Context* older;          ///< of the same call path
  Context** home;          ///< the place of its call path's latest context
  Context* next_made;
};

/// The contexts of a buffer. Each call path keeps a few, so that programs that swap two buffers by
/// turns repeat their contexts.
struct ContextTable {
  /// Enough for every program without endless recursion. Then the oldest context is used again.
  static constexpr std::uint32_t kMost = 1U << 16U;
  /// The most contexts of one call path.
  static constexpr unsigned kOfAPath = 4;

  Pages pages;
  Context* first;
  Context* last_made;
  Context* again;  ///< the next context to use again
  std::uint32_t count;
};

/// A site (codeptr, ident, kernel) that a buffer has defined. Its address is stable.
struct alignas(64) SiteSlot {
  union {
    const void* codeptr;
    SiteSlot* next_unused;  ///< of a slot whose site was dropped
  };
  const void* ident;
  std::uint64_t kernel;
  spool::SiteId id;
  spool::ModuleId module;  ///< the module of codeptr
  // The root of the tree of paths for the latest place of the call on the stack.
  std::uint64_t path_stack;
  PathNode* path_root;
  Context* contexts;  ///< contexts of regions with unknown path, the latest first
  HashSchedule hash_schedule;
  std::uint32_t unsent_occurrences;  ///< regions with items that were not sent
  std::uint32_t watched_launches;    ///< launches so far (device_blocks.h)
};

/// A hash table of sites with linear probing. At most a quarter of the places is taken, so that
/// most searches end at the first place.
struct SiteTable {
  static constexpr unsigned kFirstBits = 6;
  static constexpr unsigned kFirstSlots = (1U << kFirstBits) / 4;

  SiteSlot** places;         ///< null where there is none
  std::uint32_t shift;       ///< 64 - log2(number of places)
  std::uint32_t generation;  ///< modules_generation() when the table was checked
  std::uint32_t count;       ///< places taken
  SiteSlot* fresh;           ///< the first unused slot, up to
  SiteSlot* fresh_end;
  SiteSlot* unused;  ///< slots of dropped sites
  SiteSlot* first_places[1U << kFirstBits];
  SiteSlot first_slots[kFirstSlots];
};

/// What an aggregate sums up, in one buffer.
struct AggregateKey {
  std::uint64_t place;    ///< the site, and above it the call path
  std::uint64_t what;     ///< spool::AggregateOf, and what else must be equal
  std::uint64_t devices;  ///< both devices of an operation, or the one of a region
  bool operator==(const AggregateKey&) const = default;
};

/// An aggregate, or a free slot of the table.
struct AggregateSlot {
  AggregateKey key;
  spool::Aggregate* aggregate;  ///< null: free, or the sample is being recorded
  std::uint32_t sample;         ///< 0: a free slot
  std::uint32_t calls;          ///< the latest API call in it
};

/// A hash table of aggregates with linear probing, and the chunks of the spool that they lie in,
/// which stay mapped.
struct AggregateTable {
  AggregateSlot* slots;  ///< null until the first aggregate
  std::uint32_t mask;
  std::uint32_t count;
  AggregateSlot* latest[4];  ///< found last, by AggregateOf
  std::uint32_t sequence;    ///< of the next chunk
  bool has_buffer;           ///< `buffer` is valid
  spool::BufferId buffer;    ///< of the chunks
  std::byte* cursor;
  std::byte* limit;
};

/// libomptarget's ident_t, the source location that is the first argument of its entry points.
struct Ident {
  std::int32_t reserved[4];
  const char* psource;
};

/// The arrays of map items that are arguments of a call of the runtime. Valid while the call runs.
struct MapArguments {
  const std::uint64_t* bases;
  const std::uint64_t* begins;
  const std::int64_t* sizes;
  const std::int64_t* types;
  const char* const* names;
  std::uint32_t count;
};

/// The arguments of a kernel call.
struct KernelArguments {
  std::uint64_t host_pointer;
  std::uint64_t trip_count;
  std::uint32_t num_teams;
  std::uint32_t thread_limit;
};

/// A call into the runtime as its wrapper saw it, for the callbacks on the same thread.
struct Call {
  const void* codeptr;  ///< return address into the program
  std::uint64_t stack;  ///< its place on the stack; 0 if no wrapper saw the call
  const Ident* ident;
  MapArguments map;
  KernelArguments kernel;
  std::int64_t device;
  std::uint64_t begin;  ///< ticks, of kernel calls alone, which may run on the host
  spool::Entry entry;
};

/// A region that runs on this thread.
struct OpenRegion {
  Call call;             ///< map and kernel are empty if no wrapper saw the call
  std::uint64_t handle;  ///< the value that the runtime keeps for it; never 0
  std::uint64_t begin;   ///< ticks
  SiteSlot* site;
  Context* context;  ///< null if it is aggregated
  spool::OpCursor ops;
  bool moves;              ///< it has made a transfer
  bool aggregated;         ///< it is aggregated, with all that happens in it
  std::uint8_t kind;       ///< bits of kContextKind
  int device;              ///< its device
  spool::PathId path;      ///< its call path
  Context** home;          ///< where its call path keeps contexts
  std::uint64_t to_items;  ///< its context's
};

/// The name of a mapper that the buffer has written, by its address.
struct NameSlot {
  const char* text;
  spool::MapperNameId id;
};

/// A piece of storage that a `declare mapper` added to an aggregated region.
struct MappedPiece {
  std::uint64_t begin;
  std::uint64_t size;
  std::uint64_t type;
  spool::MapperNameId name;
};

/// A thread's buffer of records, and what the thread has met so far. Zeroed memory is a valid
/// start. When the thread ends another one takes it over.
struct ThreadBuffer {
  static constexpr unsigned kMostOpen = 16;
  static constexpr unsigned kModules = 64;  // a power of two
  static constexpr unsigned kNames = 64;    // a power of two
  static constexpr unsigned kAsked = 16;    // a power of two
  static constexpr unsigned kPieces = 32;   // of an aggregated region

  std::byte* cursor;  ///< where the next record goes
  std::byte* limit;
  OpenRegion* next;  ///< of the next call; the open regions lie before it
  Chunk chunk;       ///< that is being filled
  spool::BufferId id;
  std::uint32_t sequence;  ///< of the chunk, from 1
  std::uint32_t regions;   ///< regions so far
  spool::SiteId last_site;
  spool::MapperNameId last_name;
  spool::DeferralId last_deferral;
  spool::CallId last_api_call;
  spool::CallId recorded_call;    ///< the latest API call with a recorded operation
  spool::CallId aggregated_call;  ///< and the latest with an aggregated one
  spool::PathId last_path;
  std::uint32_t last_argument;  ///< 1 + the map item of the latest operation
  spool::CallId async_id;       ///< of `async_call`
  std::uint64_t async_call;     ///< data of the latest task with an operation
  std::uint64_t op_count;       ///< operations recorded
  std::uint64_t op_begin;       ///< ticks; 0: no operation runs
  bool aggregates_op;           ///< the running operation is aggregated
  bool launches;                ///< a submit runs
  bool aggregates_launch;       ///< the running submit is aggregated
  bool lost_launch;             ///< there was no room to record it
  std::uint64_t launch_begin;   ///< ticks, if it is aggregated
  std::uint64_t instant;        ///< ticks that the next event's time is relative to
  spool::OpFields api_op;       ///< the latest operation outside of regions
  spool::ApiFields api;
  ContextTable contexts;
  OpenRegion open[kMostOpen + 2];  ///< a sentinel, the open regions, and the next one
  ContentState content;
  spool::ModuleId modules_written[kModules];  ///< each at its id modulo kModules
  NameSlot names[kNames];
  std::uint64_t asked[kAsked];  ///< host addresses passed to omp_get_mapped_ptr
  ThreadBuffer* next_free;
  AddressRange stack;        ///< the thread's own stack; empty: not found yet
  std::uint8_t stack_asked;  ///< attempts to find it
  PathTable paths;
  SiteTable sites;
  AggregateTable aggregates;
  MappedPiece pieces[kPieces];
  unsigned piece_count;
  std::uint32_t samples;  ///< samples recorded

  /// Whether no region is open.
  [[nodiscard]] bool idle() const noexcept { return next == open + 1; }
};

/// State per thread, in static TLS. Plain data without constructor or destructor.
struct ThisThread {
  ThreadBuffer* buffer;
  bool inside;       ///< the thread runs in the recorder; events of nested signal handlers are lost
  const Call* call;  ///< the latest call that no region has begun for yet; else null
  Call first_call;   ///< its place until the thread has a buffer
  const void* api_codeptr;
  std::uint64_t api_stack;
  spool::CallId api_call;
  spool::Entry api_entry;
  std::uint64_t async_call;     ///< an asynchronous API call without a task yet; 0: none
  std::uint64_t awaited_bytes;  ///< of the block that the runtime allocates next; 0: none
  const void* awaited_host;     ///< the host's data that the block is for; null: of none
};

/// Initial-exec TLS: one instruction, and no allocation at a thread's first access. It fits into
/// the spare static TLS that the loader keeps for libraries opened late.
extern __thread ThisThread this_thread __attribute__((tls_model("initial-exec")));

/// Creates or takes over a buffer for this thread; null (and a loss counted) if that fails.
[[gnu::cold]] ThreadBuffer* acquire_buffer() noexcept;

/// Creates a buffer that no thread owns. Writers serialize themselves. Null (and a loss counted) if
/// that fails.
ThreadBuffer* new_shared_buffer() noexcept;

/// This thread's buffer; null (and a loss counted) if it can have none.
inline ThreadBuffer* current_buffer() noexcept {
  ThreadBuffer* buffer = this_thread.buffer;
  return buffer != nullptr ? buffer : acquire_buffer();
}

/// Makes room for `size` bytes in a new chunk; false if the spool cannot grow.
[[gnu::cold]] bool grow(ThreadBuffer& buffer, std::size_t size) noexcept;

/// Resets a context's deltas in a new chunk, since each chunk can be read by itself.
inline void know_in_chunk(const ThreadBuffer& buffer, Context& context) noexcept {
  if (context.sequence != buffer.sequence) {
    spool::forget(context.last);
    context.sequence = buffer.sequence;
  }
}

/// Updates the chunk's clock triple, which calibrates the clock of a killed process.
[[gnu::cold]] void refresh_clock(ThreadBuffer& buffer) noexcept;

/// Room behind the limit for the ends of all open regions and a launch: ends always fit.
inline constexpr std::size_t kRoomForEnds =
    (ThreadBuffer::kMostOpen + 1) * spool::kMostEndBytes + spool::kOverrun;

/// The cursor, with room for `size` bytes; null (and a loss counted) if there is none.
inline std::byte* room_for(ThreadBuffer& buffer, std::size_t size) noexcept {
  if (buffer.limit < buffer.cursor || static_cast<std::size_t>(buffer.limit - buffer.cursor) < size)
      [[unlikely]] {
    if (!grow(buffer, size)) {
      return nullptr;
    }
  }
  return buffer.cursor;
}

/// Room for a record and `extra` bytes behind it, zeroed and not committed; null (and a loss
/// counted) if there is none.
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

/// Publishes a record by its head. `size` is in bytes, a multiple of 8.
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

/// Writes a record with `pieces` behind it. False (and a loss counted) if there is no room.
template <class Record>
bool write_record(ThreadBuffer& buffer, const Record& fields, spool::Tag tag,
                  std::uint8_t flags = 0,
                  std::initializer_list<std::string_view> pieces = {}) noexcept {
  std::size_t extra = 0;
  for (const std::string_view& piece : pieces) {
    extra += piece.size();
  }
  auto* record = reserve<Record>(buffer, extra);
  if (record == nullptr) {
    return false;
  }
  // The head is written last, by commit().
  auto* to = reinterpret_cast<char*>(record);
  constexpr std::size_t kHead = sizeof(fields.head);
  memcpy(to + kHead, reinterpret_cast<const char*>(&fields) + kHead, sizeof(Record) - kHead);
  to += sizeof(Record);
  for (const std::string_view& piece : pieces) {
    memcpy(to, piece.data(), piece.size());
    to += piece.size();
  }
  commit(buffer, record, tag, flags, extra);
  return true;
}

/// A piece of a record: a text with its NUL, or an object.
inline std::string_view piece_of_text(const char* text) noexcept {
  return {text, strlen(text) + 1};
}

/// The largest record. Longer texts and lists are cut, and counted as lost.
inline constexpr std::size_t kMostRecordBytes = std::size_t{48} * 1024;

/// Replaces this thread's chunk by a private copy, in a fork's child that continues in the middle
/// of a callback and must not write into its parent's spool.
void detach_chunk() noexcept;

/// Drops all buffers of the parent. Called by the only thread of a fork's child.
void forget_buffers() noexcept;

/// Installs the hook by which an ending thread returns its buffer. Called once at attach.
void watch_thread_ends() noexcept;

/// The slot of a key, with `sample` 0 if the key is new. Null if there is no memory.
[[gnu::noinline]] AggregateSlot* find_slot(AggregateTable& table, const AggregateKey& key) noexcept;

/// The same; fast for the slot that was found last.
inline AggregateSlot* slot_of(AggregateTable& table, const AggregateKey& key) noexcept {
  AggregateSlot* latest = table.latest[key.what & 3U];
  return latest != nullptr && latest->key == key ? latest : find_slot(table, key);
}

/// Room for an aggregate of `size` bytes, zeroed and not committed; null if the spool has none.
[[gnu::cold]] spool::Aggregate* aggregate_room(AggregateTable& table, std::size_t size) noexcept;

/// Gives a slot its aggregate, which refers to a sample of the buffer. False if the spool has no
/// room.
[[gnu::cold]] bool make_aggregate(ThreadBuffer& buffer, AggregateSlot& slot, spool::AggregateOf of,
                                  std::uint32_t sample) noexcept;

/// The slot of a key's aggregate. If the key is new, `record` records its sample, whose number it
/// is given. Null (and a loss counted) if there is no room.
template <class Record>
AggregateSlot* aggregate_of(ThreadBuffer& buffer, const AggregateKey& key, spool::AggregateOf of,
                            Record&& record) noexcept {
  AggregateSlot* slot = slot_of(buffer.aggregates, key);
  if (slot != nullptr && slot->sample != 0) [[likely]] {
    return slot;
  }
  if (slot == nullptr || !record(buffer.samples + 1) ||
      !make_aggregate(buffer, *slot, of, buffer.samples + 1)) {
    count_loss(spool::Loss::kRecordsNoSpace);
    return nullptr;
  }
  ++buffer.samples;
  return slot;
}

/// The gate of every callback: marks this thread as inside the recorder. False for a signal handler
/// that gets here meanwhile, whose event is lost and counted. Restores the thread's errno.
class Inside {
 public:
  Inside() noexcept : entered_(!this_thread.inside) {
    if (entered_) [[likely]] {
      this_thread.inside = true;
      // A signal handler has to see the mark before anything that follows.
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
  explicit operator bool() const noexcept { return entered_; }

 private:
  KeptErrno errno_;
  bool entered_;
};

/// Records or aggregates a host fallback, if this thread's latest kernel call was not followed by a
/// target region. The default device is known only while the runtime can be asked.
void note_host_fallback(bool runtime_can_be_asked) noexcept;

/// Arms the recorder again if the runtime sends events after its finalize. Events after the trailer
/// was written are counted as lost. Returns whether events are recorded.
[[gnu::cold]] bool resume() noexcept;

/// Whether events are recorded now.
inline bool recording() noexcept { return armed() || resume(); }

}  // namespace ompdm::record
