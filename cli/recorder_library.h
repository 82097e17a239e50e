// Where the recorder library is: beside this command, in the build tree and when installed.
#pragma once

#include <filesystem>

namespace ompdm::cli {

/// Absolute path of libompdm.so, found relative to the running executable so that an installation
/// can be moved. Throws Error naming the folders that were searched.
std::filesystem::path find_recorder();

}  // namespace ompdm::cli
