// Names of finished traces: which one a new trace gets, and how an older one makes room. Safe
// against other processes that name theirs at the same time: no step overwrites a file.
#pragma once

#include <filesystem>
#include <string>

namespace ompdm::trace {

/// Where a trace has come to lie.
struct PlacedTrace {
  std::filesystem::path path;
  std::filesystem::path
      kept;          ///< what an older trace of that name is called now, empty if there was none
  std::string note;  ///< a sentence if `path` is not the one asked for
};

/// Gives the finished file `temporary` the name `wanted`, or `STEM.pPID` if a file that is no trace
/// has that name. Throws Error, leaving `temporary` where it is.
PlacedTrace place_trace(const std::filesystem::path& temporary, const std::filesystem::path& wanted,
                        std::uint32_t pid);

/// A name beside `wanted` to write under: "trace.json.tmp-123".
std::filesystem::path temporary_name(const std::filesystem::path& wanted);

}  // namespace ompdm::trace
