#include "record/events/api_calls.h"

#include <atomic>

#include "record/events/deferrals.h"
#include "record/modules/entry_points.h"
#include "record/modules/modules.h"

namespace ompdm::record {
namespace {

ompt_get_task_info_t get_task_info = nullptr;
// Until a program calls an asynchronous routine no operation asks for its task.
std::atomic<bool> async_was_called{false};

// What a task's data says: a return address, the routine, and a number that tells calls apart.
constexpr unsigned kAddressBits = 48;
constexpr unsigned kEntryBits = 8;

std::uint64_t packed(spool::Entry entry, const void* codeptr, std::uint64_t number) noexcept {
  return reinterpret_cast<std::uint64_t>(codeptr) |
         static_cast<std::uint64_t>(entry) << kAddressBits | number << (kAddressBits + kEntryBits);
}

}  // namespace

void note_api_call(spool::Entry entry, const void* codeptr, std::uint64_t stack) noexcept {
  Lane* lane = current_lane();
  if (lane == nullptr) {
    return;
  }
  this_thread.api_codeptr = codeptr;
  this_thread.api_stack = stack;
  this_thread.api_entry = entry;
  this_thread.api_call = spool::give_next(lane->last_api_call);
}

void note_async_call(spool::Entry entry, const void* codeptr) noexcept {
  if (get_task_info == nullptr || reinterpret_cast<std::uint64_t>(codeptr) >> kAddressBits != 0) {
    return;
  }
  static std::atomic<std::uint8_t> number{0};
  async_was_called.store(true, std::memory_order_relaxed);
  this_thread.async_call = packed(entry, codeptr, number.fetch_add(1, std::memory_order_relaxed));
}

ApiCall api_call_of(Lane& lane, const void* codeptr) noexcept {
  if (this_thread.api_codeptr == codeptr) {
    return {codeptr, this_thread.api_stack, this_thread.api_entry, this_thread.api_call};
  }
  ompt_data_t* task = nullptr;
  if (!async_was_called.load(std::memory_order_relaxed) ||
      get_task_info(0, nullptr, &task, nullptr, nullptr, nullptr) == 0 || task == nullptr ||
      task->value == 0 || is_deferral(*task)) {
    scan_modules();  // a library may have been opened since, in the place of another one
    return {codeptr, 0, spool::Entry::kNone, spool::CallId::kNone};
  }
  if (task->value != lane.async_call) {
    lane.async_call = task->value;
    lane.async_id = spool::give_next(lane.last_api_call);
  }
  constexpr std::uint64_t kAddressMask = (std::uint64_t{1} << kAddressBits) - 1;
  return {reinterpret_cast<const void*>(task->value & kAddressMask), 0,
          static_cast<spool::Entry>(task->value >> kAddressBits & 0xff), lane.async_id};
}

void on_task_create(ompt_data_t* /*encountering_task*/, const ompt_frame_t* frame,
                    ompt_data_t* new_task, int flags, int /*has_dependences*/,
                    const void* codeptr) {
  if (new_task == nullptr) {
    return;
  }
  // A call that failed made no task: the next one of the program's own is not its.
  if (this_thread.async_call != 0 && is_in_offload_runtime(codeptr)) {
    new_task->value = this_thread.async_call;
    this_thread.async_call = 0;
  } else if ((flags & ompt_task_target) != 0 && !is_in_offload_runtime(codeptr)) {
    note_deferral(frame, *new_task, codeptr);
  }
}

void prepare_api_calls(ompt_function_lookup_t lookup) noexcept {
  get_task_info = reinterpret_cast<ompt_get_task_info_t>(lookup("ompt_get_task_info"));
}

}  // namespace ompdm::record
