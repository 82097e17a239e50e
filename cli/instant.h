// Instants of a recording as options give them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ompdm/index.h"

namespace ompdm::cli {

/// "12.5ms", "3s", "800us", "40ns", "2min", "1h"; nothing of what is no such time: a negative one,
/// or a number without a unit.
std::optional<Nanoseconds> time_of(std::string_view text);

/// The same. Throws Error (kUsage), which names the option and says what is wrong.
Nanoseconds parse_instant(const char* option, const std::string& text);

}  // namespace ompdm::cli
