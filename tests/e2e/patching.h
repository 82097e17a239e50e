// Patches of ompdm, applied to copies of the sources that they are of.
#pragma once

#include <filesystem>
#include <string>

#include "run.h"

namespace ompdm::e2e {

/// Applies a unified diff to the files of a folder that have the names of its files, in whatever
/// folders these are. Returns the complaint; empty: it is applied.
std::string apply_patch(const std::filesystem::path& folder, const std::string& patch);

}  // namespace ompdm::e2e
