// The command that builds a program, where its folders leave no doubt.
#pragma once

#include <filesystem>
#include <string>

namespace ompdm::cli {

/// "cmake --build DIR" of a CMake build folder, "make" beside a Makefile, as a shell takes it.
/// Throws Error where there is neither.
std::string find_build_command(const std::filesystem::path& program);

}  // namespace ompdm::cli
