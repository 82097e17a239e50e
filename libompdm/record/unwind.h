// Unwinding this thread's own stack by the tables that compilers leave for exceptions (.eh_frame:
// Linux Standard Base Core 5.0, 10.6; DWARF 5, 6.4). Reads the stack and the loaded modules'
// tables: no lock, no allocation, no function of the program.
#pragma once

#include <cstdint>

#include "record/process_facts.h"

namespace ompdm::record {

/// DWARF numbers of the x86-64 registers that define frames or that functions preserve (System V
/// ABI, AMD64 supplement, figure 3.36).
enum Register : std::uint8_t {
  kRegisterRbx = 3,
  kRegisterRbp = 6,
  kRegisterRsp = 7,
  kRegisterR12 = 12,
  kRegisterR15 = 15,
  kRegisterReturn = 16,
  kRegisters = 17,
};

struct FrameRules;

/// Goes up this thread's stack call by call. Reads the stack from here up, and the modules' tables.
class StackWalk {
 public:
  /// `stack` contains the frame of the caller.
  explicit StackWalk(AddressRange stack) noexcept : stack_(stack) {}

  /// Starts in the calling function, which must not return during the walk.
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

  /// Goes up one frame. Returns the return address and its place on the stack; false at the end of
  /// the stack, or where there are no rules.
  bool next(std::uint64_t& place, std::uint64_t& address) noexcept;

 private:
  static constexpr std::uint32_t kPreserved =
      1U << kRegisterRbx | 1U << kRegisterRbp | 0xfU << kRegisterR12;

  bool read(std::uint64_t place, std::uint64_t& value) const noexcept;
  void restore(const FrameRules& rules, std::uint64_t cfa) noexcept;

  AddressRange stack_;
  std::uint64_t registers_[kRegisters] = {};
  std::uint32_t known_ = 0;  // a bit each
  bool is_first_ = true;
};

}  // namespace ompdm::record
