// Updates of data that was not there: they did nothing so far, and would if advice kept the data.
// Inside the analysis library only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/findings/presence.h"

namespace ompdm::analysis {

class IdleUpdates {
 public:
  explicit IdleUpdates(const Trace& trace);

  /// Where `target update` names some of this storage, and moved nothing.
  [[nodiscard]] std::vector<std::string> of(const Stay& stay) const;

 private:
  struct Update {
    std::int32_t device = -1;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::string place;
  };
  std::vector<Update> updates_;  // each directive and item once
};

}  // namespace ompdm::analysis
