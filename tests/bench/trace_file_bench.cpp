// Writing and reading trace.json and trace.ompdm. A million events are to be read in well under 1.2
// s.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "ompdm/trace_file.h"
#include "support/synthetic_trace.h"

namespace ompdm::test {
namespace {

Trace trace_of_size(const benchmark::State& state) {
  return synthetic_trace(
      {.events = static_cast<std::size_t>(state.range(0)), .threads = 4, .devices = 2});
}

std::filesystem::path file_named(const std::string& name) {
  return std::filesystem::temp_directory_path() / ("ompdm_bench_" + name);
}

void report(benchmark::State& state, const std::filesystem::path& path) {
  const auto bytes = static_cast<double>(std::filesystem::file_size(path));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
  state.counters["bytes_per_event"] = bytes / static_cast<double>(state.range(0));
  state.counters["peak_MiB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}

void write(benchmark::State& state, const std::string& name) {
  const std::filesystem::path path = file_named(name);
  const Trace trace = trace_of_size(state);
  for (auto _ : state) write_trace(trace, path);
  report(state, path);
  std::filesystem::remove(path);
}

void read(benchmark::State& state, const std::string& name) {
  const std::filesystem::path path = file_named(name);
  write_trace(trace_of_size(state), path);
  for (auto _ : state) benchmark::DoNotOptimize(read_trace(path));
  report(state, path);
  std::filesystem::remove(path);
}

BENCHMARK_CAPTURE(write, plain, "t.json")
    ->Arg(10000)
    ->Arg(1000000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(read, plain, "t.json")
    ->Arg(10000)
    ->Arg(1000000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(write, gzip, "t.json.gz")
    ->Arg(1000000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(read, gzip, "t.json.gz")
    ->Arg(1000000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

BENCHMARK_CAPTURE(write, binary, "t.ompdm")
    ->Arg(1000000)
    ->Arg(4000000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(read, binary, "t.ompdm")
    ->Arg(1000000)
    ->Arg(4000000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace ompdm::test
