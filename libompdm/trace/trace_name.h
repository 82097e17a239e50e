// Names of finished traces: which one a new trace gets, and how an older one makes room. Safe
// against other processes that name theirs at the same time: no step overwrites a file.
#pragma once

#include <filesystem>
#include <string>

#include "spool/format.h"

namespace ompdm::trace {

/// The trace that the spool of this header is to become: as the header says, else beside it.
std::filesystem::path output_of(const spool::FileHeader& header,
                                const std::filesystem::path& spool);

/// STEM.ompdm of STEM.json and STEM.json.gz: what a long run's trace is called instead. Other names
/// are kept.
std::filesystem::path name_of_long_run(const std::filesystem::path& trace);

/// Where a trace has come to lie.
struct PlacedTrace {
  std::filesystem::path path;
  std::filesystem::path
      kept;          ///< what an older trace of that name is called now, empty if there was none
  std::string note;  ///< a sentence if `path` is not the one asked for
};

/// Gives the finished file `temporary` the name `asked`, or, of a long run, the name that it has
/// instead; `STEM.pPID` if a file that is no trace has that name. An older trace under either of
/// the two names is kept as STEM.~N~, with its own ending; all others are left alone. Throws Error,
/// leaving `temporary` where it is.
PlacedTrace place_trace(const std::filesystem::path& temporary, const std::filesystem::path& asked,
                        bool is_long, std::uint32_t pid);

}  // namespace ompdm::trace
