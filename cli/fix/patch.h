// Texts of files with replacements made, and the difference as `git apply` takes it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "fix/edit_tool.h"

namespace ompdm::cli {

/// Changed files by their path.
using ChangedFiles = std::map<std::filesystem::path, std::string>;

/// The plans made together; throws Error where two change the same place.
ChangedFiles changed_files(const std::vector<EditPlan>& plans);

/// As a unified diff, paths relative to the tree.
std::string unified_diff(const ChangedFiles& files, const std::filesystem::path& tree);

}  // namespace ompdm::cli
