// A folder of its own for a test, variables that are put back, and commands run by the shell.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "support/temporary_folder.h"

namespace ompdm::cli::testing {

class Scratch {
 public:
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  /// Writes a file below the folder, with its parents, and returns its path.
  std::filesystem::path write(const std::string& name, const std::string& text) const;

 private:
  test::TemporaryFolder folder_;
};

/// Sets a variable (or removes it) and puts the old value back.
class Variable {
 public:
  Variable(const char* name, std::optional<std::string> value);
  ~Variable();
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

struct Ran {
  int status = 0;  ///< as a shell has it: 128 + signal
  std::string out;
  std::string err;
};

/// Runs a shell command in `folder`.
Ran shell(const std::filesystem::path& folder, const std::string& command);

std::string read_file(const std::filesystem::path& path);

}  // namespace ompdm::cli::testing
