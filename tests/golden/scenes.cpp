#include "scenes.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "support/trace_builder.h"

namespace ompdm::test {
namespace {

/// heat, version naive: each of three steps copies both arrays to the device and back.
Trace heat_naive(std::int32_t rank = -1) {
  TraceBuilder build;
  build.trace.process.arguments = {"./heat", "1000", "3", "--variant", "naive"};
  if (rank >= 0) {
    build.trace.process.rank = rank;
    build.trace.process.rank_count = 2;
    build.trace.process.pid += static_cast<std::uint32_t>(rank);
  }
  const auto solve = build.site(Directive::kTarget, "heat.cpp", 41, "solve");
  const auto u = build.variable("u", 8000000, "heat.cpp", 32);
  const auto u_tmp = build.variable("u_tmp", 8000000, "heat.cpp", 32);
  build.trace.variables[0].expression = "u[0:n*n]";
  build.trace.variables[1].expression = "u_tmp[0:n*n]";
  build.wait(10 * kMillisecond);
  for (int step = 0; step < 3; ++step) {
    const Nanoseconds slower = step == 0 ? 500 * kMicrosecond : 0;
    build.begin(solve);
    for (const auto array : {u, u_tmp}) {
      build.op(OpKind::kAlloc, array, 8000000, 2 * kMicrosecond);
      build.op(OpKind::kHtoD, array, 8000000, kMillisecond + slower);
    }
    auto launch = build.launch(800 * kMicrosecond);
    launch->trip_count = 1000000;
    for (const auto array : {u_tmp, u}) build.op(OpKind::kDtoH, array, 8000000, 900 * kMicrosecond);
    for (const auto array : {u_tmp, u}) build.op(OpKind::kDelete, array, 0, 500);
    build.end();
    build.wait(50 * kMicrosecond);
  }
  build.wait(5 * kMillisecond);
  return build.take();
}

/// heat, version data: enter and exit once, pointers swapped by the host between the steps.
Trace heat_data() {
  TraceBuilder build;
  const auto enter = build.site(Directive::kTargetEnterData, "heat.cpp", 60, "main");
  const auto solve = build.site(Directive::kTarget, "heat.cpp", 41, "solve");
  const auto exit = build.site(Directive::kTargetExitData, "heat.cpp", 71, "main");
  const auto u = build.variable("u", 8000000, "heat.cpp", 55);
  const auto u_tmp = build.variable("u_tmp", 8000000, "heat.cpp", 56);
  build.trace.variables[0].aliases = {"u_tmp"};
  build.begin(enter);
  for (const auto array : {u, u_tmp}) {
    build.op(OpKind::kAlloc, array, 8000000, 2 * kMicrosecond);
    build.op(OpKind::kHtoD, array, 8000000, kMillisecond);
  }
  build.end();
  for (int step = 0; step < 10; ++step) {
    build.begin(solve);
    auto launch = build.launch(800 * kMicrosecond);
    launch->requested_teams = 128;
    launch->thread_limit = 64;
    build.end();
    build.wait(10 * kMicrosecond);
  }
  build.begin(exit);
  build.op(OpKind::kDtoH, u, 8000000, 900 * kMicrosecond);
  for (const auto array : {u_tmp, u}) build.op(OpKind::kDelete, array, 0, 500);
  build.end();
  return build.take();
}

/// The host changes a table in each step, and the kernel's map(to:) finds the old one there. Its
/// results are never copied back. `rank`: the ranks of a job exchange edges by way of the host,
/// too.
Trace old_data(std::int32_t rank = -1) {
  constexpr std::uint64_t kMapTo = 0x1;  // as libomptarget has it
  constexpr std::uint64_t kMapFrom = 0x2;
  TraceBuilder build;
  const auto enter = build.site(Directive::kTargetEnterData, "halo.cpp", 20, "main");
  const auto solve = build.site(Directive::kTarget, "halo.cpp", 31, "main");
  const auto from = build.site(Directive::kTargetUpdate, "halo.cpp", 35, "main");
  const auto to = build.site(Directive::kTargetUpdate, "halo.cpp", 37, "main");
  const auto exit = build.site(Directive::kTargetExitData, "halo.cpp", 40, "main");
  const auto table = build.variable("table", 4096, "halo.cpp", 12);
  const auto u = build.variable("u", 80000, "halo.cpp", 13);
  const std::uint64_t table_at = build.trace.variables[0].address;
  const std::uint64_t u_at = build.trace.variables[1].address;
  const auto item = [](Index<Variable> what, const char* name, std::uint64_t base,
                       std::uint64_t offset, std::uint64_t bytes, std::uint64_t type) {
    return MapItem{what, name, base, base + offset, bytes, type};
  };
  const MapItem tables = item(table, "table[0:512]", table_at, 0, 4096, kMapTo);
  const MapItem all = item(u, "u[0:10000]", u_at, 0, 80000, kMapTo);
  build.trace.map_lists = {{tables, all},
                           {item(u, "u[9900:100]", u_at, 79200, 800, kMapFrom)},
                           {item(u, "u[0:100]", u_at, 0, 800, kMapTo)}};
  build.trace.source_facts = {{"halo.cpp", 31, "table", SourceUse::kRead, {"halo.cpp", 33}},
                              {"halo.cpp", 31, "u", SourceUse::kWritten, {"halo.cpp", 33}}};
  const std::int32_t ranks = 3;
  if (rank >= 0) {
    build.trace.process.rank = rank;
    build.trace.process.rank_count = ranks;
    build.trace.process.pid += static_cast<std::uint32_t>(rank);
  }
  const auto begin = [&](Index<Site> at, std::uint32_t list) {
    build.begin(at);
    build.trace.regions.edit_back()->map_list = list;
  };
  const auto move = [&](OpKind kind, Index<Variable> what, std::uint64_t bytes,
                        std::uint64_t content) {
    build.op(kind, what, bytes, 2 * kMicrosecond)->hash = content;
    build.trace.ops.edit_back()->fingerprint = content;
  };
  const auto own = static_cast<std::uint64_t>(std::max(rank, 0));
  begin(enter, 0);
  for (const auto& [what, bytes] : {std::pair(table, 4096U), {u, 80000U}}) {
    build.op(OpKind::kAlloc, what, bytes, kMicrosecond);
    move(OpKind::kHtoD, what, bytes, 7000 + bytes + own);
  }
  build.end();
  for (std::uint64_t step = 0; step < 4; ++step) {
    begin(solve, 0);
    const auto region = static_cast<std::uint32_t>(build.trace.regions.size() - 1);
    build.launch(50 * kMicrosecond);
    build.end();
    build.trace.unsent_items.push_back({{region}, table_at, 4096, 100 + step});
    if (rank < 0) continue;
    // What a rank sends back, the next one gets.
    const std::uint64_t left = own == 0 ? ranks - 1 : own - 1;
    begin(from, 1);
    move(OpKind::kDtoH, u, 800, 1000 + 10 * step + own);
    build.trace.ops.edit_back()->dst = u_at + 79200;
    build.end();
    build.wait(5 * kMicrosecond);
    begin(to, 2);
    move(OpKind::kHtoD, u, 800, 1000 + 10 * step + left);
    build.end();
  }
  begin(exit, 0);
  for (const auto what : {table, u}) build.op(OpKind::kDelete, what, 0, 500);
  build.end();
  return build.take();
}

/// Every directive once, an API call, and the runtime's own traffic.
Trace all_directives() {
  TraceBuilder build;
  const auto data = build.site(Directive::kTargetData, "src/all.cpp", 10, "main");
  const auto data_end = build.site(Directive::kTargetData, "src/all.cpp", 10, "main");
  const auto target = build.site(Directive::kTarget, "lib/all.cpp", 10, "helper(double*, int)");
  const auto update = build.site(Directive::kTargetUpdate, "src/all.cpp", 14, "main");
  const auto copy = build.api("omp_target_memcpy", "src/all.cpp", 20, "main");
  const auto nameless = build.site(Directive::kTarget, "", 0, "plugin_step");
  const auto a = build.variable("a", 4096, "src/all.cpp", 8);
  const auto s = build.variable("s", 24, "src/all.cpp", 9);
  build.begin(data);
  build.op(OpKind::kAlloc, a, 4096, 900);
  build.op(OpKind::kHtoD, a, 4096, 1200);
  build.op(OpKind::kAlloc, s, 24, 900);
  build.op(OpKind::kHtoD, s, 24, 300);
  build.op(OpKind::kHtoD, s, 8, 200)->internal = true;
  build.end();
  build.begin(target);
  build.launch(5000);
  build.end();
  build.begin(update);
  build.op(OpKind::kDtoH, a, 4096, 1100);
  build.end();
  build.begin(data_end, true);
  build.op(OpKind::kDelete, a, 0, 400);
  build.op(OpKind::kDelete, s, 0, 400);
  build.end();
  build.op(OpKind::kHtoD, {}, 512, 250)->site = copy;
  build.op(OpKind::kDtoD, {}, 512, 350)->site = copy;
  build.begin(nameless);
  build.op(OpKind::kMemset, {}, 256, 150);
  build.end();
  build.op(OpKind::kDelete, {}, 0, 400);
  return build.take();
}

/// A GPU without CUPTI: the host saw only the submissions.
Trace enqueue_only() {
  TraceBuilder build;
  build.trace.devices = {{0, "sm_90", "NVIDIA H200", false, false}, {1, "host", "", true, false}};
  build.clock = Clock::kEnqueue;
  const auto target = build.site(Directive::kTarget, "vadd.cpp", 12, "main");
  const auto a = build.variable("a", 4000000, "vadd.cpp", 5);
  build.begin(target);
  build.op(OpKind::kAlloc, a, 4000000, 9000)->clock = Clock::kHost;
  build.op(OpKind::kHtoD, a, 4000000, 3000);
  build.launch(4000);
  build.op(OpKind::kDtoH, a, 4000000, 2000);
  build.wait(700 * kMicrosecond);
  build.op(OpKind::kDelete, a, 0, 800)->clock = Clock::kHost;
  build.end();
  return build.take();
}

Trace killed() {
  TraceBuilder build;
  const auto solve = build.site(Directive::kTarget, "heat.cpp", 41, "solve");
  const auto u = build.variable("u", 8000000, "heat.cpp", 32);
  build.wait(3 * kMillisecond);
  build.begin(solve);
  build.op(OpKind::kAlloc, u, 8000000, 2 * kMicrosecond);
  build.op(OpKind::kHtoD, u, 8000000, kMillisecond);
  build.launch(1200 * kMillisecond)->unfinished = true;
  build.trace.regions.edit_back()->unfinished = true;
  build.end();
  build.trace.recording.finished = false;
  build.trace.truncated = true;
  build.trace.losses[0].count = 3;
  return build.take();
}

Trace nothing(Recording::Reach reach) {
  TraceBuilder build;
  build.trace.recording.reach = reach;
  build.trace.devices.clear();
  build.wait(30 * kMillisecond);
  return build.take();
}

/// An old runtime: the wrappers tell directives and mapped sizes, no callback tells transfers.
Trace no_emi() {
  TraceBuilder build;
  build.trace.recording.reach = Recording::Reach::kNoEmi;
  build.trace.devices.clear();
  const auto solve = build.site(Directive::kTarget, "heat.cpp", 41, "solve");
  const auto u = build.variable("u", 8000000, "heat.cpp", 32);
  build.trace.map_lists = {{{u, "u[0:n*n]", 0, 0, 8000000, 0x23}, {{}, "n", 8, 8, 8, 0x320}}};
  for (int step = 0; step < 4; ++step) {
    build.begin(solve);
    build.trace.regions.edit_back()->map_list = 0;
    build.wait(2 * kMillisecond);
    build.end();
  }
  return build.take();
}

/// The program was told to offload and the runtime ran the kernel on the host.
Trace host_fallback() {
  TraceBuilder build;
  const auto solve = build.site(Directive::kTarget, "heat.cpp", 41, "solve");
  for (int step = 0; step < 2; ++step) {
    build.begin(solve);
    build.trace.regions.edit_back()->host_fallback = true;
    build.end();
    build.wait(4 * kMillisecond);
  }
  return build.take();
}

/// A GPU under CUPTI: a copy, a kernel and a copy are asked for at once, and waited for together.
Trace gpu_waits() {
  TraceBuilder build;
  build.clock = Clock::kEnqueue;
  build.trace.devices[0] = {0, "sm_90", "NVIDIA H200", false, false};
  build.trace.recording.cupti = "on";
  const auto solve = build.site(Directive::kTarget, "heat.cpp", 41, "solve");
  const auto u = build.variable("u", 8000000, "heat.cpp", 32);
  build.wait(kMillisecond);
  std::vector<DeviceActivity> activities;
  std::vector<Synchronization> waits;
  const auto did = [&](ActivityKind kind, Nanoseconds begin, Nanoseconds end) -> DeviceActivity& {
    DeviceActivity& row = activities.emplace_back();
    row.kind = kind;
    row.device = 0;
    row.context = 1;
    row.stream = 13;
    row.begin = begin;
    row.end = end;
    row.bytes = kind == ActivityKind::kKernel ? 0 : 8000000;
    row.region = {static_cast<std::uint32_t>(waits.size())};
    return row;
  };
  for (std::uint32_t step = 0; step < 3; ++step) {
    const Nanoseconds begin = build.now;
    build.begin(solve);
    build.op(OpKind::kHtoD, u, 8000000, 4 * kMicrosecond);
    build.launch(6 * kMicrosecond);
    build.op(OpKind::kDtoH, u, 8000000, 4 * kMicrosecond);
    const Nanoseconds start = begin + (10 + step) * kMicrosecond;
    did(ActivityKind::kHtoD, start, start + 300 * kMicrosecond).op = {2 * step};
    DeviceActivity& kernel =
        did(ActivityKind::kKernel, start + 305 * kMicrosecond, start + 405 * kMicrosecond);
    kernel.launch = {step};
    kernel.grid = {128, 1, 1};
    kernel.block = {64, 1, 1};
    did(ActivityKind::kDtoH, start + 410 * kMicrosecond, start + 660 * kMicrosecond).op = {
        2 * step + 1};
    Synchronization& wait = waits.emplace_back();
    wait.kind = SynchronizationKind::kStream;
    wait.region = {step};
    wait.device = 0;
    wait.context = 1;
    wait.stream = 13;
    wait.begin = begin + 15 * kMicrosecond;
    wait.end = start + 668 * kMicrosecond;
    build.wait(wait.end - build.now + kMicrosecond);
    build.end();
    build.wait(20 * kMicrosecond);
  }
  build.trace.activities = std::move(activities);
  build.trace.synchronizations = std::move(waits);
  return build.take();
}

/// One directive with several call paths: a solver that main calls in two places, and a probe in a
/// library's thread. A call path that is not known is reported, too.
Trace call_paths() {
  TraceBuilder build;
  const auto step = build.site(Directive::kTarget, "heat.cpp", 41, "step");
  const auto exit = build.site(Directive::kTargetExitData, "heat.cpp", 80, "main");
  const auto u = build.variable("u", 8000000, "heat.cpp", 32);
  build.trace.modules.push_back({"/usr/lib/libpool.so.1", "", 0x7f8000000000});
  const auto from = [&](Index<CallPath> caller) {
    return build.call(caller, "step", "heat.cpp", 41);
  };
  const auto solve = [&](int line) {
    return from(build.call(build.call({}, "main", "heat.cpp", line), "solve", "heat.cpp", 52));
  };
  const auto pool = build.call(build.call({}, "", "", 0), "", "", 0);
  for (std::size_t i = 0; i < 2; ++i) build.trace.call_places[i].module = {1};
  const Index<CallPath> paths[] = {
      solve(70), solve(71), from(build.call(pool, "probe", "heat.cpp", 60)), {}};
  for (std::size_t i = 0; i < std::size(paths); ++i) {
    for (std::size_t iteration = 0; iteration < 2 + i; ++iteration) {
      build.begin(step);
      build.trace.regions.edit_back()->path = paths[i];
      build.op(OpKind::kHtoD, u, 1000 * (4 - i), 4 * kMicrosecond);
      build.launch(6 * kMicrosecond);
      build.end();
      build.wait(20 * kMicrosecond);
    }
  }
  build.begin(exit);
  build.trace.regions.edit_back()->path = build.call({}, "main", "heat.cpp", 80);
  build.op(OpKind::kDtoH, u, 8000000, kMillisecond);
  build.end();
  return build.take();
}

/// jacobi, version naive, with contents. The matrix is sent in each of 20 iterations and never
/// changes. The solution is sent as it was copied back. Then data that a `target update` sends
/// again and a clause copies back needlessly.
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
  for (std::uint64_t iteration = 0; iteration < 20; ++iteration) {
    build.begin(sweep);
    build.trace.regions.edit_back()->map_list = 0;
    for (const auto one : {a, x}) {
      build.op(OpKind::kAlloc, one, build.trace.variables[one.value].bytes, 500);
      transfer(OpKind::kHtoD, one, one == a ? 1 : 100 + iteration);
    }
    build.launch(400 * kMicrosecond);
    transfer(OpKind::kDtoH, x, 101 + iteration);
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

Trace wave(int number, int iterations, bool table_changes) {
  WaveRun run(number);
  run.trace.recording.hashing = "full";
  run.check();
  for (int iteration = 0; iteration < iterations; ++iteration) {
    run.step(100 + iteration);
    run.look_up(table_changes ? 500 + iteration : 500);
  }
  return run.take();
}

/// A wave code on three inputs. On the first, 12 iterations of a time loop map two arrays again,
/// and nothing changes either in between. A table is sent in each iteration, too. On the second,
/// the host changes the table in each iteration. On the third, the loop has no iteration.
std::vector<Trace> inputs_scene() {
  return {wave(1, 12, false), wave(2, 12, true), wave(3, 0, false)};
}

}  // namespace

std::vector<Scene> scenes() {
  return {{"heat_naive", {heat_naive()}},
          {"heat_data", {heat_data()}},
          {"all_directives", {all_directives()}},
          {"enqueue_only", {enqueue_only()}},
          {"gpu_waits", {gpu_waits()}},
          {"killed", {killed()}},
          {"unreachable", {nothing(Recording::Reach::kUnreachable)}},
          {"no_device", {nothing(Recording::Reach::kOk)}},
          {"no_emi", {no_emi()}},
          {"host_fallback", {host_fallback()}},
          {"contents", {contents_scene()}},
          {"call_paths", {call_paths()}},
          {"two_ranks", {heat_naive(0), heat_naive(1)}},
          {"old_data", {old_data()}},
          {"staging_ranks", {old_data(0), old_data(1), old_data(2)}},
          {"several_inputs", inputs_scene(), true}};
}

std::vector<SceneComparison> comparisons() {
  return {{"heat_compared", "heat_naive", "heat_data"}};
}

}  // namespace ompdm::test
