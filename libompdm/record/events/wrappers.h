// The wrappers of the runtime's entry points: they note the arguments and jump on, so that the
// runtime sees the program's own return address. Written in assembly, because a wrapper that is not
// a tail call would become codeptr_ra itself.
#pragma once

#include <cstdint>

#include "spool/definitions.h"

namespace ompdm::record {

struct Wrapper {
  /// What a call's arguments are, where the entry's own name does not tell.
  enum Arguments : std::uint8_t { kCurrent, kTarget, kTargetTeams };

  const char* name;  ///< the runtime's symbol
  void (*wrapper)();
  spool::Entry entry;
  Arguments arguments = kCurrent;
};

#if defined(__x86_64__)
inline constexpr unsigned kWrapperCount = 23;
#else
inline constexpr unsigned kWrapperCount = 0;
#endif

extern const Wrapper kWrappers[kWrapperCount == 0 ? 1 : kWrapperCount];

extern "C" {
/// Where the wrappers jump to, by position in kWrappers; null where the real entry is unknown.
extern void* ompdm_real[kWrapperCount == 0 ? 1 : kWrapperCount];
/// Called by each wrapper: its position, the six integer argument registers (r9, r8, rcx, rdx, rsi,
/// rdi, from low to high addresses), then the return address and the stack arguments.
void ompdm_enter(unsigned position, const std::uint64_t* registers);
}

}  // namespace ompdm::record
