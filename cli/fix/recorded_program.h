// How the sources of a recorded program are parsed, by its debug information.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ompdm/compile_units.h"

namespace ompdm::cli {

/// The standard that most sources compile with, among those that compilers know well.
std::string recent_standard(bool is_cxx);

struct RecordedOptions {
  std::filesystem::path directory;
  std::vector<std::string> options;
  std::vector<CompiledFile> files = {};  ///< of the program, by their paths on this machine
  bool by_clang = false;
  bool is_command = false;  ///< the options are those of the build (-grecord-command-line)
};

/// Options of the parser that decide what a source means, each as one word: "-Iinc" of "-I inc".
/// None of them loads code, reads options or writes a file. `of_machine`: also options of the
/// machine and the optimization, which set macros.
std::vector<std::string> harmless_options(const std::vector<std::string>& words, bool of_machine);

/// Options of sources, by debug information: language, standard, folders of headers, and macros
/// without which some lines with code would not exist. All of it comes from a trace, so from
/// anybody: no option loads code, reads options or writes a file.
class RecordedProgram {
 public:
  RecordedProgram() = default;
  /// `runtime`: the program's libomp.so, near which its omp.h is found. Empty: not known.
  explicit RecordedProgram(std::vector<CompileUnit> units,
                           const std::filesystem::path& runtime = {},
                           std::filesystem::path program = {});

  /// The options of each time that the source was compiled for the program. Empty where it has no
  /// debug information.
  [[nodiscard]] std::vector<RecordedOptions> of(const std::filesystem::path& source) const;
  /// Options with the folder of the omp.h that belongs to the program's runtime, where that is
  /// known.
  [[nodiscard]] std::vector<std::string> runtime_options() const;
  /// The folders in which sources were compiled, each once.
  [[nodiscard]] std::vector<std::filesystem::path> folders() const;
  /// The sources that exist, each once.
  [[nodiscard]] std::vector<std::filesystem::path> sources() const;
  /// The recorded program. Empty where it has no debug information, or was changed since.
  [[nodiscard]] const std::filesystem::path& program() const { return program_; }
  /// Whether there is debug information, and all sources that it names exist.
  [[nodiscard]] bool is_complete() const;

 private:
  using Path = std::filesystem::path;
  /// What all sources of the program have in common.
  struct Common {
    std::map<Path, std::vector<std::string>> folders;  ///< options by the folder that they name
    std::vector<std::string> searched;                 ///< options of folders that were searched
    /// Headers of any unit, where no other folder has a header of that name. So each unit that
    /// includes such a header includes this file.
    std::set<Path> headers;
    std::set<std::string> macros;                   ///< that no source contradicts
    std::vector<std::set<std::string>> own_macros;  ///< of each unit
  };
  /// The common part of the units compiled in `directory`, which is `here` on this machine.
  [[nodiscard]] const Common& common(const Path& directory, const Path& here) const;
  [[nodiscard]] RecordedOptions options_of(std::size_t unit, const Path& source,
                                           const Path& here) const;

  std::vector<CompileUnit> units_;
  Path program_;
  Path runtime_headers_;  ///< the folder of the omp.h of the program's runtime; empty: not known
  mutable std::map<std::pair<Path, Path>, Common> common_;
};

/// The program of a trace, as far as it lies where it ran. Sources are those of `folder`, if the
/// user names it and it has them.
RecordedProgram recorded_program(const Trace& trace, const std::filesystem::path& folder = {});

}  // namespace ompdm::cli
