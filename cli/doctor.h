// What `ompdm doctor` reports about a program or this machine.
#pragma once

#include <string>
#include <vector>

#include "elf_file.h"

namespace ompdm::cli {

struct Finding {
  enum class Level {
    kOk,
    kWarn,     ///< events are recorded, but something is missing or surprising
    kUnknown,  ///< only a run shows whether events are recorded; the remedy is the command
    kNo,       ///< no events are recorded
  };
  Level level = Level::kOk;
  std::string fact;
  std::string remedy = {};  ///< the one thing to change; empty: nothing
};

using Findings = std::vector<Finding>;

/// Device images: whether the runtime of LLVM `major` (0: unknown) accepts them on this machine.
Findings examine_images(const std::vector<OffloadImage>& images, int major);

}  // namespace ompdm::cli
