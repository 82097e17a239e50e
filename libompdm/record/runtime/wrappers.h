// The wrappers of the runtime's entry points: they note the arguments and jump on, so that the
// runtime sees the program's own return address. Written in assembly, because a wrapper that is not
// a tail call would become codeptr_ra itself.
#pragma once

#include <cstdint>

#include "spool_format/definitions.h"

namespace ompdm::record {

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
#include "record/runtime/wrappers.def"
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
