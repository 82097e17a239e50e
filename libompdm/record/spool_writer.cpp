#include "record/spool_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "record/clock.h"
#include "record/recorder.h"
#include "spool_format/without_signal.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace ompdm::record {

Promise promise_of(unsigned long file_system) noexcept {
  switch (file_system) {
    case 0xEF53:      // ext2, ext3, ext4
    case 0x58465342:  // XFS
    case 0x01021994:  // tmpfs
    case 0x858458F6:  // ramfs
      return Promise::kRoom;
    case 0x6969:      // NFS
    case 0x0BD00BD0:  // Lustre
    case 0x65735546:  // FUSE
    case 0xFF534D42:  // CIFS
    case 0xFE534D42:  // SMB2
    case 0x47504653:  // GPFS
    case 0x01021997:  // 9p
    case 0x19830326:  // BeeGFS
    case 0x00C36400:  // Ceph
    case 0x5346414F:  // AFS
      return Promise::kRemote;
    case 0x794C7630:  // overlayfs
      return Promise::kBelow;
    default:
      return Promise::kNone;
  }
}

Promise promise_below(int flags, std::uint32_t extents) noexcept {
  return (flags & FS_EXTENT_FL) != 0 || extents > 0 ? Promise::kRoom : Promise::kNone;
}

namespace {

// A file in the folder without a name; -1 and errno if none can be made.
int make_nameless(const char* folder) noexcept {
  static Path name;  // guarded by the recorder's mutex
  name = {};
  name.add_formatted("%s/.ompdm-%d", folder, getpid());
  const int file =
      open_above_streams(AT_FDCWD, name.text, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW, 0600);
  if (file >= 0) {
    unlink(name.text);
  }
  return file;
}

// Whether the folder is /dev, where root could make files, too.
bool is_for_devices(const char* folder) noexcept {
  struct stat wanted;
  struct stat devices;
  return stat(folder, &wanted) == 0 && stat("/dev", &devices) == 0 &&
         wanted.st_dev == devices.st_dev && wanted.st_ino == devices.st_ino;
}

// The reason why a folder cannot hold a trace; null if it can. Found by creating a file, since
// permissions do not tell (root, /proc).
const char* obstacle(const char* folder) noexcept {
  const int file = make_nameless(folder);
  if (file < 0) {
    return strerror(errno);
  }
  close(file);
  return nullptr;
}

SpoolFolder nowhere(const Path& trace, const char* why) noexcept {
  say(kNoTraceThere, trace.text, why, kElsewhere);
  return {false, nullptr};
}

// Asks a new file, since the folder may belong to a layer that is never written.
Promise ask_below(const char* folder) noexcept {
  const int file = make_nameless(folder);
  if (file < 0) {
    return Promise::kRoom;  // as of a folder that is not there
  }
  constexpr off_t kPage = 4096;
  int flags = 0;
  fsxattr attributes{};
  const bool reserved = fallocate(file, 0, 0, kPage) == 0;
  if (!reserved || ioctl(file, FS_IOC_GETFLAGS, &flags) != 0) {
    flags = 0;
  }
  if (!reserved || ioctl(file, FS_IOC_FSGETXATTR, &attributes) != 0) {
    attributes = {};
  }
  close(file);
  return promise_below(flags, attributes.fsx_nextents);
}

// For a missing folder open() will report the error.
Promise promise_of_folder(const char* folder) noexcept {
  struct statfs facts;
  if (statfs(folder, &facts) != 0) {
    return Promise::kRoom;
  }
  const Promise promise = promise_of(static_cast<unsigned long>(facts.f_type));
  return promise == Promise::kBelow ? ask_below(folder) : promise;
}

// A local folder that guarantees room; null: there is none.
const char* local_folder() noexcept {
  const char* temporary = getenv("TMPDIR");
  const char* const folders[] = {temporary, "/tmp", "/dev/shm"};
  for (const char* folder : folders) {
    if (folder != nullptr && folder[0] == '/' && access(folder, W_OK | X_OK) == 0 &&
        promise_of_folder(folder) == Promise::kRoom) {
      return folder;
    }
  }
  return nullptr;
}

// Sets the limit of events (Config::max_spool) if the user has not set it. It is a tenth of the
// free space, shared by the ranks of a job. It is at most what can be read in minutes. `file` is
// the open spool.
void limit_spool(int file) noexcept {
  constexpr std::uint64_t kMost = 8'000'000'000;
  constexpr std::uint64_t kLeast = 1'000'000;
  std::uint64_t& limit = recorder.config.max_spool;
  struct statvfs facts;
  if (limit != 0 || fstatvfs(file, &facts) != 0) {
    return;
  }
  const std::int32_t ranks = recorder.draft.rank_count;
  const std::uint64_t tenth =
      facts.f_bavail / 10 * facts.f_frsize / static_cast<std::uint64_t>(ranks > 1 ? ranks : 1);
  limit = tenth < kLeast ? kLeast : tenth < kMost ? tenth : kMost;
}

// Whether the spool may grow. At the limit of events, aggregation begins. Aggregates need room
// beyond the limit, bounded by the program's directives times its threads; the second limit is for
// programs that repeat nothing.
bool spool_may_grow(const spool::FileHeader& header, std::size_t size) noexcept {
  const std::uint64_t limit = recorder.config.max_spool;
  const std::uint64_t wanted = header.file_size + size;
  if (limit == 0 || wanted <= limit) {
    return true;
  }
  if (!recorder.aggregating.load(std::memory_order_relaxed)) {
    stop_recording_events(spool::Detail::kSpoolLimit);
  }
  constexpr std::uint64_t kForCounting = 1'000'000'000;
  return wanted - limit <= kForCounting;
}

void say_beyond_limit(const char* path) noexcept {
  static constexpr const char* kUnits[] = {"bytes", "KB", "MB", "GB"};
  constexpr std::uint64_t kSmall = 10'000'000;
  const std::uint64_t limit = recorder.config.max_spool;
  std::uint64_t size = 1;
  unsigned unit = 0;
  while (unit < 3 && (limit % (size * 1'000) == 0 || (unit < 2 && limit >= kSmall))) {
    size *= 1'000;
    ++unit;
  }
  say("%s: aggregates took 1 GB more than the limit of %u %s (OMPDM_MAX_SPOOL). Recording stops "
      "here, the program goes on. Later events are counted as lost",
      path, static_cast<unsigned>(limit / size), kUnits[unit]);
}

struct OpenSpool {
  Path path;
  dev_t device = 0;
  ino_t inode = 0;
  int kept = -1;  // a descriptor, while the program lets us have it
  bool open = false;
};
OpenSpool spool;

// Writes zeros into the page cache. A page that is written before it is mapped costs 0.46 us. A
// page that a store brings in costs 3.4 us, seven times as much (ext4, Linux 6.18). The kernel uses
// large folios, and one journal entry for many. Zeros also reserve blocks where fallocate() is not
// supported.
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

// Reserves blocks, so that a full disk is an error here and no SIGBUS at a later store.
int reserve(int file, std::uint64_t offset, std::size_t size) noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      offset + size > limit.rlim_cur) {
    return EFBIG;
  }
  const spool::WithoutSignal guard(SIGXFSZ);
  int error = EINTR;
  while (error == EINTR) {
    error =
        fallocate(file, 0, static_cast<off_t>(offset), static_cast<off_t>(size)) == 0 ? 0 : errno;
  }
  // ext2, ext3 and ramfs, of the file systems that are mapped at all: there zeros reserve as well.
  return error == 0 || error == EOPNOTSUPP ? write_zeros(file, offset, size) : error;
}

// Whether this is a child that was forked in the middle of a callback.
bool is_parents() noexcept { return wiped_on_fork.phase.load() == Phase::kDetached; }

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

// Above the numbers that programs expect to get. Below 64, the size of every process's first table
// of descriptors: growing the table would wait for all threads.
constexpr int kKeptNumber = 60;

// Where no number is that high (RLIMIT_NOFILE), only the name is used.
void keep(int file) noexcept {
  spool.kept = file < 0 ? -1 : fcntl(file, F_DUPFD_CLOEXEC, kKeptNumber);
}

// A descriptor for one growth of the file. The program may reuse the kept number at any time, but
// does not know this one. If it has closed the kept one, the file is opened by its name. If it has
// changed its root folder or user, or renamed the file, only the kept one works.
int open_again(bool& is_kept) noexcept {
  if (!is_spool(spool.kept)) {
    spool.kept = -1;  // closed, or another file's: closing even a duplicate would cost its locks
  }
  int file = fcntl(spool.kept, F_DUPFD_CLOEXEC, kKeptNumber + 1);
  if (file < 0 && errno == EINVAL) {  // RLIMIT_NOFILE is lower
    file = fcntl(spool.kept, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  }
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

// Reserves a piece of the file, maps it, and populates the page table, so that callbacks meet no
// page faults. Returns 0 or errno.
int map_piece(int file, std::uint64_t offset, std::size_t size, void*& base) noexcept {
  if (const int error = reserve(file, offset, size); error != 0) {
    return error;
  }
  base = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(offset));
  if (base == MAP_FAILED) {
    base = nullptr;
    return errno;
  }
  // EINVAL: kernels before 5.14. EFAULT: a store would raise SIGBUS.
  if (madvise(base, size, MADV_POPULATE_WRITE) != 0 && errno != EINVAL) {
    const int error = errno == EFAULT ? ENOSPC : errno;
    munmap(base, size);
    base = nullptr;
    return error;
  }
  return 0;
}

int grow_file(std::uint64_t offset, std::size_t size, void*& base) noexcept {
  // A program may close descriptors that it did not open at any moment.
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

// The magic is written last: until then other processes see a spool that is being created.
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

SpoolFolder spool_folder(const Path& trace) noexcept {
  SpoolFolder chosen{true, recorder.config.spool_dir};
  static Path beside;  // guarded by the recorder's mutex
  beside = trace;
  char* slash = strrchr(beside.text, '/');
  slash[slash == beside.text ? 1 : 0] = '\0';
  if (is_for_devices(beside.text)) {
    return nowhere(trace, "it is for devices");
  }
  const char* wanted = chosen.path != nullptr ? chosen.path : beside.text;
  const Promise promise = promise_of_folder(wanted);
  if (promise == Promise::kRoom && chosen.path == nullptr) {
    return chosen;  // the spool itself will tell whether a file can be made there
  }
  if (const char* why = obstacle(beside.text); why != nullptr) {
    return nowhere(trace, why);
  }
  if (promise == Promise::kRoom) {
    return chosen;
  }
  const char* why = promise == Promise::kRemote
                        ? "a network file system"
                        : "a file system that may have no room left for what is mapped";
  chosen.path = local_folder();
  if (chosen.path == nullptr) {
    say("%s is on %s: nothing is recorded: name a folder on ext4, XFS or tmpfs (OMPDM_SPOOL_DIR)",
        wanted, why);
    return {false, nullptr};
  }
  say("%s is on %s: recording into %s meanwhile", wanted, why, chosen.path);
  return chosen;
}

bool spool_is_open() noexcept { return spool.open; }

const char* spool_path() noexcept { return spool.path.text; }

bool open_spool() noexcept {
  if (spool.open) {
    return true;
  }
  if (is_parents() || recorder.failed.load()) {
    return false;
  }
  const int file = lock_spool_name(recorder.draft, spool.path);
  struct stat facts;
  void* base = nullptr;
  if (file >= 0) {
    const int error =
        fstat(file, &facts) != 0 ? errno : map_piece(file, 0, sizeof(spool::FileHeader), base);
    if (base == nullptr) {
      fail(error);
      unlink(spool.path.text);
      close(file);
    }
  }
  if (base == nullptr) {
    recorder.failed.store(true);
    report_to_session(".told", {});
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
  report_to_session("", {spool.path.text, header->output, header->program});
  if (recorder.config.verbose) {
    say("recording into %s", spool.path.text);
  }
  return true;
}

Chunk new_chunk(spool::BufferId buffer, std::uint32_t sequence, std::size_t size) noexcept {
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
  chunk->buffer = buffer;
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

int reopen_spool() noexcept {
  const int named =
      open_above_streams(AT_FDCWD, spool.path.text, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (is_spool(named) || (named < 0 && errno != ENOENT)) {
    return named;
  }
  if (named >= 0) {
    close(named);
  }
  // A run that began since has the name, or holds it for a moment.
  char handle[32];
  snprintf(handle, sizeof(handle), "/proc/self/fd/%d", spool.kept);
  return is_spool(spool.kept) ? open_above_streams(AT_FDCWD, handle, O_RDONLY) : -1;
}

void forget_spool() noexcept {
  if (is_spool(spool.kept)) {
    close(spool.kept);
  }
  spool.path = {};
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
