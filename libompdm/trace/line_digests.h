// Digests of source files in the line tables of DWARF 5, which libdw has no access to.
#pragma once

#include <set>
#include <string>
#include <vector>

struct Dwfl_Module;

namespace ompdm::trace {

/// A file that a compilation read.
struct DigestedFile {
  std::string directory;  ///< that it was compiled in
  std::string path;       ///< whole, or relative to that
  std::string md5;        ///< of its content, lower-case hexadecimal
};

/// Those whose names, without their folders, are among these. What is damaged is left out.
std::vector<DigestedFile> digested_files_of(Dwfl_Module* module,
                                            const std::set<std::string>& names);

}  // namespace ompdm::trace
