// The kernels that devices ran, by the names that CUPTI tells.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "trace/draft.h"

namespace ompdm::trace {

/// Kernels by their names; those that no launch told of get a row.
class Kernels {
 public:
  explicit Kernels(Draft& draft);

  /// The row of one that ran: that of its `launch`, which gets its name if it has none, or the one
  /// of its name (in Draft::activity_names; kNoList: unknown).
  Index<Kernel> find(Index<Kernel> launched, std::uint32_t name);

 private:
  Draft& draft_;
  std::map<std::string, std::uint32_t> rows_;
};

}  // namespace ompdm::trace
