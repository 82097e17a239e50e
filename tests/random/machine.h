// What a random program's copies carry, by running its tree with a number for each content: the
// truth that verdicts are held against.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "program.h"

namespace ompdm::random_programs {

struct Outcome {
  std::uint64_t bytes = 0;         ///< copied, both ways
  std::uint64_t needless = 0;      ///< of them: brought nothing new, or what was never read
  std::uint64_t scalar_bytes = 0;  ///< of the sums that kernels bring back
  bool unused = false;             ///< something was on the device and no kernel used it
  bool right = true;               ///< nobody read an older content than the last one written
};

/// Runs it with its first (0) or second (1) input.
Outcome run(const Program& program, int input);

/// What has to cross, and where, if each array stays on the device for its life: by statement, the
/// arrays. Found with one input, or with both.
struct Needs {
  std::map<int, std::set<int>> from_before;  ///< of the host's statements, and ends of arrays
  std::map<int, std::set<int>> to_after;     ///< of the host's statements, and arrays' beginnings
};

Needs needs_of(const Program& program, bool both);

}  // namespace ompdm::random_programs
