#include "check.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "patch.h"
#include "source.h"
#include "versions.h"

namespace ompdm::random_programs {
namespace {

using Json = nlohmann::json;
using Lines = std::vector<std::string>;

bool is_movement(const Json& finding) { return finding["wasted_bytes"].get<std::uint64_t>() > 0; }

std::string told(const Json& finding) {
  return fmt::format("{} {} of {} at line {}", finding["confidence"].get<std::string>(),
                     finding["pattern"].get<std::string>(), finding["variable"].get<std::string>(),
                     finding["line"].get<int>());
}

/// Takes in what can be changed for one program.
void follow(const Json& report, Patch& patch, Verdict& verdict) {
  std::uint64_t named = 0;
  for (const Json& finding : report["findings"]) {
    if (!is_movement(finding)) continue;
    named += finding["wasted_bytes"].get<std::uint64_t>();
    if (finding["confidence"] == "possible") continue;
    std::string why;
    if (patch.apply(finding, why)) {
      verdict.promised += finding["wasted_bytes"].get<std::uint64_t>();
    } else {
      verdict.left.push_back(told(finding) + ": " + why);
    }
  }
  verdict.named = std::min(named, verdict.planted);
}

void judge_clean(const Json& report, Verdict& verdict) {
  if (!verdict.clean) return;
  for (const Json& finding : report["findings"]) {
    if (!is_movement(finding) || finding["confidence"] == "possible") continue;
    verdict.faults.push_back("without waste, but: " + told(finding));
  }
}

/// Programs of some seeds on their way to their verdicts.
class Check {
 public:
  Check(const Batch& batch, const std::vector<std::uint64_t>& seeds) : batch_(batch) {
    for (const std::uint64_t seed : seeds) add(seed);
    source_ = source_of(naive_);
  }

  std::vector<Verdict> run() {
    std::string complaint = batch_.build(source_, "naive");
    if (complaint.empty()) complaint = batch_.build(source_of(well_), "well");
    if (!complaint.empty()) return all(complaint);
    Patch patch(source_);
    for (std::size_t i = 0; i < naive_.size(); ++i) record(i, patch);
    complaint = batch_.build(patch.lines(), "edited");
    if (!complaint.empty()) return all("edited: " + complaint);
    for (std::size_t i = 0; i < naive_.size(); ++i) {
      if (!before_[i].report.is_null() && verdicts_[i].promised > 0) run_edited(i);
    }
    return verdicts_;
  }

 private:
  void add(std::uint64_t seed) {
    const Versions made = versions_of(seed);
    well_.push_back(made.well);
    naive_.push_back(made.naive);
    Verdict& verdict = verdicts_.emplace_back();
    verdict.seed = seed;
    verdict.wanders = std::ranges::any_of(made.naive.groups, [&](const std::vector<int>& group) {
      return devices_of(made.naive.root, group).size() > 1;
    });
    verdict.clean = made.clean;
    if (!made.worst.right || !made.best.right)
      verdict.faults.emplace_back("the program itself is wrong");
    verdict.planted = made.planted();
    verdict.unread = made.worst.unread - std::min(made.worst.unread, made.best.unread);
  }

  std::vector<Verdict> all(const std::string& fault) {
    for (Verdict& verdict : verdicts_) verdict.faults.push_back(fault);
    return verdicts_;
  }

  void record(std::size_t i, Patch& patch) {
    Verdict& verdict = verdicts_[i];
    const Batch::Ran& before = before_.emplace_back(batch_.record("naive", i));
    const Batch::Ran best = batch_.record("well", i);
    if (before.report.is_null() || best.report.is_null()) {
      verdict.faults.push_back("no report: " + before.out + best.out);
      return;
    }
    expect_exact(before.report, naive_[i], verdict);
    expect_exact(best.report, well_[i], verdict);
    if (best.out != before.out) verdict.faults.emplace_back("the two versions differ");
    judge_clean(best.report, verdict);
    follow(before.report, patch, verdict);
  }

  static void expect_exact(const Json& report, const Program& program, Verdict& verdict) {
    const Outcome truth = random_programs::run(program, 0);
    const std::uint64_t bytes = truth.bytes + truth.scalar_bytes;
    if (moved(report) == bytes) return;
    verdict.faults.push_back(fmt::format("{} bytes moved, {} told", bytes, moved(report)));
  }

  void run_edited(std::size_t i) {
    Verdict& verdict = verdicts_[i];
    const Batch::Ran after = batch_.record("edited", i);
    if (after.out != before_[i].out) {
      verdict.faults.push_back("edited: another result: " + after.out);
    }
    if (batch_.run("edited", i, 1) != batch_.run("naive", i, 1)) {
      verdict.faults.emplace_back("edited: another result with the second input");
    }
    if (after.report.is_null()) return;
    const std::uint64_t then = moved(before_[i].report);
    const std::uint64_t now = moved(after.report);
    if (now > then) {
      verdict.faults.push_back(fmt::format("edited: moves {} instead of {}", now, then));
    }
    verdict.saved = then - std::min(then, now);
  }

  const Batch& batch_;
  std::vector<Program> naive_;
  std::vector<Program> well_;
  std::vector<Verdict> verdicts_;
  Lines source_;
  std::vector<Batch::Ran> before_;
};

}  // namespace

std::vector<Verdict> check(const Build& build, const std::filesystem::path& folder,
                           const std::vector<std::uint64_t>& seeds) {
  const Batch batch(build, folder);
  return Check(batch, seeds).run();
}

}  // namespace ompdm::random_programs
