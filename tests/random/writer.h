// Writes a program with directives, given how each array is treated.
#pragma once

#include <map>
#include <vector>

#include "machine.h"
#include "program.h"

namespace ompdm::random_programs {

/// How an array is kept on its devices.
enum class Way : std::uint8_t {
  kExact,  ///< kernels map what they read and write
  kLazy,   ///< kernels map everything both ways
  kData,   ///< target data around a loop's body, or what a branch or function does
  kEnter,  ///< enter and exit data there
  kEager,  ///< all along, with an update for each kernel
  kBest,   ///< all along, with the updates that it takes
};

/// How one array is treated: as all those that it is swapped with.
struct Manner {
  Way way = Way::kExact;
  int scope = 0;             ///< statement whose body has it on the device
  Condition condition = {};  ///< of the directives there
  std::vector<int> group = {};
  std::set<int> devices = {};  ///< of all its kernels
  std::set<int> there = {};    ///< of the scope's
};

/// The statement and all in it, with directives; half of its updates `nowait`, if that is said.
Statement write(const Statement& one, const std::map<int, Manner>& manners, const Needs& needs,
                bool nowait);

}  // namespace ompdm::random_programs
