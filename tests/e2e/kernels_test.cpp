// Each version of each bundled kernel against the formulas of kernels/README.md. They are counts
// and bytes, directives at their lines, variables by name, and the costs of an iteration of the
// loop.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "kernel_runs.h"

namespace ompdm::e2e::kernels_test {
namespace {

constexpr std::string_view kEnter = "omp target enter data";
constexpr std::string_view kExit = "omp target exit data";

TEST(Heat, Naive) { expect_heat_naive(kernel("heat"), {}); }

// The recorder hashes what is transferred, and finds who calls a directive when it first sees it.
TEST(Heat, NaiveCarriesItsOwnResultsBack) {
  const Recorded recorded = expect_heat_naive(kernel("heat"), {{"OMPDM_HASH", "full"}});
  std::map<std::uint64_t, std::uint64_t> on_host;  // by address, what came last
  std::size_t returns = 0;
  for (const DataOp& op : recorded.trace.ops) {
    if (op.kind == OpKind::kDtoH) {
      EXPECT_NE(op.hash, 0U);
      on_host[op.dst] = op.hash;
    } else if (op.kind == OpKind::kHtoD && on_host.contains(op.src)) {
      EXPECT_EQ(op.hash, on_host[op.src]) << "the host changes nothing between steps";
      ++returns;
    } else {
      EXPECT_EQ(op.hash != 0, op.kind == OpKind::kHtoD);
    }
  }
  EXPECT_EQ(returns, 18U);
  EXPECT_EQ(recorded.trace.recording.hashing, "full");
  ASSERT_EQ(recorded.trace.sites.size(), 1U);
  ASSERT_EQ(recorded.trace.sites[0].callers.size(), 1U);
  EXPECT_EQ(recorded.trace.sites[0].callers[0].function, "main");
}

TEST(Heat, OnEachDevice) {
  for (const std::string device : {"0", "1", "2", "3"}) {
    const Recorded recorded = expect_heat_naive(kernel("heat"), {{"OMP_DEFAULT_DEVICE", device}});
    const TrafficByDevice traffic = traffic_in(recorded.trace);
    ASSERT_EQ(traffic.size(), 1U);
    EXPECT_EQ(traffic.begin()->first, std::stoi(device));
  }
}

TEST(Heat, DataCollapseOptimized) {
  for (const std::string rung : {"data", "collapse", "optimized"}) {
    expect_heat_data(kernel("heat"), rung);
  }
}

// An odd number of steps ends with the pointers swapped: still one grid is copied back.
TEST(Heat, OddSteps) {
  const std::uint64_t grid = 40 * 40 * 8;
  const Recorded recorded = run_kernel(kernel("heat"), "data", {"40", "3"});
  const Source source("heat", "solve_data");
  EXPECT_EQ(
      ledger_of(recorded.report, OMPDM_KERNEL_SOURCES),
      ledger({fmt::format("total: HtoD 2 {0}, DtoH 1 {1}, alloc 2 {0}, delete 2 {0}, kernel 3",
                          2 * grid, grid),
              fmt::format("target enter data{} x1: HtoD 2 {}, alloc 2", source.place(kEnter),
                          2 * grid),
              fmt::format("target{} x3: kernel 3", source.place(kTarget)),
              fmt::format("target exit data{} x1: DtoH 1 {}", source.place(kExit), grid),
              fmt::format("u = u_tmp: HtoD 1 {}", grid),
              fmt::format("u_tmp = u: HtoD 1 {0}, DtoH 1 {0}", grid)}));
}

TEST(Jacobi, Naive) {
  const std::uint64_t n = 40;
  const Recorded recorded = run_kernel(kernel("jacobi"), "naive", {std::to_string(n)});
  const std::uint64_t iterations = number_printed(recorded, "iterations: ");
  const std::uint64_t sweep_in = (n * n + 3 * n) * 8;
  const std::uint64_t sweep_out = 2 * n * 8;
  const std::uint64_t norm_in = 2 * n * 8 + 8;
  const Source source("jacobi", "solve_naive");
  const std::string sweep = source.place(kTarget);
  const std::string norm = source.place(fmt::format("{} reduction", kTarget));
  const std::uint64_t x = n * 8 * iterations;
  EXPECT_EQ(
      ledger_of(recorded.report, OMPDM_KERNEL_SOURCES),
      ledger({fmt::format("total: HtoD {0} {1}, DtoH {2} {3}, alloc {0} {1}, delete {0} {1}, "
                          "kernel {4}",
                          7 * iterations, (sweep_in + norm_in) * iterations, 3 * iterations,
                          (sweep_out + 8) * iterations, 2 * iterations),
              fmt::format("target{0} x{1}: HtoD {2} {3}, DtoH {4} {5}, alloc {2}, kernel {1}",
                          sweep, iterations, 4 * iterations, sweep_in * iterations, 2 * iterations,
                          sweep_out * iterations),
              fmt::format("target{0} x{1}: HtoD {2} {3}, DtoH {1} {4}, alloc {2}, kernel {1}", norm,
                          iterations, 3 * iterations, norm_in * iterations, 8 * iterations),
              fmt::format("a: HtoD {} {}", iterations, n * n * 8 * iterations),
              fmt::format("b: HtoD {} {}", iterations, n * 8 * iterations),
              fmt::format("conv: HtoD {0} {1}, DtoH {0} {1}", iterations, 8 * iterations),
              fmt::format("x_old: HtoD {} {}, DtoH {} {}", 2 * iterations, 2 * x, iterations, x),
              fmt::format("x_new: HtoD {} {}, DtoH {} {}", 2 * iterations, 2 * x, iterations, x)}));
  expect_loop(recorded.report,
              {iterations,
               sweep_in + norm_in,
               sweep_out + 8,
               {source.line(kTarget), source.line(fmt::format("{} reduction", kTarget))}});
}

TEST(Jacobi, DataBranchlessCoalesced) {
  const std::uint64_t n = 40;
  for (const std::string rung : {"data", "branchless", "coalesced"}) {
    SCOPED_TRACE(rung);
    const Recorded recorded = run_kernel(kernel("jacobi"), rung, {std::to_string(n)});
    const std::uint64_t iterations = number_printed(recorded, "iterations: ");
    const std::uint64_t arrays = (n * n + 3 * n) * 8;
    const Source source("jacobi", "solve_" + rung);
    const std::string norm = fmt::format("{} reduction", kTarget);
    const bool swapped = iterations % 2 != 0;  // the last x is then in the other array
    const std::string x_home = fmt::format("HtoD 1 {0}, DtoH 1 {0}", n * 8);
    const std::string x_stays = fmt::format("HtoD 1 {}", n * 8);
    EXPECT_EQ(
        ledger_of(recorded.report, OMPDM_KERNEL_SOURCES),
        ledger(
            {fmt::format(
                 "total: HtoD {0} {1}, DtoH {2} {3}, alloc {0} {1}, delete {0} {1}, kernel {4}",
                 4 + iterations, arrays + 8 * iterations, 1 + iterations, n * 8 + 8 * iterations,
                 2 * iterations),
             fmt::format("target enter data{} x1: HtoD 4 {}, alloc 4", source.place(kEnter),
                         arrays),
             fmt::format("target{0} x{1}: kernel {1}", source.place(kTarget), iterations),
             fmt::format("target{0} x{1}: HtoD {1} {2}, DtoH {1} {2}, alloc {1}, kernel {1}",
                         source.place(norm), iterations, 8 * iterations),
             fmt::format("target exit data{} x1: DtoH 1 {}", source.place(kExit), n * 8),
             fmt::format("a: HtoD 1 {}", n * n * 8), fmt::format("b: HtoD 1 {}", n * 8),
             fmt::format("conv: HtoD {0} {1}, DtoH {0} {1}", iterations, 8 * iterations),
             fmt::format("x_old{}: {}", swapped ? " = x_new" : "", swapped ? x_stays : x_home),
             fmt::format("x_new{}: {}", swapped ? " = x_old" : "", swapped ? x_home : x_stays)}));
    expect_loop(recorded.report, {iterations, 8, 8, {source.line(kTarget), source.line(norm)}});
  }
}

TEST(Pi, EveryRung) {
  for (const std::string rung :
       {"target", "parallel", "distribute", "nested", "combined", "loop"}) {
    SCOPED_TRACE(rung);
    const Recorded recorded = run_kernel(kernel("pi"), rung, {"200000"});
    const std::string moved = "HtoD 1 8, DtoH 1 8, alloc 1";
    EXPECT_EQ(ledger_of(recorded.report, OMPDM_KERNEL_SOURCES),
              ledger({"total: HtoD 1 8, DtoH 1 8, alloc 1 8, delete 1 8, kernel 1",
                      fmt::format("target{} x1: {}, kernel 1",
                                  Source("pi", "integrate_" + rung).place("omp target"), moved),
                      "sum: HtoD 1 8, DtoH 1 8"}));
  }
}

TEST(Vadd, Implicit) {
  const Recorded recorded = run_kernel(kernel("vadd"), "implicit", {"1000"});
  const std::string array = "HtoD 1 400000, DtoH 1 400000";
  EXPECT_EQ(ledger_of(recorded.report, OMPDM_KERNEL_SOURCES),
            ledger({"total: HtoD 3 1200000, DtoH 3 1200000, alloc 3 1200000, delete 3 1200000, "
                    "kernel 1",
                    fmt::format("target{} x1: HtoD 3 1200000, DtoH 3 1200000, alloc 3, kernel 1",
                                Source("vadd", "add_implicit").place(kTarget)),
                    "a: " + array, "b: " + array, "c: " + array}));
}

TEST(Vadd, Mapped) {
  const Recorded recorded = run_kernel(kernel("vadd"), "mapped", {"1000"});
  EXPECT_EQ(ledger_of(recorded.report, OMPDM_KERNEL_SOURCES),
            ledger({"total: HtoD 2 8000, DtoH 1 4000, alloc 3 12000, delete 3 12000, kernel 1",
                    fmt::format("target{} x1: HtoD 2 8000, DtoH 1 4000, alloc 3, kernel 1",
                                Source("vadd", "add_mapped").place(kTarget)),
                    "a: HtoD 1 4000", "b: HtoD 1 4000", "c: DtoH 1 4000"}));
}

std::size_t lines_with_text(const std::string& page) {
  std::size_t count = 0;
  for (const std::string& line : lines_of(page)) {
    if (line.find_first_not_of(' ') != std::string::npos) ++count;
  }
  return count;
}

// What a course prints, and a student reads at once.
TEST(Kernels, EachRungsReportIsAPage) {
  const std::map<std::string, std::vector<std::string>> rungs = {
      {"heat", {"naive", "data", "collapse", "optimized"}},
      {"jacobi", {"naive", "data", "branchless", "coalesced"}},
      {"pi", {"target", "parallel", "distribute", "nested", "combined", "loop"}},
      {"vadd", {"implicit", "mapped"}}};
  for (const auto& [name, all] : rungs) {
    const std::string size = name == "pi" ? "200000" : "60";
    for (const std::string& rung : all) {
      SCOPED_TRACE(name + ' ' + rung);
      const Folder folder;
      run({{OMPDM_COMMAND, "record", kernel(name), "--variant", rung, size}}, folder.path());
      const Ended report = run({{OMPDM_COMMAND, "report", "trace.json"}}, folder.path());
      EXPECT_EQ(report.status, 0) << report.err;
      EXPECT_LE(lines_with_text(report.out), 41U) << report.out;
    }
  }
}

TEST(Kernels, SerialAndCpuUseNoDevice) {
  for (const std::string name : {"vadd", "pi", "jacobi", "heat"}) {
    for (const std::string rung : {"serial", "cpu"}) {
      SCOPED_TRACE(name + ' ' + rung);
      const Folder folder;
      const Ended ended =
          run({{OMPDM_COMMAND, "record", kernel(name), "--variant", rung, "50"}}, folder.path());
      EXPECT_EQ(ended.status, 0) << ended.out;
      EXPECT_NE(ended.err.find("no target region was executed on a device"), std::string::npos)
          << ended.err;
      EXPECT_FALSE(std::filesystem::exists(folder.path() / "trace.json"));
    }
  }
}

struct ShownRung {
  const char* kernel;
  const char* rung;
  const char* size;
};

/// A screen of a text report, but for what to write: that is whole, however long.
class Glance : public testing::TestWithParam<ShownRung> {};

TEST_P(Glance, IsAScreen) {
  const auto& [name, rung, size] = GetParam();
  const Folder folder;
  const Ended recorded =
      run({{OMPDM_COMMAND, "record", "-o", "trace.json", kernel(name), "--variant", rung, size}},
          folder.path());
  ASSERT_EQ(recorded.status, 0) << recorded.err;
  const Ended shown = run({{OMPDM_COMMAND, "report", "trace.json"}}, folder.path());
  const std::vector<std::string> lines = lines_of(shown.out);
  const auto is_step = [](const std::string& line) { return line.starts_with("     "); };
  EXPECT_LE(lines.size() - std::ranges::count_if(lines, is_step), 40U) << shown.out;
}

INSTANTIATE_TEST_SUITE_P(
    Rungs, Glance,
    testing::Values(ShownRung{"heat", "naive", "60"}, ShownRung{"heat", "data", "60"},
                    ShownRung{"heat", "collapse", "60"}, ShownRung{"heat", "optimized", "60"},
                    ShownRung{"jacobi", "naive", "40"}, ShownRung{"jacobi", "data", "40"},
                    ShownRung{"jacobi", "branchless", "40"}, ShownRung{"jacobi", "coalesced", "40"},
                    ShownRung{"vadd", "implicit", "1000"}, ShownRung{"vadd", "mapped", "1000"},
                    ShownRung{"pi", "target", "10000"}, ShownRung{"pi", "parallel", "10000"},
                    ShownRung{"pi", "loop", "10000"}),
    [](const auto& rung) { return fmt::format("{}_{}", rung.param.kernel, rung.param.rung); });

}  // namespace
}  // namespace ompdm::e2e::kernels_test
