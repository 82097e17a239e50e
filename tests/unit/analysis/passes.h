// Iterations of a loop that maps its data again each time. For tests only.
#pragma once

#include <cstdint>
#include <vector>

#include "support/trace_builder.h"

namespace ompdm::test {

/// What one array of these loops takes.
inline constexpr std::uint64_t kBytes = 8'000'000;

/// An iteration of `target map(tofrom)`: in, kernel, out.
inline void map_tofrom(TraceBuilder& build, Index<Site> site,
                       const std::vector<Index<Variable>>& what, std::uint64_t bytes = kBytes) {
  build.begin(site);
  for (const auto one : what) {
    build.op(OpKind::kAlloc, one, bytes, 10);
    build.op(OpKind::kHtoD, one, bytes, 1000);
  }
  build.launch(500);
  for (const auto one : what) {
    build.op(OpKind::kDtoH, one, bytes, 700);
    build.op(OpKind::kDelete, one, 0, 5);
  }
  build.end();
}

}  // namespace ompdm::test
