// The spool as a growing file of mapped chunks. Takes system calls, so it is called once a chunk.
// Programs close descriptors that they did not open and reuse their numbers, or leave the spool's
// name behind (chroot, setuid): a descriptor is kept and believed only while it is still the
// spool's, and the name serves otherwise.
#pragma once

#include <cstddef>
#include <cstdint>

#include "spool_format/format.h"

namespace ompdm::record {

/// A mapped chunk; `base` is null if none could be had.
struct Chunk {
  std::byte* base = nullptr;
  std::size_t size = 0;
};

/// Creates and maps the spool if it is not open yet. Returns whether it is open. Needs the
/// recorder's mutex.
bool open_spool() noexcept;

/// Whether the spool is open (a target event was recorded in this process).
bool spool_is_open() noexcept;

/// The absolute path of the open spool.
const char* spool_path() noexcept;

/// A descriptor of its own for the open spool, to read, whatever its name leads to by now; -1 if
/// none can be had.
int open_spool_anew() noexcept;

/// Grows the file by a chunk of `size` bytes (a multiple of the page's) and maps it, its header
/// filled and its pages present. On the first failure says why, and no chunk is ever given again.
/// Needs the recorder's mutex.
Chunk new_chunk(spool::LaneId lane, std::uint32_t sequence, std::size_t size) noexcept;

/// Unmaps a chunk that nobody writes any more.
void release_chunk(Chunk chunk) noexcept;

/// Forgets the parent's spool in a fork's child, without touching it.
void forget_spool() noexcept;

/// Writes trailer and state, so that a reader knows that nothing is missing.
void write_trailer() noexcept;

}  // namespace ompdm::record
