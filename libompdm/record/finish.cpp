#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/attach.h"
#include "record/cupti.h"
#include "record/entry_points.h"
#include "record/ompt_callbacks.h"
#include "record/recorder.h"
#include "record/spool_writer.h"
#include "spool_format/process.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

namespace ompdm::record {

namespace {

bool executable(const char* path) noexcept { return access(path, X_OK) == 0; }

// Finds `ompdm` beside the library: build/lib and build/bin, or lib[/triple[/ompdm]] and bin under
// a prefix.
bool find_command(Path& path) noexcept {
  path = {};
  if (recorder.config.command != nullptr) {
    path.add(recorder.config.command);
    return path.ok && executable(path.text);
  }
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&executable), &self) == 0 || self.dli_fname == nullptr) {
    return false;
  }
  const char* real = realpath(self.dli_fname, nullptr);  // leaked once, at the very end
  const char* library = real != nullptr ? real : self.dli_fname;
  const char* slash = strrchr(library, '/');
  if (slash == nullptr) {
    return false;
  }
  static constexpr const char* kPlaces[] = {"/ompdm", "/../bin/ompdm", "/../../bin/ompdm",
                                            "/../../../bin/ompdm"};
  for (const char* place : kPlaces) {
    path = {};
    path.add(library, static_cast<std::size_t>(slash - library));
    path.add(place);
    if (path.ok && executable(path.text)) {
      return true;
    }
  }
  return false;
}

// The finisher's environment is empty: it must not get LD_PRELOAD. And by now an entry may be a
// dangling pointer (putenv(3) in a library that is closed).
constexpr const char* kNoVariables[] = {nullptr};

// Data of the two processes below. They share our memory, so it is never freed.
struct Finisher {
  Path command;
  const char* arguments[5];
  int spool;
  char* stacks;
};

#define OMPDM_IN_BORROWED_MEMORY __attribute__((no_sanitize("address", "thread", "undefined")))

// The processes below share the memory of the thread that started them, which runs on. So they must
// not touch thread-local state such as errno: bare system calls, no sanitizer.
OMPDM_IN_BORROWED_MEMORY long kernel(long call, long first = 0, long second = 0,
                                     long third = 0) noexcept {
#if defined(__x86_64__)
  long result;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(call), "D"(first), "S"(second), "d"(third)
               : "rcx", "r11", "memory");
  return result;
#else
  return syscall(call, first, second, third);
#endif
}

OMPDM_IN_BORROWED_MEMORY bool open_nowhere(int stream) noexcept {
  kernel(SYS_close, stream);
  return kernel(SYS_openat, AT_FDCWD, reinterpret_cast<long>("/dev/null"), O_WRONLY) == stream;
}

// Closes all descriptors of the program, since others wait until its pipes, sockets and locks are
// closed. The spool becomes standard input.
OMPDM_IN_BORROWED_MEMORY bool keep_spool_alone(int spool) noexcept {
  const long moved = spool == STDIN_FILENO ? kernel(SYS_fcntl, spool, F_SETFD, 0)
                                           : kernel(SYS_dup3, spool, STDIN_FILENO, 0);
  if (moved < 0 || !open_nowhere(STDOUT_FILENO) || !open_nowhere(STDERR_FILENO)) {
    return false;
  }
  constexpr long kMostWithoutCloseRange = 4096;
  if (kernel(SYS_close_range, STDERR_FILENO + 1, ~0U, 0) != 0) {
    for (long file = STDERR_FILENO + 1; file < kMostWithoutCloseRange; ++file) {
      kernel(SYS_close, file);
    }
  }
  return true;
}

OMPDM_IN_BORROWED_MEMORY int become_finisher(void* given) {
  const auto* finisher = static_cast<const Finisher*>(given);
  // Signals of the terminal must not reach the finisher.
  kernel(SYS_setsid);
  if (keep_spool_alone(finisher->spool)) {
    kernel(SYS_chdir, reinterpret_cast<long>("/"));
    kernel(SYS_execve, reinterpret_cast<long>(finisher->command.text),
           reinterpret_cast<long>(finisher->arguments), reinterpret_cast<long>(kNoVariables));
  }
  return 127;
}

// A child of the program for some microseconds. It ends without a signal, so wait() does not see it
// unless asked for such children. The process that it starts is no child of the program.
OMPDM_IN_BORROWED_MEMORY int step_aside(void* given) {
  const auto* finisher = static_cast<const Finisher*>(given);
  __clone(become_finisher, finisher->stacks + 2 * kCloneStack, CLONE_VM | SIGCHLD, given);
  return 0;
}

// Starts both processes with shared memory, and does not wait. libomptarget has been torn down by
// now, and threads that still offload would crash while the process is delayed. fork() would copy
// the page tables of a large program; posix_spawn() waits until the other program is loaded.
bool start(Finisher& finisher) noexcept {
  finisher.stacks = static_cast<char*>(map_memory(2 * kCloneStack));
  const BlockedSignals blocked;  // no signal handler of the program may run there
  return finisher.stacks != nullptr &&
         __clone(step_aside, finisher.stacks + kCloneStack, CLONE_VM, &finisher) > 0;
}

// Starts `ompdm finish` on the open spool, after its trailer, and returns at once. The spool is
// locked (flock) until that process ends, so that others can wait for the trace. Returns whether
// the process was started; if it dies, the spool is complete and `ompdm report` finishes it.
bool spawn_finisher() noexcept {
  static Finisher finisher;
  // The spool cannot be opened where descriptors run out, or the process has another user by now.
  if (!find_command(finisher.command)) {
    return false;
  }
  finisher.spool = reopen_spool();
  if (finisher.spool < 0) {
    return false;
  }
  flock(finisher.spool, LOCK_EX | LOCK_NB);  // where there are no locks, nobody can wait for us
  finisher.arguments[0] = finisher.command.text;
  finisher.arguments[1] = "finish";
  finisher.arguments[2] = "--handed-over";
  finisher.arguments[3] = spool_path();
  const bool started = start(finisher);
  close(finisher.spool);
  return started;
}

// Whether the path is of a file that is no trace. A compressed file is taken for a trace.
bool is_foreign(const char* path) noexcept {
  static constexpr char kOpening[] = "{\"otherData\":{\"schema\":\"ompdm.trace/";
  static constexpr char kGzip[] = "\x1f\x8b";
  const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  struct stat facts;
  if (file < 0) {
    return lstat(path, &facts) == 0;
  }
  char start[sizeof(kOpening) - 1] = {};
  const bool is_file = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
  [[maybe_unused]] const ssize_t size = is_file ? read(file, start, sizeof(start)) : 0;
  close(file);
  return !is_file || (memcmp(start, kOpening, sizeof(start)) != 0 &&
                      memcmp(start, kGzip, sizeof(kGzip) - 1) != 0);
}

// Texts of the last messages, too large for a stack.
struct Words {
  Path other;
  Path spool;
  Path trace;
  Path lost;
};
Words words;

// The finisher cannot report, so a taken name is avoided, and reported, here.
void avoid_foreign_file() noexcept {
  spool::FileHeader* header = recorder.header.load(std::memory_order_acquire);
  if (!is_foreign(header->output)) {
    return;
  }
  Path& other = words.other;
  other = {};
  other.add(header->output);
  other.add_mark(".p%u", header->pid);
  if (other.ok && access(other.text, F_OK) != 0) {
    say("%s is no ompdm trace and was left alone", header->output);
    memcpy(header->output, other.text, other.size + 1);
  }
}

// The path quoted for a shell, relative to the working directory if it lies below.
const char* typed(const char* path, Path& word) noexcept {
  static constexpr char kPlain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  static char here[Path::kCapacity];
  const std::size_t length = getcwd(here, sizeof(here)) != nullptr ? strlen(here) : 0;
  if (length > 1 && strncmp(path, here, length) == 0 && path[length] == '/') {
    path += length + 1;
  }
  word = {};
  const char* quote = path[strspn(path, kPlain)] == '\0' ? "" : "'";
  word.add(quote);
  for (; *path != '\0'; ++path) {
    if (*path == '\'') {
      word.add("'\\''");
    } else {
      word.add(path, 1);
    }
  }
  word.add(quote);
  return word.text;
}

// "; lost: records_no_space 5", or nothing.
const char* lost() noexcept {
  const spool::FileHeader* header = recorder.header.load(std::memory_order_acquire);
  Path& text = words.lost;
  text = {};
  for (std::size_t i = 0; i < static_cast<std::size_t>(spool::Loss::kCount); ++i) {
    if (header->losses[i] != 0) {
      text.add_formatted("%s%s %llu", text.size == 0 ? "; lost: " : ", ", spool::kLossNames[i],
                         static_cast<unsigned long long>(header->losses[i]));
    }
  }
  return text.text;
}

void finish_spool() noexcept {
  // `ompdm record` waits for this process and will finish its spool. The folder of the session is
  // gone for a process that outlives it, or runs on another machine.
  if (recorder.config.session != nullptr && access(recorder.config.session, F_OK) == 0) {
    return;
  }
  const char* spool = typed(spool_path(), words.spool);
  if (!recorder.config.finish) {
    say("recorded into %s: ompdm finish %s", spool, spool);
    return;
  }
  avoid_foreign_file();
  const char* trace = typed(recorder.header.load(std::memory_order_acquire)->output, words.trace);
  if (spawn_finisher()) {
    say("%s is being written%s; next: ompdm report %s", trace, lost(), trace);
  } else {
    say("recorded into %s, but no `ompdm` could be started: ompdm finish %s", spool, spool);
  }
}

// Reports that nothing was recorded, if the program could have offloaded.
void report_nothing_recorded() noexcept {
  const spool::FileHeader& header = recorder.draft;
  if (recorder.failed.load() || recorder.forked || !offload_runtime_is_loaded()) {
    return;
  }
  spool::Reach reach = header.reach;
  if (reach == spool::Reach::kUnknown && !libomp_name_is_loaded()) {
    reach = spool::Reach::kUnreachable;
  }
  const char* why = spool::kNothingExecuted;
  const char* disabled = getenv("OMP_TARGET_OFFLOAD");
  if (reach == spool::Reach::kUnreachable) {
    why = "libomptarget could not open libomp.so, so no target event came";
  } else if (reach == spool::Reach::kOtherRuntime) {
    why = "libomptarget uses another copy of the OpenMP runtime, so no target event came";
  } else if (disabled != nullptr && strcasecmp(disabled, "disabled") == 0) {
    why = "OMP_TARGET_OFFLOAD=DISABLED, so nothing was offloaded";
  }
  if (recorder.config.session != nullptr) {
    report_to_session(".none", {why});
    return;
  }
  say("%s: %s; no trace was written: ompdm doctor %s", header.program, why, header.program);
}

}  // namespace

void pause_recording() noexcept {
  if (armed()) {
    note_host_fallback(false);
    flush_all_activities();
    Phase expected = Phase::kArmed;
    wiped_on_fork.phase.compare_exchange_strong(expected, Phase::kPaused);
  }
}

void end_recording() noexcept {
  if (armed()) {
    note_host_fallback(false);
  }
  flush_all_activities();
  Phase expected = Phase::kArmed;
  if (!wiped_on_fork.phase.compare_exchange_strong(expected, Phase::kFinished) &&
      (expected != Phase::kPaused ||
       !wiped_on_fork.phase.compare_exchange_strong(expected, Phase::kFinished))) {
    return;
  }
  if (!spool_is_open()) {
    report_nothing_recorded();
    return;
  }
  finish_activities();
  write_trailer();
  finish_spool();
}

}  // namespace ompdm::record
