// A program in a folder of its own, with a Makefile, that `ompdm fix` is tried on.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "run.h"

namespace ompdm::e2e {

bool contains(const std::string& text, const std::string& part);

/// The options of every program that is compiled, for a Makefile; of C or C++.
std::string compile_line(bool is_c);

/// How programs are compiled, and what they need to run.
struct Compiling {
  std::string c;  ///< compiler and options, for the shell
  std::string cxx;
  std::map<std::string, std::string> environment = {};
};

/// As the programs of the offload build are.
Compiling for_host_devices();

/// Built and recorded in a folder that is removed with the object.
class Project {
 public:
  /// Of copies of the files, of which those of the source's kind are compiled; `more` are further
  /// options, which `ompdm fix` is not told of.
  explicit Project(const std::filesystem::path& source,
                   const std::vector<std::filesystem::path>& others = {},
                   const std::string& more = {}, const Compiling& compiling = for_host_devices());

  /// Of what runs from here on.
  void set(const std::string& variable, const std::string& value);
  /// Builds and records it. False where that failed.
  [[nodiscard]] bool record(const std::vector<std::string>& arguments = {}) const;
  [[nodiscard]] Ended fix(const std::vector<std::string>& options = {}) const;
  /// Another Makefile, and nothing that says how sources are compiled.
  void build_by(const std::string& makefile) const;
  /// Builds it as its source is now, and runs it.
  [[nodiscard]] Ended rebuilt() const;

  [[nodiscard]] std::string text(const std::string& file) const;
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  /// Where copies of it are made.
  [[nodiscard]] const std::filesystem::path& scratch() const { return scratch_.path(); }
  /// Whether `ompdm fix` has removed what it made for itself.
  [[nodiscard]] bool left_nothing() const;
  /// What `git apply` makes of the source.
  [[nodiscard]] std::string patched(const std::string& patch, const std::string& file) const;

 private:
  [[nodiscard]] Ended start(const std::vector<std::string>& words) const;

  Folder folder_;
  Folder scratch_;
  std::string name_;
  std::map<std::string, std::string> environment_;
};

}  // namespace ompdm::e2e
