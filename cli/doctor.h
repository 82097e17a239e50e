// What `ompdm doctor` says of a program or of this machine.
#pragma once

#include <string>
#include <vector>

#include "elf_file.h"

namespace ompdm::cli {

struct Finding {
  enum class Level {
    kOk,
    kWarn,     ///< events come, but something will be missing or surprising
    kUnknown,  ///< only a run shows whether events come; the remedy is the command
    kNo,       ///< events will not come
  };
  Level level = Level::kOk;
  std::string fact;
  std::string remedy = {};  ///< the one thing to change; empty if nothing need be
};

using Findings = std::vector<Finding>;

/// Device images: whether the runtime of LLVM `major` (0: unknown) will take them on this machine.
Findings examine_images(const std::vector<OffloadImage>& images, int major);

}  // namespace ompdm::cli
