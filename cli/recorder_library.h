// Where the recorder library and others are: beside this command, in the build tree and when
// installed.
#pragma once

#include <filesystem>
#include <string>

namespace ompdm::cli {

/// Absolute path of a library of ompdm's own, found relative to the running executable so that an
/// installation can be moved. Throws Error naming the folders that were searched.
std::filesystem::path find_own_library(const std::string& name);

/// libompdm.so.
std::filesystem::path find_recorder();

}  // namespace ompdm::cli
