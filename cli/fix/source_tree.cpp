#include "fix/source_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "fix/child.h"
#include "ompdm/error.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

fs::path common_folder(const std::vector<fs::path>& files) {
  fs::path folder = files.front().parent_path();
  for (const fs::path& file : files) {
    while (!is_below(file, folder)) folder = folder.parent_path();
  }
  return folder;
}

bool is_too_wide(const fs::path& folder) {
  const char* home = std::getenv("HOME");
  const bool is_home = home != nullptr && *home != '\0' && is_below(home, folder);
  const auto depth = std::distance(folder.begin(), folder.end());
  return depth < 2 || is_home || folder == "/usr" || folder == "/tmp" || folder == "/home";
}

/// Lets a copied link lead into the copy where it led into the tree, else out of it by a whole
/// path.
void lead_as_before(const fs::path& link, const fs::path& from, const fs::path& to) {
  std::error_code failed;
  const fs::path written = fs::read_symlink(link, failed);
  const fs::path folder = from / link.lexically_relative(to).parent_path();
  const fs::path target = (folder / written).lexically_normal();
  if (failed || written.is_absolute() != is_below(target, from)) return;
  fs::remove(link, failed);
  fs::create_symlink(written.is_absolute() ? target.lexically_relative(folder) : target, link,
                     failed);
}

}  // namespace

bool is_below(const fs::path& path, const fs::path& folder) {
  const auto [left, right] = std::ranges::mismatch(folder, path);
  return left == folder.end();
}

fs::path tree_of(const std::vector<fs::path>& files) {
  const fs::path common = common_folder(files);
  for (fs::path folder = common; folder.has_relative_path(); folder = folder.parent_path()) {
    std::error_code failed;
    if (fs::exists(folder / ".git", failed) && !is_too_wide(folder)) return folder;
  }
  if (is_too_wide(common)) {
    throw Error(
        fmt::format("{} is all that the program and its sources have in common: name the "
                    "folder that is to be copied with --tree",
                    common.string()));
  }
  return common;
}

bool has_tree(const std::vector<fs::path>& files) { return !is_too_wide(common_folder(files)); }

void copy_tree(const fs::path& from, const fs::path& to) {
  if (is_below(fs::weakly_canonical(to), from)) {
    throw Error(fmt::format("{} lies in {}, which is to be copied: set TMPDIR to another folder",
                            to.string(), from.string()));
  }
  // What may not be written here is built in the copy all the same.
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"cp", "-a", "--reflink=auto", from.string() + "/.", to.string()},
        std::vector<std::string>{"chmod", "-R", "u+rwX", to.string()}}) {
    const ChildEnd end = run_child({words, "/"});
    if (end.exit_status != 0) {
      throw Error(fmt::format("{}: cannot be copied: {}", from.string(),
                              end.errors.substr(0, end.errors.find('\n'))));
    }
  }
  std::error_code failed;
  fs::recursive_directory_iterator at(to, failed);
  for (; !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
    if (at->is_symlink(failed)) lead_as_before(at->path(), from, to);
  }
}

fs::path in_copy(const fs::path& path, const fs::path& tree, const fs::path& copy) {
  return is_below(path, tree) ? copy / path.lexically_relative(tree) : path;
}

}  // namespace ompdm::cli
