// The names of a trace and its spool, and the spool as a growing file of mapped chunks. Chooses its
// folder, grows it, and limits its size. Makes system calls, so it is called once a chunk.
//
// Programs close descriptors that they did not open and reuse their numbers, or make the spool's
// name unreachable (chroot, setuid). So a descriptor is kept, and used only while it still is the
// spool's; otherwise the file is opened again by its name.
#pragma once

#include <string.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "spool_format/format.h"

namespace ompdm::record {

/// A path in a fixed buffer; `ok` is false once something did not fit. Too large for the stack of a
/// thread, which may have 16 KiB.
struct Path {
  static constexpr std::size_t kCapacity = 1024;
  char text[kCapacity] = {};
  std::size_t size = 0;
  bool ok = true;

  /// Appends a text, as it is or formatted.
  void add(const char* piece) noexcept { add(piece, strlen(piece)); }
  void add(const char* piece, std::size_t length) noexcept { insert(size, piece, length); }
  [[gnu::format(printf, 2, 3)]] void add_formatted(const char* format, ...) noexcept;
  /// Puts a mark before the ending (".json", ".json.gz", or the last ".x" of the file's name).
  [[gnu::format(printf, 2, 3)]] void add_mark(const char* format, ...) noexcept;

 private:
  void insert(std::size_t at, const char* piece, std::size_t length) noexcept;
};

/// Expands OMPDM_OUTPUT to an absolute path: %p (pid), %h (host), %q{VAR} (a variable), %% (a
/// percent sign). In a job of several ranks ".rankR" is put before the ending. A name that is empty
/// but for its ending becomes trace.json. The path is empty if the pattern is relative and the
/// process has no working directory. Returns whether the pattern names the file.
bool base_name(const char* pattern, const spool::FileHeader& process, Path& path) noexcept;

/// Reports to the `ompdm record` that started this process. Writes the texts, each NUL-terminated,
/// and a line end. The file is PID.N with this ending in the session's folder. Does nothing without
/// a session, or if its folder cannot be written.
void report_to_session(const char* ending, std::initializer_list<const char*> texts) noexcept;

/// Creates the spool, so that no other process can write it or its trace. Called once a process,
/// under the recorder's mutex, at the first target event.
///
/// The newest run gets the plain name; a process that still runs keeps its name; an older
/// unfinished spool is kept as STEM.~N~.json.spool. The spool lies beside the trace or in another
/// folder (spool_folder()). A foreign file with the name is neither opened for long nor followed.
/// Returns a descriptor of the empty file, for reading and writing. Sets `spool` to its absolute
/// path, and writes the trace's path and the ordinal after exec into `header`. Reports surprises on
/// stderr; on failure returns -1 and reports the remedy.
int lock_spool_name(spool::FileHeader& header, Path& spool) noexcept;

/// What a file system guarantees for stores into a mapped file. A store cannot fail with an error:
/// where there is no room for it the program dies of SIGBUS.
enum class Promise {
  kRoom,  ///< room once reserved takes every store (ext2 to ext4, XFS), or is memory (tmpfs, ramfs)
  kRemote,  ///< a network file system: slow, and mappings are not coherent
  kBelow,   ///< overlayfs: depends on the file system below
  kNone,    ///< nothing: copy-on-write takes new room at each store (Btrfs, ZFS, bcachefs, F2FS)
};

/// The guarantee of a file system by its `statfs::f_type` (statfs(2), linux/magic.h).
Promise promise_of(unsigned long file_system) noexcept;

/// The guarantee of the file system below overlayfs, by attributes of a file with reserved room:
/// overlayfs gives those of the file below. Only ext4 sets FS_EXTENT_FL of FS_IOC_GETFLAGS; only
/// XFS counts `fsx_nextents` of FS_IOC_FSGETXATTR.
Promise promise_below(int flags, std::uint32_t extents) noexcept;

/// Message: the trace, the reason, the remedy.
inline constexpr char kNoTraceThere[] = "%s: its folder can hold no trace (%s): %s";

/// Message: the consequence of a trace that cannot be written, and the remedy.
inline constexpr const char* kElsewhere =
    "nothing is recorded: have the trace written elsewhere (OMPDM_OUTPUT, or -o of ompdm record)";

/// The folder of a spool.
struct SpoolFolder {
  bool found = true;           ///< false: there is none, which was reported
  const char* path = nullptr;  ///< of the environment; null: the trace's folder
};

/// Chooses the folder: that of the trace (an absolute path) or OMPDM_SPOOL_DIR. If it does not
/// guarantee room: the first of $TMPDIR, /tmp and /dev/shm that does. Reports another folder, and a
/// trace that could not be written there. Needs the recorder's mutex.
SpoolFolder spool_folder(const Path& trace) noexcept;

/// A mapped chunk of the spool; `base` is null if there is none.
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

/// Opens the spool for reading, whatever file has its name by now; -1 if that is impossible.
int reopen_spool() noexcept;

/// Grows the file by a chunk of `size` bytes (a multiple of the page size) and maps it. Its header
/// is filled, and its pages are present. The first failure is reported, and all further calls fail.
/// Needs the recorder's mutex.
Chunk new_chunk(spool::BufferId buffer, std::uint32_t sequence, std::size_t size) noexcept;

/// Unmaps a chunk that is complete.
void release_chunk(Chunk chunk) noexcept;

/// Drops the parent's spool in a fork's child without changing it.
void forget_spool() noexcept;

/// Writes the trailer and the final state: a reader sees that nothing is missing.
void write_trailer() noexcept;

}  // namespace ompdm::record
