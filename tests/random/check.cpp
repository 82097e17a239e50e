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
  Batch(const Workshop& workshop, fs::path folder, const char* level)
      : workshop_(workshop), folder_(std::move(folder)), level_(level) {
    fs::create_directories(folder_);
  }

  /// The compiler's first complaint; empty: built.
  std::string build(const Lines& lines, const std::string& name) const {
    const fs::path source = folder_ / (name + ".cpp");
    std::ofstream file(source);
    for (const std::string& line : lines) file << line << '\n';
    file.close();
    std::vector<std::string> words = workshop_.compiler;
    words.insert(words.end(), {level_, source.string(), "-o", (folder_ / name).string()});
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
    return printed(e2e::run({words(name, number, input)}, folder_));
  }

  [[nodiscard]] Ran record(const std::string& name, std::size_t number) const {
    const std::string trace = fmt::format("{}.{}.json", name, number);
    std::vector<std::string> command = {OMPDM_COMMAND, "record", "-o", trace, "--"};
    const std::vector<std::string> program = words(name, number, 0);
    command.insert(command.end(), program.begin(), program.end());
    Ran ran = {.out = printed(e2e::run({command}, folder_))};
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

  static std::string printed(const e2e::Ended& ended) {
    return ended.status == 0 ? ended.out
                             : fmt::format("exit status {}: {}", ended.status, ended.err);
  }

  const Workshop& workshop_;
  fs::path folder_;
  const char* level_;
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

}  // namespace

std::vector<Verdict> check(const Workshop& workshop, const std::vector<std::uint64_t>& seeds) {
  const Batch batch(workshop, workshop.folder / fmt::format("from{}", seeds.front()),
                    seeds.front() / seeds.size() % 3 == 0 ? "-O2" : "-O0");
  std::vector<Program> naive;
  std::vector<Program> well;
  std::vector<Verdict> verdicts;
  for (const std::uint64_t seed : seeds) {
    Dice dice(seed);
    const Program program = make_program(dice);
    well.push_back(without_waste(program));
    naive.push_back(with_waste(program, dice));
    const Outcome best = random_programs::run(well.back(), 0);
    const Outcome worst = random_programs::run(naive.back(), 0);
    Verdict& verdict = verdicts.emplace_back();
    verdict.seed = seed;
    verdict.clean = best.needless == 0 && !best.unused;
    if (!worst.right || !best.right) verdict.faults.emplace_back("the program itself is wrong");
    verdict.planted = worst.bytes - std::min(worst.bytes, best.bytes);
  }
  const auto all = [&](const std::string& fault) {
    for (Verdict& verdict : verdicts) verdict.faults.push_back(fault);
    return verdicts;
  };
  const Lines source = source_of(naive);
  if (const std::string why = batch.build(source, "naive"); !why.empty()) return all(why);
  if (const std::string why = batch.build(source_of(well), "well"); !why.empty()) return all(why);

  Patch patch(source);
  std::vector<Batch::Ran> before;
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    Verdict& verdict = verdicts[i];
    before.push_back(batch.record("naive", i));
    const Batch::Ran best = batch.record("well", i);
    if (before[i].report.is_null() || best.report.is_null()) {
      verdict.faults.push_back("no report: " + before[i].out + best.out);
      continue;
    }
    const auto exact = [&](const Json& report, const Program& program, const char* which) {
      const Outcome truth = random_programs::run(program, 0);
      if (moved(report) == truth.bytes + truth.scalar_bytes) return;
      verdict.faults.push_back(fmt::format("{}: {} bytes moved, {} told", which,
                                           truth.bytes + truth.scalar_bytes, moved(report)));
    };
    exact(before[i].report, naive[i], "naive");
    exact(best.report, well[i], "without waste");
    if (best.out != before[i].out) verdict.faults.emplace_back("the two versions differ");
    judge_clean(best.report, verdict);
    follow(before[i].report, patch, verdict);
  }
  const std::string complaint = batch.build(patch.lines(), "edited");
  if (!complaint.empty()) return all("edited: " + complaint);
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    Verdict& verdict = verdicts[i];
    if (before[i].report.is_null() || verdict.promised == 0) continue;
    const Batch::Ran after = batch.record("edited", i);
    if (after.out != before[i].out)
      verdict.faults.push_back("edited: another result: " + after.out);
    if (after.report.is_null()) continue;
    const std::uint64_t then = moved(before[i].report);
    const std::uint64_t now = moved(after.report);
    if (now > then)
      verdict.faults.push_back(fmt::format("edited: moves {} instead of {}", now, then));
    verdict.saved = then - std::min(then, now);
    if (batch.run("edited", i, 1) != batch.run("naive", i, 1)) {
      verdict.faults.emplace_back("edited: another result with the second input");
    }
  }
  return verdicts;
}

}  // namespace ompdm::random_programs
