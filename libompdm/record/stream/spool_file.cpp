#include "record/stream/spool_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "record/process/clock.h"
#include "record/process/message.h"
#include "record/process/recorder.h"
#include "record/stream/claim.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace ompdm::record {
namespace {

struct OpenSpool {
  char path[1152];
  dev_t device;
  ino_t inode;
  bool open;
};
OpenSpool spool;

// A write past RLIMIT_FSIZE raises SIGXFSZ, which kills a program that never wrote anything itself.
class WithoutFileSizeSignal {
 public:
  WithoutFileSizeSignal() noexcept {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~WithoutFileSizeSignal() {
    const int saved_errno = errno;
    if (!was_pending_) {
      const timespec at_once{};
      while (sigtimedwait(&signal_, nullptr, &at_once) == SIGXFSZ) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = saved_errno;
  }
  WithoutFileSizeSignal(const WithoutFileSizeSignal&) = delete;
  WithoutFileSizeSignal& operator=(const WithoutFileSizeSignal&) = delete;

 private:
  sigset_t signal_;
  sigset_t before_;
  bool was_pending_;
};

// Puts zeros into the page cache. A page that is written first and mapped then costs a seventh of
// one that its first store brings in (0.46 against 3.4 us a page on ext4, Linux 6.18), since the
// kernel takes large folios and one journal entry for many. It also reserves the blocks on file
// systems that cannot do so without writing.
int write_zeros(int file, std::uint64_t offset, std::size_t size) noexcept {
  static const char zeros[64 * 1024] = {};
  constexpr int kPieces = 64;
  iovec pieces[kPieces];
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
  const WithoutFileSizeSignal guard;
  int result = EINTR;
  while (result == EINTR) {
    result = posix_fallocate(file, static_cast<off_t>(offset), static_cast<off_t>(size));
  }
  return result == 0 ? write_zeros(file, offset, size) : result;
}

void fail(int error) noexcept {
  if (!recorder.failed.exchange(true)) {
    say("%s: %s: recording stops here, the program goes on; what follows is counted as lost",
        spool.path, strerror(error));
  }
}

bool same_file(int file) noexcept {
  struct stat facts;
  return fstat(file, &facts) == 0 && facts.st_dev == spool.device && facts.st_ino == spool.inode;
}

void* map(int file, std::uint64_t offset, std::size_t size) noexcept {
  void* base =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(offset));
  return base == MAP_FAILED ? nullptr : base;
}

// Lets `ompdm record` find this process's recording, however the process ends.
void tell_session(const spool::FileHeader& header) noexcept {
  if (recorder.config.session == nullptr) {
    return;
  }
  char path[1200];
  session_file(path, sizeof(path), "");
  const int file = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) {
    return;
  }
  fchmod(file, 0600);  // whatever the program's umask is
  dprintf(file, "%s\n%s\n%s\n", spool.path, header.output, header.program);
  close(file);
}

}  // namespace

bool spool_is_open() noexcept { return spool.open; }

const char* spool_path() noexcept { return spool.path; }

void session_file(char* path, std::size_t capacity, const char* ending) noexcept {
  const spool::FileHeader* header = recorder.header.load(std::memory_order_acquire);
  snprintf(path, capacity, "%s/%u.%u%s", recorder.config.session, header->pid, header->exec_ordinal,
           ending);
}

bool open_spool() noexcept {
  if (spool.open) {
    return true;
  }
  if (recorder.failed.load()) {
    return false;
  }
  const Claim claim = claim_spool(recorder.draft);
  if (claim.file < 0) {
    recorder.failed.store(true);
    return false;
  }
  memcpy(spool.path, claim.spool, sizeof(spool.path));
  struct stat facts;
  const int error =
      fstat(claim.file, &facts) != 0 ? errno : reserve(claim.file, 0, sizeof(spool::FileHeader));
  void* base = error == 0 ? map(claim.file, 0, sizeof(spool::FileHeader)) : nullptr;
  close(claim.file);
  if (base == nullptr) {
    fail(error != 0 ? error : errno);
    unlink(spool.path);
    return false;
  }
  spool.device = facts.st_dev;
  spool.inode = facts.st_ino;
  spool.open = true;
  recorder.draft.file_size = sizeof(spool::FileHeader);
  auto* header = static_cast<spool::FileHeader*>(base);
  *header = recorder.draft;
  recorder.header.store(header, std::memory_order_release);
  tell_session(*header);
  if (recorder.config.verbose) {
    say("recording into %s", spool.path);
  }
  return true;
}

Chunk new_chunk(std::uint32_t lane, std::uint32_t sequence, std::size_t size) noexcept {
  if (!spool.open || recorder.failed.load(std::memory_order_relaxed)) {
    return {};
  }
  spool::FileHeader* header = recorder.header.load(std::memory_order_acquire);
  const int file = open(spool.path, O_RDWR | O_CLOEXEC);
  int error = file < 0 ? errno : 0;
  if (error == 0 && !same_file(file)) {
    error = ESTALE;
  }
  if (error == 0) {
    error = reserve(file, header->file_size, size);
  }
  void* base = error == 0 ? map(file, header->file_size, size) : nullptr;
  if (error == 0 && base == nullptr) {
    error = errno;
  }
  if (file >= 0) {
    close(file);
  }
  if (base == nullptr) {
    fail(error);
    return {};
  }
  // The pages are in memory already; this only enters them into the page table, not one by one in
  // callbacks.
  madvise(base, size, MADV_POPULATE_WRITE);
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

void forget_spool() noexcept { spool = {}; }

void write_trailer() noexcept {
  spool::FileHeader* header = recorder.header.load(std::memory_order_acquire);
  header->trailer = clock_triple();
  __atomic_store_n(reinterpret_cast<std::uint32_t*>(&header->state),
                   static_cast<std::uint32_t>(spool::State::kFinished), __ATOMIC_RELEASE);
}

}  // namespace ompdm::record
