#include "check.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "patching.h"
#include "source.h"
#include "versions.h"

namespace ompdm::random_programs {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

bool is_movement(const Json& finding) { return finding["wasted_bytes"].get<std::uint64_t>() > 0; }

std::string told(const Json& finding) {
  return fmt::format("{} {} of {} at line {}", finding["confidence"].get<std::string>(),
                     finding["pattern"].get<std::string>(), finding["variable"].get<std::string>(),
                     finding["line"].get<int>());
}

/// What findings name, and what stands in the way of a patch.
void count(const Json& report, Verdict& verdict) {
  for (const Json& finding : report["findings"]) {
    if (!is_movement(finding)) continue;
    const std::uint64_t bytes = finding["wasted_bytes"];
    (finding["confidence"] == "possible" ? verdict.possible : verdict.named) += bytes;
    const Json patch = finding.value("patch", Json::object());
    const bool is_whole = patch.contains("hunks") && !patch["hunks"].empty() &&
                          (!patch.contains("left_out") || patch["left_out"].empty());
    if (is_whole) verdict.patched += bytes;
    std::string why = patch.value("refused", std::string());
    // Without the place.
    if (why.starts_with('/')) why = why.substr(why.find(": ") + 2);
    if (!is_whole) verdict.left.push_back(told(finding) + ": " + (why.empty() ? "in part" : why));
  }
  verdict.named = std::min(verdict.named, verdict.planted);
  verdict.possible = std::min(verdict.possible, verdict.planted - verdict.named);
}

void judge_clean(const Json& report, Verdict& verdict) {
  if (!verdict.clean) return;
  for (const Json& finding : report["findings"]) {
    if (!is_movement(finding) || finding["confidence"] == "possible") continue;
    verdict.faults.push_back("without waste, but: " + told(finding));
  }
}

/// The programs are right: no clause of theirs yields a wrong value.
void judge_clauses(const Json& report, Verdict& verdict) {
  for (const Json& row : report["mapping"]) {
    if (row["stake"] != "wrong_values") continue;
    verdict.faults.push_back("no wrong value, but: " + row["evidence"].get<std::string>());
  }
}

void expect_exact(const Json& report, const Program& program, Verdict& verdict) {
  const Outcome truth = random_programs::run(program, 0);
  const std::uint64_t bytes = truth.bytes + truth.scalar_bytes;
  if (moved(report) == bytes) return;
  verdict.faults.push_back(fmt::format("{} bytes moved, {} told", bytes, moved(report)));
}

/// A program on its way to its verdict.
class Check {
 public:
  Check(const Build& build, const fs::path& folder, std::uint64_t seed)
      : build_(build),
        made_(versions_of(seed)),
        naive_(build, folder, "naive"),
        well_(build, folder, "well") {
    verdict_.seed = seed;
    verdict_.wanders = std::ranges::any_of(made_.naive.groups, [&](const std::vector<int>& group) {
      return devices_of(made_.naive.root, group).size() > 1;
    });
    verdict_.clean = made_.clean;
    if (!made_.worst.right || !made_.best.right) fault("the program itself is wrong");
    verdict_.planted = made_.planted();
    verdict_.unread = made_.worst.unread - std::min(made_.worst.unread, made_.best.unread);
  }

  Verdict run() {
    std::string complaint = naive_.build(source_of(made_.naive));
    if (complaint.empty()) complaint = well_.build(source_of(made_.well));
    if (complaint.empty()) {
      record();
    } else {
      fault(complaint);
    }
    return std::move(verdict_);
  }

 private:
  void fault(const std::string& what) { verdict_.faults.push_back(what); }

  void record() {
    const Built::Ran before = naive_.record();
    const Built::Ran best = well_.record();
    if (before.report.is_null() || best.report.is_null()) {
      return fault("no report: " + before.out + best.out);
    }
    expect_exact(before.report, made_.naive, verdict_);
    expect_exact(best.report, made_.well, verdict_);
    if (best.out != before.out) fault("the two versions differ");
    judge_clean(best.report, verdict_);
    judge_clauses(before.report, verdict_);
    judge_clauses(best.report, verdict_);
    count(before.report, verdict_);
    expect_same(naive_, before);
    if (!verdict_.clean) expect_same(well_, best);
  }

  /// Applies the patch, where there is one, and runs what it makes.
  void expect_same(const Built& program, const Built::Ran& before) {
    const std::string patch = program.patch();
    if (patch.empty()) return;
    const bool is_naive = &program == &naive_;
    const std::string name = is_naive ? "naive" : "well";
    const Built patched(build_, program.folder() / ("patched_" + name), name);
    fs::copy_file(program.folder() / (name + ".cpp"), patched.folder() / (name + ".cpp"),
                  fs::copy_options::overwrite_existing);
    std::string complaint = e2e::apply_patch(patched.folder(), patch);
    if (complaint.empty()) complaint = patched.build();
    if (!complaint.empty()) return fault(name + " patched: " + complaint);
    const Built::Ran after = patched.record();
    if (after.out != before.out) fault(name + " patched: another result: " + after.out);
    if (patched.run(1) != program.run(1)) {
      fault(name + " patched: another result with the second input");
    }
    if (after.report.is_null()) return;
    const std::uint64_t then = moved(before.report);
    const std::uint64_t now = moved(after.report);
    if (now > then) fault(fmt::format("{} patched: moves {} instead of {}", name, now, then));
    if (is_naive) verdict_.saved = then - std::min(then, now);
  }

  const Build& build_;
  Versions made_;
  Built naive_;
  Built well_;
  Verdict verdict_;
};

}  // namespace

Verdict check(const Build& build, const fs::path& folder, std::uint64_t seed, bool keep) {
  Verdict verdict = Check(build, folder, seed).run();
  if (verdict.faults.empty() && !keep) fs::remove_all(folder);
  return verdict;
}

}  // namespace ompdm::random_programs
