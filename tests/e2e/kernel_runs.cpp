#include "kernel_runs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>

namespace ompdm::e2e {
namespace {

constexpr std::uint64_t kGrid = 40 * 40 * 8;
constexpr std::uint64_t kSteps = 10;

}  // namespace

Source::Source(const std::string& kernel, const std::string& function)
    : file_(kernel + ".cpp"),
      lines_(lines_of(text_of(std::filesystem::path(OMPDM_KERNEL_SOURCES) / file_))) {
  while (begin_ < lines_.size() && lines_[begin_].find(' ' + function + '(') == std::string::npos) {
    ++begin_;
  }
}

int Source::line(std::string_view directive) const {
  for (std::size_t i = begin_; i < lines_.size(); ++i) {
    if (lines_[i].find("#pragma " + std::string(directive)) != std::string::npos) {
      return static_cast<int>(i + 1);
    }
  }
  return 0;
}

std::string Source::place(std::string_view directive) const {
  return fmt::format("@{}:{}", file_, line(directive));
}

Recorded run_kernel(const std::string& path, const std::string& rung,
                    const std::vector<std::string>& sizes,
                    const std::map<std::string, std::string>& environment) {
  Command command = {{path, "--variant", rung}, environment};
  command.words.insert(command.words.end(), sizes.begin(), sizes.end());
  Recorded recorded = record(command);
  expect_consistent(recorded);
  return recorded;
}

std::uint64_t number_printed(const Recorded& recorded, const std::string& text) {
  const std::size_t at = recorded.ended.out.find(text);
  EXPECT_NE(at, std::string::npos) << recorded.ended.out;
  return at == std::string::npos ? 0 : std::stoull(recorded.ended.out.substr(at + text.size()));
}

void expect_loop(const Json& report, const Loop& loop) {
  ASSERT_EQ(report["iterations"].size(), 1U) << report["iterations"];
  const Json& row = report["iterations"][0];
  EXPECT_EQ(row["count"], loop.passes);
  EXPECT_EQ(row["entries"], 1);
  EXPECT_EQ(row["HtoD_bytes"], loop.htod_bytes);
  EXPECT_EQ(row["DtoH_bytes"], loop.dtoh_bytes);
  EXPECT_EQ(row["first"]["HtoD_bytes"], loop.htod_bytes);
  EXPECT_EQ(row["first"]["DtoH_bytes"], loop.dtoh_bytes);
  std::vector<int> lines;
  for (const Json& index : row["directives"]) {
    lines.push_back(report["directives"][index.get<std::size_t>()]["line"]);
  }
  EXPECT_EQ(lines, loop.lines);
}

Recorded expect_heat_naive(const std::string& path,
                           const std::map<std::string, std::string>& environment) {
  Recorded recorded = run_kernel(path, "naive", {"40", "10"}, environment);
  const Source source("heat", "solve_naive");
  const std::string both = fmt::format("{} {}", 2 * kSteps, 2 * kGrid * kSteps);
  const std::string one = fmt::format("HtoD {0} {1}, DtoH {0} {1}", kSteps, kGrid * kSteps);
  EXPECT_EQ(ledger_of(recorded.report, OMPDM_KERNEL_SOURCES),
            ledger({fmt::format("total: HtoD {0}, DtoH {0}, alloc {0}, delete {0}, kernel {1}",
                                both, kSteps),
                    fmt::format("target{0} x{1}: HtoD {2}, DtoH {2}, alloc {3}, kernel {1}",
                                source.place(kTarget), kSteps, both, 2 * kSteps),
                    "u: " + one, "u_tmp: " + one}));
  expect_loop(recorded.report, {kSteps, 2 * kGrid, 2 * kGrid, {source.line(kTarget)}});
  return recorded;
}

void expect_heat_data(const std::string& path, const std::string& rung) {
  SCOPED_TRACE(rung);
  const Recorded recorded = run_kernel(path, rung, {"40", "10"});
  const Source source("heat", "solve_" + rung);
  EXPECT_EQ(
      ledger_of(recorded.report, OMPDM_KERNEL_SOURCES),
      ledger({fmt::format("total: HtoD 2 {0}, DtoH 1 {1}, alloc 2 {0}, delete 2 {0}, kernel {2}",
                          2 * kGrid, kGrid, kSteps),
              fmt::format("target enter data{} x1: HtoD 2 {}, alloc 2",
                          source.place("omp target enter data"), 2 * kGrid),
              fmt::format("target{0} x{1}: kernel {1}", source.place(kTarget), kSteps),
              fmt::format("target exit data{} x1: DtoH 1 {}", source.place("omp target exit data"),
                          kGrid),
              fmt::format("u: HtoD 1 {0}, DtoH 1 {0}", kGrid),
              fmt::format("u_tmp: HtoD 1 {}", kGrid)}));
  expect_loop(recorded.report, {kSteps, 0, 0, {source.line(kTarget)}});
}

}  // namespace ompdm::e2e
