// How large the spool may become. Takes system calls, so it is asked once a chunk.
#pragma once

#include <cstddef>
#include <cstdint>

#include "spool_format/format.h"

namespace ompdm::record {

/// Settles the limit of events (Config::max_spool, bytes) where the user has not: by what is free
/// where the open `file` lies. Needs the recorder's mutex.
void limit_spool(int file) noexcept;

/// Whether a spool may grow by `size` bytes. Beyond the limit of events counting begins; it needs
/// room too, up to 1 GB. Needs the recorder's mutex.
bool spool_may_grow(const spool::FileHeader& header, std::size_t size) noexcept;

/// Says that the spool may grow no more, by what the limit is: "100 KB", or whole MB rounded down.
void say_beyond_limit(const char* path) noexcept;

}  // namespace ompdm::record
