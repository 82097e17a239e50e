// How a program's sources were compiled, as its debug information tells.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ompdm/trace.h"

namespace ompdm {

/// A file from which code or declarations of a source came.
struct CompiledFile {
  std::string path;
  std::vector<int> lines;  ///< that have some, sorted
  /// MD5 sums of its content, of all compilations in that folder; empty: not known.
  std::set<std::string> md5s = {};
};

/// A source of C or C++, as the compiler wrote of it.
struct CompileUnit {
  std::string name;       ///< as the compiler was given it
  std::string directory;  ///< in which it was compiled
  bool is_cxx = false;
  std::string standard;  ///< for -std; empty: not known
  std::vector<CompiledFile> files;
  /// The name of the compiler and, where it tells them, its options. A program comes from anybody:
  /// they are to be checked.
  std::vector<std::string> words;
};

/// Of the modules whose directives a trace names, and of those that call these. Nothing of a module
/// that is gone, or was built anew.
std::vector<CompileUnit> compile_units(const Trace& trace);

}  // namespace ompdm
