// Calls of functions, told apart from one recorded step of a thread to the next, and whose frame an
// address on the stack lies in. A pure function of the trace.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "calls/call_order.h"

namespace ompdm::calls {

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

  /// Whose frame held an address when a region began, or an operation that no region made (by
  /// position in Trace::regions or Trace::ops): that of a function on the way there.
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

}  // namespace ompdm::calls
