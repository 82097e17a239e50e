#include "check.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "directives.h"
#include "patch.h"
#include "run.h"
#include "source.h"

namespace ompdm::random_programs {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Lines = std::vector<std::string>;

/// A source of several programs, built.
class Batch {
 public:
  Batch(const Build& build, fs::path folder) : build_(build), folder_(std::move(folder)) {
    fs::create_directories(folder_);
  }

  /// The compiler's first complaint; empty: built.
  std::string build(const Lines& lines, const std::string& name) const {
    const fs::path source = folder_ / (name + ".cpp");
    std::ofstream file(source);
    for (const std::string& line : lines) file << line << '\n';
    file.close();
    std::vector<std::string> words = build_.compiler;
    words.insert(words.end(), {source.string(), "-o", (folder_ / name).string()});
    const e2e::Ended ended = e2e::run({words, {}, std::chrono::seconds(300)}, folder_);
    if (ended.status == 0) return "";
    const std::size_t at = ended.err.find("error: ");
    return ended.err.substr(at, ended.err.find('\n', at) - at);
  }

  struct Ran {
    std::string out = {};  ///< with the exit status, if it is not 0
    Json report = {};
  };

  [[nodiscard]] std::string run(const std::string& name, std::size_t number, int input) const {
    return printed(run_words(words(name, number, input)));
  }

  [[nodiscard]] Ran record(const std::string& name, std::size_t number) const {
    const std::string trace = fmt::format("{}.{}.json", name, number);
    std::vector<std::string> command = {OMPDM_COMMAND, "record", "-o", trace, "--"};
    const std::vector<std::string> program = words(name, number, 0);
    command.insert(command.end(), program.begin(), program.end());
    Ran ran = {.out = printed(run_words(command))};
    const e2e::Ended report =
        e2e::run({{OMPDM_COMMAND, "report", "--format", "json", trace}}, folder_);
    if (report.status == 0) ran.report = Json::parse(report.out);
    return ran;
  }

 private:
  [[nodiscard]] std::vector<std::string> words(const std::string& name, std::size_t number,
                                               int input) const {
    return {(folder_ / name).string(), std::to_string(number), std::to_string(input)};
  }

  /// Again if LLVM's runtime ends it by an assertion of its own, with the recorder and without: a
  /// helper thread may still be ending a `nowait` task when who waited for it makes teams.
  [[nodiscard]] e2e::Ended run_words(const std::vector<std::string>& words) const {
    constexpr int kMostTries = 32;
    for (int tries = 1;; ++tries) {
      e2e::Ended ended = e2e::run({words, build_.environment}, folder_);
      const bool is_llvm =
          ended.status != 0 && ended.err.find("Assertion failure at kmp_") != std::string::npos;
      if (!is_llvm || tries == kMostTries) return ended;
    }
  }

  static std::string printed(const e2e::Ended& ended) {
    return ended.status == 0 ? ended.out
                             : fmt::format("exit status {}: {}", ended.status, ended.err);
  }

  const Build& build_;
  fs::path folder_;
};

std::uint64_t moved(const Json& report) {
  const Json& totals = report["totals"];
  return totals["HtoD"]["bytes"].get<std::uint64_t>() +
         totals["DtoH"]["bytes"].get<std::uint64_t>();
}

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
    Dice dice(seed);
    Program program = make_program(dice);
    while (random_programs::run(program, 0).kernels == 0) program = make_program(dice);
    well_.push_back(without_waste(program));
    naive_.push_back(with_waste(program, dice));
    const Outcome best = random_programs::run(well_.back(), 0);
    const Outcome worst = random_programs::run(naive_.back(), 0);
    Verdict& verdict = verdicts_.emplace_back();
    verdict.seed = seed;
    verdict.wanders = std::ranges::any_of(program.groups, [&](const std::vector<int>& group) {
      return devices_of(program.root, group).size() > 1;
    });
    verdict.clean = best.needless == 0 && !best.unused;
    if (!worst.right || !best.right) verdict.faults.emplace_back("the program itself is wrong");
    verdict.planted = worst.bytes - std::min(worst.bytes, best.bytes);
    verdict.unread = worst.unread - std::min(worst.unread, best.unread);
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

std::vector<Verdict> check(const Build& build, const fs::path& folder,
                           const std::vector<std::uint64_t>& seeds) {
  const Batch batch(build, folder);
  return Check(batch, seeds).run();
}

}  // namespace ompdm::random_programs
