// What the calls of a trace say of the order in which the program passes through them. A pure
// function of the trace; for the reader and the analysis alike.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ompdm/trace.h"

namespace ompdm::calls {

/// Of two steps that follow one another: how far out their call paths part, and what happened
/// there.
struct Transition {
  std::uint32_t level = 0;  ///< position in the call path, 0 the outermost call
  Index<CodeLoop> loop;   ///< the innermost around both calls at that level, none if there is none
  bool new_pass = false;  ///< of `loop`; else the same one went on
};

/// What the calls of a trace say of each other. Built once a trace.
class CallOrder {
 public:
  explicit CallOrder(const Trace& trace);

  /// The nodes of a path, outermost first; none if it is longer than any that is recorded.
  [[nodiscard]] const std::vector<Index<CallPath>>& chain(Index<CallPath> path) const;
  [[nodiscard]] const CallPlace& place(Index<CallPath> node) const {
    return trace_.call_places[trace_.call_paths[node.value].place.value];
  }
  /// The loops around a node's call in its own function, outermost first.
  [[nodiscard]] std::vector<Index<CodeLoop>> loops_of(Index<CallPath> node) const;
  /// How a step by one path was followed by a step by the other; none where no code that was read
  /// leads there.
  [[nodiscard]] std::optional<Transition> between(Index<CallPath> before,
                                                  Index<CallPath> after) const;

 private:
  [[nodiscard]] Index<CodeLoop> common_loop(const CallPlace& a, const CallPlace& b) const;

  const Trace& trace_;
  std::vector<bool> calls_once_;  // by module: whoever starts threads and teams
  mutable std::map<std::uint32_t, std::vector<Index<CallPath>>> chains_;  // of those asked for
};

}  // namespace ompdm::calls
