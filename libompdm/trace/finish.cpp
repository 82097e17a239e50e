// The end of a recording: spool read, trace written and named, spool removed, in this order, so
// that at every instant one of the two is whole.
#include "ompdm/finish.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "ompdm/error.h"
#include "ompdm/trace_file.h"
#include "trace/spool_file.h"
#include "trace/spool_owner.h"
#include "trace/trace_name.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

namespace ompdm {
namespace {

namespace fs = std::filesystem;

// Held while a spool is finished, so that two programs do not both turn it into a trace. The kernel
// takes it back from a finisher that dies.
class SpoolLock {
 public:
  SpoolLock(const fs::path& path, const FinishOptions& options)
      : fd_(options.handed_over >= 0 ? options.handed_over
                                     : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (fd_ < 0) {
      throw Error(fmt::format("{}: cannot be opened ({}): give the name of a spool", path.string(),
                              std::strerror(errno)));
    }
    if (lock(options)) return;
    close(fd_);
    throw Error(
        fmt::format("{}: is being finished by another process: wait for its trace", path.string()));
  }
  ~SpoolLock() { close(fd_); }
  SpoolLock(const SpoolLock&) = delete;
  SpoolLock& operator=(const SpoolLock&) = delete;

  // Leads to the locked file whatever its name is by now.
  [[nodiscard]] fs::path handle() const { return fmt::format("/proc/self/fd/{}", fd_); }

  // Whether another finisher has removed it meanwhile.
  [[nodiscard]] bool removed() const {
    struct stat locked{};
    return fstat(fd_, &locked) == 0 && locked.st_nlink == 0;
  }

  // Removes the file under the name that it has by now.
  void remove_file(std::error_code& error) const {
    const fs::path name = fs::read_symlink(handle(), error);
    struct stat locked{};
    struct stat named{};
    if (!error && fstat(fd_, &locked) == 0 && stat(name.c_str(), &named) == 0 &&
        locked.st_dev == named.st_dev && locked.st_ino == named.st_ino) {
      fs::remove(name, error);
    }
  }

 private:
  // Where the file system has no locks, one finisher at a time is the user's affair.
  [[nodiscard]] bool try_lock() const {
    return flock(fd_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  }

  [[nodiscard]] bool lock(const FinishOptions& options) const {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kWorthAWord{300};
    const Clock::time_point begin = Clock::now();
    for (bool told = false; !try_lock();) {
      const auto waited = Clock::now() - begin;
      if (waited >= options.patience) return false;
      if (!told && waited > kWorthAWord && options.waiting) options.waiting();
      told = waited > kWorthAWord;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }

  int fd_;
};

// A process that has written its trailer is about to end. What it still counts as lost until then
// belongs into the trace.
void await_end(const spool::FileHeader& header) {
  constexpr int kMilliseconds = 2000;  // its exit may hang; the trace need not
  const int process = static_cast<int>(syscall(SYS_pidfd_open, header.pid, 0));
  if (process < 0) return;
  pollfd ended{process, POLLIN, 0};
  if (trace::owner_state(header) == trace::OwnerState::kRuns) poll(&ended, 1, kMilliseconds);
  close(process);
}

void refuse_running(const fs::path& spool, const spool::FileHeader& header) {
  throw Error(fmt::format("{}: process {} ({}) is still recording: finish it when it has ended",
                          spool.string(), header.pid, trace::text_of(header.program)));
}

// Removes the unfinished file unless it got its name.
class Temporary {
 public:
  explicit Temporary(fs::path path) : path_(std::move(path)) {}
  ~Temporary() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Past RLIMIT_FSIZE a write is to fail with a reason, not to kill the process and leave an
// unfinished file.
class WithoutFileSizeSignal {
 public:
  WithoutFileSizeSignal() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~WithoutFileSizeSignal() {
    if (sigismember(&before_, SIGXFSZ) == 0) {
      const timespec at_once{};
      while (sigtimedwait(&signal_, nullptr, &at_once) == SIGXFSZ) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutFileSizeSignal(const WithoutFileSizeSignal&) = delete;
  WithoutFileSizeSignal& operator=(const WithoutFileSizeSignal&) = delete;

 private:
  sigset_t signal_{};
  sigset_t before_{};
};

void check_target(const fs::path& wanted) {
  std::error_code ignored;
  const fs::file_status status = fs::status(wanted, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw Error(fmt::format("{}: is no regular file: name a file with -o", wanted.string()));
  }
}

// Reads by the handle, and speaks of the name.
template <class Read>
auto read_locked(const SpoolLock& lock, const fs::path& spool, Read read) {
  const fs::path handle = lock.handle();
  try {
    return read(handle);
  } catch (const Error& error) {
    const std::string text = error.what();
    if (!text.starts_with(handle.native())) throw;
    throw Error(spool.native() + text.substr(handle.native().size()));
  }
}

}  // namespace

FinishResult finish(const fs::path& spool, const fs::path& output, const FinishOptions& options) {
  const WithoutFileSizeSignal guard;
  const SpoolLock lock(spool, options);
  const spool::FileHeader header = read_locked(lock, spool, trace::read_file_header);
  FinishResult result;
  if (lock.removed()) {
    result.by_another = true;
    result.trace = output.empty() ? fs::path(trace::text_of(header.output)) : output;
    return result;
  }
  const bool finished = header.state == spool::State::kFinished;
  const trace::OwnerState owner = trace::owner_state(header);
  if (owner == trace::OwnerState::kRuns) {
    if (!finished) refuse_running(spool, header);
    await_end(header);
  }
  const auto wanted_by_now = [&] {
    return output.empty() ? spool_info(lock.handle()).output : output;
  };
  const fs::path wanted = wanted_by_now();
  check_target(wanted);

  result.model = read_locked(lock, spool, read_spool);
  result.killed = !finished;
  const Temporary temporary(trace::temporary_name(wanted));
  write_trace(result.model, temporary.path(), wanted);
  // A program may have had a umask against its own files; whoever recorded is to read the trace.
  std::error_code not_ours;
  fs::permissions(temporary.path(), fs::perms::owner_read | fs::perms::owner_write,
                  fs::perm_options::add, not_ours);
  trace::PlacedTrace placed = trace::place_trace(temporary.path(), wanted_by_now(), header.pid);
  result.trace = placed.path;
  result.kept = placed.kept;
  result.note = placed.note;
  result.model.file = placed.path.string();

  if (!finished && owner == trace::OwnerState::kUnknown) {
    const std::string kept = fmt::format("{} was kept: its process may still run on {}",
                                         spool.string(), trace::text_of(header.host));
    result.note += (result.note.empty() ? "" : "; ") + kept;
    return result;
  }
  std::error_code error;
  lock.remove_file(error);
  if (error) {
    const std::string left =
        fmt::format("{} could not be removed ({})", spool.string(), error.message());
    result.note += (result.note.empty() ? "" : "; ") + left;
  }
  return result;
}

FinishResult finish(const fs::path& spool, const fs::path& output) {
  return finish(spool, output, FinishOptions{});
}

}  // namespace ompdm
