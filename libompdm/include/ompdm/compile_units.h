// How a program's sources were compiled, as its debug information tells.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ompdm/trace.h"

namespace ompdm {

/// A file with code or declarations of a compiled source.
struct CompiledFile {
  std::string path;
  std::vector<int> lines;  ///< with code or declarations, sorted
  /// MD5 sums of its content, of all compilations in that folder; empty: not known.
  std::set<std::string> md5s = {};
};

/// A source of C or C++, as debug information describes it.
struct CompileUnit {
  std::string name;       ///< as the compiler was given it
  std::string directory;  ///< in which it was compiled
  bool is_cxx = false;
  std::string standard;  ///< for -std; empty: not known
  std::vector<CompiledFile> files;
  /// The name of the compiler, and its options if debug information has them. The program may be
  /// anybody's, so they have to be checked.
  std::vector<std::string> words;
};

/// The compile units of the modules whose directives a trace names, and of modules that call these.
/// Leaves out modules that are missing, or were built again since.
std::vector<CompileUnit> compile_units(const Trace& trace);

}  // namespace ompdm
