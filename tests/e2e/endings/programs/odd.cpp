// What programs do to the process that a recorder lives in: odd DEED. Three steps before, two
// after.

#include <dlfcn.h>
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "odd_files.h"
#include "steps.h"

namespace {

std::string argument;

void wait_for(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) == child && status != 0) std::exit(96);
}

void fork_and(void (*then)()) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    then();
    std::exit(0);
  }
  wait_for(child);
}

void pause_runtime(omp_pause_resource_t kind) { omp_pause_resource_all(kind); }

// Twice, since devices are initialised again after the last target library has gone.
void open_and_close_library() {
  for (int round = 0; round < 2; ++round) {
    void* library = dlopen(argument.c_str(), RTLD_NOW);
    if (library == nullptr) std::exit(95);
    reinterpret_cast<int (*)(int)>(dlsym(library, "library_steps"))(4);
    dlclose(library);
  }
}

void many_short_threads() {
  for (int round = 0; round < 100; ++round) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 10; ++i) {
      threads.emplace_back([] {
        int values[100] = {};
#pragma omp target map(tofrom : values)
        values[0] = 1;
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

void wait_for_all_children() {
  struct sigaction action = {};
  action.sa_handler = [](int) {
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
      if (write(1, "a child\n", 8) != 8) _exit(92);
    }
  };
  sigaction(SIGCHLD, &action, nullptr);
}

// A cancelled thread ends at the first call that is a cancellation point. That has to be its own
// pthread_testcancel(): offloading has none.
void* offload_while_cancelled(void* /*nothing*/) {
  int values[kValues] = {};
  pthread_cancel(pthread_self());
  for (int step = 0; step < 1'000; ++step) {
#pragma omp target map(tofrom : values)
    values[0] += 1;
  }
  pthread_testcancel();
  std::exit(91);
}

void cancel_threads() {
  for (int round = 0; round < 3; ++round) {
    pthread_t thread{};
    pthread_create(&thread, nullptr, offload_while_cancelled, nullptr);
    void* result = nullptr;
    pthread_join(thread, &result);
    if (result != PTHREAD_CANCELED) std::exit(90);
  }
}

void enter_jail() {
  mkdir("jail", 0700);
  if (chroot("jail") != 0 || chdir("/") != 0) std::exit(89);
  steps(5'000);
}

void become_nobody() {
  constexpr unsigned kNobody = 65534;
  if (setgid(kNobody) != 0 || setuid(kNobody) != 0) std::exit(88);
  steps(5'000);
}

// The whole of a thread's memory is what POSIX asks for at least; then it ends the process.
void* offload_and_exit(void* /*nothing*/) {
  static int values[kValues];
  for (int step = 0; step < 5'000; ++step) {
#pragma omp target map(tofrom : values)
    values[0] += 1;
  }
  std::exit(11);
}

void use_little_stack() {
  pthread_attr_t little;
  pthread_attr_init(&little);
  pthread_attr_setstacksize(&little, 16 * 1024);
  pthread_t thread{};
  pthread_create(&thread, &little, offload_and_exit, nullptr);
  pthread_join(thread, nullptr);
}

// Without the handlers of pthread_atfork.
void fork_unseen() {
  std::fflush(nullptr);
  const auto child = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
  if (child == 0) {
    steps(3'000);
    std::exit(0);
  }
  wait_for(child);
}

// Record locks are the process's: any descriptor of the file that it closes costs them.
void keep_a_lock() {
  const int file = open("data.bin", O_CREAT | O_RDWR, 0600);
  for (int number = 60; number < 64; ++number) dup2(file, number);
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  if (fcntl(file, F_SETLK, &lock) != 0) std::exit(87);
  steps(20'000);
  fork_and([] {
    struct flock seen = {};
    seen.l_type = F_WRLCK;
    fcntl(60, F_GETLK, &seen);
    std::printf("%s\n", seen.l_type == F_UNLCK ? "not locked" : "locked");
  });
}

// As of a library that called putenv() and was closed.
void leave_a_variable_behind() {
  constexpr std::size_t kPage = 4096;
  auto* variable = static_cast<char*>(
      mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  std::strcpy(variable, "GONE=1");
  putenv(variable);
  munmap(variable, kPage);
}

// A kernel call that fell back to the host is noted until the thread's next, or its end.
void end_a_thread_of_an_unseen_child() {
  static int values[kValues];
#pragma omp target device(omp_get_initial_device()) map(tofrom : values)
  values[0] += 1;
  std::fflush(nullptr);
  const auto child = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
  if (child == 0) pthread_exit(nullptr);
  wait_for(child);
}

struct Deed {
  const char* name;
  void (*run)();
};

constexpr Deed kDeeds[] = {
    {"nothing", [] {}},
    {"close_everything", close_everything},
    {"close_and_reopen", close_and_reopen},
    {"close_stderr", [] { close(2); }},
    {"data_file_as_stderr", data_file_as_stderr},
    {"fork_exit", [] { fork_and([] {}); }},
    {"fork__exit", [] { fork_and([] { _exit(0); }); }},
    {"fork_offload", [] { fork_and([] { steps(7); }); }},
    {"fork_offload__exit",
     [] {
       fork_and([] {
         steps(7);
         _exit(0);
       });
     }},
    {"system", [] { std::exit(std::system("true") == 0 ? 0 : 93); }},
    {"pause_soft", [] { pause_runtime(omp_pause_soft); }},
    {"pause_hard", [] { pause_runtime(omp_pause_hard); }},
    {"library", open_and_close_library},
    {"threads", many_short_threads},
    {"ignore_sigchld", [] { std::signal(SIGCHLD, SIG_IGN); }},
    {"wait_for_all", wait_for_all_children},
    {"move_away", move_away},
    {"file_size", limit_file_size},
    {"descriptors", limit_descriptors},
    {"many", [] { steps(20'000); }},
    {"environment", [] { clearenv(); }},
    {"cancel", cancel_threads},
    {"jail", enter_jail},
    {"nobody", become_nobody},
    {"fill_disk", fill_disk},
    {"fork_unseen", fork_unseen},
    {"unseen_thread_end", end_a_thread_of_an_unseen_child},
    {"lock", keep_a_lock},
    {"left_variable", leave_a_variable_behind},
    {"say_numbers", say_numbers},
    {"numbers", put_files_under_numbers},
    {"print_to_closed_stderr", print_to_closed_stderr},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3) argument = argv[2];
  if (argc >= 2 && std::strcmp(argv[1], "little_stack") == 0) use_little_stack();
  say_steps(3);
  for (const Deed& deed : kDeeds) {
    if (argc >= 2 && std::strcmp(argv[1], deed.name) == 0) {
      deed.run();
      say_steps(2);
      return 11;
    }
  }
  return 98;
}
