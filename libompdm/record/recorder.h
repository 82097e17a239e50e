// The recorder's process-wide state, and what every part of it needs: guards, descriptors,
// messages. One instance, plain data, never destroyed: callbacks may come before constructors and
// after destructors of everything else.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "record/config.h"
#include "spool_format/format.h"

/// As clone(2).
extern "C" int __clone(int (*function)(void*), void* stack, int flags, void* argument, ...);

namespace ompdm::record {

/// While one lives, this thread cannot be cancelled, whatever the kind of cancellation; what was
/// asked for meanwhile comes after it, at the program's next cancellation point. The kind is put
/// off too: glibc (2.36) sends a signal to a thread that may be cancelled at any time, and when
/// that comes looks at the kind alone, though the thread may have forbidden it meanwhile. About 20
/// ns.
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

/// While one lives, this thread's errno may be changed; then it is what it was. Every function that
/// the runtime, CUDA, the loader or libc calls holds one while it may call libc (of callbacks it is
/// part of `Inside`). About 1 ns.
class KeptErrno {
 public:
  KeptErrno() noexcept : before_(errno) {}
  ~KeptErrno() { errno = before_; }
  KeptErrno(const KeptErrno&) = delete;
  KeptErrno& operator=(const KeptErrno&) = delete;

 private:
  int before_;
};

enum class Phase : std::uint32_t {
  kDetached,  ///< not started, declined, or disarmed after a failure
  kArmed,     ///< recording
  kPaused,    ///< the runtime was finalised, the process goes on (omp_pause_resource_all)
  kFinished,  ///< the trailer is written; what still comes is counted as lost
};

/// Zero in a child that was made behind the back of pthread_atfork(3) (_Fork, a bare clone): it is
/// detached, rather than write into the spool of its parent. A page by itself, see
/// `detach_unseen_children`.
struct alignas(4096) WipedOnFork {
  std::atomic<Phase> phase{Phase::kDetached};
};

extern WipedOnFork wiped_on_fork;

/// Has the kernel empty `wiped_on_fork` in every child; what a fork(2) child needs of it is put
/// back by the hooks. Nothing on kernels before 4.14, or with larger pages.
void detach_unseen_children() noexcept;

struct alignas(64) Recorder {
  // What every callback reads besides the phase lies in one cache line.
  bool clock_is_tsc = false;  ///< decided once at attach, before any thread can call ticks()
  bool contents = false;      ///< contents are hashed, within the budget
  std::atomic<bool> aggregating{
      false};                      ///< regions that begin now are counted, not told (detail.h)
  std::atomic<bool> cupti{false};  ///< activities are recorded; while false no callback does more
                                   ///< than read this
  std::atomic<bool> wrappers_only{
      false};  ///< the runtime has no EMI callbacks: wrappers write the regions
  std::atomic<std::uint64_t> next_window_check{~std::uint64_t{0}};  ///< ticks: update_window() then
  std::atomic<bool> failed{false};  ///< the spool cannot grow any more; said once
  std::atomic<bool> exiting{false};
  bool hooked = false;  ///< fork and exit are watched
  bool forked = false;  ///< a fork's child: silent unless it offloads
  /// The file's header once the spool is open, `draft` before: counters and facts always have a
  /// place.
  std::atomic<spool::FileHeader*> header{nullptr};
  /// Guards the spool's growth, buffers given out and back, and the patching of modules; never
  /// taken on the hot path.
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  Config config;
  spool::FileHeader draft{};
};

extern Recorder recorder;

/// Adds to a named loss. Safe anywhere; survives a kill once the spool is open.
[[gnu::cold]] void count_loss(spool::Loss loss, std::uint64_t count = 1) noexcept;

inline bool armed() noexcept {
  return wiped_on_fork.phase.load(std::memory_order_relaxed) == Phase::kArmed;
}

/// Scoped hold of the recorder's mutex, by a thread that meanwhile cannot be cancelled, and takes
/// no signal: a handler that forks would leave the child in the midst of growing its parent's
/// spool, one that ends the process would wait for its own thread.
class Lock {
 public:
  Lock() noexcept;
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  WithoutCancellation uncancelled_;
  sigset_t before_;
};

/// A further descriptor of the open file behind `file`, closed at exec: the lowest free number from
/// `lowest` on, or from 3 on where the process's limit (RLIMIT_NOFILE) lies below. -1 with errno if
/// there is none.
inline int duplicate(int file, int lowest) noexcept {
  constexpr int kAboveStreams = STDERR_FILENO + 1;
  const int number = fcntl(file, F_DUPFD_CLOEXEC, lowest);
  return number >= 0 || errno != EINVAL ? number : fcntl(file, F_DUPFD_CLOEXEC, kAboveStreams);
}

/// As openat(2) with O_CLOEXEC, but never a standard stream's number, not even for a moment: those
/// that are free are taken meanwhile, and lead nowhere.
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

/// Room for 20 pieces, of which two may be numbers, and for what a pipe takes at once; what is more
/// is left out.
class Pieces {
 public:
  void add(const char* text) noexcept { add(text, strlen(text)); }

  void add(const char* text, std::size_t size) noexcept {
    const std::size_t room = kMostBytes - bytes_;
    size = size < room ? size : room;
    if (count_ < kMost && size > 0) {
      pieces_[count_++] = {const_cast<char*>(text), size};
      bytes_ += size;
    }
  }

  /// What others have named: a `?` stands for controls, which a terminal would obey.
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

  /// One writev(2), with a last line end; what does not go in is lost.
  void write_line(int file) noexcept {
    static const char kLineEnd = '\n';
    pieces_[count_++] = {const_cast<char*>(&kLineEnd), 1};
    [[maybe_unused]] const ssize_t written = writev(file, pieces_, count_);
  }

 private:
  // How many bytes the control takes; 0: it is none. Those beyond ASCII are C2 80 to C2 9F.
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

/// Remembers what descriptor 2 is now; later messages are dropped when the program has put
/// something else there.
void remember_stderr() noexcept;

/// Whether descriptor 2 is still what it was at attach.
bool stderr_is_ours() noexcept;

/// Writes "ompdm: <text>\n". Of printf's formats it knows %s and %u. Safe in signal handlers and on
/// small stacks.
[[gnu::format(printf, 1, 2)]] void say(const char* format, ...) noexcept;

}  // namespace ompdm::record
