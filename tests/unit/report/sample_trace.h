// A directive that maps one array and launches a kernel, three times.
#pragma once

#include <cstdint>

#include "support/trace_builder.h"

namespace ompdm::report {

inline Trace sample(std::int32_t rank = -1) {
  test::TraceBuilder build;
  build.trace.process.rank = rank;
  const auto solve = build.site(Directive::kTarget, "heat.cpp", 41, "solve");
  const auto u = build.variable("u", 8000000, "heat.cpp", 32);
  for (int i = 0; i < 3; ++i) {
    build.begin(solve);
    build.op(OpKind::kAlloc, u, 8000000, 2000);
    build.op(OpKind::kHtoD, u, 8000000, 1234567);
    build.launch(800000);
    build.op(OpKind::kDtoH, u, 8000000, 900000);
    build.op(OpKind::kDelete, u, 0, 500);
    build.end();
  }
  return build.take();
}

}  // namespace ompdm::report
