#include "trace_files/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "ompdm/error.h"

namespace ompdm::trace {

namespace {

namespace fs = std::filesystem;

// Names that are taken can be someone's planting: their number must not cost us hours.
constexpr int kMostNames = 10'000;

}  // namespace

TemporaryFile::TemporaryFile(const fs::path& wanted) {
  for (int number = 0; fd_ < 0 && number < kMostNames; ++number) {
    path_ = fs::path(wanted) += number == 0 ? fmt::format(".tmp-{}", getpid())
                                            : fmt::format(".tmp-{}.{}", getpid(), number);
    fd_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ < 0 && errno != EEXIST) break;
  }
  struct stat facts{};
  if (fd_ < 0 || fstat(fd_, &facts) != 0) {
    throw Error(
        fmt::format("{}: cannot be written ({}): make room or name a file elsewhere with -o",
                    wanted.string(), std::strerror(errno)));
  }
  // A program may have had a umask against its own files; whoever recorded is to read the trace.
  fchmod(fd_, (facts.st_mode | S_IRUSR | S_IWUSR) & 07777);
}

TemporaryFile::~TemporaryFile() {
  if (fd_ >= 0) close(fd_);
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove(path_, ignored);
}

int TemporaryFile::take_descriptor() { return std::exchange(fd_, -1); }

namespace {

constexpr std::array kEndings = {SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, kEndings.size()> inherited;

// A handler may not allocate. Empty: nothing to remove.
std::array<char, PATH_MAX> unfinished{};

/// The default action has been restored by now: the process ends as the signal has it.
void remove_and_end(int signal) {
  ::unlink(unfinished.data());
  ::raise(signal);
}

class HeldBack {
 public:
  HeldBack() {
    sigset_t endings;
    sigemptyset(&endings);
    for (const int signal : kEndings) sigaddset(&endings, signal);
    ::pthread_sigmask(SIG_BLOCK, &endings, &before_);
  }
  ~HeldBack() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldBack(const HeldBack&) = delete;
  HeldBack& operator=(const HeldBack&) = delete;

 private:
  sigset_t before_{};
};

void remove_at_signals(const fs::path& path) {
  if (path.native().size() >= unfinished.size()) return;
  *std::ranges::copy(path.native(), unfinished.begin()).out = '\0';
  struct sigaction action = {};
  action.sa_handler = remove_and_end;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kEndings.size(); ++i) {
    ::sigaction(kEndings[i], nullptr, &inherited[i]);
    // An ignored signal stays ignored (nohup).
    if (inherited[i].sa_handler == SIG_DFL) ::sigaction(kEndings[i], &action, nullptr);
  }
}

void forget() {
  if (unfinished.front() == '\0') return;
  for (std::size_t i = 0; i < kEndings.size(); ++i) {
    ::sigaction(kEndings[i], &inherited[i], nullptr);
  }
  unfinished.front() = '\0';
}

}  // namespace

Replacement::Replacement(const fs::path& wanted) : wanted_(wanted) {
  const HeldBack held;
  file_ = std::make_unique<TemporaryFile>(wanted);
  remove_at_signals(file_->path());
}

Replacement::~Replacement() {
  const HeldBack held;
  file_.reset();
  forget();
}

void Replacement::put() {
  const HeldBack held;
  if (::rename(file_->path().c_str(), wanted_.c_str()) != 0) {
    throw Error(fmt::format("{}: cannot be given its name ({}): choose another with -o",
                            wanted_.string(), std::strerror(errno)));
  }
  file_->renamed();
  forget();
}

}  // namespace ompdm::trace
