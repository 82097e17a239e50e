// The order of calls within functions, and what it shows of loops and of the calls of a function.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ompdm/trace.h"

namespace ompdm::calls {

/// How one step follows another: the level at which their call paths part, and what happened there.
struct Transition {
  std::uint32_t level = 0;  ///< position in the call path, 0 the outermost call
  Index<CodeLoop> loop;  ///< the innermost around both calls at that level, none if there is none
  bool new_iteration = false;  ///< of `loop`; else the same one went on
};

/// The relations of a trace's calls. Built once a trace.
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
  /// How a step by one path was followed by a step by the other; none if no code that was read
  /// leads there.
  [[nodiscard]] std::optional<Transition> between(Index<CallPath> before,
                                                  Index<CallPath> after) const;

 private:
  [[nodiscard]] Index<CodeLoop> common_loop(const CallPlace& a, const CallPlace& b) const;

  const Trace& trace_;
  std::vector<bool> calls_once_;  // by module: whoever starts threads and teams
  mutable std::map<std::uint32_t, std::vector<Index<CallPath>>> chains_;  // of those asked for
};

/// One call of a function, from its begin to its return; 0: none that is known. Where a function's
/// code leads from one step to the next, both are taken to be of one call of it.
using Activation = std::uint32_t;

/// Whose frame an address lies in.
struct Holder {
  Activation activation = 0;
  Index<CallPath> path;  ///< of the call that it was in; none: of no frame that is known
};

class Activations {
 public:
  Activations(const Trace& trace, const CallOrder& order);

  /// The function of a call path whose frame held an address when a region began. Also for an
  /// operation that no region made. Regions and operations are positions in Trace::regions and
  /// Trace::ops.
  [[nodiscard]] Holder of_region(std::uint32_t region, std::uint64_t address) const;
  [[nodiscard]] Holder of_op(std::uint32_t op, std::uint64_t address) const;

 private:
  struct Thread {
    Index<CallPath> path;            ///< of its last step
    std::uint32_t call = 0;          ///< DataOp::call of its last step
    std::vector<Activation> active;  ///< outermost first
  };

  Activation step(Thread& thread, Index<CallPath> path);
  [[nodiscard]] std::size_t kept(Index<CallPath> before, Index<CallPath> after);
  [[nodiscard]] Holder holder(Activation innermost, Index<CallPath> path,
                              std::uint64_t address) const;

  const Trace& trace_;
  const CallOrder& order_;
  std::vector<Activation> caller_;  // of each activation
  std::vector<Activation> of_region_;
  std::vector<Activation> of_op_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> kept_;  // by both paths
};

/// The place of a loop around the call at `level` of a path, `chain` (outermost first). If the loop
/// is in a library's header (std::for_each), it is the place of the call that led there. This call
/// has to be in the program's own code, else the loop's own place is taken.
Frame place_of_loop(const Trace& trace, const CallOrder& order, Index<CodeLoop> loop,
                    const std::vector<Index<CallPath>>& chain, std::uint32_t level);

class SourceCalls {
 public:
  explicit SourceCalls(const Trace& trace) : trace_(trace) {}

  /// Whether the function of one path's directive is that of the other's, or on the call path to
  /// it. Then data may have been handed from the one to the other. True if the paths are not known.
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
