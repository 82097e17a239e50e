// From one call to the one above it, up this thread's own stack. Reads that stack, from where it is
// now up, and the modules' tables: no lock, no allocation, nothing that could be gone.
#pragma once

#include "record/process/own_stack.h"
#include "record/stream/call_frames.h"

namespace ompdm::record {

class StackWalk {
 public:
  /// `stack` holds what the caller of this has on it.
  explicit StackWalk(StackRange stack) noexcept : stack_(stack) {}

  /// Begins in the function that calls this: it must not return while the walk goes on.
  [[gnu::always_inline]] void begin() noexcept {
#if defined(__x86_64__)
    asm volatile(
        "lea 0(%%rip), %0\n\t"
        "mov %%rsp, %1\n\t"
        "mov %%rbp, %2\n\t"
        "mov %%rbx, %3\n\t"
        : "=&r"(registers_[kRegisterReturn]), "=m"(registers_[kRegisterRsp]),
          "=m"(registers_[kRegisterRbp]), "=m"(registers_[kRegisterRbx]));
    asm volatile(
        "mov %%r12, %0\n\t"
        "mov %%r13, %1\n\t"
        "mov %%r14, %2\n\t"
        "mov %%r15, %3\n\t"
        : "=m"(registers_[kRegisterR12]), "=m"(registers_[kRegisterR12 + 1]),
          "=m"(registers_[kRegisterR12 + 2]), "=m"(registers_[kRegisterR15]));
    known_ = 1U << kRegisterRsp | kPreserved;
    is_first_ = true;
#endif
  }

  /// Goes up one frame: the place on the stack that holds the return address, and the address.
  /// False where there is no more, or more is not known.
  bool next(std::uint64_t& place, std::uint64_t& address) noexcept;

 private:
  static constexpr std::uint32_t kPreserved =
      1U << kRegisterRbx | 1U << kRegisterRbp | 0xfU << kRegisterR12;

  bool read(std::uint64_t place, std::uint64_t& value) const noexcept;
  [[nodiscard]] bool is_known(unsigned number) const noexcept {
    return number < kRegisters && (known_ >> number & 1U) != 0;
  }
  bool find_cfa(const FrameRules& rules, std::uint64_t& cfa) const noexcept;
  void restore(const FrameRules& rules, std::uint64_t cfa) noexcept;

  StackRange stack_;
  std::uint64_t registers_[kRegisters] = {};
  std::uint32_t known_ = 0;  // a bit each
  bool is_first_ = true;
};

}  // namespace ompdm::record
