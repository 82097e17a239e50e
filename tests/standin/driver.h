// The stand-in driver's inside, shared by its files: streams whose work takes effect late, and what
// the observer is told. Its environment variables are described in libcuda.cpp.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

#include "observer.h"

namespace standin {

enum Result { kSuccess = 0, kInvalidValue = 1, kNotFound = 500, kNotReady = 600 };
using DevicePointer = std::uint64_t;

/// An environment variable's number.
int setting(const char* name, int otherwise);

/// CLOCK_MONOTONIC, nanoseconds.
std::uint64_t now();
void wait_until(std::uint64_t instant);

/// Of the thread's context.
extern thread_local std::uint32_t current_device;

/// A call's time, told as it returns.
class Calling {
 public:
  explicit Calling(std::uint32_t cbid);
  ~Calling();
  Calling(const Calling&) = delete;
  Calling& operator=(const Calling&) = delete;
  [[nodiscard]] std::uint32_t correlation() const { return call_.correlation; }

 private:
  Call call_;
};

struct Task {
  Done told;
  std::function<void()> effect;
};

struct Stream {
  std::uint32_t number;
  std::uint32_t device;
  std::mutex mutex;
  std::deque<Task> tasks;
  std::uint64_t busy_until = 0;
};

void tell(const Done& done);
void tell(const Waited& waited);

/// Queues work behind what the stream has to do.
void enqueue(Stream& stream, Done told, int microseconds, std::function<void()> effect);

/// Lets everything take effect whose time is over; whether nothing is left.
bool advance(Stream& stream);

/// Waits until nothing is left.
void drain(Stream& stream);

inline void* host(DevicePointer address) { return reinterpret_cast<void*>(address); }
inline DevicePointer device_address(const void* address) {
  return reinterpret_cast<DevicePointer>(address);
}

}  // namespace standin
