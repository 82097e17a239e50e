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
  std::uint64_t unread = 0;        ///< of those: brought new content to a host that did not read it
  std::uint64_t scalar_bytes = 0;  ///< of the sums that kernels copy back
  int kernels = 0;                 ///< on a device
  bool unused = false;             ///< something was on the device and no kernel used it
  bool right = true;               ///< nobody read an older content than the last one written
};

/// Runs it with its first (0) or second (1) input.
Outcome run(const Program& program, int input);

/// Leaves out branches that no input takes: no run says which updates they need.
void remove_untaken_branches(Program& program);

/// Arrays by statement.
using Sites = std::map<int, std::set<int>>;

/// The copies that are needed, and where, if each array is kept on its devices for its life. Found
/// with one input, or with both.
struct Needs {
  Sites from_before;              ///< of what the host reads, and of ends of arrays
  Sites from_after;               ///< of kernels, where arrays are on several devices
  std::map<int, Sites> to_after;  ///< by device: of what writes, and of arrays' beginnings
};

Needs needs_of(const Program& program, bool both);

}  // namespace ompdm::random_programs
