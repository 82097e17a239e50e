// Addresses of modules to functions and source lines.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "machine_code/module_code.h"
#include "ompdm/trace.h"
#include "symbols/debug_info.h"

namespace ompdm::trace {

/// Whether a module is the OpenMP runtime, by its path.
bool is_runtime_library(const std::string& path);

/// Whether it is the C library, or a part of it.
bool is_system_library(const std::string& path);

inline bool is_foreign_library(const std::string& path) {
  return is_runtime_library(path) || is_system_library(path);
}

/// A file that a compilation read.
struct DigestedFile {
  std::string directory;  ///< that it was compiled in
  std::string path;       ///< whole, or relative to that
  std::string md5;        ///< of its content, lower-case hexadecimal
};

/// Looks up addresses in the modules of a trace, which must outlive it.
class Symbols {
 public:
  /// `recorded_at`: a module without build-id that was modified after this (CLOCK_REALTIME) is not
  /// used.
  Symbols(const std::vector<Module>& modules, std::int64_t recorded_at);
  ~Symbols();
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;

  /// `address` is a file address (pc - bias) inside the instruction. Empty where nothing is known.
  const CodePlace& at(Index<Module> module, std::uint64_t address);
  /// The same for a place that only leads to others of interest. In a system library that at() was
  /// never asked about, it reads only the names that the library exports. The library's separate
  /// debug information is large, and says nothing about the program.
  const CodePlace& caller_at(Index<Module> module, std::uint64_t address);

  /// The module's machine code; null where its file cannot be used.
  const ModuleCode* code(Index<Module> module);

  /// Where a Fortran module's variable is declared, by the debug information of one loaded module.
  Declaration fortran_variable(Index<Module> module, const std::string& fortran_module,
                               const std::string& variable);

  /// What is known of a map clause's item, as its variable is declared at an address inside the
  /// directive's call.
  ItemDeclaration item_at(Index<Module> module, std::uint64_t address,
                          const std::string& expression);

  /// The variable whose fixed place holds an address; null if none is known.
  const GlobalVariable* global_at(Index<Module> module, std::uint64_t address);

  /// The source files whose content the module's debug information tells. Nothing of a library of
  /// the system.
  std::vector<DigestedFile> digested_files(Index<Module> module,
                                           const std::set<std::string>& names);

  /// How the module's sources were compiled. Nothing of a library of the system.
  std::vector<CompileUnit> compile_units(Index<Module> module);

  /// Modules that were asked for, but whose file is gone.
  [[nodiscard]] std::uint64_t missing() const { return missing_; }
  /// Modules that were asked for, but whose file is another one by now.
  [[nodiscard]] std::uint64_t changed() const { return changed_; }

 private:
  struct Loaded;
  /// One that knows nothing where the module's file cannot be used.
  Loaded& load(Index<Module> module, bool has_separate = true);
  [[nodiscard]] bool is_of_the_system(Index<Module> module) const;

  const std::vector<Module>& modules_;
  std::int64_t recorded_at_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<Loaded>> loaded_;  // path, build-id
  std::unique_ptr<Loaded> none_;
  std::uint64_t missing_ = 0;
  std::uint64_t changed_ = 0;
};

}  // namespace ompdm::trace
