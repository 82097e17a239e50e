// Who pushed which external id, by which CUPTI ties what it tells to what asked for it.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "trace/draft.h"

namespace ompdm::trace {

/// Positions of operations, launches and regions by the external id that they pushed.
struct ExternalOwners {
  std::unordered_multimap<std::uint64_t, std::uint32_t> ops;
  std::unordered_map<std::uint64_t, std::uint32_t> launches;
  std::unordered_map<std::uint64_t, std::uint32_t> regions;

  explicit ExternalOwners(const Draft& draft) {
    for (std::uint32_t i = 0; i < draft.op_notes.size(); ++i) {
      ops.emplace(draft.op_notes[i].external, i);
      if (draft.op_notes[i].second_external != 0) {
        ops.emplace(draft.op_notes[i].second_external, i);
      }
    }
    for (std::uint32_t i = 0; i < draft.launch_externals.size(); ++i) {
      launches.emplace(draft.launch_externals[i], i);
    }
    for (std::uint32_t i = 0; i < draft.region_notes.size(); ++i) {
      regions.emplace(draft.region_notes[i].external, i);
    }
  }
};

}  // namespace ompdm::trace
