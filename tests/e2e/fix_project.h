// A program in a folder of its own, with a Makefile, for `ompdm fix`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "run.h"

namespace ompdm::e2e {

bool contains(const std::string& text, const std::string& part);

/// The options of every program that is compiled, for a Makefile; of C or C++.
std::string compile_line(bool is_c);

class Project {
 public:
  /// With a compile_commands.json beside the Makefile; `more` are options of the latter alone.
  explicit Project(const std::filesystem::path& source,
                   const std::vector<std::filesystem::path>& headers = {},
                   const std::string& more = {});

  /// Builds and records it. False where that failed.
  [[nodiscard]] bool record(const std::vector<std::string>& arguments = {}) const;
  [[nodiscard]] Ended fix(const std::vector<std::string>& options = {}) const;
  /// Another Makefile, and nothing that says how sources are compiled.
  void build_by(const std::string& makefile) const;

  [[nodiscard]] std::string text(const std::string& file) const;
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  /// Where copies of it are made.
  [[nodiscard]] const std::filesystem::path& scratch() const { return scratch_.path(); }
  [[nodiscard]] bool left_nothing() const;
  /// What `git apply` makes of the source.
  [[nodiscard]] std::string patched(const std::string& patch, const std::string& file) const;

 private:
  Folder folder_;
  Folder scratch_;
  std::string name_;
};

}  // namespace ompdm::e2e
