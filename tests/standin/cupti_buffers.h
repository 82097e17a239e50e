// The stand-in CUPTI's buffers: asked for and given back by the callbacks that its user registered.
//
//   STANDIN_CUPTI_DROP  every so many activities one is dropped, as when no buffer can be had
//   STANDIN_CUPTI_LATE  a flush leaves the buffers to a thread that gives them back so many
//                       microseconds later, whatever the process does meanwhile
//   STANDIN_CUPTI_SLOW  the thread that gives full buffers back takes so many microseconds for
//                       each; a flush does not wait for the buffer that it holds
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <set>

#include "cupti_records.h"

namespace standin::cupti {

using RequestBuffer = void (*)(std::uint8_t** buffer, std::size_t* size, std::size_t* most);
using CompleteBuffer = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer,
                                std::size_t size, std::size_t valid);

struct Buffer {
  std::uint8_t* bytes = nullptr;
  std::size_t size = 0;
  std::size_t used = 0;
};

/// Never destroyed: records come until the process has ended.
struct State {
  std::mutex mutex;
  std::condition_variable full_one;
  RequestBuffer request = nullptr;
  CompleteBuffer complete = nullptr;
  std::uint64_t (*timestamp)() = nullptr;
  std::set<std::uint32_t> kinds;
  std::set<std::uint32_t> disabled_calls;  ///< driver calls, by number, that write no record
  Buffer buffer;
  std::deque<Buffer> full;
  std::condition_variable all_are_back;
  std::size_t away = 0;  ///< buffers that a thread has to give back
  std::size_t dropped = 0;
  std::uint64_t activities = 0;
};
State& state();

/// Registers the callbacks and starts the thread that gives full buffers back.
void register_callbacks(RequestBuffer request, CompleteBuffer complete);

/// Adds a record; the mutex is held.
void append(const void* record, std::size_t size);

/// Whether an activity of this kind is wanted and not to be dropped; the mutex is held.
bool wanted(std::uint32_t kind);

template <class Record>
void append_activity(const Record& record) {
  const std::lock_guard lock(state().mutex);
  if (wanted(record.kind)) append(&record, sizeof(record));
}

/// Gives all buffers back, now or late; false without callbacks.
bool flush();

/// Waits until threads have given back all that they had to.
void wait_for_buffers();

}  // namespace standin::cupti
