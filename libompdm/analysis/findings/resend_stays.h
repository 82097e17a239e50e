// How long data would have to stay on a device that went over again, as directives can say it:
// from before one is reached for the first time until after one is for the last. Inside the
// analysis library only.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/findings/resend_group.h"

namespace ompdm::analysis {

/// When directives are reached first and last, and which data bears a name there.
class DirectiveSpans {
 public:
  explicit DirectiveSpans(const Evidence& evidence);

  /// A span that begins with an instance of one site, and ends with one of another, from before the
  /// first of the one until after the last of the other; what is nowait ends nobody knows when.
  void widen(Index<Site> first, Index<Site> last, Nanoseconds& from, Nanoseconds& to) const;

  /// The pieces (Mapping::piece) that a mapping's site calls by its name.
  [[nodiscard]] const std::set<std::uint32_t>& named_like(const Trace& trace,
                                                          const Mapping& mapping) const;

 private:
  std::vector<std::pair<Nanoseconds, Nanoseconds>> spans_;  // by site
  std::set<std::uint32_t> deferred_;                        // sites
  std::map<std::pair<std::uint32_t, std::string_view>, std::set<std::uint32_t>> named_;
  Nanoseconds end_ = 0;  // the program's
};

/// Takes in the storage that is to be kept; false if it cannot be.
bool keep(const Evidence& evidence, const DirectiveSpans& directives, ResendGroup& group);

}  // namespace ompdm::analysis
