// Processes that `ompdm fix` runs, each in its own view of the file system.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

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

struct Child {
  std::vector<std::string> command;
  std::filesystem::path directory;
  std::vector<std::pair<std::string, std::string>> environment = {};  ///< set besides what is there
  std::string input = {};
  const View* view = nullptr;  ///< null: it sees what is there, and may change it
};

struct ChildEnd {
  int exit_status = 0;  ///< 128 + signal of one that was killed; 127: the command is not found
  std::string output;
  std::string errors;
  std::chrono::nanoseconds wall{};
};

/// Waits for it. Throws Error where it cannot be started, and once the user has asked to stop
/// (SIGINT, SIGTERM, SIGHUP): then nothing of it runs any more.
ChildEnd run_child(const Child& child);

/// While it lives, signals that ask to stop end the running child and make run_child() throw, so
/// that what was made is removed on the way out.
class Stopping {
 public:
  Stopping();
  ~Stopping();
  Stopping(const Stopping&) = delete;
  Stopping& operator=(const Stopping&) = delete;
};

}  // namespace ompdm::cli
