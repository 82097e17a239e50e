// The tree of folders that a program is built in, and copies of it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ompdm::cli {

/// The folder that holds all of these: a repository's top where they are in one, else the one they
/// have in common. Throws Error where that is no folder to be copied (/, a home, /usr).
std::filesystem::path tree_of(const std::vector<std::filesystem::path>& files);

/// Whether they have one.
bool has_tree(const std::vector<std::filesystem::path>& files);

/// Whether a path leads below a folder, by its words alone.
bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder);

/// As it is, with its times and links: these lead where they led, or to the same in the copy.
/// Throws Error.
void copy_tree(const std::filesystem::path& from, const std::filesystem::path& to);

/// Where a path of the tree lies in its copy; other paths are as they are.
std::filesystem::path in_copy(const std::filesystem::path& path, const std::filesystem::path& tree,
                              const std::filesystem::path& copy);

}  // namespace ompdm::cli
