// What speaks for and against target events reaching the recorder: findings about a program, its
// environment and this machine. Looks only; nothing is run but the dynamic loader's own listing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "elf_file.h"
#include "offload_image.h"

namespace ompdm::cli {

struct Finding {
  enum class Level {
    kOk,
    kWarn,     ///< events come, but something will be missing or surprising
    kUnknown,  ///< only a run tells whether events come: the remedy is how to try
    kNo,       ///< events will not come
  };
  Level level = Level::kOk;
  std::string fact;
  std::string remedy;  ///< the one thing to change; empty if nothing need be
};

using Findings = std::vector<Finding>;

/// Whether the recorder library is where this command looks for it.
Findings examine_recorder();

/// The OpenMP runtimes, GPU driver and CUPTI of this machine.
Findings examine_machine();

/// The variables that keep tools or devices away.
Findings examine_environment();

/// A program or a library: whether it offloads, to what, with which runtime, and what stands in the
/// way.
Findings examine_program(const std::filesystem::path& program);

/// Device images: whether the runtime of LLVM `major` (0: unknown) will take them on this machine.
Findings examine_images(const std::vector<OffloadImage>& images, int major);

/// Lines and names of the directives in a program or library.
Finding examine_names(const ElfFile& code);

/// What a run under the recorder has shown.
struct Probe {
  Findings findings;
  bool events_came = false;  ///< whatever else speaks against it
};

/// Runs the command under the recorder, its output kept away, and tells what was recorded.
Probe probe(const std::vector<std::string>& command);

}  // namespace ompdm::cli
