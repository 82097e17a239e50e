#include "apart.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <exception>
#include <sstream>

namespace ompdm::cli {
namespace {

/// In the child. The folder and all else that this process has to clear away is the parent's.
[[noreturn]] void do_work(const std::function<std::vector<std::string>()>& work, int pipe) {
  ::setsid();
  ::signal(SIGPIPE, SIG_IGN);  // the parent may have left
  // Whoever waits for our output, or for a lock of our parent's, is not to wait for this.
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int stream = 0; nowhere >= 0 && stream <= STDERR_FILENO; ++stream) ::dup2(nowhere, stream);
  int status = 0;
  try {
    std::string text;
    for (const std::string& line : work()) text += line + '\0';
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t written = ::write(pipe, text.data() + at, text.size() - at);
      if (written < 0 && errno != EINTR) break;
      if (written > 0) at += static_cast<std::size_t>(written);
    }
  } catch (const std::exception&) {
    status = 1;
  }
  ::_exit(status);
}

}  // namespace

Apart work_apart(const std::function<std::vector<std::string>()>& work,
                 const SignalForwarding& signals, const std::function<void()>& slow) {
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return {work(), false, false};
  const pid_t child = ::fork();
  if (child == 0) {
    signals.restore();
    ::close(pipe[0]);
    do_work(work, pipe[1]);
  }
  ::close(pipe[1]);
  if (child < 0) {
    ::close(pipe[0]);
    return {work(), false, false};
  }

  Apart apart;
  std::string text;
  constexpr std::chrono::milliseconds kSlow{1000};
  for (bool told = false;;) {
    const auto came = signals.wait_for(pipe[0], told ? std::chrono::milliseconds(-1) : kSlow);
    if (came == SignalForwarding::Came::kSignal) {
      apart.left = true;
      break;
    }
    if (came == SignalForwarding::Came::kNothing) {
      slow();
      told = true;
      continue;
    }
    char piece[4096];
    const ssize_t got = ::read(pipe[0], piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(piece, static_cast<std::size_t>(got));
  }
  ::close(pipe[0]);
  if (apart.left) return apart;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  apart.died = status != 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line, '\0');) apart.lines.push_back(line);
  return apart;
}

}  // namespace ompdm::cli
