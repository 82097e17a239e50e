// The names of a trace and its spool, locked so that two processes can never write one file, and
// what a process reports to the `ompdm record` that started it.
#pragma once

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

  /// Makes it empty.
  void clear() noexcept;
  /// Appends a text or a number.
  void add(const char* piece) noexcept;
  void add(const char* piece, std::size_t length) noexcept;
  void add_number(std::uint64_t number) noexcept;
  /// Puts `mark` before the ending (".json", ".json.gz", or the last ".x" of the file's name).
  void add_mark(const char* mark) noexcept;
};

/// Expands OMPDM_OUTPUT to an absolute path: %p (pid), %h (host), %q{VAR} (a variable), %% (a
/// percent sign). In a job of several ranks ".rankR" is put before the ending. A name that is empty
/// but for its ending becomes trace.json. The path is empty if the pattern is relative and the
/// process has no working directory. Returns whether the pattern names the file.
bool base_name(const char* pattern, const spool::FileHeader& process, Path& path) noexcept;

/// Reports to the `ompdm record` that started this process: writes the texts, each NUL-terminated,
/// and a line end into the file PID.N with this ending in the session's folder. Does nothing
/// without a session, or if its folder cannot be written.
void report_to_session(const char* ending, std::initializer_list<const char*> texts) noexcept;

/// Whether this process is the first of its session to ask for that name of a trace. True without a
/// session.
bool first_of_session(const Path& trace) noexcept;

/// Creates the spool, so that no other process can write it or its trace. Called once a process,
/// under the recorder's mutex, at the first target event.
///
/// The newest run gets the plain name; a process that still runs keeps its name; an older
/// unfinished spool is kept as STEM.~N~.json.spool. The spool lies beside the trace or in another
/// folder (spool_folder()). A foreign file with the name is neither opened for long nor followed.
/// Returns a descriptor of the empty file, for reading and writing, and sets `spool` to its
/// absolute path; writes the trace's path and the ordinal after exec into `header`. Reports
/// surprises on stderr; on failure returns -1 and reports the remedy.
int lock_spool_name(spool::FileHeader& header, Path& spool) noexcept;

}  // namespace ompdm::record
