// The recordings behind tests/golden: each the smallest that shows one thing.
#pragma once

#include <string>
#include <vector>

#include "ompdm/trace.h"

namespace ompdm::test {

struct Scene {
  std::string name;           ///< of its folder
  std::vector<Trace> traces;  ///< what is reported together
  bool inputs = false;        ///< the traces are runs on several inputs
};

std::vector<Scene> scenes();

/// Two of the scenes above, each of one trace, side by side.
struct SceneComparison {
  std::string name;  ///< of its folder, which holds what is said and no trace
  std::string before;
  std::string after;
};

std::vector<SceneComparison> comparisons();

}  // namespace ompdm::test
