// Instants of a recording as options give them.
#pragma once

#include <string>

#include "ompdm/index.h"

namespace ompdm::cli {

/// "12.5ms", "3s", "800us", "40ns"; a bare number is of milliseconds. Throws Error (kUsage), which
/// names the option.
Nanoseconds parse_instant(const char* option, const std::string& text);

}  // namespace ompdm::cli
