// How sources were compiled: from the build's own commands.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ompdm::cli {

struct StartedProcess {
  std::filesystem::path directory;
  std::vector<std::string> words;
};

/// A file that the processes of a build write to.
class BuildLog {
 public:
  /// In `folder`, which is made, and empty. Throws Error where the library is not installed.
  explicit BuildLog(const std::filesystem::path& folder);

  /// What a build needs in its environment to be seen.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> environment() const;
  [[nodiscard]] std::vector<StartedProcess> processes() const;

 private:
  std::filesystem::path file_;
  std::filesystem::path library_;
};

struct CompileArguments {
  std::filesystem::path file;
  std::filesystem::path directory;
  std::vector<std::string> arguments;  ///< without compiler, source, -c and -o
  std::string compiler;                ///< empty: not known
  bool is_guess = false;               ///< nobody said how it is compiled
};

/// What a process of a build compiled: a row a source, none where it is no compiler.
std::vector<CompileArguments> compiles_of(const StartedProcess& process);

/// What a build showed, or a compile_commands.json, or the lack of both.
class CompileCommands {
 public:
  /// `folder` is what the user named; empty: one near the program or the sources is looked for.
  /// Throws Error where the file that is named cannot be read.
  CompileCommands(const std::filesystem::path& folder,
                  const std::vector<std::filesystem::path>& near);

  /// What the build of the program showed: believed before a file that nobody named.
  void add_seen(std::vector<CompileArguments> seen);
  /// Of a source that it knows; else OpenMP and a recent standard.
  [[nodiscard]] CompileArguments of(const std::filesystem::path& source) const;
  /// Translation units that may include a header: all that are known.
  [[nodiscard]] std::vector<std::filesystem::path> sources() const;

 private:
  void read(const std::filesystem::path& file);
  [[nodiscard]] const std::string& resources_of(const std::string& compiler,
                                                const std::filesystem::path& directory) const;
  /// With the folder of the headers that belong to the compiler, as omp.h does.
  [[nodiscard]] CompileArguments with_resources(CompileArguments of) const;

  bool is_named_ = false;
  std::vector<CompileArguments> known_;
  /// By compiler and folder: a tree has many sources and few compilers, and to ask takes long.
  mutable std::map<std::pair<std::string, std::filesystem::path>, std::string> resources_;
};

/// The words of a command as a POSIX shell would take them, without expansions.
std::vector<std::string> words_of(const std::string& command);

struct SourceUnit {
  CompileArguments compiled;                  ///< of its first source
  std::vector<std::filesystem::path> beside;  ///< the others
  bool is_whole = false;                      ///< no other source of the program calls theirs
};

/// Each source that a finding names by itself; where it names headers alone, each that is known.
std::vector<SourceUnit> single_units(const CompileCommands& commands,
                                     const std::vector<std::filesystem::path>& named);

/// Those that it names as one, then all that are known as one; `home` is read last. Empty where
/// there is only one, or they are not compiled alike.
std::vector<SourceUnit> joined_units(const CompileCommands& commands,
                                     const std::vector<std::filesystem::path>& named,
                                     const std::filesystem::path& home);

}  // namespace ompdm::cli
