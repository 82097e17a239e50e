// Which folder the spool lies in. A store into a mapped file cannot fail with an error code: where
// the file system finds no room for it the program dies of SIGBUS, so a spool is mapped only where
// room that was reserved once stays reserved. Called once a process, under the recorder's mutex.
#pragma once

#include <cstdint>

#include "record/stream/output_name.h"

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

}  // namespace ompdm::record
