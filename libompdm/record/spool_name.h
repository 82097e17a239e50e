// The names of a trace and its spool, locked so that two processes can never write one file, and
// what a process reports to the `ompdm record` that started it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "spool_format/format.h"

namespace ompdm::record {

/// A path in a fixed buffer; `ok` turns false when something did not fit. A kilobyte, so never on
/// the stack of a thread that may have 16 KiB in all.
struct Path {
  static constexpr std::size_t kCapacity = 1024;
  char text[kCapacity] = {};
  std::size_t size = 0;
  bool ok = true;

  void clear() noexcept;
  void add(const char* piece) noexcept;
  void add(const char* piece, std::size_t length) noexcept;
  void add_number(std::uint64_t number) noexcept;
  /// Puts `mark` before the ending (".json", ".json.gz", or the last ".x" of the file's name).
  void add_mark(const char* mark) noexcept;
};

/// Makes `path` what `pattern` (OMPDM_OUTPUT) names: %p (pid), %h (host), %q{VAR} (a variable) and
/// %% replaced, made absolute, ".rankR" before its ending in a job of more than one rank. Where
/// nothing is left of a name but its ending, the default's stands for it. Empty if it is relative
/// and the process has no working directory.
void base_name(const char* pattern, const spool::FileHeader& process, Path& path) noexcept;

/// Writes these texts into the process's file with this ending, each with a zero at its end, and a
/// line end behind them. Nothing happens without a session,
/// or where its folder cannot be written.
void report_to_session(const char* ending, std::initializer_list<const char*> texts) noexcept;

/// Whether nobody of this session has asked for that name of a trace before (the ranks of a job ask
/// for different ones). True without a session.
bool first_of_session(const Path& trace) noexcept;

/// Creates the spool beside the trace it is to become (contract: the newest run has the plain name,
/// a process that still runs keeps its own, an older unfinished spool is kept as
/// STEM.~N~.json.spool), or in another folder (spool_folder.h). What has the name and is not ours
/// is neither opened for long nor followed. Returns a descriptor of the new, empty file, opened for
/// reading and writing, and makes `spool` its absolute path; writes the trace's path, the ordinal
/// after exec and the session into `header`. Says on stderr what a user would not expect; on
/// failure returns -1 and says what is wrong and what to do.
int lock_spool_name(spool::FileHeader& header, Path& spool) noexcept;

}  // namespace ompdm::record
