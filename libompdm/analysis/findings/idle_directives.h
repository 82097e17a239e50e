// Items of updates and of ends of data that were not there: nothing was done about them so far, and
// would be if advice kept the data. Inside the analysis library only.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/findings/overlaps.h"
#include "analysis/findings/presence.h"
#include "ompdm/edits.h"

namespace ompdm::analysis {

/// What to do about directives that found nothing there, once something is.
struct IdleEdits {
  std::vector<Edit> edits;
  /// Directives that found it there in other instances, and would send or end it now in all of
  /// them: no edit of them can be written.
  std::vector<SourcePlace> at_times;
};

class IdleDirectives {
 public:
  IdleDirectives(const Trace& trace, const Presence& presence);

  /// What to do about each directive that names some of this storage, which is `data` in
  /// Finding::data: to remove it; where it did something about its other items, to leave this one
  /// out. An update that brings it back at times may do so each time.
  [[nodiscard]] IdleEdits edits_on(const Stay& stay, std::uint32_t data) const;

 private:
  struct Item {
    std::int32_t device = -1;
    std::uint64_t host = 0;
    std::uint64_t bytes = 0;
    Index<Site> site;
    bool only_returns = true;    ///< an update from
    bool beside_others = false;  ///< when it was idle another of its directive was not
    std::uint64_t instances = 0;
    std::vector<Nanoseconds> idle;  ///< when instances found it not there; in order
  };
  const Trace& trace_;
  std::vector<Item> items_;  // none if none was ever idle
  Overlaps overlaps_;        // beside items_
};

}  // namespace ompdm::analysis
