// The spool as a growing file of mapped chunks: where it lies, how it grows, and how large it may
// become. Takes system calls, so it is called once a chunk.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/spool_name.h"
#include "spool_format/format.h"

namespace ompdm::record {

/// What a file system promises of a file that is mapped and written.
enum class Promise {
  kRoom,    ///< blocks that were written once take every later store (ext2 to ext4, XFS) or are
            ///< memory themselves (tmpfs, ramfs)
  kRemote,  ///< a network file system: neither a coherent mapping nor a quick page
  kBelow,   ///< overlayfs: that of the file system below
  kNone,    ///< none that is known of: each store takes new room where data is copied on write
            ///< (Btrfs, ZFS, bcachefs, F2FS), which may be gone when it comes
};

/// By `statfs::f_type` (statfs(2), linux/magic.h).
Promise promise_of(unsigned long file_system) noexcept;

/// What lies below overlayfs, told by attributes of a file that was just reserved and that
/// overlayfs passes on: of FS_IOC_GETFLAGS only ext4 sets FS_EXTENT_FL, of FS_IOC_FSGETXATTR only
/// XFS counts `fsx_nextents`.
Promise promise_below(int flags, std::uint32_t extents) noexcept;

/// The trace, and why.
inline constexpr char kNoTraceThere[] = "%s: its folder can hold no trace (%s): %s";

/// What becomes of a recording whose trace could not be written, and what to do.
inline constexpr const char* kElsewhere =
    "nothing is recorded: have the trace written elsewhere (OMPDM_OUTPUT, or -o of ompdm record)";

/// Where the spool of a trace is to lie.
struct SpoolFolder {
  bool found = true;           ///< false: nowhere; it was said
  const char* path = nullptr;  ///< null: beside the trace. Valid while the environment is the same
};

/// The folder of the trace (an absolute path), or OMPDM_SPOOL_DIR; where that promises no room the
/// first of $TMPDIR, /tmp and /dev/shm that does, which is said. None, which is said too, where the
/// trace itself could not be written. Needs the recorder's mutex.
SpoolFolder spool_folder(const Path& trace) noexcept;

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
int reopen_spool() noexcept;

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
