// The end of a recording: spool read, trace written and named, spool removed, in this order, so
// that at every instant one of the two is whole.
#include "ompdm/finish.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "ompdm/error.h"
#include "spool/file_size_signal.h"
#include "trace/spool_file.h"
#include "trace/spool_owner.h"
#include "trace/temporary_file.h"
#include "trace/trace_bytes.h"
#include "trace/trace_name.h"

namespace ompdm {
namespace {

namespace fs = std::filesystem;

// Held while a spool is finished, so that two programs do not both turn it into a trace.
class SpoolLock {
 public:
  explicit SpoolLock(const fs::path& path)
      : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
    if (fd_ < 0) {
      throw Error(fmt::format("{}: cannot be opened ({}): give the name of a spool", path.string(),
                              std::strerror(errno)));
    }
    // Where the file system has no locks, one finisher at a time is the user's affair.
    if (flock(fd_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
    close(fd_);
    throw Error(
        fmt::format("{}: is being finished by another process: wait for its trace", path.string()));
  }
  ~SpoolLock() { close(fd_); }
  SpoolLock(const SpoolLock&) = delete;
  SpoolLock& operator=(const SpoolLock&) = delete;

  [[nodiscard]] int descriptor() const { return fd_; }

  [[nodiscard]] bool is_ours() const {
    struct stat facts{};
    return fstat(fd_, &facts) == 0 && facts.st_uid == geteuid();
  }

  // Whether the name is still that of the locked file: another finisher may have removed it
  // meanwhile.
  [[nodiscard]] bool still_named(const fs::path& path) const {
    struct stat locked{};
    struct stat named{};
    return fstat(fd_, &locked) == 0 && stat(path.c_str(), &named) == 0 &&
           locked.st_dev == named.st_dev && locked.st_ino == named.st_ino;
  }

 private:
  int fd_;
};

void refuse_running(const fs::path& spool, const spool::FileHeader& header) {
  throw Error(fmt::format("{}: process {} ({}) is still recording: finish it when it has ended",
                          spool.string(), header.pid, trace::text_of(header.program)));
}

// Its header names the trace's file: anyone could have ours made anywhere.
void refuse_foreign(const fs::path& spool) {
  throw Error(fmt::format("{}: belongs to another user: say with -o where its trace is to go",
                          spool.string()));
}

void check_target(const fs::path& wanted) {
  std::error_code ignored;
  const fs::file_status status = fs::status(wanted, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw Error(fmt::format("{}: is no regular file: name a file with -o", wanted.string()));
  }
}

}  // namespace

FinishResult finish(const fs::path& spool, const fs::path& output, const FinishOptions& options) {
  const spool::WithoutFileSizeSignal guard;
  const SpoolLock lock(spool);
  const spool::FileHeader header = trace::read_file_header(lock.descriptor(), spool);
  if (!lock.still_named(spool)) {
    throw Error(fmt::format("{}: was finished by another process: see its trace", spool.string()));
  }
  const bool finished = header.state == spool::State::kFinished;
  const spool::Owner owner = trace::owner_state(header);
  if (!finished && owner == spool::Owner::kRuns && !options.owner_may_run) {
    refuse_running(spool, header);
  }
  if (output.empty() && !options.owner_may_run && !lock.is_ours()) refuse_foreign(spool);
  const fs::path wanted = output.empty() ? trace::output_of(header, spool) : output;
  check_target(wanted);

  FinishResult result;
  result.model = read_spool(spool);
  result.killed = !finished;
  check_references(result.model, wanted.string());
  trace::TemporaryFile temporary(wanted);
  write_trace_bytes(result.model, *sink_on(temporary.take_descriptor(), wanted));
  trace::PlacedTrace placed = trace::place_trace(temporary.path(), wanted, header.pid);
  result.trace = placed.path;
  result.kept = placed.kept;
  result.note = placed.note;
  result.model.file = placed.path.string();

  if (!finished && owner == spool::Owner::kUnknown) {
    const std::string kept = fmt::format("{} was kept: its process may still run on {}",
                                         spool.string(), trace::text_of(header.host));
    result.note += (result.note.empty() ? "" : "; ") + kept;
    return result;
  }
  std::error_code error;
  if (!fs::remove(spool, error) && error) {
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
