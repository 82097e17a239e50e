// What programs do with libraries while the recorder looks at them: modules DEED LIBRARY [OTHER].
// Two steps before the deed, three at a place of their own after it (in some within it).

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <omp.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "steps.h"

namespace {

std::string library;
std::string other;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "modules: %s: %s\n", what, dlerror());
  std::_Exit(97);
}

void* open_library(const std::string& path, int flags = RTLD_NOW) {
  void* handle = dlopen(path.c_str(), flags);
  if (handle == nullptr) fail(path.c_str());
  return handle;
}

template <class Function>
Function* function_of(void* handle, const char* name) {
  void* function = dlsym(handle, name);
  if (function == nullptr) fail(name);
  return reinterpret_cast<Function*>(function);
}

// Places that the recorder has not met: a new site makes it look at the loaded libraries.
template <int kPlace>
void step_at() {
  int values[100] = {};
#pragma omp target map(tofrom : values)
  values[0] = kPlace;
}

// The loader runs a resolver of the library, which says so on one pipe and waits on the other.
constexpr int kSaysSo = 100;
constexpr int kWaitsFor = 101;

void open_while_offloading(int flags) {
  int says_so[2];
  int waits_for[2];
  if (pipe(says_so) != 0 || pipe(waits_for) != 0 || dup2(says_so[1], kSaysSo) < 0 ||
      dup2(waits_for[0], kWaitsFor) < 0) {
    fail("pipe");
  }
  void* handle = nullptr;
  std::thread opener([&] { handle = open_library(library, flags); });
  char byte = 0;
  if (read(says_so[0], &byte, 1) != 1) fail("read");
  step_at<1>();
  if (write(waits_for[1], &byte, 1) != 1) fail("write");
  opener.join();
  step_at<2>();
  std::printf("plugin: %d\n", function_of<int()>(handle, "plugin")());
}

void* own_alloc(std::size_t bytes, int) { return std::malloc(bytes); }
// The linker asks the loader to fill it with the runtime's function.
void* (*volatile allocate)(std::size_t, int) = omp_target_alloc;

void keep_a_function_pointer() {
  allocate = own_alloc;
  dlclose(open_library(library));
  step_at<1>();
  std::printf("pointer: %s\n", allocate == own_alloc ? "mine" : "another's");
}

std::string contents_of(const std::string& path) {
  std::string bytes;
  const int file = open(path.c_str(), O_RDONLY);
  char part[65536];
  for (ssize_t size; (size = read(file, part, sizeof(part))) > 0;) bytes.append(part, size);
  close(file);
  return bytes;
}

void copy_file(const std::string& from, const std::string& to) {
  const std::string bytes = contents_of(from);
  const int file = open(to.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0700);
  if (write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) fail("copy");
  close(file);
}

// As make does while the program runs.
void rebuild_a_library() {
  copy_file(library, "plugin.so");
  void* handle = open_library("./plugin.so");
  copy_file(other, "rebuilt.so");
  if (rename("rebuilt.so", "plugin.so") != 0) fail("rename");
  function_of<int(int)>(handle, "library_steps")(2);
}

void open_from_memory() {
  const int file = memfd_create("plugin", 0);
  const std::string bytes = contents_of(library);
  if (write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) fail("memfd");
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  std::printf("%s: %d\n", path.c_str(), function_of<int()>(open_library(path), "plugin_value")());
}

// One in the place of the other.
void open_many_times() {
  for (int i = 0; i < 700; ++i) dlclose(open_library(i % 2 == 0 ? library : other));
  function_of<int(int)>(open_library(library), "library_steps")(2);
}

void open_many() {
  for (int i = 0; i < 600; ++i) {
    const std::string path = "./plugin" + std::to_string(i) + ".so";
    copy_file(other, path);
    open_library(path);
    unlink(path.c_str());
  }
  function_of<int(int)>(open_library(library), "library_steps")(2);
}

void fork_within_a_walk() {
  std::atomic<bool> walks{false};
  std::atomic<bool> forked{false};
  std::thread walker([&] {
    std::pair<std::atomic<bool>*, std::atomic<bool>*> flags(&walks, &forked);
    dl_iterate_phdr(
        [](dl_phdr_info*, std::size_t, void* data) {
          auto& [in, out] = *static_cast<decltype(flags)*>(data);
          *in = true;
          while (!*out) usleep(1000);
          return 1;
        },
        &flags);
  });
  while (!walks) usleep(1000);
  const pid_t child = fork();
  if (child == 0) {
    step_at<1>();
    _exit(0);
  }
  forked = true;
  walker.join();
  int status = 0;
  for (int i = 0; i < 100 && waitpid(child, &status, WNOHANG) == 0; ++i) usleep(100'000);
  if (kill(child, SIGKILL) == 0 && waitpid(child, &status, 0) == child) {
    std::printf("the child hangs\n");
  } else {
    std::printf("the child ends: %d\n", status);
  }
}

struct Deed {
  const char* name;
  void (*run)();
};

constexpr Deed kDeeds[] = {
    {"open_lazily", [] { open_while_offloading(RTLD_LAZY); }},
    {"open_now", [] { open_while_offloading(RTLD_NOW); }},
    {"function_pointer", keep_a_function_pointer},
    {"rebuild", rebuild_a_library},
    {"memory", open_from_memory},
    {"many_times", open_many_times},
    {"many", open_many},
    {"fork_within_a_walk", fork_within_a_walk},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc >= 3) library = argv[2];
  if (argc >= 4) other = argv[3];
  say_steps(2);
  for (const Deed& deed : kDeeds) {
    if (argc >= 2 && std::strcmp(argv[1], deed.name) == 0) {
      deed.run();
      step_at<3>();
      std::puts("done");
      return 15;
    }
  }
  return 98;
}
