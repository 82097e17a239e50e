// How the sources of a recorded program are parsed, as its debug information tells.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ompdm/compile_units.h"

namespace ompdm::cli {

/// The standard that most sources compile as, of those that compilers know well.
std::string recent_standard(bool is_cxx);

struct RecordedOptions {
  std::filesystem::path directory;
  std::vector<std::string> options;
  std::vector<CompiledFile> files = {};  ///< of the program, by their paths here
  bool by_clang = false;
  bool is_command = false;  ///< the options are those of the build (-grecord-command-line)
};

/// Options of the parser that say what a source means, each as one word: "-Iinc" of "-I inc". None
/// of them loads code, reads options or writes a file. `of_machine`: with those of the machine and
/// the optimization, which set macros.
std::vector<std::string> harmless_options(const std::vector<std::string>& words, bool of_machine);

/// Options of sources that the debug information tells: language, standard, folders of headers,
/// and macros without which lines would not be there that have code. All of it comes from a
/// trace, so from anybody: no option loads code, reads options or writes a file.
class RecordedProgram {
 public:
  RecordedProgram() = default;
  /// `runtime`: the program's libomp.so, which tells where its omp.h is; empty: not known.
  explicit RecordedProgram(std::vector<CompileUnit> units,
                           const std::filesystem::path& runtime = {},
                           std::filesystem::path program = {});

  /// Of each time that the source was compiled for the program. Empty where no debug information is
  /// of that source.
  [[nodiscard]] std::vector<RecordedOptions> of(const std::filesystem::path& source) const;
  /// Names the folder of the omp.h that belongs to the program's runtime, where that is known.
  [[nodiscard]] std::vector<std::string> runtime_options() const;
  /// The folders in which sources were compiled, each once.
  [[nodiscard]] std::vector<std::filesystem::path> folders() const;
  /// The sources that are there, each once.
  [[nodiscard]] std::vector<std::filesystem::path> sources() const;
  /// The program as it was recorded; empty where it has no debug information, or is another now.
  [[nodiscard]] const std::filesystem::path& program() const { return program_; }
  /// Whether there is debug information, and all sources that it names are there.
  [[nodiscard]] bool is_complete() const;

 private:
  using Path = std::filesystem::path;
  /// What all sources of the program say together.
  struct Common {
    std::map<Path, std::vector<std::string>> folders;  ///< options by the folder that they name
    std::vector<std::string> searched;                 ///< options of folders that were searched
    /// That any unit names, where no other folder has a header of that name: so each unit that
    /// includes such a header includes this file.
    std::set<Path> headers;
    std::set<std::string> macros;                   ///< that no source contradicts
    std::vector<std::set<std::string>> own_macros;  ///< of each unit
  };
  /// Of the program that was compiled in `directory`, which is `here` on this machine.
  [[nodiscard]] const Common& common(const Path& directory, const Path& here) const;
  [[nodiscard]] RecordedOptions options_of(std::size_t unit, const Path& source,
                                           const Path& here) const;

  std::vector<CompileUnit> units_;
  Path program_;
  Path runtime_headers_;  ///< the folder of the omp.h of the program's runtime; empty: not known
  mutable std::map<std::pair<Path, Path>, Common> common_;
};

/// That of a trace, as far as the program lies where it ran. Sources are those of `folder`, if the
/// user names it and has them there.
RecordedProgram recorded_program(const Trace& trace, const std::filesystem::path& folder = {});

}  // namespace ompdm::cli
