#include "fix/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "ompdm/error.h"

namespace ompdm::cli {
namespace {

constexpr int kNoView = 125;

std::atomic<pid_t> running{0};
std::atomic<int> asked{0};
struct sigaction inherited[3];
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

void stop(int signal) {
  asked.store(signal);
  if (const pid_t pid = running.load(); pid > 0) ::kill(-pid, SIGKILL);
}

/// Anonymous, and with `text` in it from its beginning on.
int file_of(const std::string& text) {
  const int file = ::memfd_create("ompdm", MFD_CLOEXEC);
  if (file < 0) throw Error(fmt::format("no file can be made: {}", std::strerror(errno)));
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = ::write(file, text.data() + done, text.size() - done);
    if (wrote <= 0) break;
    done += static_cast<std::size_t>(wrote);
  }
  ::lseek(file, 0, SEEK_SET);
  return file;
}

std::string text_of(int file) {
  std::string text;
  char part[1 << 16];
  ::lseek(file, 0, SEEK_SET);
  for (ssize_t got = 0; (got = ::read(file, part, sizeof part)) > 0;) {
    text.append(part, static_cast<std::size_t>(got));
  }
  ::close(file);
  return text;
}

[[noreturn]] void become(const Child& child, int in, int out, int errors) {
  ::setpgid(0, 0);
  for (const int signal : kSignals) ::signal(signal, SIG_DFL);
  if (child.view != nullptr && !take_view(*child.view)) ::_exit(kNoView);
  if (::chdir(child.directory.c_str()) != 0) ::_exit(126);
  for (const auto& [name, value] : child.environment) ::setenv(name.c_str(), value.c_str(), 1);
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  std::vector<char*> words;
  for (const std::string& word : child.command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  ::_exit(errno == ENOENT ? 127 : 126);
}

void throw_if_asked() {
  if (asked.load() != 0) throw Error("stopped: nothing was changed");
}

}  // namespace

ChildEnd run_child(const Child& child) {
  throw_if_asked();
  const int in = file_of(child.input);
  const int out = file_of({});
  const int errors = file_of({});
  const auto begin = std::chrono::steady_clock::now();
  const pid_t pid = ::fork();
  if (pid == 0) become(child, in, out, errors);
  if (pid < 0) throw Error(fmt::format("no process can be started: {}", std::strerror(errno)));
  ::setpgid(pid, pid);
  running.store(pid);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    if (asked.load() != 0) ::kill(-pid, SIGKILL);
  }
  running.store(0);
  ChildEnd end;
  end.wall = std::chrono::steady_clock::now() - begin;
  // What it left running would write into what is removed.
  ::kill(-pid, SIGKILL);
  end.exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  ::close(in);
  end.output = text_of(out);
  end.errors = text_of(errors);
  throw_if_asked();
  return end;
}

Stopping::Stopping() {
  asked.store(0);
  struct sigaction action = {};
  action.sa_handler = stop;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    ::sigaction(kSignals[i], &action, &inherited[i]);
  }
}

Stopping::~Stopping() {
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    ::sigaction(kSignals[i], &inherited[i], nullptr);
  }
}

}  // namespace ompdm::cli
