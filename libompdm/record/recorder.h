// The recorder's process-wide state, and what every part of it needs: guards, descriptors,
// messages. There is one Recorder, plain data that is never destroyed. Callbacks may come before
// the constructors, and after the destructors, of everything else.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "record/config.h"
#include "spool_format/format.h"

/// clone(2) by glibc's internal name. ThreadSanitizer intercepts `clone` and would touch the state
/// of the thread whose memory the new process shares.
extern "C" int __clone(int (*function)(void*), void* stack, int flags, void* argument, ...);

namespace ompdm::record {

/// The stack of such a process, from map_memory().
inline constexpr std::size_t kCloneStack = std::size_t{64} * 1024;

/// Scoped: this thread cannot be cancelled. open(), pwrite() and fallocate() are cancellation
/// points, where a cancelled thread would end with the recorder's mutex held. A pending
/// cancellation takes effect later, at the program's next cancellation point. The type is set to
/// deferred as well. (glibc 2.36 cancels an asynchronous thread by a signal. Its handler checks the
/// type alone, not the state.) About 20 ns.
class WithoutCancellation {
 public:
  WithoutCancellation() noexcept {
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type_before_);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state_before_);
  }
  ~WithoutCancellation() {
    pthread_setcancelstate(state_before_, nullptr);
    pthread_setcanceltype(type_before_, nullptr);
  }
  WithoutCancellation(const WithoutCancellation&) = delete;
  WithoutCancellation& operator=(const WithoutCancellation&) = delete;

 private:
  int type_before_ = PTHREAD_CANCEL_DEFERRED;
  int state_before_ = PTHREAD_CANCEL_ENABLE;
};

/// Scoped: no signal handler runs on this thread, except for its own faults.
class BlockedSignals {
 public:
  BlockedSignals() noexcept;
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

/// Scoped: restores this thread's errno. Programs read errno after calls that may lead here (a
/// directive, a thread's end). So every function that the runtime, CUDA, the loader or libc calls
/// holds one while it may call libc; `Inside` includes one for callbacks. About 1 ns.
class KeptErrno {
 public:
  KeptErrno() noexcept : before_(errno) {}
  ~KeptErrno() { errno = before_; }
  KeptErrno(const KeptErrno&) = delete;
  KeptErrno& operator=(const KeptErrno&) = delete;

 private:
  int before_;
};

/// The state of recording in this process.
enum class Phase : std::uint32_t {
  kDetached,  ///< not started, declined, or disarmed after a failure
  kArmed,     ///< recording
  kPaused,    ///< the runtime was finalised, the process goes on (omp_pause_resource_all)
  kFinished,  ///< the trailer is written; later events are counted as lost
};

/// State that the kernel zeroes in a child. pthread_atfork(3) handlers do not run for _Fork() or
/// clone(2), so such a child is detached here and cannot write into its parent's spool. The state
/// has a page of its own, see `detach_unseen_children`.
struct alignas(4096) WipedOnFork {
  std::atomic<Phase> phase{Phase::kDetached};
};

extern WipedOnFork wiped_on_fork;

/// Asks the kernel to zero `wiped_on_fork` in every child (MADV_WIPEONFORK). The fork handlers
/// restore it for a fork(2) child. Has no effect before Linux 4.14, or where pages are larger.
void detach_unseen_children() noexcept;

/// The process-wide state besides the phase.
struct alignas(64) Recorder {
  // The members that every callback reads lie in one cache line.
  bool clock_is_tsc = false;  ///< decided once at attach, before any thread can call ticks()
  bool contents = false;      ///< contents of transfers are hashed, within the budget
  std::atomic<bool> aggregating{false};    ///< regions that begin now are aggregated (clock.h)
  std::atomic<bool> cupti{false};          ///< device activities are recorded
  std::atomic<bool> wrappers_only{false};  ///< without EMI callbacks wrappers write the regions
  /// Ticks at which to call update_window().
  std::atomic<std::uint64_t> next_window_check{~std::uint64_t{0}};
  std::atomic<bool> failed{false};   ///< the spool cannot grow any more
  std::atomic<bool> exiting{false};  ///< atexit handlers run
  bool hooked = false;               ///< fork and exit handlers are installed
  bool forked = false;               ///< a fork's child: silent unless it offloads
  /// The header in the file once the spool is open, `draft` before. Never null after attach.
  std::atomic<spool::FileHeader*> header{nullptr};
  /// Guards the growth of the spool, the list of free buffers, and the patching of modules. Never
  /// taken on the hot path.
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  Config config;
  spool::FileHeader draft{};
};

extern Recorder recorder;

/// Adds to a named loss counter. Safe in any context. The counter survives a kill once the spool is
/// open.
[[gnu::cold]] void count_loss(spool::Loss loss, std::uint64_t count = 1) noexcept;

/// Whether this process records now.
inline bool armed() noexcept {
  return wiped_on_fork.phase.load(std::memory_order_relaxed) == Phase::kArmed;
}

/// Scoped hold of a mutex. Meanwhile the thread cannot be cancelled.
class MutexLock {
 public:
  explicit MutexLock(pthread_mutex_t& mutex) noexcept : mutex_(mutex) {
    pthread_mutex_lock(&mutex_);
  }
  ~MutexLock() { pthread_mutex_unlock(&mutex_); }

 private:
  WithoutCancellation uncancelled_;
  pthread_mutex_t& mutex_;
};

/// Scoped hold of the recorder's mutex, with the thread's signals blocked. A handler that forks
/// would leave the child half way through growing its parent's spool. A handler that ends the
/// process would deadlock on the mutex.
class Lock {
  WithoutCancellation uncancelled_;
  BlockedSignals blocked_;
  MutexLock lock_{recorder.mutex};
};

/// Maps `size` zeroed bytes; null if that is 0, or there is no memory. Callbacks allocate by this
/// alone.
inline void* map_memory(std::size_t size) noexcept {
  if (size == 0) {
    return nullptr;
  }
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory != MAP_FAILED ? memory : nullptr;
}

/// A part of the address space.
struct AddressRange {
  std::uint64_t begin;
  std::uint64_t end;

  [[nodiscard]] bool holds(std::uint64_t address) const noexcept {
    return address >= begin && address < end;
  }
  bool operator==(const AddressRange&) const = default;
};

/// A growable array of plain data in mapped memory. Zeroed memory is a valid start.
template <class T>
struct MappedArray {
  T* places;
  std::uint32_t used;
  std::uint32_t capacity;

  [[nodiscard]] T* begin() const noexcept { return places; }
  [[nodiscard]] T* end() const noexcept { return places + used; }

  /// Appends a zeroed element, which may move the others; null if there is no memory.
  T* add() noexcept {
    if (used == capacity) {
      const std::uint32_t more = capacity == 0 ? 64 : 2 * capacity;
      auto* memory = static_cast<T*>(map_memory(more * sizeof(T)));
      if (memory == nullptr) {
        return nullptr;
      }
      if (places != nullptr) {
        memcpy(static_cast<void*>(memory), places, used * sizeof(T));
        munmap(places, capacity * sizeof(T));
      }
      places = memory;
      capacity = more;
    }
    return &places[used++];
  }
};

/// openat(2) with O_CLOEXEC, but never with the number of a standard stream. Where the program has
/// closed its streams, its output would otherwise go into the recorder's file. Free stream numbers
/// are occupied by /dev/null meanwhile.
inline int open_above_streams(int folder, const char* path, int flags, mode_t mode = 0) noexcept {
  int taken[STDERR_FILENO + 1];
  int count = 0;
  int nowhere = 0;
  while ((nowhere = open("/dev/null", O_RDWR | O_CLOEXEC)) >= 0 && nowhere <= STDERR_FILENO) {
    taken[count++] = nowhere;
  }
  if (nowhere >= 0) {
    close(nowhere);
  }
  const int file = openat(folder, path, flags | O_CLOEXEC, mode);
  const int error = errno;
  while (count > 0) {
    close(taken[--count]);
  }
  errno = error;
  return file;
}

/// FNV-1a of 64 bits (draft-eastlake-fnv).
constexpr std::uint64_t fnv1a(const char* text, std::size_t size) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (std::size_t i = 0; i < size; ++i) {
    hash = (hash ^ static_cast<unsigned char>(text[i])) * 0x100000001b3U;
  }
  return hash;
}

/// A line of text in pieces, written by one writev(2). Unlike printf's family it needs no memory
/// and little stack, and is safe in signal handlers. Holds 20 pieces, two of them numbers, and at
/// most PIPE_BUF bytes; the rest is dropped.
class Pieces {
 public:
  /// Adds a text, which must outlive the line.
  void add(const char* text) noexcept { add(text, strlen(text)); }

  void add(const char* text, std::size_t size) noexcept {
    const std::size_t room = kMostBytes - bytes_;
    size = size < room ? size : room;
    if (count_ < kMost && size > 0) {
      pieces_[count_++] = {const_cast<char*>(text), size};
      bytes_ += size;
    }
  }

  /// Adds a text that the user named, with a `?` in the place of terminal control characters.
  void add_printable(const char* text) noexcept {
    while (*text != '\0') {
      const char* end = text;
      while (*end != '\0' && control_at(end) == 0) {
        ++end;
      }
      add(text, static_cast<std::size_t>(end - text));
      text = end;
      if (*text != '\0') {
        add("?");
      }
      while (*text != '\0' && control_at(text) > 0) {
        text += control_at(text);
      }
    }
  }

  /// Adds a decimal number.
  void add_number(std::uint32_t number) noexcept {
    if (numbers_ == kMostNumbers) {
      return;
    }
    char* end = digits_[numbers_++] + kMostDigits;
    char* begin = end;
    do {
      *--begin = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number > 0);
    add(begin, static_cast<std::size_t>(end - begin));
  }

  /// Writes the pieces and a line end. Bytes that the file does not take are lost.
  void write_line(int file) noexcept {
    static const char kLineEnd = '\n';
    pieces_[count_++] = {const_cast<char*>(&kLineEnd), 1};
    [[maybe_unused]] const ssize_t written = writev(file, pieces_, count_);
  }

 private:
  // The size of the control character at `text`, 0 if it is none. In UTF-8, C2 80 to C2 9F are
  // control characters too.
  static std::size_t control_at(const char* text) noexcept {
    const auto byte = static_cast<unsigned char>(text[0]);
    const auto next = static_cast<unsigned char>(byte == 0xC2 ? text[1] : 0);
    return byte < ' ' || byte == 0x7F ? 1 : next >= 0x80 && next < 0xA0 ? 2 : 0;
  }

  static constexpr int kMost = 20;
  static constexpr std::size_t kMostBytes = PIPE_BUF - 1;
  static constexpr int kMostNumbers = 2;
  static constexpr int kMostDigits = 10;  // of 32 bits
  iovec pieces_[kMost + 1];
  std::size_t bytes_ = 0;
  char digits_[kMostNumbers][kMostDigits];
  int count_ = 0;
  int numbers_ = 0;
};

/// Remembers the file behind descriptor 2. Messages are dropped once the program has put another
/// file there.
void remember_stderr() noexcept;

/// Writes "ompdm: <text>\n" to standard error. Knows the formats %s and %u alone. Safe in signal
/// handlers and on small stacks.
[[gnu::format(printf, 1, 2)]] void say(const char* format, ...) noexcept;

}  // namespace ompdm::record
