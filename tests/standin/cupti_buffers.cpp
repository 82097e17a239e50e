#include "cupti_buffers.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

namespace standin::cupti {
namespace {

void complete(const Buffer& buffer) {
  state().complete(nullptr, 0, buffer.bytes, buffer.size, buffer.used);
}

void bring_back(const Buffer& buffer) {
  complete(buffer);
  State& all = state();
  const std::lock_guard lock(all.mutex);
  --all.away;
  all.all_are_back.notify_all();
}

std::chrono::microseconds setting(const char* name) {
  const char* text = std::getenv(name);
  return std::chrono::microseconds(text != nullptr ? std::atoi(text) : 0);
}

void deliver_full_buffers() {
  State& all = state();
  const std::chrono::microseconds slow = setting("STANDIN_CUPTI_SLOW");
  std::unique_lock lock(all.mutex);
  for (;;) {
    all.full_one.wait(lock, [&] { return !all.full.empty(); });
    const Buffer buffer = all.full.front();
    all.full.pop_front();
    ++all.away;
    lock.unlock();
    std::this_thread::sleep_for(slow);
    bring_back(buffer);
    lock.lock();
  }
}

}  // namespace

State& state() {
  static State* one = new State;
  return *one;
}

void register_callbacks(RequestBuffer request, CompleteBuffer complete) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  if (all.request == nullptr) std::thread(deliver_full_buffers).detach();
  all.request = request;
  all.complete = complete;
}

void append(const void* record, std::size_t size) {
  State& all = state();
  if (all.buffer.bytes != nullptr && all.buffer.size - all.buffer.used < size) {
    all.full.push_back(std::exchange(all.buffer, {}));
    all.full_one.notify_one();
  }
  if (all.buffer.bytes == nullptr) {
    std::size_t most = 0;
    all.request(&all.buffer.bytes, &all.buffer.size, &most);
  }
  if (all.buffer.bytes == nullptr || all.buffer.size < size) {
    ++all.dropped;
    return;
  }
  std::memcpy(all.buffer.bytes + all.buffer.used, record, size);
  all.buffer.used += size;
}

bool wanted(std::uint32_t kind) {
  static const char* text = std::getenv("STANDIN_CUPTI_DROP");
  static const std::uint64_t every = text != nullptr ? std::strtoull(text, nullptr, 10) : 0;
  State& all = state();
  if (!all.kinds.contains(kind)) return false;
  ++all.activities;
  if (every == 0 || all.activities % every != 0) return true;
  ++all.dropped;
  return false;
}

bool flush() {
  State& all = state();
  std::unique_lock lock(all.mutex);
  if (all.request == nullptr) return false;
  std::deque<Buffer> buffers = std::exchange(all.full, {});
  if (all.buffer.used > 0) buffers.push_back(std::exchange(all.buffer, {}));
  const bool late = std::getenv("STANDIN_CUPTI_LATE") != nullptr;
  if (late) all.away += buffers.size();
  lock.unlock();
  if (late) {
    std::thread([buffers, wait = setting("STANDIN_CUPTI_LATE")] {
      std::this_thread::sleep_for(wait);
      for (const Buffer& buffer : buffers) bring_back(buffer);
    }).detach();
    return true;
  }
  for (const Buffer& buffer : buffers) complete(buffer);
  return true;
}

void wait_for_buffers() {
  State& all = state();
  std::unique_lock lock(all.mutex);
  all.all_are_back.wait(lock, [&] { return all.away == 0 && all.full.empty(); });
}

}  // namespace standin::cupti
