// Runs a command in a folder of its own and tells what came of it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "support/temporary_folder.h"

namespace ompdm::e2e {

struct Command {
  std::vector<std::string> words;
  std::map<std::string, std::string> environment = {};  ///< added to this process's
  std::chrono::seconds timeout{60};
  std::function<void()> before_exec = {};  ///< in the child: limits, another user
};

struct Ended {
  int status = 0;  ///< exit status; 128 + N after signal N
  bool timed_out = false;
  std::string out;
  std::string err;
};

/// Runs the command in a folder, with what might steer OpenMP, its runtime or the recorder left out
/// of the environment. After the timeout its whole process group is killed.
Ended run(const Command& command, const std::filesystem::path& folder);

using Folder = test::TemporaryFolder;

/// The file's path, or a link to it if that has spaces or colons, which neither LD_PRELOAD nor a
/// bare word of a shell's can hold.
std::string plain_path(const std::string& file);

/// The text of a file, empty if it cannot be read.
std::string text_of(const std::filesystem::path& path);

/// The lines of a text, without their ends.
std::vector<std::string> lines_of(const std::string& text);

}  // namespace ompdm::e2e
