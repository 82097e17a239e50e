// From a trace to figures and findings. A million events are to take less than 1.5 s of CPU.
#include <benchmark/benchmark.h>

#include <cstddef>

#include "ompdm/analysis.h"
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

}  // namespace
}  // namespace ompdm::test
