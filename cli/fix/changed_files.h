// Sources with the edits of plans, and what they change as a diff.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "fix/edit_tool.h"

namespace ompdm::cli {

/// Changed files by their path.
using ChangedFiles = std::map<std::filesystem::path, std::string>;

/// The texts of the files with all plans applied, which are of files as `base` has them; and all
/// of those. Throws Error where two change the same place.
ChangedFiles changed_files(const std::vector<EditPlan>& plans, const ChangedFiles& base = {});

/// From a file to another text of it, as a unified diff with so many lines around each change.
std::string diff_of(const std::filesystem::path& file, const std::string& text, int lines_around,
                    const std::string& name = {});

/// The changes as a unified diff, with paths relative to the tree.
std::string unified_diff(const ChangedFiles& files, const std::filesystem::path& tree);

/// Lines that are inserted in one place as one text: a directive that both have is one, with the
/// clauses of both.
std::string joined_lines(const std::string& first, const std::string& second);

}  // namespace ompdm::cli
