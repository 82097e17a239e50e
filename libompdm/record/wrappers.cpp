#include "record/clock.h"
#include "record/entry_points.h"
#include "record/ompt_callbacks.h"
#include "record/sites.h"
#include "record/thread_buffer.h"

namespace ompdm::record {

using spool::Entry;

extern "C" {
#define OMPDM_WRAPPER(name, symbol, entry, arguments) void ompdm_wrap_##name();
#include "record/wrappers.def"
#undef OMPDM_WRAPPER
}

const Wrapper kWrappers[kWrapperCount + 1] = {
#define OMPDM_WRAPPER(name, symbol, entry, arguments) \
  {#symbol, ompdm_wrap_##name, Entry::entry, Wrapper::arguments},
#include "record/wrappers.def"
#undef OMPDM_WRAPPER
    {}};

void* ompdm_real[kWrapperCount + 1] = {};

namespace {

// One call of omp_get_mapped_ptr(host, device) (OpenMP 5.2, 18.8.11).
[[gnu::noinline]] void note_mapped_pointer(std::uint64_t host, std::int32_t device) noexcept {
  ThreadBuffer* buffer = current_buffer();
  if (buffer == nullptr || host == 0) {
    return;
  }
  constexpr unsigned kBlock = 4;  // what malloc gives begins at multiples of 16
  std::uint64_t& asked = buffer->asked[(host >> kBlock) % ThreadBuffer::kAsked];
  if (asked != host &&
      write_record(*buffer, spool::MappedPointer{{}, device, host}, spool::Tag::kMappedPointer)) {
    asked = host;
  }
}

// Positions in the registers and stack words that a wrapper saves.
enum Saved : unsigned { kR9, kR8, kRcx, kRdx, kRsi, kRdi, kReturn, kStack };

// libomptarget's KernelArgsTy, versions 2 (LLVM 16) to 5. Version 1 (LLVM 15) ends with the trip
// count. From version 4 on (LLVM 23) the last argument is the runtime's own (dyn_ptr), which has no
// name: the array of names may end before it.
struct KernelArgs {
  std::uint32_t version;
  std::uint32_t count;
  const std::uint64_t* bases;
  const std::uint64_t* begins;
  const std::int64_t* sizes;
  const std::int64_t* types;
  const char* const* names;
  const void* const* mappers;
  std::uint64_t trip_count;
  std::uint64_t flags;
  std::uint32_t num_teams[3];
  std::uint32_t thread_limit[3];
};

template <class T>
const T* pointer(std::uint64_t value) noexcept {
  return reinterpret_cast<const T*>(value);
}

void note_data(Call& call, const std::uint64_t* saved) noexcept {
  call.map = {pointer<std::uint64_t>(saved[kRcx]),     pointer<std::uint64_t>(saved[kR8]),
              pointer<std::int64_t>(saved[kR9]),       pointer<std::int64_t>(saved[kStack]),
              pointer<const char*>(saved[kStack + 1]), static_cast<std::uint32_t>(saved[kRdx])};
  call.kernel = {};
}

constexpr std::uint32_t kNoTeams = 0xffffffff;

void note_kernel(Call& call, const std::uint64_t* saved) noexcept {
  call.begin = ticks();
  call.map = {};
  call.kernel = {};
  call.kernel.host_pointer = saved[kR8];
  const auto* arguments = pointer<KernelArgs>(saved[kR9]);
  if (arguments == nullptr || arguments->version == 0) {
    return;
  }
  const bool has_own = arguments->version >= 4 && arguments->count > 0;
  call.map = {arguments->bases, arguments->begins, arguments->sizes,
              arguments->types, arguments->names,  arguments->count - (has_own ? 1 : 0)};
  call.kernel.trip_count = arguments->trip_count;
  const bool has_shape = arguments->version >= 2;
  constexpr std::uint64_t kNoWait = 1;
  if (has_shape && (arguments->flags & kNoWait) != 0) {
    call.entry = Entry::kKernelNowait;
  }
  call.kernel.num_teams =
      has_shape ? arguments->num_teams[0] : static_cast<std::uint32_t>(saved[kRdx]);
  call.kernel.thread_limit =
      has_shape ? arguments->thread_limit[0] : static_cast<std::uint32_t>(saved[kRcx]);
}

// (ident, device, host_ptr, count, bases, begins, sizes, types, names, mappers[, teams, threads])
void note_target(Call& call, const std::uint64_t* saved, bool teams) noexcept {
  call.begin = ticks();
  call.map = {pointer<std::uint64_t>(saved[kR8]),      pointer<std::uint64_t>(saved[kR9]),
              pointer<std::int64_t>(saved[kStack]),    pointer<std::int64_t>(saved[kStack + 1]),
              pointer<const char*>(saved[kStack + 2]), static_cast<std::uint32_t>(saved[kRcx])};
  call.kernel = {};
  call.kernel.host_pointer = saved[kRdx];
  call.kernel.num_teams = teams ? static_cast<std::uint32_t>(saved[kStack + 4]) : kNoTeams;
  call.kernel.thread_limit = teams ? static_cast<std::uint32_t>(saved[kStack + 5]) : 0;
}

// The place where the next region of this thread expects its call, so that no copy is made. A
// thread gets its buffer when its first region begins.
Call& next_call() noexcept {
  ThreadBuffer* buffer = this_thread.buffer;
  return buffer != nullptr ? buffer->next->call : this_thread.first_call;
}

// Calls of API routines and mappers.
void note_other(Entry entry, const std::uint64_t* saved) noexcept {
  const auto* codeptr = pointer<void>(saved[kReturn]);
  if (entry == Entry::kMapperPiece) {
    note_mapper_piece(saved[kRdx], saved[kRcx], saved[kR8], pointer<char>(saved[kR9]));
  } else if (entry == Entry::kMappedPointer) {
    note_mapped_pointer(saved[kRdi], static_cast<std::int32_t>(saved[kRsi]));
  } else if (entry >= Entry::kMemcpyAsync) {
    note_async_call(entry, codeptr);
  } else {
    note_api_call(entry, codeptr, reinterpret_cast<std::uint64_t>(saved + kReturn));
  }
}

}  // namespace

void ompdm_enter(unsigned position, const std::uint64_t* saved) {
  const Entry entry = kWrappers[position].entry;
  if (!armed() || this_thread.inside) [[unlikely]] {
    if (wiped_on_fork.phase.load(std::memory_order_relaxed) >= Phase::kPaused &&
        entry < Entry::kMemcpy) {
      count_loss(spool::Loss::kRecordsAfterFinish);
    }
    return;
  }
  if (entry >= Entry::kMemcpy) {
    const Inside inside;
    note_other(entry, saved);
    return;
  }
  if (this_thread.call != nullptr) [[unlikely]] {
    const Inside inside;
    note_host_fallback(true);
  }
  Call& call = next_call();
  call.entry = entry;
  call.ident = pointer<Ident>(saved[kRdi]);
  call.stack = reinterpret_cast<std::uint64_t>(saved + kReturn);
  call.device = static_cast<std::int64_t>(saved[kRsi]);
  if (kWrappers[position].arguments != Wrapper::kCurrent) [[unlikely]] {
    note_target(call, saved, kWrappers[position].arguments == Wrapper::kTargetTeams);
  } else if (entry == Entry::kKernel || entry == Entry::kKernelNowait) {
    note_kernel(call, saved);
  } else {
    note_data(call, saved);
  }
  call.codeptr = pointer<void>(saved[kReturn]);
  if (recorder.wrappers_only.load(std::memory_order_relaxed)) [[unlikely]] {
    const Inside inside;
    record_call_only(call);
    return;
  }
  this_thread.call = &call;
}

}  // namespace ompdm::record
