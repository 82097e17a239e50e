// Turning the spool of a finished or killed process into trace.json, and finding spools that wait
// for it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "ompdm/trace.h"

namespace ompdm {

/// A spool found on disk.
struct SpoolInfo {
  std::filesystem::path path;
  std::filesystem::path output;  ///< the trace it is to become
  std::uint32_t pid = 0;
  std::uint32_t exec_ordinal = 0;  ///< how many images of this process recorded before this one
  std::string session;             ///< folder of the `ompdm record` that it runs under, if any
  std::string host;
  std::string program;
  bool finished = false;  ///< has a trailer
  bool runs = false;      ///< its process surely still runs
  bool alive = false;     ///< it runs, or that is not known: another host or container
};

/// Whether the file begins as a spool does. Never throws.
bool is_spool(const std::filesystem::path& path);

/// The header of a spool. Throws Error if it is no spool or newer than this library.
SpoolInfo spool_info(const std::filesystem::path& path);

/// The spools in a directory, sorted by name; unreadable ones are left out.
std::vector<SpoolInfo> find_spools(const std::filesystem::path& directory);

/// Reads a spool into the model: normalised, attributed, symbols resolved from the modules on this
/// machine. Works on the spool of a running process too (what is committed by now).
Trace read_spool(const std::filesystem::path& path);

struct FinishResult {
  std::filesystem::path trace;  ///< what was written: of a long run STEM.ompdm
  std::filesystem::path kept;   ///< an older trace that made room (trace.~N~.json), empty if none
  std::string note;  ///< a sentence when the name had to differ from the one asked for, else empty
  bool killed = false;      ///< the process ended without a trailer
  bool by_another = false;  ///< another process wrote it while we waited; `model` is empty
  Trace model;              ///< what was written
};

/// A run of more events leaves trace.ompdm: a twentieth of trace.json's size, and read in a
/// fraction of the time.
inline constexpr std::uint64_t kMostInJson = 100'000;

/// How to finish.
struct FinishOptions {
  /// Descriptor of the spool, locked by the recorder that hands it over; closed in the end. -1: it
  /// is opened by its name.
  int handed_over = -1;
  /// Descriptor of the spool, to which its name may not lead any more; closed in the end. -1: none.
  int opened = -1;
  /// How long to wait for another process that is finishing the spool already.
  std::chrono::milliseconds patience{0};
  /// Called once, when the wait is long enough for a user to notice.
  std::function<void()> waiting = nullptr;
  /// A run of more events (regions, operations, launches, activities) leaves STEM.ompdm instead of
  /// STEM.json, unless the user gave the recorder a name with that ending.
  std::uint64_t most_in_json = kMostInJson;
};

/// Writes the trace of a spool and removes the spool, under whatever name it has then: the next run
/// may have set it aside meanwhile. `output` empty: where the header says. An older ompdm trace of
/// that name is kept as STEM.~N~.json, a foreign file is never touched. Throws Error.
FinishResult finish(const std::filesystem::path& spool, const std::filesystem::path& output = {},
                    const FinishOptions& options = {});

}  // namespace ompdm
