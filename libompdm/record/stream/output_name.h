// Names of traces: placeholders, ranks, pids. Pure functions on fixed buffers.
#pragma once

#include <cstddef>
#include <cstdint>

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
/// and the process has no working directory. Returns whether the pattern names the file.
bool base_name(const char* pattern, const spool::FileHeader& process, Path& path) noexcept;

}  // namespace ompdm::record
