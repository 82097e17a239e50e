// Ends while other threads still offload, and never asks them to stop. They pause: an exit that
// takes its usual fraction of a millisecond rarely meets one of their regions, one that is held
// meets many.

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>

namespace {

constexpr int kThreads = 6;
std::atomic<int> begun = 0;

[[noreturn]] void offload_for_ever() {
  int values[1000] = {};
  for (int pass = 0;; ++pass) {
#pragma omp target map(tofrom : values)
    for (int& value : values) value += 1;
    if (pass == 0) ++begun;
    usleep(15'000);
  }
}

}  // namespace

int main() {
  for (int i = 0; i < kThreads; ++i) std::thread(offload_for_ever).detach();
  while (begun.load() < kThreads) std::this_thread::yield();
  std::puts("busy");
  std::fflush(stdout);
  return 15;
}
