#include "contents_scene.h"

#include "support/trace_builder.h"

namespace ompdm::test {
Trace contents_scene() {
  TraceBuilder build;
  build.trace.process.program = "./jacobi";
  build.trace.process.arguments = {"./jacobi", "1000", "--variant", "naive"};
  const auto sweep = build.site(Directive::kTarget, "jacobi.cpp", 75, "solve");
  const auto enter = build.site(Directive::kTargetEnterData, "jacobi.cpp", 90, "check");
  const auto update = build.site(Directive::kTargetUpdate, "jacobi.cpp", 92, "check");
  const auto norm = build.site(Directive::kTarget, "jacobi.cpp", 94, "check");
  const auto exit = build.site(Directive::kTargetExitData, "jacobi.cpp", 99, "check");
  const auto a = build.variable("a", 8000000, "jacobi.cpp", 69);
  const auto x = build.variable("x", 8000, "jacobi.cpp", 69);
  const auto r = build.variable("r", 8000, "jacobi.cpp", 88);
  const auto name = [&](Index<Variable> variable, const char* expression, std::uint64_t type) {
    Variable& row = build.trace.variables[variable.value];
    row.expression = expression;
    return MapItem{variable, expression, row.address, row.address, row.bytes, type};
  };
  build.trace.map_lists = {{name(a, "a[0:n*n]", 0x21), name(x, "x[0:n]", 0x23)},
                           {name(r, "r[0:n]", 0x1)},
                           {name(r, "r[0:n]", 0x21), name(x, "x[0:n]", 0x23)}};
  const auto transfer = [&](OpKind kind, Index<Variable> variable, std::uint64_t content) {
    const std::uint64_t bytes = build.trace.variables[variable.value].bytes;
    const auto duration = static_cast<Nanoseconds>(bytes / 8 + 500);
    auto op = build.op(kind, variable, bytes, duration);
    op->fingerprint = content;
    op->hash = content * 0x9e3779b97f4a7c15;
  };
  const auto map_x = [&](std::uint64_t content) {
    build.begin(norm);
    build.trace.regions.edit_back()->map_list = 2;
    build.op(OpKind::kAlloc, x, 8000, 500);
    transfer(OpKind::kHtoD, x, content);
    build.launch(20 * kMicrosecond);
    transfer(OpKind::kDtoH, x, content);
    build.op(OpKind::kDelete, x, 0, 200);
    build.end();
  };
  for (std::uint64_t pass = 0; pass < 20; ++pass) {
    build.begin(sweep);
    build.trace.regions.edit_back()->map_list = 0;
    for (const auto one : {a, x}) {
      build.op(OpKind::kAlloc, one, build.trace.variables[one.value].bytes, 500);
      transfer(OpKind::kHtoD, one, one == a ? 1 : 100 + pass);
    }
    build.launch(400 * kMicrosecond);
    transfer(OpKind::kDtoH, x, 101 + pass);
    for (const auto one : {x, a}) build.op(OpKind::kDelete, one, 0, 200);
    build.end();
    build.wait(2 * kMicrosecond);
  }
  build.wait(kMillisecond);
  build.begin(enter);
  build.trace.regions.edit_back()->map_list = 1;
  build.op(OpKind::kAlloc, r, 8000, 500);
  transfer(OpKind::kHtoD, r, 7);
  build.end();
  build.begin(update);
  build.wait(300);
  build.end();
  map_x(500);
  build.begin(update);
  transfer(OpKind::kHtoD, r, 7);
  build.end();
  map_x(501);
  build.begin(exit);
  build.op(OpKind::kDelete, r, 0, 200);
  build.end();
  return build.take();
}

}  // namespace ompdm::test
