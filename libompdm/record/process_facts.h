// Facts about this process: what the spool's header says of it, and its mapped memory. Read from
// /proc and the environment; allocates nothing.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "spool_format/format.h"
#include "spool_format/process.h"

namespace ompdm::record {

/// What /proc/PID/stat says; all zero if there is no such process.
spool::ProcessStat process_stat(std::uint32_t pid) noexcept;

/// Fills what tells how far the clocks of the header's triples can be compared with another
/// process's.
void describe_clocks(spool::FileHeader& header) noexcept;

/// Fills everything of the header that is about the process: ids, names, arguments, rank, host,
/// first clock triple and what its clocks are worth.
void describe_process(spool::FileHeader& header) noexcept;

/// Reads a small file whole, NUL-terminated; returns its size, or -1.
ssize_t read_text(const char* path, char* text, std::size_t capacity) noexcept;

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

inline constexpr int kProtectionUnknown = -1;

/// PROT_READ, PROT_WRITE and PROT_EXEC of all pages from `begin` to `end`; kProtectionUnknown if
/// they differ, if a page is not mapped, or if the kernel does not tell. Reads the file up to
/// there: some tens of microseconds.
int protection_of(std::uint64_t begin, std::uint64_t end) noexcept;

}  // namespace ompdm::record
