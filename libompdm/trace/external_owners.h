// Who pushed which external id, by which CUPTI ties what it tells to what asked for it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/draft.h"

namespace ompdm::trace {

/// Whether such an operation asks a device for such an activity.
inline bool does(OpKind op, ActivityKind kind) {
  switch (op) {
    case OpKind::kHtoD:
      return kind == ActivityKind::kHtoD;
    case OpKind::kDtoH:
      return kind == ActivityKind::kDtoH;
    case OpKind::kDtoD:  // bounced copies are done as one of each
      return kind != ActivityKind::kKernel && kind != ActivityKind::kMemset;
    case OpKind::kMemset:
      return kind == ActivityKind::kMemset;
    case OpKind::kAlloc:
    case OpKind::kDelete:
    case OpKind::kAssociate:
    case OpKind::kDisassociate:
      break;
  }
  return false;
}

/// Positions of operations, launches and regions by the external id that they pushed.
struct ExternalOwners {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> ops;  ///< in order
  std::unordered_map<std::uint64_t, std::uint32_t> launches;
  std::unordered_map<std::uint64_t, std::uint32_t> regions;

  explicit ExternalOwners(const Draft& draft) {
    for (std::uint32_t i = 0; i < draft.op_externals.size(); ++i) {
      const OpExternals& externals = draft.op_externals[i];
      ops.emplace_back(externals.id, i);
      if (externals.second != 0) ops.emplace_back(externals.second, i);
    }
    std::sort(ops.begin(), ops.end());
    for (std::uint32_t i = 0; i < draft.launch_externals.size(); ++i) {
      launches.emplace(draft.launch_externals[i], i);
    }
    for (std::uint32_t i = 0; i < draft.region_externals.size(); ++i) {
      regions.emplace(draft.region_externals[i], i);
    }
  }

  /// The first operation that pushed an id; as many may follow as did. ops.end() if none did.
  [[nodiscard]] auto first_op(std::uint64_t id) const {
    const auto at = std::lower_bound(ops.begin(), ops.end(), std::pair(id, std::uint32_t{0}));
    return at != ops.end() && at->first == id ? at : ops.end();
  }
};

}  // namespace ompdm::trace
