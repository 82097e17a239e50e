// The programs under test: which folder holds them, and which compiler and runtime they were built
// with. The same test programs run against those of any build folder, so that nothing but programs
// is built for another runtime.
#pragma once

#include <string>
#include <vector>

namespace ompdm::e2e {

struct OffloadBuild {
  int llvm = 0;         ///< major version of compiler and runtime
  std::string runtime;  ///< folder of the runtime's libraries
  std::string kernels;  ///< folder of the bundled kernels
  std::string fortran;  ///< folders of the Fortran compiler's libraries; empty: there is none
  std::string cxx;      ///< the compilers
  std::string c;
  std::vector<std::string> options;  ///< that they get for every program
  std::string folder;  ///< has a folder for each family of test programs: programs, endings, verbs
};

/// The build that the environment variable OMPDM_OFFLOAD_BUILD names, by the path of its
/// offload.json; without it the one that these tests were built in. Throws if there is no such
/// file.
const OffloadBuild& offload_build();

}  // namespace ompdm::e2e
