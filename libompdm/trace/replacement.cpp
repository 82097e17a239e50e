#include "trace/replacement.h"

#include <fmt/format.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "ompdm/error.h"

namespace ompdm::trace {
namespace {

namespace fs = std::filesystem;

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
