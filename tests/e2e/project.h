// A program in a folder of its own, with a Makefile, that `ompdm fix` is tried on. CMake has
// compiled it; a test that only looks at a plan, or at a refusal, compiles nothing.
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
  std::string programs;  ///< the folder of those that are compiled so already
  std::map<std::string, std::string> environment = {};
};

/// As the programs of the offload build are.
Compiling for_host_devices();

/// Recorded in a folder that is removed with the object.
class Project {
 public:
  /// Of copies of the files, of which those of the source's kind are compiled.
  explicit Project(const std::filesystem::path& source,
                   const std::vector<std::filesystem::path>& others = {},
                   const Compiling& compiling = for_host_devices());

  /// Of what runs from here on.
  void set(const std::string& variable, const std::string& value);
  /// Another Makefile, and nothing that says how sources are compiled.
  void build_by(const std::string& makefile) const;
  /// Builds it here. False where that failed.
  [[nodiscard]] bool make() const;
  /// Takes a program that CMake has compiled of the source, as if it had been built here.
  void take(const std::string& built) const;
  /// Records what was built or taken last; the program of the source's name where none was. False
  /// where that failed.
  [[nodiscard]] bool record(const std::vector<std::string>& arguments = {}) const;
  [[nodiscard]] Ended fix(const std::vector<std::string>& options = {}) const;
  /// `fix --build` without the time of runs, of a build that makes what has edits.
  [[nodiscard]] Ended fix_built(const std::vector<std::string>& options = {},
                                const std::string& where_edited = "make -B") const;
  /// A build that compiles nothing: what was recorded where the sources are as they are now, else
  /// what these commands make of it.
  [[nodiscard]] std::string build_of(const std::string& where_edited = "true") const;
  /// Any command, in the folder.
  [[nodiscard]] Ended start(const std::vector<std::string>& words) const;

  [[nodiscard]] std::string text(const std::string& file) const;
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  /// Where copies of it are made.
  [[nodiscard]] const std::filesystem::path& scratch() const { return scratch_.path(); }
  /// Whether `ompdm fix` has removed what it made for itself.
  [[nodiscard]] bool left_nothing() const;
  /// What `git apply` makes of the source.
  [[nodiscard]] std::string patched(const std::string& patch, const std::string& file) const;
  /// The same of a patch for which nothing is built. Fails the test where there is none.
  [[nodiscard]] std::string planned(const std::string& file) const;

 private:
  Folder folder_;
  Folder scratch_;
  std::string name_;
  std::filesystem::path programs_;
  std::map<std::string, std::string> environment_;
};

}  // namespace ompdm::e2e
