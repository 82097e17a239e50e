// Updates and ends of data that was not there: they did nothing so far, and would if advice kept
// the data. Inside the analysis library only.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/findings/overlaps.h"
#include "analysis/findings/presence.h"
#include "ompdm/edits.h"

namespace ompdm::analysis {

class IdleDirectives {
 public:
  IdleDirectives(const Trace& trace, const Presence& presence);

  /// What to do about each that names some of this storage: to remove it, or not to reach it. What
  /// it would bring back now is what the host may have wanted.
  [[nodiscard]] std::vector<Edit> edits_on(const Stay& stay) const;

 private:
  struct Item {
    std::int32_t device = -1;
    std::uint64_t host = 0;
    std::uint64_t bytes = 0;
    Index<Site> site;
    bool only_returns = true;  ///< an update from
    std::uint64_t instances = 0;
    std::uint64_t idle = 0;
  };
  const Trace& trace_;
  std::vector<Item> items_;  // none if none was ever idle
  Overlaps overlaps_;        // beside items_
};

}  // namespace ompdm::analysis
