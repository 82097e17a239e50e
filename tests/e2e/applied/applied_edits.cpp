// Applies what `ompdm fix` writes for every finding of every end-to-end program, and prints what
// came of it in Markdown:
//
//   build/bin/applied_edits > applied.md
//
// The tests e2e.*AppliedEdits* do the same, and hold it against what was promised.

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <map>
#include <thread>
#include <utility>

#include "check.h"
#include "offload_build.h"

namespace {

using namespace ompdm::e2e;

/// What is counted over all programs.
struct Sums {
  std::size_t runs = 0;
  std::size_t runs_without = 0;
  std::size_t findings = 0;
  std::size_t patched = 0;
  std::size_t exact = 0;
  std::size_t faults = 0;
  std::map<std::string, std::size_t> left;
};

std::vector<CheckedProgram> check_all(const std::vector<AppliedProgram>& programs) {
  std::vector<CheckedProgram> checked(programs.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < programs.size(); i = next++) checked[i] = check(programs[i]);
  };
  std::vector<std::thread> workers;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
    workers.emplace_back(work);
  }
  for (std::thread& worker : workers) worker.join();
  return checked;
}

void add(const AppliedProgram& program, const CheckedProgram& checked, Sums& sums) {
  sums.runs += program.runs.size();
  sums.runs_without += checked.runs_without;
  sums.findings += checked.findings.size();
  sums.faults += checked.faults.size();
  for (const FollowedFinding& finding : checked.findings) {
    if (!finding.left.empty()) {
      ++sums.left[finding.left];
      continue;
    }
    ++sums.patched;
    if (finding.spared == static_cast<std::int64_t>(finding.promised)) ++sums.exact;
  }
}

std::string table_of(const std::map<std::string, std::size_t>& reasons) {
  std::string text;
  for (const auto& [why, times] : reasons) text += fmt::format("| {} | {} |\n", why, times);
  return text;
}

}  // namespace

int main() {
  const std::vector<AppliedProgram> programs = applied_programs();
  const std::vector<CheckedProgram> checked = check_all(programs);
  Sums sums;
  for (std::size_t i = 0; i < programs.size(); ++i) add(programs[i], checked[i], sums);
  fmt::print(
      "# Patches that were applied\n\n"
      "`build/bin/applied_edits > applied.md` on {:%Y-%m-%d}, LLVM {}, host devices: "
      "the programs of the\n"
      "end-to-end tests and the kernels, with the input that these tests give them. What "
      "`ompdm fix` writes for each\n"
      "finding, and for all of a run, was applied, built and recorded again. `ctest -R "
      "AppliedEdits` "
      "holds the same\n"
      "against what was promised: it has to print and return the same, move no more, and spare "
      "what "
      "was promised.\n\n"
      "| | |\n|---|---:|\n"
      "| programs | {} |\n"
      "| runs of them, each with other input | {} |\n"
      "| of these without a finding | {} |\n"
      "| findings | {} |\n"
      "| with a patch | {} |\n"
      "| spared to the byte what they promised | {} |\n"
      "| faults | {} |\n",
      fmt::localtime(std::time(nullptr)), offload_build().llvm, programs.size(), sums.runs,
      sums.runs_without, sums.findings, sums.patched, sums.exact, sums.faults);
  fmt::print("\nWithout a patch:\n\n| why | findings |\n|---|---:|\n{}", table_of(sums.left));
  fmt::print(
      "\nBytes are of transfers; of unused, repeated and leaked allocations they are those of "
      "device memory.\n"
      "\"By updates\" is what updates moved that the patch adds where the host uses the data: it "
      "counts as kept.\n\n"
      "| program | finding | at | data | promised | spared | by updates |\n"
      "|---|---|---|---|---:|---:|---:|\n");
  for (std::size_t i = 0; i < programs.size(); ++i) {
    for (const FollowedFinding& finding : checked[i].findings) {
      if (finding.left.empty()) fmt::print("{}\n", row_of(programs[i].name, finding));
    }
  }
  for (const CheckedProgram& one : checked) {
    for (const std::string& fault : one.faults) fmt::print(stderr, "{}\n", fault);
  }
  return sums.faults > 0 ? 1 : 0;
}
