// The offload runtime's entry points: where they lie, and the wrappers that note a call's
// arguments and jump on.
#pragma once

#include <link.h>

#include <cstdint>

#include "spool_format/definitions.h"

namespace ompdm::record {

/// Finds the real entry points, again if the runtime was unloaded and has come back. Takes the
/// loader's lock: call only where the runtime itself is being initialised (initialize,
/// device_initialize), never while other threads may run regions. Whether they are known.
bool find_entry_points() noexcept;

/// Whether they were found.
bool entry_points_are_known() noexcept;

/// The function that a call of this name would reach without the recorder; null if there is none.
void* next_entry_point(const char* name) noexcept;

/// What omp_get_default_device() tells this thread; -1 if it is not known. Not once the runtime is
/// being finalised.
int default_device() noexcept;

/// Whether the address lies in libomptarget, once its entry points are known.
bool is_in_offload_runtime(const void* address) noexcept;

/// Whether the object is libomptarget, by any version's name.
bool is_offload_runtime(const dl_phdr_info& info) noexcept;

/// Whether such an object is loaded.
bool offload_runtime_is_loaded() noexcept;

struct Wrapper {
  /// What a call's arguments are, where the entry's own name does not tell.
  enum Arguments : std::uint8_t { kCurrent, kTarget, kTargetTeams };

  const char* name;  ///< the runtime's symbol
  void (*wrapper)();
  spool::Entry entry;
  Arguments arguments;
};

/// Positions in kWrappers, in the order of wrappers.def.
enum WrapperPosition : unsigned {
#if defined(__x86_64__)
#define OMPDM_WRAPPER(name, symbol, entry, arguments) kWrapper_##name,
#include "record/wrappers.def"
#undef OMPDM_WRAPPER
#endif
  kWrapperEnd
};
inline constexpr unsigned kWrapperCount = kWrapperEnd;

extern const Wrapper kWrappers[kWrapperCount == 0 ? 1 : kWrapperCount];

extern "C" {
/// Where the wrappers jump to, by position in kWrappers; null where the real entry is unknown.
extern void* ompdm_real[kWrapperCount == 0 ? 1 : kWrapperCount];
/// Called by each wrapper: its position, the six integer argument registers (r9, r8, rcx, rdx, rsi,
/// rdi, from low to high addresses), then the return address and the stack arguments.
void ompdm_enter(unsigned position, const std::uint64_t* registers);
}

}  // namespace ompdm::record
