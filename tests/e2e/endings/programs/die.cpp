// Ways to end: die WAY. Every way has run five steps before.

#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "steps.h"

namespace {

const char* self = nullptr;

void by_signal(int signal) {
  raise(signal);
  pause();
}

void kill_soon(int signal) {
  std::thread([signal] {
    usleep(100'000);
    kill(getpid(), signal);
  }).detach();
}

void crash_in_kernel() {
  int** nowhere = nullptr;
#pragma omp target firstprivate(nowhere)  // the line of the crash
  {
    **static_cast<int* volatile*>(nowhere) = 1;
  }
}

void killed_in_kernel() {
  kill_soon(SIGKILL);
  int go_on = 1;
#pragma omp target map(tofrom : go_on)  // the line of the kill
  {
    while (*static_cast<volatile int*>(&go_on) == 1) {
    }
  }
}

// In `target data` itself no region runs: what is unfinished there is nothing.
void exit_in_data() {
  int values[100] = {};
#pragma omp target data map(alloc : values)
  {
    steps(1);
    std::exit(5);
  }
}

void exit_in_thread() {
  std::thread([] {
    steps(1);
    std::exit(6);
  }).join();
}

void pending_nowait() {
  int values[100] = {};
#pragma omp target map(tofrom : values) nowait
  {
    for (int spin = 0; spin < 200'000'000; ++spin) {
      *static_cast<volatile int*>(&values[1]) = spin;
    }
    values[0] = 1;
  }
  std::exit(0);
}

void become_another() {
  execl("/proc/self/exe", self, "again", static_cast<char*>(nullptr));
  std::exit(99);
}

void replaced_by_a_stranger() {
  execl("/bin/echo", "echo", "a stranger", static_cast<char*>(nullptr));
  std::exit(99);
}

struct Way {
  const char* name;
  void (*end)();
};

constexpr Way kWays[] = {
    {"return", [] {}},
    {"again", [] { std::exit(7); }},
    {"exit", [] { std::exit(3); }},
    {"_exit", [] { _exit(4); }},
    {"quick_exit", [] { std::quick_exit(8); }},
    {"abort", [] { std::abort(); }},
    {"sigkill", [] { by_signal(SIGKILL); }},
    {"sigsegv", [] { by_signal(SIGSEGV); }},
    {"sigterm", [] { by_signal(SIGTERM); }},
    {"sigint", [] { by_signal(SIGINT); }},
    {"crash_in_kernel", crash_in_kernel},
    {"killed_in_kernel", killed_in_kernel},
    {"exit_in_data", exit_in_data},
    {"exit_in_thread", exit_in_thread},
    {"pending_nowait", pending_nowait},
    {"exec", become_another},
    {"exec_stranger", replaced_by_a_stranger},
};

}  // namespace

int main(int argc, char** argv) {
  self = argv[0];
  say_steps(5);
  for (const Way& way : kWays) {
    if (argc == 2 && std::strcmp(argv[1], way.name) == 0) {
      way.end();
      return 0;
    }
  }
  return 98;
}
