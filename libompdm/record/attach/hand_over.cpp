#include "record/attach/hand_over.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/process/raw_clone.h"
#include "record/process/recorder.h"
#include "record/stream/spool_file.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

namespace ompdm::record {
namespace {

bool executable(const char* path) noexcept { return access(path, X_OK) == 0; }

// `ompdm` lies beside the library: build/lib and build/bin, or lib[/triple[/ompdm]] and bin under a
// prefix.
bool find_command(char* path, std::size_t capacity) noexcept {
  if (recorder.config.command != nullptr) {
    snprintf(path, capacity, "%s", recorder.config.command);
    return executable(path);
  }
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&hand_over_spool), &self) == 0 ||
      self.dli_fname == nullptr) {
    return false;
  }
  static char library[1024];
  const char* real = realpath(self.dli_fname, nullptr);  // leaked once, at the very end
  snprintf(library, sizeof(library), "%s", real != nullptr ? real : self.dli_fname);
  char* slash = strrchr(library, '/');
  if (slash == nullptr) {
    return false;
  }
  *slash = '\0';
  static constexpr const char* kPlaces[] = {"/ompdm", "/../bin/ompdm", "/../../bin/ompdm",
                                            "/../../../bin/ompdm"};
  for (const char* place : kPlaces) {
    const int size = snprintf(path, capacity, "%s%s", library, place);
    if (size > 0 && static_cast<std::size_t>(size) < capacity && executable(path)) {
      return true;
    }
  }
  return false;
}

// The spool, opened and locked; -1 if it cannot be (descriptors run out, another user by now).
int open_locked() noexcept {
  const int file = open_spool_anew();
  if (file >= 0) {
    flock(file, LOCK_EX | LOCK_NB);  // where there are no locks, nobody can wait for us
  }
  return file;
}

constexpr std::size_t kStack = std::size_t{64} * 1024;

// Its environment: what made the program load us must not reach it, it needs none of the rest, and
// by now an entry may lead nowhere (putenv(3) in a library that is closed).
constexpr const char* kNoVariables[] = {nullptr};

// What the two processes below need. They borrow our memory, so nothing of it is ever given back.
struct HandOver {
  char command[1200];
  const char* arguments[5];
  int spool;
  char* stacks;
};

#define OMPDM_IN_BORROWED_MEMORY __attribute__((no_sanitize("address", "thread", "undefined")))

// From here on nothing may touch what belongs to a thread, errno above all: the thread that started
// us runs on. Hence bare system calls, and no sanitizer.
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

// Whoever waits for the program's output waits until nobody holds it any more; so neither its
// streams nor a lock, a socket or a pipe of its may stay open here. The spool becomes standard
// input.
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
  const auto* hand_over = static_cast<const HandOver*>(given);
  // A terminal's signals are for the program and what is started next.
  kernel(SYS_setsid);
  if (keep_spool_alone(hand_over->spool)) {
    kernel(SYS_chdir, reinterpret_cast<long>("/"));
    kernel(SYS_execve, reinterpret_cast<long>(hand_over->command),
           reinterpret_cast<long>(hand_over->arguments), reinterpret_cast<long>(kNoVariables));
  }
  return 127;
}

// The program's own child, for some microseconds: its end sends no signal, which hides it from
// every wait() that does not ask for such children. What it starts is not the program's child.
OMPDM_IN_BORROWED_MEMORY int step_aside(void* given) {
  const auto* hand_over = static_cast<const HandOver*>(given);
  __clone(become_finisher, hand_over->stacks + 2 * kStack, CLONE_VM | SIGCHLD, given);
  return 0;
}

// With our memory and without waiting for either: at this point libomptarget has been torn down,
// and threads that still offload crash the sooner the longer the process is kept. A fork would copy
// the page tables of a large program, posix_spawn waits until the other program is loaded.
bool start(HandOver& hand_over) noexcept {
  void* stack = mmap(nullptr, 2 * kStack, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) {
    return false;
  }
  hand_over.stacks = static_cast<char*>(stack);
  // No handler of the program's may run there.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  const int child = __clone(step_aside, hand_over.stacks + kStack, CLONE_VM, &hand_over);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return child > 0;
}

}  // namespace

bool hand_over_spool() noexcept {
  static HandOver hand_over;
  if (!find_command(hand_over.command, sizeof(hand_over.command))) {
    return false;
  }
  hand_over.arguments[0] = hand_over.command;
  hand_over.arguments[1] = "finish";
  hand_over.arguments[2] = "--handed-over";
  hand_over.arguments[3] = spool_path();
  hand_over.spool = open_locked();
  const bool started = hand_over.spool >= 0 && start(hand_over);
  if (hand_over.spool >= 0) {
    close(hand_over.spool);
  }
  return started;
}

}  // namespace ompdm::record
