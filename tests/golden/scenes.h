// The recordings behind tests/golden: each the smallest that shows one thing.
#pragma once

#include <string>
#include <vector>

#include "ompdm/trace.h"

namespace ompdm::test {

struct Scene {
  std::string name;           ///< of its folder
  std::vector<Trace> traces;  ///< what is reported together
  bool gpu_trace = false;     ///< the list of operations has a golden file too
};

std::vector<Scene> scenes();

}  // namespace ompdm::test
