// From a trace to figures and findings. A million events have to take less than 1.5 s of CPU. For
// traces that are long in one respect the time has to grow with it: each is measured at two sizes.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "ompdm/analysis.h"
#include "support/hard_traces.h"
#include "support/synthetic_trace.h"

namespace ompdm::test {
namespace {

void analyze(benchmark::State& state) {
  const Trace trace = synthetic_trace(
      {.events = static_cast<std::size_t>(state.range(0)), .threads = 4, .devices = 2});
  for (auto _ : state) benchmark::DoNotOptimize(analysis::analyze(trace));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

BENCHMARK(analyze)->Arg(10000)->Arg(1000000)->Unit(benchmark::kMillisecond);

using Make = std::function<Trace(std::uint32_t)>;

benchmark::internal::Benchmark* hard(const std::string& name, std::uint32_t size, Make make) {
  const auto analyze_it = [make = std::move(make)](benchmark::State& state) {
    const Trace trace = make(static_cast<std::uint32_t>(state.range(0)));
    for (auto _ : state) benchmark::DoNotOptimize(analysis::analyze(trace));
    state.SetItemsProcessed(state.iterations() * state.range(0));
  };
  return benchmark::RegisterBenchmark(name.c_str(), analyze_it)
      ->Arg(size / 4)
      ->Arg(size)
      ->Unit(benchmark::kMillisecond);
}

const benchmark::internal::Benchmark* const kHard[] = {
    hard("inner_loops", 120000, [](auto count) { return inner_loops(count, false); }),
    hard("inner_loops_by_code", 120000, [](auto count) { return inner_loops(count, true); }),
    hard("pieces_updated", 50000, pieces_updated),
    hard("pieces_mapped", 50000, pieces_mapped),
    hard("names_in_a_loop", 6000, [](auto count) { return names_in_a_loop(count, false); }),
    hard("names_on_one_directive", 6000, [](auto count) { return names_in_a_loop(count, true); }),
    hard("items_that_cross", 3000, [](auto count) { return long_map_list(count, 20, false); }),
    hard("items_that_are_there", 3000, [](auto count) { return long_map_list(count, 200, true); }),
    hard("irregular_steps", 600000, irregular_steps)};

}  // namespace
}  // namespace ompdm::test
