// Facts about this process for the spool's header, read from /proc and the environment. Called at
// attach and after a fork, outside of callbacks.
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

}  // namespace ompdm::record
