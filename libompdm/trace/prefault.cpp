#include "trace/prefault.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <stop_token>
#include <system_error>
#include <utility>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace ompdm::trace {
namespace {

constexpr std::size_t kStep = std::size_t{2} << 20U;  // a large page
constexpr std::size_t kWorthAThread = 32 * kStep;

bool make_ready(std::span<std::byte> memory) {
  const std::size_t before =
      reinterpret_cast<std::uintptr_t>(memory.data()) % static_cast<std::size_t>(getpagesize());
  return madvise(memory.data() - before, memory.size() + before, MADV_POPULATE_WRITE) == 0;
}

}  // namespace

Prefault::Prefault(std::vector<std::span<std::byte>> memory) {
  std::size_t all = 0;
  std::size_t largest = 0;
  for (const auto& one : memory) {
    all += one.size();
    largest = std::max(largest, one.size());
  }
  if (all < kWorthAThread) return;
  const auto run = [memory = std::move(memory),
                    steps = largest / kStep](const std::stop_token& stop) {
    for (std::size_t step = 0; step < steps; ++step) {
      for (const auto& one : memory) {
        const std::size_t from = one.size() / steps * step;
        // Not known before Linux 5.14; and nothing may be there any more.
        if (stop.stop_requested() || !make_ready(one.subspan(from, one.size() / steps))) return;
      }
    }
  };
  try {
    thread_ = std::jthread(run);
  } catch (const std::system_error&) {
    thread_ = {};  // no thread is to be had: pages are made ready as they are written
  }
}

}  // namespace ompdm::trace
