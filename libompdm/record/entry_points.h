// The offload runtime's entry points: where they lie, and the wrappers that note a call's
// arguments and jump on.
#pragma once

#include <link.h>

#include <cstdint>

#include "record/recorder.h"
#include "spool_format/definitions.h"

namespace ompdm::record {

/// Looks up the runtime's entry points, again after the runtime was unloaded and loaded again.
/// Returns whether they are known. Takes the loader's lock, so it is called only while the runtime
/// is being initialised (initialize, device_initialize), never while other threads may run regions.
bool find_entry_points() noexcept;

/// Whether the entry points are known and OMPDM_NAMES is on.
bool can_patch() noexcept;

/// The function that the recorder interposes; null if there is none.
void* next_entry_point(const char* name) noexcept;

/// omp_get_default_device() of this thread; -1 if it is unknown. Not called once the runtime is
/// being finalised.
int default_device() noexcept;

/// Whether the address lies in libomptarget. False until its entry points are known.
bool is_in_offload_runtime(const void* address) noexcept;

/// Whether the object is libomptarget of any version.
bool is_offload_runtime(const dl_phdr_info& info) noexcept;

/// libomptarget as it is loaded.
struct OffloadRuntime {
  AddressRange range;
  std::uint64_t closes;  ///< the loader's count of closed objects
  char path[1024];       ///< empty: it is not loaded
};
OffloadRuntime find_offload_runtime() noexcept;

/// Whether libomptarget is loaded.
bool offload_runtime_is_loaded() noexcept;

/// A wrapped entry point. The wrapper notes the arguments and jumps on, so that the runtime sees
/// the program's own return address. It is written in assembly, since a wrapper that is no tail
/// call would become codeptr_ra itself.
struct Wrapper {
  /// The signature: that of today, or one of before LLVM 15.
  enum Arguments : std::uint8_t { kCurrent, kTarget, kTargetTeams };

  const char* name;  ///< the runtime's symbol
  void (*wrapper)();
  spool::Entry entry;
  Arguments arguments;
};

/// Positions in kWrappers, in the order of wrappers.def.
enum WrapperPosition : unsigned {
#define OMPDM_WRAPPER(name, symbol, entry, arguments) kWrapper_##name,
#include "record/wrappers.def"
#undef OMPDM_WRAPPER
  kWrapperEnd
};
inline constexpr unsigned kWrapperCount = kWrapperEnd;

/// The wrapped entry points, and an empty one.
extern const Wrapper kWrappers[kWrapperCount + 1];

extern "C" {
/// The functions that the wrappers jump to, by position in kWrappers; null if unknown.
extern void* ompdm_real[kWrapperCount + 1];
/// Called by each wrapper with its position and the saved words. These are the integer argument
/// registers r9, r8, rcx, rdx, rsi, rdi, then the return address and the stack arguments.
void ompdm_enter(unsigned position, const std::uint64_t* registers);
}

}  // namespace ompdm::record
