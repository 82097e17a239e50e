// The runtime's name as its users know it.
#pragma once

#include <string>
#include <string_view>

namespace ompdm::trace {

/// "LLVM 22.1 (libomptarget.so.22.1)", from what the runtime says of itself, which with LLVM is the
/// same text in every version, and the path of its libomptarget. What has no version in its file's
/// name keeps its text, with the path behind it; an empty path says that libomptarget was not met.
std::string runtime_name(std::string_view told, std::string_view library);

}  // namespace ompdm::trace
