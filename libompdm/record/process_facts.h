// Facts about this process: what the spool's header says of it, and its mapped memory. Read from
// /proc and the environment; allocates nothing.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "record/recorder.h"
#include "spool_format/format.h"
#include "spool_format/process.h"

namespace ompdm::record {

/// The contents of /proc/PID/stat; all zero if there is no such process.
spool::ProcessStat process_stat(std::uint32_t pid) noexcept;

/// Fills the header's facts about clocks, by which a reader compares times of several processes.
void describe_clocks(spool::FileHeader& header) noexcept;

/// Fills the header's facts about the process: ids, names, arguments, rank, host, clocks. Called at
/// attach and after a fork, outside of callbacks.
void describe_process(spool::FileHeader& header) noexcept;

/// Reads a small file as a NUL-terminated text. Returns its size, or -1.
ssize_t read_text(const char* path, char* text, std::size_t capacity) noexcept;

/// The stack that this thread was started with, from here up, if the thread runs on it now. It is
/// mapped as long as the thread runs. Stacks that a program switches to (fibers, signals) may be
/// freed while the thread lives: empty for them.
AddressRange own_stack() noexcept;

/// Looks up the symbol that own_stack() needs. Called at attach.
void prepare_own_stack() noexcept;

/// The answer of protection_of() where there is none.
inline constexpr int kProtectionUnknown = -1;

/// The protection (PROT_READ, PROT_WRITE, PROT_EXEC) of the pages from `begin` to `end`.
/// kProtectionUnknown if the pages differ, one is not mapped, or /proc/self/maps cannot be read.
/// Takes some tens of microseconds.
int protection_of(std::uint64_t begin, std::uint64_t end) noexcept;

}  // namespace ompdm::record
