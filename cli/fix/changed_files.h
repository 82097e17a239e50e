// Sources with the edits of plans, and their changes as a diff.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "fix/edit_tool.h"

namespace ompdm::cli {

/// Changed files by their path.
using ChangedFiles = std::map<std::filesystem::path, std::string>;

/// The texts of the files with all plans applied. `base`: texts of files that are changed already;
/// the result has all of them. Throws Error where two plans change the same place.
ChangedFiles changed_files(const std::vector<EditPlan>& plans, const ChangedFiles& base = {});

/// The unified diff from a file to another text of it, with `lines_around` lines around each
/// change.
std::string diff_of(const std::filesystem::path& file, const std::string& text, int lines_around,
                    const std::string& name = {});

/// The changes as a unified diff, with paths relative to the tree.
std::string unified_diff(const ChangedFiles& files, const std::filesystem::path& tree);

/// Two texts of lines that are inserted in one place as one text. A directive that both have
/// becomes one, with the clauses of both.
std::string joined_lines(const std::string& first, const std::string& second);

}  // namespace ompdm::cli
