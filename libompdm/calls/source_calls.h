// Call paths as the source has them: functions that were inlined count as called. A pure function
// of the trace.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "ompdm/trace.h"

namespace ompdm::calls {

class SourceCalls {
 public:
  explicit SourceCalls(const Trace& trace) : trace_(trace) {}

  /// Whether the function of one path's directive is that of the other's, or on the way there: what
  /// both speak of may have been handed from the one to the other. Of paths that are not known it
  /// may.
  [[nodiscard]] bool are_related(Index<CallPath> a, Index<CallPath> b);

  /// Whether both directives lie in one function that was inlined in two places.
  [[nodiscard]] bool in_other_inlined_call(Index<CallPath> a, Index<CallPath> b) const;

 private:
  using Functions = std::vector<std::uint32_t>;  // outermost first

  const Functions& functions_of(Index<CallPath> path);
  std::uint32_t number_of(const CallPlace& place, std::size_t frame);

  const Trace& trace_;
  std::unordered_map<std::uint32_t, Functions> functions_;
  // By file and name; by module and address where a function has no name.
  std::map<std::tuple<std::string, std::string, std::uint32_t, std::uint64_t>, std::uint32_t>
      numbers_;
};

}  // namespace ompdm::calls
