#include "record/stream/spool_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "record/process/clock.h"
#include "record/process/descriptors.h"
#include "record/process/message.h"
#include "record/process/recorder.h"
#include "record/stream/claim.h"
#include "record/stream/session.h"
#include "record/stream/spool_limit.h"
#include "spool_format/without_signal.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace ompdm::record {
namespace {

struct OpenSpool {
  Path path;
  dev_t device = 0;
  ino_t inode = 0;
  int kept = -1;  // a descriptor, while the program lets us have it
  bool open = false;
};
OpenSpool spool;

// Puts zeros into the page cache. A page that is written first and mapped then costs a seventh of
// one that its first store brings in (0.46 against 3.4 us a page on ext4, Linux 6.18), since the
// kernel takes large folios and one journal entry for many. It also reserves the blocks on file
// systems that cannot do so without writing.
int write_zeros(int file, std::uint64_t offset, std::size_t size) noexcept {
  static const char zeros[64 * 1024] = {};
  constexpr int kPieces = 64;
  static iovec pieces[kPieces];  // guarded by the recorder's mutex
  for (iovec& piece : pieces) {
    piece = {const_cast<char*>(zeros), sizeof(zeros)};
  }
  while (size > 0) {
    const std::size_t whole = size / sizeof(zeros);
    const int count = whole == 0 ? 1 : static_cast<int>(whole < kPieces ? whole : kPieces);
    pieces[0].iov_len = whole == 0 ? size : sizeof(zeros);
    const ssize_t written = pwritev(file, pieces, count, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return written < 0 ? errno : ENOSPC;
    }
    offset += static_cast<std::uint64_t>(written);
    size -= static_cast<std::size_t>(written);
  }
  return 0;
}

// Reserves real blocks, so that a full disk is an error here and not a SIGBUS at some later store.
int reserve(int file, std::uint64_t offset, std::size_t size) noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      offset + size > limit.rlim_cur) {
    return EFBIG;
  }
  const spool::WithoutFileSizeSignal guard;
  int error = EINTR;
  while (error == EINTR) {
    error =
        fallocate(file, 0, static_cast<off_t>(offset), static_cast<off_t>(size)) == 0 ? 0 : errno;
  }
  // ext2, ext3 and ramfs, of the file systems that are mapped at all: there zeros reserve as well.
  return error == 0 || error == EOPNOTSUPP ? write_zeros(file, offset, size) : error;
}

// In a child that was forked in the midst of a callback.
bool is_parents() noexcept { return of_this_process.phase.load() == Phase::kDetached; }

void fail(int error) noexcept {
  if (!recorder.failed.exchange(true)) {
    say("%s: %s: recording stops here, the program goes on; what follows is counted as lost",
        spool.path.text, strerror(error));
  }
}

bool is_spool(int file) noexcept {
  struct stat facts;
  return file >= 0 && fstat(file, &facts) == 0 && facts.st_dev == spool.device &&
         facts.st_ino == spool.inode;
}

// Out of the way of the numbers that programs expect to get, and within the 64 that every process
// has room for: a larger table would have to wait until no thread looks at the old one.
constexpr int kKeptNumber = 60;

// Where the process has no number so high, the name alone must do: the low ones are the program's.
void keep(int file) noexcept {
  spool.kept = file < 0 ? -1 : fcntl(file, F_DUPFD_CLOEXEC, kKeptNumber);
}

// A descriptor for the time of one growth: the program may put another file under the number that
// is kept at any time, but does not know this one. The name is all that is left when it has closed
// that; the number is when it has changed its root folder or its user, or renamed the file.
int open_again(bool& is_kept) noexcept {
  if (!is_spool(spool.kept)) {
    spool.kept = -1;  // closed, or another file's: closing even a duplicate would cost its locks
  }
  const int file = duplicate(spool.kept, kKeptNumber + 1);
  is_kept = file < 0 && is_spool(spool.kept);  // the program has used up all numbers
  if (is_kept) {
    return spool.kept;
  }
  if (is_spool(file)) {
    return file;
  }
  if (file >= 0) {
    close(file);
  }
  const int opened =
      open_above_streams(AT_FDCWD, spool.path.text, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  if (opened >= 0 && !is_spool(opened)) {
    close(opened);
    errno = ESTALE;
    return -1;
  }
  keep(opened);
  return opened;
}

// Reserves a piece of the file, maps it and enters its pages into the page table, not one by one in
// callbacks. Returns 0 or errno.
int map_piece(int file, std::uint64_t offset, std::size_t size, void*& base) noexcept {
  if (const int error = reserve(file, offset, size); error != 0) {
    return error;
  }
  base = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(offset));
  if (base == MAP_FAILED) {
    base = nullptr;
    return errno;
  }
  // EINVAL: kernels before 5.14. EFAULT stands for the SIGBUS that a store would have met.
  if (madvise(base, size, MADV_POPULATE_WRITE) != 0 && errno != EINVAL) {
    const int error = errno == EFAULT ? ENOSPC : errno;
    munmap(base, size);
    base = nullptr;
    return error;
  }
  return 0;
}

int grow_file(std::uint64_t offset, std::size_t size, void*& base) noexcept {
  // A program that closes what it did not open may do so while we are at it.
  constexpr int kTries = 3;
  int error = EBADF;
  for (int tries = 0; tries < kTries && error == EBADF; ++tries) {
    bool is_kept = false;
    const int file = open_again(is_kept);
    if (file < 0) {
      return errno;
    }
    error = map_piece(file, offset, size, base);
    if (!is_kept) {
      close(file);
    }
  }
  return error;
}

// The magic comes last: until then every other process sees a spool that is being made.
void write_header(spool::FileHeader& header) noexcept {
  constexpr std::size_t kMagic = sizeof(header.magic);
  memcpy(reinterpret_cast<std::byte*>(&header) + kMagic,
         reinterpret_cast<const std::byte*>(&recorder.draft) + kMagic, sizeof(header) - kMagic);
  std::uint64_t magic;
  static_assert(sizeof(magic) == kMagic);
  memcpy(&magic, recorder.draft.magic, kMagic);
  __atomic_store_n(reinterpret_cast<std::uint64_t*>(header.magic), magic, __ATOMIC_RELEASE);
}

}  // namespace

bool spool_is_open() noexcept { return spool.open; }

const char* spool_path() noexcept { return spool.path.text; }

bool open_spool() noexcept {
  if (spool.open) {
    return true;
  }
  if (is_parents() || recorder.failed.load()) {
    return false;
  }
  const int file = claim_spool(recorder.draft, spool.path);
  if (file < 0) {
    recorder.failed.store(true);
    tell_session(".told", {});
    return false;
  }
  struct stat facts;
  void* base = nullptr;
  const int error =
      fstat(file, &facts) != 0 ? errno : map_piece(file, 0, sizeof(spool::FileHeader), base);
  if (error != 0 || base == nullptr) {
    fail(error);
    unlink(spool.path.text);
    close(file);
    tell_session(".told", {});
    return false;
  }
  limit_spool(file);
  keep(file);
  close(file);
  spool.device = facts.st_dev;
  spool.inode = facts.st_ino;
  spool.open = true;
  recorder.draft.file_size = sizeof(spool::FileHeader);
  auto* header = static_cast<spool::FileHeader*>(base);
  write_header(*header);
  recorder.header.store(header, std::memory_order_release);
  // Lets `ompdm record` find this recording, however the process ends.
  tell_session("", {spool.path.text, header->output, header->program});
  if (recorder.config.verbose) {
    say("recording into %s", spool.path.text);
  }
  return true;
}

Chunk new_chunk(spool::LaneId lane, std::uint32_t sequence, std::size_t size) noexcept {
  if (!spool.open || is_parents() || recorder.failed.load(std::memory_order_relaxed)) {
    return {};
  }
  spool::FileHeader* header = recorder.header.load(std::memory_order_acquire);
  if (!spool_may_grow(*header, size)) {
    if (!recorder.failed.exchange(true)) {
      say_beyond_limit(spool.path.text);
    }
    return {};
  }
  void* base = nullptr;
  if (const int error = grow_file(header->file_size, size, base); error != 0 || base == nullptr) {
    fail(error);
    return {};
  }
  auto* chunk = static_cast<spool::ChunkHeader*>(base);
  chunk->lane = lane;
  chunk->size = size;
  chunk->sequence = sequence;
  chunk->first = clock_triple();
  chunk->last = chunk->first;
  __atomic_store_n(&chunk->magic, spool::kChunkMagic, __ATOMIC_RELEASE);
  __atomic_store_n(&header->file_size, header->file_size + size, __ATOMIC_RELEASE);
  return {static_cast<std::byte*>(base), size};
}

void release_chunk(Chunk chunk) noexcept {
  if (chunk.base != nullptr) {
    munmap(chunk.base, chunk.size);
  }
}

int open_spool_anew() noexcept {
  const int named =
      open_above_streams(AT_FDCWD, spool.path.text, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (is_spool(named) || (named < 0 && errno != ENOENT)) {
    return named;
  }
  if (named >= 0) {
    close(named);
  }
  // A run that began since has the name, or holds it for a moment (claim.cpp).
  char handle[32];
  snprintf(handle, sizeof(handle), "/proc/self/fd/%d", spool.kept);
  return is_spool(spool.kept) ? open_above_streams(AT_FDCWD, handle, O_RDONLY) : -1;
}

void forget_spool() noexcept {
  if (is_spool(spool.kept)) {
    close(spool.kept);
  }
  spool.path.clear();
  spool.kept = -1;
  spool.open = false;
}

void write_trailer() noexcept {
  spool::FileHeader* header = recorder.header.load(std::memory_order_acquire);
  header->trailer = clock_triple();
  __atomic_store_n(reinterpret_cast<std::uint32_t*>(&header->state),
                   static_cast<std::uint32_t>(spool::State::kFinished), __ATOMIC_RELEASE);
}

}  // namespace ompdm::record
