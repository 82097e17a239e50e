// Which functions of libraries make memory on the host. By the names that modules import.
#pragma once

#include <cstdint>
#include <string_view>

namespace ompdm::trace {

enum class HostMemory : std::uint8_t {
  kNone,     ///< known to hand out none
  kUnknown,  ///< not known
  kArray,    ///< malloc and its like, operator new[]
  kObject,   ///< operator new: containers and strings keep their content so
};

/// What an imported function hands out: unknown, unless it is a common one of C, C++, OpenMP or
/// MPI.
HostMemory made_by(std::string_view import);

}  // namespace ompdm::trace
