#include "record/attach/ending.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/attach/reach.h"
#include "record/cupti/activity_lane.h"
#include "record/cupti/cupti.h"
#include "record/modules/entry_points.h"
#include "record/process/message.h"
#include "record/process/recorder.h"
#include "record/stream/sites.h"
#include "record/stream/spool_file.h"

namespace ompdm::record {
namespace {

bool executable(const char* path) noexcept { return access(path, X_OK) == 0; }

// `ompdm` lies beside the library: build/lib and build/bin, or lib[/triple] and bin under a prefix.
bool find_command(char* path, std::size_t capacity) noexcept {
  if (recorder.config.command != nullptr) {
    snprintf(path, capacity, "%s", recorder.config.command);
    return executable(path);
  }
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&end_recording), &self) == 0 ||
      self.dli_fname == nullptr) {
    return false;
  }
  char library[1024];
  const char* real = realpath(self.dli_fname, nullptr);  // leaked once, at the very end
  snprintf(library, sizeof(library), "%s", real != nullptr ? real : self.dli_fname);
  char* slash = strrchr(library, '/');
  if (slash == nullptr) {
    return false;
  }
  *slash = '\0';
  static constexpr const char* kPlaces[] = {"/ompdm", "/../bin/ompdm", "/../../bin/ompdm"};
  for (const char* place : kPlaces) {
    const int size = snprintf(path, capacity, "%s%s", library, place);
    if (size > 0 && static_cast<std::size_t>(size) < capacity && executable(path)) {
      return true;
    }
  }
  return false;
}

// What made the program load us, or changes which libraries it finds, must not reach `ompdm`
// itself.
bool is_scrubbed(const char* variable) noexcept {
  static constexpr const char* kNames[] = {
      "LD_PRELOAD=",         "LD_AUDIT=",     "LD_LIBRARY_PATH=", "OMP_TOOL=",
      "OMP_TOOL_LIBRARIES=", "ASAN_OPTIONS=", "LSAN_OPTIONS=",    "CUDA_INJECTION64_PATH="};
  for (const char* name : kNames) {
    if (strncmp(variable, name, strlen(name)) == 0) {
      return true;
    }
  }
  return false;
}

char** scrubbed_environment() noexcept {
  std::size_t count = 0;
  while (environ != nullptr && environ[count] != nullptr) {
    ++count;
  }
  auto** kept = static_cast<char**>(calloc(count + 1, sizeof(char*)));
  std::size_t at = 0;
  for (std::size_t i = 0; kept != nullptr && i < count; ++i) {
    if (!is_scrubbed(environ[i])) {
      kept[at++] = environ[i];
    }
  }
  return kept;
}

bool start(const char* command, pid_t& child) noexcept {
  char** environment = scrubbed_environment();
  if (environment == nullptr) {
    return false;
  }
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (stderr_is_ours()) {
    posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const char* arguments[] = {command, "finish", "--attached", spool_path(),
                             nullptr, nullptr,  nullptr};
  char told[1200];
  if (recorder.config.session != nullptr) {
    // `ompdm record` tells the user, and learns of the trace's name by a file.
    session_file(told, sizeof(told), ".trace");
    arguments[4] = "--tell";
    arguments[5] = told;
  }
  const int error = posix_spawn(&child, command, &files, &attributes,
                                const_cast<char* const*>(arguments), environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  free(static_cast<void*>(environment));
  return error == 0;
}

// The program's handler for its own children is not to hear of ours. (Where another thread takes
// the signal it does.)
class WithoutChildSignal {
 public:
  WithoutChildSignal() noexcept {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGCHLD);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGCHLD) == 1;
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~WithoutChildSignal() {
    if (!was_pending_ && sigismember(&before_, SIGCHLD) == 0) {
      const timespec at_once{};
      sigtimedwait(&signal_, nullptr, &at_once);
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutChildSignal(const WithoutChildSignal&) = delete;
  WithoutChildSignal& operator=(const WithoutChildSignal&) = delete;

 private:
  sigset_t signal_;
  sigset_t before_;
  bool was_pending_;
};

void finish_spool() noexcept {
  if (!recorder.config.finish) {
    if (recorder.config.session == nullptr) {  // else `ompdm record` tells it
      say("recorded into %s: ompdm finish %s", spool_path(), spool_path());
    }
    return;
  }
  const WithoutChildSignal guard;
  char command[1200];
  pid_t child = 0;
  if (!find_command(command, sizeof(command)) || !start(command, child)) {
    say("recorded into %s, but no `ompdm` could be started: ompdm finish %s", spool_path(),
        spool_path());
    return;
  }
  int status = 0;
  pid_t waited = -1;
  do {
    waited = waitpid(child, &status, 0);
  } while (waited < 0 && errno == EINTR);
  // ECHILD: the program ignores SIGCHLD or waits for every child itself; then the child's end is
  // all we know.
  if (waited == child && (!WIFEXITED(status) || WEXITSTATUS(status) != 0)) {
    say("%s is kept, since it could not be finished here: ompdm finish %s", spool_path(),
        spool_path());
  }
}

// A program that could have offloaded and did not is told so; one that only inherited the recorder
// is not.
void tell_nothing_recorded() noexcept {
  const spool::FileHeader& header = recorder.draft;
  if (recorder.failed.load() || recorder.forked || !offload_runtime_is_loaded()) {
    return;
  }
  spool::Reach reach = header.reach;
  if (reach == spool::Reach::kUnknown && !offload_can_reach()) {
    reach = spool::Reach::kUnreachable;
  }
  const char* why = "no target region was executed on a device";
  const char* disabled = getenv("OMP_TARGET_OFFLOAD");
  if (reach == spool::Reach::kUnreachable) {
    why = "libomptarget could not open libomp.so, so no target event came";
  } else if (reach == spool::Reach::kOtherRuntime) {
    why = "libomptarget uses another copy of the OpenMP runtime, so no target event came";
  } else if (disabled != nullptr && strcasecmp(disabled, "disabled") == 0) {
    why = "OMP_TARGET_OFFLOAD=DISABLED, so nothing was offloaded";
  }
  if (recorder.config.session != nullptr) {
    char path[1200];
    session_file(path, sizeof(path), ".none");
    const int file = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
    if (file >= 0) {
      fchmod(file, 0600);  // whatever the program's umask is
      dprintf(file, "%s\n", why);
      close(file);
    }
    return;
  }
  say("%s: %s; no trace was written: ompdm doctor %s", header.program, why, header.program);
}

}  // namespace

void pause_recording() noexcept {
  if (armed()) {
    note_host_fallback(false);
    flush_activities();
    Phase expected = Phase::kArmed;
    recorder.phase.compare_exchange_strong(expected, Phase::kPaused);
  }
}

void end_recording() noexcept {
  if (armed()) {
    note_host_fallback(false);
  }
  flush_activities();
  Phase expected = Phase::kArmed;
  if (!recorder.phase.compare_exchange_strong(expected, Phase::kFinished) &&
      (expected != Phase::kPaused ||
       !recorder.phase.compare_exchange_strong(expected, Phase::kFinished))) {
    return;
  }
  if (!spool_is_open()) {
    tell_nothing_recorded();
    return;
  }
  settle_activities();
  write_trailer();
  finish_spool();
}

}  // namespace ompdm::record
