// What a child of `ompdm fix` sees of the files, and which of them it may change.
#pragma once

#include <filesystem>

namespace ompdm::cli {

struct View {
  /// What keeps a child from changing files outside of its scratch folder.
  enum class Guard {
    kNone,
    kMounts,    ///< all other mounts are read-only; folders for temporary files are private
    kLandlock,  ///< the kernel refuses to write elsewhere
  };
  std::filesystem::path copy;     ///< of the tree
  std::filesystem::path seen_at;  ///< where the child sees the copy, too; empty: nowhere else
  std::filesystem::path scratch;  ///< the folder that holds the copy; the child may write there
  Guard guard = Guard::kNone;
};

/// Whether this machine lets a process have such a view: by mount namespaces (of its own users
/// where the user is not root), or by Landlock.
bool can_view(const View& view);

/// Called in a child before it runs anything. False where this machine does not allow the view:
/// then the child must run nothing.
bool take_view(const View& view);

}  // namespace ompdm::cli
