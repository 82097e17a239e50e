#include "record/device_blocks.h"

#include <malloc.h>
#include <stdlib.h>
#include <ucontext.h>

#include <atomic>
#include <bit>
#include <cstddef>

#include "record/clock.h"
#include "record/digest.h"
#include "record/entry_points.h"
#include "record/loaded_objects.h"
#include "record/modules.h"

namespace ompdm::record {

namespace {

// The addresses of all blocks, each in a zone of its own: a gap, the block's pages, a gap. Zones
// are not used again: what a freed block's address is used for afterwards stays known.
constexpr std::uint64_t kArenas[] = {std::uint64_t{1} << 44U, std::uint64_t{1} << 40U,
                                     std::uint64_t{1} << 36U};
constexpr std::uint64_t kLeastGap = std::uint64_t{4} << 20U;
constexpr std::uint64_t kMostGap = std::uint64_t{1} << 30U;
constexpr std::uint64_t kLarge = std::uint64_t{4} << 20U;
constexpr std::uint32_t kMostBlocks = 1U << 20U;

enum class State : std::uint8_t { kFenced, kReadable, kOpen, kFreed };

struct Block {
  std::uint64_t zone;  ///< where its gap begins
  AddressRange pages;
  std::uint64_t begin;  ///< its first byte
  std::uint64_t bytes;
  std::uint64_t host;       ///< the data that it is a copy of; 0: none
  std::uint32_t next_open;  ///< 1 + position of the next block that is not fenced; 0: none
  State state;
  std::uint8_t touched;  ///< spool::kTouch*, by the running kernel
  std::uint8_t told;     ///< which bad accesses: bits of spool::BadAccessOf
};

AddressRange arena{};
std::uint64_t fresh = 0;  ///< the first address that no zone has
Block* blocks = nullptr;  ///< in order of their addresses
std::uint32_t block_count = 0;
std::uint32_t first_open = 0;  ///< as Block::next_open
unsigned running = 0;          ///< kernels
bool is_unknown = false;       ///< what these touch is not known
ThreadBuffer* bad_accesses = nullptr;
// Blocks that are copies of the host's data, in order of Block::host, while they are there.
MappedArray<std::uint32_t> by_host{};
struct sigaction other_handler{};  // the program's
bool is_prepared = false;

// Guards all of these. A handler of a fault waits for it: nobody touches a block while holding it.
std::atomic_flag lock = ATOMIC_FLAG_INIT;

class SpinLock {
 public:
  SpinLock() noexcept {
    while (lock.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~SpinLock() { lock.clear(std::memory_order_release); }
  SpinLock(const SpinLock&) = delete;
  SpinLock& operator=(const SpinLock&) = delete;
};

bool protect(const AddressRange& range, int protection) noexcept {
  return mprotect(reinterpret_cast<void*>(range.begin), range.end - range.begin, protection) == 0;
}

std::uint64_t whole_pages(std::uint64_t bytes) noexcept {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

// The block in whose zone an address lies; null: in none.
Block* block_at(std::uint64_t address) noexcept {
  std::uint32_t from = 0;
  std::uint32_t to = block_count;
  while (from < to) {
    const std::uint32_t middle = from + (to - from) / 2;
    if (blocks[middle].zone <= address) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from == 0 ? nullptr : &blocks[from - 1];
}

// Lets the block be touched. The block's pages are as they were where that fails, which is a loss.
bool open_block(Block& block, State state) noexcept {
  const int protection = state == State::kReadable ? PROT_READ : PROT_READ | PROT_WRITE;
  if (!protect(block.pages, protection)) {
    return false;
  }
  if (block.state == State::kFenced) {
    block.next_open = first_open;
    first_open = static_cast<std::uint32_t>(&block - blocks) + 1;
  }
  block.state = state;
  return true;
}

// Fences all blocks that are open. What cannot be fenced, since the process has too many mappings,
// stays open and unwatched.
void fence_blocks() noexcept {
  for (std::uint32_t at = first_open; at != 0;) {
    Block& block = blocks[at - 1];
    at = block.next_open;
    block.touched = 0;
    if (block.state == State::kFreed) {
      continue;
    }
    block.state = State::kFenced;
    if (!protect(block.pages, PROT_NONE)) {
      count_loss(spool::Loss::kBlocksUnfenced);
    }
  }
  first_open = 0;
}

void record_bad_access(const Block& block, std::uint64_t address, spool::BadAccessOf of,
                       bool is_write) noexcept {
  if (bad_accesses == nullptr) {
    return;
  }
  spool::BadAccess record{};
  record.ticks = ticks();
  record.block = block.begin;
  record.bytes = block.bytes;
  record.offset = static_cast<std::int64_t>(address - block.begin);
  write_record(
      *bad_accesses, record, spool::Tag::kBadAccess,
      static_cast<std::uint8_t>(static_cast<unsigned>(of) << 1U | static_cast<unsigned>(is_write)));
}

// Records an access that is wrong, once a block and kind, and lets the program go on.
bool tell_bad_access(Block& block, std::uint64_t address, bool is_write) noexcept {
  using Of = spool::BadAccessOf;
  const bool is_freed = block.state == State::kFreed;
  const bool is_before = address < block.pages.begin;
  const bool is_behind = address >= block.pages.end;
  const Of of = is_freed    ? Of::kFreed
                : is_before ? Of::kBefore
                : is_behind ? Of::kBehind
                            : Of::kHost;
  const auto bit = static_cast<std::uint8_t>(1U << static_cast<unsigned>(of));
  if ((block.told & bit) == 0) {
    block.told |= bit;
    record_bad_access(block, address, of, is_write);
  }
  if (of == Of::kHost) {
    return open_block(block, State::kOpen);
  }
  const Block* next = &block + 1 < blocks + block_count ? &block + 1 : nullptr;
  const AddressRange place =
      is_before   ? AddressRange{block.zone, block.pages.begin}
      : is_behind ? AddressRange{block.pages.end, next != nullptr ? next->zone : fresh}
                  : block.pages;
  // Behind the last zone, or before the first, the program ends as it would without a fence.
  return place.holds(address) && protect(place, PROT_READ | PROT_WRITE);
}

bool is_write_fault(const void* context) noexcept {
  const auto* machine = &static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  constexpr unsigned kWrite = 2;  // of the page fault's error code
  return (static_cast<std::uint64_t>(machine->gregs[REG_ERR]) & kWrite) != 0;
#else
  // Linux' asm/sigcontext.h: records of 8 bytes head (magic, size); the syndrome's bit 6 is WnR.
  constexpr std::uint32_t kSyndrome = 0x45535201;
  const auto* at = reinterpret_cast<const std::uint32_t*>(machine->__reserved);
  for (; at[0] != 0 && at[1] != 0; at += at[1] / sizeof(*at)) {
    if (at[0] == kSyndrome) {
      return (at[2] & 0x40) != 0;
    }
  }
  return true;
#endif
}

// Whether the fault was of a block, or of the place of one, and the program can go on.
bool resolve(std::uint64_t address, bool is_write) noexcept {
  const SpinLock held;
  if (block_count == 0) {
    return false;
  }
  Block* block = block_at(address);
  block = block != nullptr ? block : blocks;
  if (block->state == State::kFreed || !block->pages.holds(address)) {
    return tell_bad_access(*block, address, is_write);
  }
  if (block->state == State::kOpen || (block->state == State::kReadable && !is_write)) {
    return true;  // another thread was first
  }
  const ThreadBuffer* buffer = this_thread.buffer;
  if (buffer != nullptr && buffer->op_begin != 0) {
    return open_block(*block, State::kOpen);  // the runtime's copy
  }
  if (running == 0) {
    const bool is_runtime = this_thread.inside || (buffer != nullptr && !buffer->idle());
    return is_runtime ? open_block(*block, State::kOpen)
                      : tell_bad_access(*block, address, is_write);
  }
  if (block->touched == 0 && !is_write) {
    block->touched |= spool::kTouchReadFirst;
  }
  block->touched |= is_write ? spool::kTouchWritten : spool::kTouchRead;
  return open_block(*block, is_write ? State::kOpen : State::kReadable);
}

void on_fault(int signal, siginfo_t* info, void* context) noexcept {
  const KeptErrno kept_errno;
  const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
  if (info->si_code == SEGV_ACCERR && arena.holds(address) &&
      resolve(address, is_write_fault(context))) {
    return;
  }
  if ((other_handler.sa_flags & SA_SIGINFO) != 0) {
    return other_handler.sa_sigaction(signal, info, context);
  }
  if (other_handler.sa_handler != SIG_DFL && other_handler.sa_handler != SIG_IGN) {
    return other_handler.sa_handler(signal);
  }
  ::signal(signal, SIG_DFL);  // the access is tried again
}

// Puts the handler in front of the program's, which may have come meanwhile.
void handle_faults() noexcept {
  sigset_t fault;
  sigemptyset(&fault);
  sigaddset(&fault, SIGSEGV);
  pthread_sigmask(SIG_UNBLOCK, &fault, nullptr);
  struct sigaction now{};
  if (arena.end == 0 || sigaction(SIGSEGV, nullptr, &now) != 0 || now.sa_sigaction == on_fault) {
    return;
  }
  other_handler = now;
  struct sigaction ours{};
  ours.sa_sigaction = on_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&ours.sa_mask);
  sigaction(SIGSEGV, &ours, nullptr);
}

// Where a block that is a copy of the host's data from `address` on is, or would be.
std::uint32_t host_position(std::uint64_t address) noexcept {
  std::uint32_t from = 0;
  std::uint32_t to = by_host.used;
  while (from < to) {
    const std::uint32_t middle = from + (to - from) / 2;
    if (blocks[by_host.places[middle]].host < address) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}

void keep_host(const Block& block) noexcept {
  const std::uint32_t at = block.host != 0 ? host_position(block.host) : 0;
  if (block.host == 0 || by_host.add() == nullptr) {
    return;
  }
  std::uint32_t* place = by_host.places + at;
  memmove(place + 1, place, (by_host.used - 1 - at) * sizeof(*place));
  *place = static_cast<std::uint32_t>(&block - blocks);
}

void forget_host(const Block& block) noexcept {
  const auto number = static_cast<std::uint32_t>(&block - blocks);
  for (std::uint32_t at = host_position(block.host);
       at < by_host.used && blocks[by_host.places[at]].host == block.host; ++at) {
    if (by_host.places[at] == number) {
      std::uint32_t* place = by_host.places + at;
      memmove(place, place + 1, (by_host.used - 1 - at) * sizeof(*place));
      --by_host.used;
      return;
    }
  }
}

// The program's calls of free.
void free_of_program(void* address) noexcept {
  const auto begin = reinterpret_cast<std::uint64_t>(address);
  if (address != nullptr && !this_thread.inside) {
    const Inside inside;
    const SpinLock held;
    const std::uint64_t end = begin + malloc_usable_size(address);
    for (std::uint32_t at = host_position(begin); at < by_host.used; ++at) {
      Block& block = blocks[by_host.places[at]];
      if (block.host >= end) {
        break;
      }
      constexpr auto kBit =
          static_cast<std::uint8_t>(1U << static_cast<unsigned>(spool::BadAccessOf::kHostFree));
      if ((block.told & kBit) == 0) {
        block.told |= kBit;
        record_bad_access(block, block.begin, spool::BadAccessOf::kHostFree, false);
      }
    }
  }
  free(address);
}

// A block for the runtime; null if there is no room.
void* new_block(std::uint64_t bytes) noexcept {
  const SpinLock held;
  const std::uint64_t body = whole_pages(bytes);
  const std::uint64_t gap = body < kLeastGap ? kLeastGap : body > kMostGap ? kMostGap : body;
  if (block_count == kMostBlocks || arena.end - fresh < body + 2 * gap) {
    return nullptr;
  }
  const AddressRange pages{fresh + gap, fresh + gap + body};
  if (!protect(pages, PROT_READ | PROT_WRITE)) {
    return nullptr;
  }
  // Few page faults and short walks of mprotect.
  if (body >= kLarge) {
    madvise(reinterpret_cast<void*>(pages.begin), body, MADV_HUGEPAGE);
  }
  memset(reinterpret_cast<void*>(pages.begin), recorder.config.fill, body);
  Block& block = blocks[block_count++];
  block.zone = fresh;
  block.pages = pages;
  // Objects are multiples of their alignment: at the end they are aligned as well. In memory for
  // any use the program may count on malloc's alignment.
  const bool is_mapping = this_thread.awaited_host != nullptr;
  const std::uint64_t alignment = is_mapping ? 1 : alignof(std::max_align_t);
  block.begin =
      recorder.config.fences_behind ? (pages.end - bytes) & ~(alignment - 1) : pages.begin;
  block.bytes = bytes;
  block.host = reinterpret_cast<std::uint64_t>(this_thread.awaited_host);
  keep_host(block);
  fresh = pages.end + gap;
  block.state = State::kFenced;
  if (!protect(pages, PROT_NONE)) {
    open_block(block, State::kOpen);
    count_loss(spool::Loss::kBlocksUnfenced);
  }
  return reinterpret_cast<void*>(block.begin);
}

void* allocate(std::size_t bytes) noexcept {
  if (bytes != 0 && bytes == this_thread.awaited_bytes) {
    this_thread.awaited_bytes = 0;
    if (void* block = new_block(bytes)) {
      return block;
    }
    count_loss(spool::Loss::kBlocksUnfenced);
  }
  return malloc(bytes);  // NOLINT(clang-analyzer-optin.portability.UnixAPI): as the runtime asks
}

void release(void* address) noexcept {
  const auto begin = reinterpret_cast<std::uint64_t>(address);
  if (!arena.holds(begin)) {
    return free(address);
  }
  const SpinLock held;
  Block* block = block_at(begin);
  if (block == nullptr || block->begin != begin || block->state == State::kFreed) {
    return;
  }
  forget_host(*block);
  madvise(reinterpret_cast<void*>(block->pages.begin), block->pages.end - block->pages.begin,
          MADV_DONTNEED);
  protect(block->pages, PROT_NONE);
  block->state = State::kFreed;
}

// Reserves the addresses, and leads the runtime's calls here. Once a process.
void prepare() noexcept {
  const Lock held;
  if (is_prepared) {
    return;
  }
  is_prepared = true;
  for (const std::uint64_t size : kArenas) {
    void* memory =
        mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) {
      const auto begin = reinterpret_cast<std::uint64_t>(memory);
      arena = {begin, begin + size};
      fresh = begin + kMostGap;
      break;
    }
  }
  blocks = static_cast<Block*>(mmap(nullptr, kMostBlocks * sizeof(Block), PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (arena.end == 0 || blocks == MAP_FAILED) {
    arena = {};
    say("OMPDM_CHECK: there is no address space for device memory with fences: nothing is checked");
    return;
  }
  bool is_led = false;
  walk_objects([&](const dl_phdr_info& info) {
    if (is_offload_runtime(info)) {
      is_led = lead_calls(info, "malloc", reinterpret_cast<void (*)()>(allocate)) &&
               lead_calls(info, "free", reinterpret_cast<void (*)()>(release));
    } else if (!range_of(info).holds(reinterpret_cast<std::uint64_t>(&prepare))) {
      lead_calls(info, "free", reinterpret_cast<void (*)()>(free_of_program));
    }
    return false;
  });
  if (!is_led) {
    say("OMPDM_CHECK: this runtime's calls of malloc were not found: nothing is checked");
    return;
  }
  recorder.header.load()->check = spool::kChecked |
                                  static_cast<std::uint32_t>(recorder.config.fill) |
                                  (recorder.config.fences_behind ? spool::kFencedBehind : 0);
}

}  // namespace

void prepare_blocks(std::uint64_t bytes, const void* host) noexcept {
  if (!is_prepared) [[unlikely]] {
    prepare();
  }
  handle_faults();
  if (bad_accesses == nullptr) [[unlikely]] {
    ThreadBuffer* made = new_shared_buffer();
    const SpinLock held;
    bad_accesses = bad_accesses == nullptr ? made : bad_accesses;
  }
  this_thread.awaited_bytes = arena.end != 0 ? bytes : 0;
  this_thread.awaited_host = host;
}

void watch_launch(SiteSlot* site) noexcept {
  handle_faults();
  const SpinLock held;
  constexpr std::uint32_t kAtFirst = 64;
  const std::uint32_t launch = site != nullptr ? site->watched_launches++ : 0;
  const bool is_watched = launch < kAtFirst || std::has_single_bit(launch);
  if (running++ == 0) {
    is_unknown = !is_watched;
    if (is_watched) {
      fence_blocks();
    }
  } else {
    is_unknown = true;  // it is not known which of them touches a block
  }
}

namespace {

// The fingerprint of the host's data, of a block that the kernel has read; 0: it cannot be taken.
std::uint64_t host_content(ThreadBuffer& buffer, const Block& block) noexcept {
  if (block.host == 0 || (block.touched & spool::kTouchReadFirst) == 0) {
    return 0;
  }
  std::byte*& copy = buffer.content.copy;
  if (copy == nullptr) {
    copy = static_cast<std::byte*>(buffer.contexts.pages.get(kFingerprintBytes));
  }
  if (copy == nullptr || !copy_blocks(reinterpret_cast<void*>(block.host), block.bytes, copy)) {
    count_loss(spool::Loss::kContentsUnreadable);
    return 0;
  }
  return fingerprint_of_copy(copy, block.bytes).fingerprint;
}

}  // namespace

void end_watch(ThreadBuffer& buffer, bool is_recorded) noexcept {
  const SpinLock held;
  if (running > 0) {
    --running;
  }
  if (!is_recorded) {
    return;
  }
  if (is_unknown) {
    write_record(buffer, spool::BlockTouch{{}, 0, 0, 0}, spool::Tag::kBlockTouch,
                 spool::kTouchUnknown);
    return;
  }
  for (std::uint32_t at = first_open; at != 0; at = blocks[at - 1].next_open) {
    const Block& block = blocks[at - 1];
    if (block.touched != 0) {
      write_record(buffer, spool::BlockTouch{{}, 0, block.begin, host_content(buffer, block)},
                   spool::Tag::kBlockTouch, block.touched);
    }
  }
  fence_blocks();
}

}  // namespace ompdm::record
