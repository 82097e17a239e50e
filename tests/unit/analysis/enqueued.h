// A region on a device that works later than it is asked to. For tests only.
#pragma once

#include "support/trace_builder.h"

namespace ompdm::test {

/// A copy asked for from 100 to 110, a kernel until 120 and a copy back until 130, in a region that
/// ends at 1100.
inline TraceBuilder enqueued() {
  TraceBuilder build;
  build.clock = Clock::kEnqueue;
  const auto site = build.site(Directive::kTarget, "a.cpp", 3, "main");
  const auto x = build.variable("x", 800);
  build.wait(100);
  build.begin(site);
  build.op(OpKind::kHtoD, x, 800, 10);
  build.launch(10);
  build.op(OpKind::kDtoH, x, 800, 10);
  build.wait(970);
  build.end();
  return build;
}

}  // namespace ompdm::test
