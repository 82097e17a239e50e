// Which functions of libraries run functions that they are handed: compilers put the bodies of
// tasks and parallel regions there. By the names that modules import.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ompdm::trace {

/// How a function that is handed over is run.
struct Outlined {
  std::uint8_t argument = 0;  ///< from 1: which one it is; 0: not known
  /// Whether what it does is recorded as done where it was handed over; else it may be another
  /// thread that does it, whose call path begins there.
  bool is_own = false;
};

/// None of an import that runs nothing.
std::optional<Outlined> outlined_by(std::string_view import);

}  // namespace ompdm::trace
