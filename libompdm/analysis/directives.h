// The table of directives. Inside the analysis library only.
#pragma once

#include <cstdint>
#include <vector>

#include "ompdm/trace.h"

namespace ompdm::analysis {

/// Follows a trace's operations in their order.
class ApiCalls {
 public:
  /// Whether the operation before this one on its `thread` was of the same `call` (DataOp).
  bool goes_on(std::uint32_t thread, std::uint32_t call) {
    if (last_.size() <= thread) last_.resize(thread + 1);
    const bool same = call != 0 && call == last_[thread];
    last_[thread] = call;
    return same;
  }

 private:
  std::vector<std::uint32_t> last_;  // by thread
};

}  // namespace ompdm::analysis
