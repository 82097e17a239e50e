// Writes and reads traces of any size by hand and tells what it cost.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "ompdm/trace_file.h"
#include "support/awkward_trace.h"
#include "support/hard_traces.h"
#include "support/synthetic_trace.h"

namespace {

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

template <class Work>
void measure(const char* what, Work work) {
  const double before = peak_megabytes();
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  fmt::print("{}: {:.3f} s, peak memory {:.0f} MiB before and {:.0f} MiB after\n", what,
             seconds.count(), before, peak_megabytes());
}

using Make = std::function<ompdm::Trace(std::uint32_t)>;

const std::map<std::string_view, Make>& hard_traces() {
  using namespace ompdm::test;
  static const std::map<std::string_view, Make> traces = {
      {"inner_loops", [](std::uint32_t count) { return inner_loops(count, false); }},
      {"inner_loops_paths", [](std::uint32_t count) { return inner_loops(count, true); }},
      {"pieces_updated", pieces_updated},
      {"pieces_mapped", pieces_mapped},
      {"names", [](std::uint32_t count) { return names_in_a_loop(count, false); }},
      {"names_on_one", [](std::uint32_t count) { return names_in_a_loop(count, true); }},
      {"items_present", [](std::uint32_t count) { return long_map_list(count, 200, true); }},
      {"items_cross", [](std::uint32_t count) { return long_map_list(count, 20, false); }},
      {"irregular_steps", irregular_steps}};
  return traces;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view verb = argc > 1 ? argv[1] : "";
  try {
    if (verb == "write" && argc >= 4) {
      ompdm::test::SyntheticOptions options;
      options.events = std::strtoull(argv[2], nullptr, 10);
      if (argc > 4)
        options.threads = static_cast<std::uint32_t>(std::strtoul(argv[4], nullptr, 10));
      if (argc > 5) options.devices = static_cast<std::int32_t>(std::strtol(argv[5], nullptr, 10));
      const ompdm::Trace trace = ompdm::test::synthetic_trace(options);
      measure("write", [&] { ompdm::write_trace(trace, argv[3]); });
      return 0;
    }
    if (verb == "awkward" && argc == 3) {
      ompdm::write_trace(ompdm::test::awkward_trace(), argv[2]);
      return 0;
    }
    if (verb == "hard" && argc == 5 && hard_traces().contains(argv[2])) {
      const auto count = static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10));
      ompdm::write_trace(hard_traces().at(argv[2])(count), argv[4]);
      return 0;
    }
    if (verb == "read" && argc == 3) {
      measure("read", [&] {
        const ompdm::Trace trace = ompdm::read_trace(argv[2]);
        fmt::print("{} regions, {} operations, {} launches\n", trace.regions.size(),
                   trace.ops.size(), trace.launches.size());
      });
      return 0;
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  fmt::print(stderr,
             "usage: {0} write EVENTS FILE [THREADS [DEVICES]] | awkward FILE | read FILE | "
             "hard NAME COUNT FILE\n",
             argv[0]);
  return 2;
}
