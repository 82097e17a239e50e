// How sources were compiled: from the build's own commands, or the program's debug information.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fix/recorded_program.h"

namespace ompdm::cli {

/// All of a file; empty where it cannot be read.
std::string read_text(const std::filesystem::path& file);

struct StartedProcess {
  std::filesystem::path directory;
  std::vector<std::string> words;
};

/// Whether a file is one that sources include, by its name.
bool is_header(const std::filesystem::path& file);

/// The log in which a build's processes note how they were started.
class BuildLog {
 public:
  /// Makes an empty log in `folder`. Throws Error where the library is not installed.
  explicit BuildLog(const std::filesystem::path& folder);

  /// The environment with which a build writes the log.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> environment() const;
  [[nodiscard]] std::vector<StartedProcess> processes() const;

 private:
  std::filesystem::path file_;
  std::filesystem::path library_;
};

/// The origin of a source's compiler arguments.
enum class CompiledBy { kCommand, kDebugInfo, kGuess };

struct CompileArguments {
  std::filesystem::path file;
  std::filesystem::path directory;
  std::vector<std::string> arguments;  ///< without compiler, source, -c and -o
  std::string compiler;                ///< empty: not known
  CompiledBy said_by = CompiledBy::kCommand;
  /// Of kDebugInfo: the program's files that it was compiled from, and whether clang did it.
  std::vector<CompiledFile> files = {};
  bool by_clang = false;
};

/// How a process of a build compiled each source; none where it is no compiler.
std::vector<CompileArguments> compiles_of(const StartedProcess& process);

/// How sources are compiled. The user's file comes first. Then come a build that was seen, a
/// compile_commands.json that was found, the program's debug information, and a guess. A file that
/// was found may be anybody's: only its harmless options are used, and its compiler is not run.
class CompileCommands {
 public:
  /// `folder` is the folder that the user named. Empty: a file near the program or the sources is
  /// looked for. Throws Error where the named file cannot be read.
  CompileCommands(const std::filesystem::path& folder,
                  const std::vector<std::filesystem::path>& near, RecordedProgram recorded = {});

  /// Adds the commands of the program's build. They take precedence over a file that the user did
  /// not name.
  void add_seen(std::vector<CompileArguments> seen);
  /// How a source is compiled. Where that is not known: with OpenMP and a recent standard.
  [[nodiscard]] CompileArguments of(const std::filesystem::path& source) const;
  /// The same, for each time that the source is compiled.
  [[nodiscard]] std::vector<CompileArguments> all_of(const std::filesystem::path& source) const;
  /// Translation units that may include a header. They are those of the program, by its debug
  /// information. Where that names none: all that have commands.
  [[nodiscard]] std::vector<std::filesystem::path> sources() const;

  /// Whether these are all sources of the program.
  [[nodiscard]] bool knows_all_sources() const { return recorded_.is_complete(); }

 private:
  void read(const std::filesystem::path& file);
  [[nodiscard]] const std::string& resources_of(const std::string& compiler,
                                                const std::filesystem::path& directory) const;
  /// Adds the folder of the headers that belong to the compiler, such as omp.h.
  [[nodiscard]] CompileArguments with_resources(CompileArguments of) const;

  bool is_named_ = false;
  std::vector<CompileArguments> known_;
  RecordedProgram recorded_;
  /// By compiler and folder. A tree has many sources and few compilers, and asking a compiler takes
  /// long.
  mutable std::map<std::pair<std::string, std::filesystem::path>, std::string> resources_;
};

/// The compile_commands.json of a program's build: the nearest in the program's folder, or in a
/// folder above it. The program's owner has to own it, and it may be at most a minute newer than
/// the program. A later configuration may not be the one that was compiled. None where there is no
/// such file.
std::vector<std::filesystem::path> commands_of_build(const std::filesystem::path& program);

/// The words of a command as a POSIX shell would take them, without expansions.
std::vector<std::string> words_of(const std::string& command);

struct SourceUnit {
  CompileArguments compiled;                  ///< of its first source
  std::vector<std::filesystem::path> beside;  ///< the others
  bool is_whole = false;                      ///< no other source of the program calls their
                                              ///< functions
};

/// A unit for each source that a finding names, and for each time that it is compiled. Where a
/// finding names only headers: for all known sources.
std::vector<SourceUnit> single_units(const CompileCommands& commands,
                                     const std::vector<std::filesystem::path>& named);

/// The named sources as one unit, then all known sources as one unit, with `home` last. Empty where
/// there is only one source, or where they are compiled differently.
std::vector<SourceUnit> joined_units(const CompileCommands& commands,
                                     const std::vector<std::filesystem::path>& named,
                                     const std::filesystem::path& home);

}  // namespace ompdm::cli
