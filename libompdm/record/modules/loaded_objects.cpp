#include "record/modules/loaded_objects.h"

#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "record/process/cancellation.h"
#include "record/process/raw_clone.h"
#include "record/process/recorder.h"

namespace ompdm::record {
namespace {

enum class List : std::uint8_t { kFree, kDoubted, kHeld };
std::atomic<List> list{List::kFree};

// The first walk is at attach.
decltype(&dl_iterate_phdr) iterate() noexcept {
  static const auto found = [] {
    void* libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    void* own = libc != nullptr ? dlsym(libc, "dl_iterate_phdr") : nullptr;
    return own != nullptr ? reinterpret_cast<decltype(&dl_iterate_phdr)>(own) : dl_iterate_phdr;
  }();
  return found;
}

int leave(dl_phdr_info* /*info*/, std::size_t /*size*/, void* /*data*/) noexcept { return 1; }

// In a process that shares this one's memory, the lock with it, and is killed when it waits too
// long.
int walk_or_die(void* /*unused*/) noexcept {
  sigevent death{};
  death.sigev_notify = SIGEV_SIGNAL;
  death.sigev_signo = SIGKILL;
  const itimerspec patience{{0, 0}, {0, 200'000'000}};
  int timer = 0;  // the kernel's: glibc's timer_create() allocates
  if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &death, &timer) != 0 ||
      syscall(SYS_timer_settime, timer, 0, &patience, nullptr) != 0) {
    return 1;
  }
  iterate()(leave, nullptr);
  return 0;
}

// Of all who may come here at once, the first one asks; to the others the list is held meanwhile.
bool ask() noexcept {
  constexpr std::size_t kStack = std::size_t{64} * 1024;
  void* stack =
      mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) {
    return false;
  }
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  // No signal tells of its end, and only who asks for such children can wait for it.
  const int child =
      __clone(walk_or_die, static_cast<char*>(stack) + kStack, CLONE_VM | CLONE_VFORK, nullptr);
  int status = 0;
  const bool walked = child > 0 && waitpid(child, &status, __WALL) == child && WIFEXITED(status) &&
                      WEXITSTATUS(status) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  munmap(stack, kStack);
  return walked;
}

}  // namespace

bool can_walk_objects() noexcept {
  List seen = list.load(std::memory_order_acquire);
  if (seen != List::kDoubted || !list.compare_exchange_strong(seen, List::kHeld)) {
    return seen == List::kFree;
  }
  const bool walked = ask();
  if (walked) {
    list.store(List::kFree, std::memory_order_release);
  } else {
    count_loss(spool::Loss::kModulesUnpatched);  // those that the child will open
  }
  return walked;
}

void walk_objects(int (*visit)(dl_phdr_info* info, std::size_t size, void* data),
                  void* data) noexcept {
  const WithoutCancellation uncancelled;  // it would leave with the loader's lock
  if (can_walk_objects()) {
    iterate()(visit, data);
  }
}

void doubt_the_list() noexcept { list.store(List::kDoubted); }

}  // namespace ompdm::record
