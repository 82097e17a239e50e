#include "report/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include "report/advice.h"

namespace ompdm::report {
namespace {

using analysis::Finding;
using analysis::RunVerdict;

/// "run 3", "runs 3 and 4".
std::string spoken_runs(const std::vector<std::size_t>& runs) {
  std::vector<std::string> numbers;
  for (const std::size_t run : runs) numbers.push_back(std::to_string(run));
  return (runs.size() == 1 ? "run " : "runs ") + spoken_list(numbers);
}

std::vector<std::size_t> runs_with(const Finding& finding, RunVerdict verdict) {
  std::vector<std::size_t> runs;
  for (std::size_t i = 0; i < finding.runs.size(); ++i) {
    if (finding.runs[i] == verdict) runs.push_back(i + 1);
  }
  return runs;
}

bool is_better(const Finding& one, const Finding& other) {
  return std::tuple(!one.edits.empty(), one.wasted_time) >
         std::tuple(!other.edits.empty(), other.wasted_time);
}

}  // namespace

bool are_inputs(Analyses analyses) { return analyses.front().run > 0; }

std::vector<ToldFinding> told_findings(Analyses analyses) {
  std::vector<ToldFinding> told;
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    for (const Finding& finding : analyses[i].findings) {
      const auto [at, is_new] = known.try_emplace(finding.id, told.size());
      if (is_new || !are_inputs(analyses)) {
        told.push_back({i, &finding});
      } else if (is_better(finding, *told[at->second].finding)) {
        told[at->second] = {i, &finding};
      }
    }
  }
  if (!are_inputs(analyses)) return told;
  std::ranges::stable_sort(told, std::greater<>(),
                           [](const ToldFinding& one) { return one.finding->wasted_time; });
  return told;
}

std::string runs_sentence(const Finding& finding) {
  if (finding.runs.empty()) return {};
  const auto runs = [&](RunVerdict verdict) { return runs_with(finding, verdict); };
  std::string text =
      fmt::format("in {} of {} runs", runs(RunVerdict::kHolds).size(), finding.runs.size());
  const auto add = [&](const std::vector<std::size_t>& some, const char* one, const char* many) {
    if (some.empty()) return;
    text += fmt::format(fmt::runtime(some.size() == 1 ? one : many), spoken_runs(some));
  };
  add(runs(RunVerdict::kUnreached), "; not in {}, which does not reach it",
      "; not in {}, which do not reach it");
  add(runs(RunVerdict::kUntold), "; {} reaches it, and tells too little",
      "; {} reach it, and tell too little");
  add(runs(RunVerdict::kNeeded), "; not in {}, which reaches it too",
      "; not in {}, which reach it too");
  add(runs(RunVerdict::kOtherEdits), "; {} would take other edits", "; {} would take other edits");
  add(runs(RunVerdict::kOtherWork), "; {} does other work there", "; {} do other work there");
  // What was never an edit stays.
  const bool is_withdrawn = finding.edits.empty() && finding.remarks.empty() &&
                            finding.unreached.empty() &&
                            std::ranges::any_of(finding.runs, analysis::speaks_against_edits);
  return is_withdrawn ? text + ": so no edit is given" : text;
}

std::vector<std::pair<std::string, std::vector<std::size_t>>> runs_by_verdict(
    const Finding& finding) {
  return {{"hold", runs_with(finding, RunVerdict::kHolds)},
          {"need", runs_with(finding, RunVerdict::kNeeded)},
          {"other_edits", runs_with(finding, RunVerdict::kOtherEdits)},
          {"other_work", runs_with(finding, RunVerdict::kOtherWork)},
          {"unreached", runs_with(finding, RunVerdict::kUnreached)},
          {"untold", runs_with(finding, RunVerdict::kUntold)}};
}

}  // namespace ompdm::report
