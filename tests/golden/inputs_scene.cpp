#include "inputs_scene.h"

#include <string>

#include "support/trace_builder.h"

namespace ompdm::test {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// A run on one input, which the number tells.
struct WaveRun : TraceBuilder {
  explicit WaveRun(int number) {
    trace.process.pid = 5000 + static_cast<std::uint32_t>(number);
    trace.process.program = trace.modules[0].path = "/home/ada/wave/wave";
    trace.process.arguments = {"./wave", "case" + std::to_string(number) + ".in"};
    trace.process.start_realtime_ns = 1'760'000'000 * kSecond + 100 * number * kSecond;
    trace.map_lists = {{item(u, 0x23)}, {item(table, 0x21)}, {item(u, 0x21)}};
  }

  /// `target map(tofrom: u[0:n])`.
  void step(std::uint64_t in) {
    begin(advance);
    trace.regions.edit_back()->map_list = 0;
    op(OpKind::kAlloc, u, 800000, 500);
    content(OpKind::kHtoD, u, in);
    launch(300 * kMicrosecond);
    content(OpKind::kDtoH, u, in + 1);
    op(OpKind::kDelete, u, 0, 200);
    end();
    wait(5 * kMicrosecond);
  }
  /// `target map(to: table[0:m])`.
  void look_up(std::uint64_t in) {
    begin(source);
    trace.regions.edit_back()->map_list = 1;
    op(OpKind::kAlloc, table, 400000, 500);
    content(OpKind::kHtoD, table, in);
    launch(100 * kMicrosecond);
    op(OpKind::kDelete, table, 0, 200);
    end();
    wait(5 * kMicrosecond);
  }
  /// `target map(to: u[0:n])`, before the loop.
  void check() {
    begin(norm);
    trace.regions.edit_back()->map_list = 2;
    op(OpKind::kAlloc, u, 800000, 500);
    content(OpKind::kHtoD, u, 9);
    launch(50 * kMicrosecond);
    op(OpKind::kDelete, u, 0, 200);
    end();
  }

  Index<Variable> u = variable("u", 800000, "wave.cpp", 30);
  Index<Variable> table = variable("table", 400000, "wave.cpp", 31);
  Index<Site> norm = site(Directive::kTarget, "wave.cpp", 40, "norm");
  Index<Site> advance = site(Directive::kTarget, "wave.cpp", 52, "solve");
  Index<Site> source = site(Directive::kTarget, "wave.cpp", 58, "solve");

 private:
  MapItem item(Index<Variable> what, std::uint64_t type) {
    Variable& row = trace.variables[what.value];
    row.expression = row.name + "[0:n]";
    return {what, row.expression, row.address, row.address, row.bytes, type};
  }
  void content(OpKind kind, Index<Variable> what, std::uint64_t number) {
    const std::uint64_t bytes = trace.variables[what.value].bytes;
    auto moved = op(kind, what, bytes, static_cast<Nanoseconds>(bytes / 8));
    moved->fingerprint = number;
    moved->hash = number * 0x9e3779b97f4a7c15;
  }
};

Trace wave(int number, int passes, bool table_changes) {
  WaveRun run(number);
  run.trace.recording.hashing = "full";
  run.check();
  for (int pass = 0; pass < passes; ++pass) {
    run.step(100 + pass);
    run.look_up(table_changes ? 500 + pass : 500);
  }
  return run.take();
}

}  // namespace

std::vector<Trace> inputs_scene() {
  return {wave(1, 12, false), wave(2, 12, true), wave(3, 0, false)};
}

}  // namespace ompdm::test
