// Operations that belong together as one API call: a rectangle is copied row by row. Inside the
// analysis library only.
#pragma once

#include <cstdint>
#include <vector>

#include "ompdm/trace.h"

namespace ompdm::analysis {

/// Follows a trace's operations in their order.
class ApiCalls {
 public:
  /// Whether the operation before this one on its thread was of the same API call.
  bool goes_on(const DataOp& op) {
    if (last_.size() <= op.thread) last_.resize(op.thread + 1);
    const bool same = op.call != 0 && op.call == last_[op.thread];
    last_[op.thread] = op.call;
    return same;
  }

 private:
  std::vector<std::uint32_t> last_;  // by thread
};

}  // namespace ompdm::analysis
