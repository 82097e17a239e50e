// The memory that this thread's stack lies in, so that no place of another kind is read as one.
// Asks the kernel; allocates nothing.
#pragma once

#include <cstdint>

namespace ompdm::record {

/// Mapped for as long as the thread runs, from where it is now up. Empty: not known.
struct StackRange {
  std::uint64_t begin;
  std::uint64_t end;

  [[nodiscard]] bool holds(std::uint64_t address) const noexcept {
    return address >= begin && address < end;
  }
};

/// The stack that this thread was started with, if it is on it now. Stacks that a program switches
/// to by itself (fibers, signals) may go while the thread lives: they are none.
StackRange own_stack() noexcept;

/// Finds what own_stack() asks the loader for. To be called at attach.
void prepare_own_stack() noexcept;

}  // namespace ompdm::record
