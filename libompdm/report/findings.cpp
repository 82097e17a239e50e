#include "report/findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <tuple>

#include "ompdm/error.h"
#include "report/clauses.h"
#include "report/edits.h"
#include "report/patterns/patterns.h"
#include "report/sentences.h"
#include "report/text_layout.h"
#include "report/units.h"

namespace ompdm::report {

namespace {

using analysis::Analysis;
using analysis::Finding;
using analysis::RunVerdict;

bool is_better(const Finding& one, const Finding& other) {
  return std::tuple(!one.edits.empty(), one.wasted_time) >
         std::tuple(!other.edits.empty(), other.wasted_time);
}

/// Numbers from 1.
std::vector<std::size_t> runs_with(const Finding& finding, RunVerdict verdict) {
  std::vector<std::size_t> runs;
  for (std::size_t i = 0; i < finding.runs.size(); ++i) {
    if (finding.runs[i] == verdict) runs.push_back(i + 1);
  }
  return runs;
}

/// "run 3", "runs 3 and 4".
std::string spoken_runs(const std::vector<std::size_t>& runs) {
  std::vector<std::string> numbers;
  for (const std::size_t run : runs) numbers.push_back(std::to_string(run));
  return (runs.size() == 1 ? "run " : "runs ") + spoken_list(numbers);
}

/// " Most bytes: a.cpp:7 (target update, 32.0 MB) and a.cpp:9 (target update, 30.0 MB)."
std::string largest_movers(Analyses analyses, const SourceNames& names) {
  constexpr std::size_t kMost = 3;
  std::vector<std::pair<std::uint64_t, std::string>> movers;
  const Ranks ranks = ranks_of(analyses);
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    for (const analysis::DirectiveRow& row : analyses[i].directives) {
      const std::uint64_t bytes = moved_bytes(row);
      if (bytes == 0) continue;
      const bool is_named = row.directive != Directive::kRuntime;
      movers.emplace_back(
          bytes, is_named ? fmt::format("{}{} ({}, {})", prefix(ranks, i), names.place(row),
                                        analysis::directive_name(row.directive), spoken_size(bytes))
                          : fmt::format("{}code outside any directive ({})", prefix(ranks, i),
                                        spoken_size(bytes)));
    }
  }
  if (movers.empty()) return {};
  std::ranges::stable_sort(movers, std::greater<>(), &std::pair<std::uint64_t, std::string>::first);
  std::vector<std::string> most;
  for (std::size_t i = 0; i < std::min(kMost, movers.size()); ++i) most.push_back(movers[i].second);
  return fmt::format(" Most bytes: {}.", spoken_list(most));
}

/// " 80 transfers of at most 256 B were not judged."
std::string unjudged(Analyses analyses) {
  std::uint64_t small = 0;
  for (const Analysis& one : analyses) small += one.withheld.small_transfers;
  if (small == 0) return {};
  return fmt::format(" {} of at most 256 B {} not judged.", counted(small, "transfer"),
                     small == 1 ? "was" : "were");
}

/// How far contents were compared.
std::string compared_text(Analyses analyses) {
  const auto unseen = [](const Analysis& one) {
    return one.recording.hashing.empty() || one.recording.hashing == "off";
  };
  if (std::ranges::any_of(analyses, unseen)) {
    return ". Contents were not compared, so unchanged transfers are not known.";
  }
  const std::string& hashing = analyses.front().recording.hashing;
  if (hashing == "full") {
    return "; all contents were compared.";
  }
  return fmt::format("; a share of the contents was compared (OMPDM_HASH={}).", hashing);
}

constexpr const char* kSteps = "What to do:";
constexpr const char* kChecks = "Conditions, and facts of the sources:";

/// A step in a list within a list's item, four columns a level and for code: Markdown's dialects
/// agree on these, and not on fences within lists.
std::string step_markdown(const std::string& mark, const AdviceStep& step, const Finding& finding) {
  constexpr std::size_t kWidest = 88;
  std::string text;
  bool in_code = false;
  for (const AdviceLine& line : step.lines) {
    const bool is_code = line.is_code || line.is_source;
    if (!text.empty() && !(is_code && in_code)) text += '\n';
    if (line.is_source) {
      text += fmt::format("            {}\n", line.text);
    } else if (line.is_code) {
      for (const std::string& part : set_code(line.text, finding.file, kWidest)) {
        text += fmt::format("            {}\n", part);
      }
    } else {
      text += fmt::format("    {}{}\n", text.empty() ? mark : "    ", in_markdown(line.text));
    }
    in_code = is_code;
  }
  return text + '\n';
}

}  // namespace

std::string steps_markdown(const Finding& finding) {
  std::string text;
  bool is_check = false;
  for (const AdviceStep& step : advice_steps(finding)) {
    if (text.empty() && !step.is_check) text = fmt::format("    {}\n\n", kSteps);
    if (step.is_check && !is_check) text += fmt::format("    {}\n\n", kChecks);
    is_check = step.is_check;
    text += step_markdown(is_check ? "* " : "1. ", step, finding);
  }
  return text;
}

namespace {

/// Of the finding that has this number, from 1, or id.
std::size_t position_of(const std::vector<ShownFinding>& all, const SourceNames& names,
                        Analyses analyses, const std::string& which) {
  if (which.empty()) return 0;
  const auto by_id =
      std::ranges::find(all, which, [](const ShownFinding& one) { return one.finding->id; });
  if (by_id != all.end()) return static_cast<std::size_t>(by_id - all.begin());
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(which.data(), which.data() + which.size(), number);
  const bool is_number = error == std::errc() && end == which.data() + which.size();
  if (is_number && number >= 1 && number <= all.size()) return number - 1;
  throw Error(all.empty() ? "there is no finding to explain: " + none_found(analyses, names)
                          : fmt::format("there is no finding {}: name one from 1 to {}, or its id",
                                        which, all.size()),
              Error::Kind::kUsage);
}

}  // namespace

std::vector<ShownFinding> shown_findings(Analyses analyses) {
  std::vector<ShownFinding> shown;
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    for (const Finding& finding : analyses[i].findings) {
      const auto [at, is_new] = known.try_emplace(finding.id, shown.size());
      if (is_new || !are_inputs(analyses)) {
        shown.push_back({i, &finding});
      } else if (is_better(finding, *shown[at->second].finding)) {
        shown[at->second] = {i, &finding};
      }
    }
  }
  if (!are_inputs(analyses)) return shown;
  std::ranges::stable_sort(shown, std::greater<>(),
                           [](const ShownFinding& one) { return one.finding->wasted_time; });
  return shown;
}

std::string_view confidence_of(const Finding& finding) {
  return kConfidences[static_cast<std::size_t>(finding.confidence)];
}

std::string heading_of(const Finding& finding, const SourceNames& names) {
  std::string text = names.place(finding.file, finding.line);
  if (!finding.variable.empty()) text += (text.empty() ? "" : ", ") + finding.variable;
  return text + (text.empty() ? "" : ": ") + title_of(finding);
}

std::string cost_of(const Finding& finding) {
  if (std::holds_alternative<analysis::facts::ClauseEffect>(finding.facts)) {
    return fmt::format("{}; {}", spoken_stake(finding), confidence_of(finding));
  }
  const Pattern pattern = pattern_of(finding);
  // Data that the host reads in between is transferred all the same.
  const auto* loop = std::get_if<analysis::facts::PerIterationMapping>(&finding.facts);
  std::string text = loop != nullptr && loop->is_at_most() ? "at most " : "";
  // One way may have been counted alone.
  const bool is_of_transfers = pattern.one == std::string_view("transfer");
  text += counted(is_of_transfers ? std::max(finding.count, finding.transfers) : finding.count,
                  pattern.one, pattern.many);
  if (finding.wasted_bytes > 0) text += ", " + spoken_size(finding.wasted_bytes);
  if (finding.allocated_bytes > 0) {
    text += fmt::format(", {} of device memory", spoken_size(finding.allocated_bytes));
  }
  if (!finding.timed) {
    text += ", time not known";
  } else if (finding.wasted_time > 0) {
    text += ", " + spoken_time(finding.wasted_time);
    if (finding.with_allocations && is_of_transfers) {
      text += " with allocations";
    }
  }
  if (finding.memory_bytes > 0) {
    text += fmt::format("; needs {} of device memory", spoken_size(finding.memory_bytes));
  }
  return fmt::format("{}; {}", text, confidence_of(finding));
}

std::string runs_sentence(const Finding& finding) {
  if (finding.runs.empty()) return {};
  std::string text = fmt::format("in {} of {} runs", runs_with(finding, RunVerdict::kHolds).size(),
                                 finding.runs.size());
  const auto add = [&](RunVerdict verdict, const char* one, const char* many) {
    const std::vector<std::size_t> runs = runs_with(finding, verdict);
    if (runs.empty()) return;
    text += fmt::format(fmt::runtime(runs.size() == 1 ? one : many), spoken_runs(runs));
  };
  add(RunVerdict::kUnreached, "; not in {}, which does not reach it",
      "; not in {}, which do not reach it");
  add(RunVerdict::kUnrecorded, "; {} reaches it, and has too few events",
      "; {} reach it, and have too few events");
  add(RunVerdict::kNeeded, "; not in {}, which reaches it too", "; not in {}, which reach it too");
  add(RunVerdict::kOtherEdits, "; {} would take other edits", "; {} would take other edits");
  add(RunVerdict::kOtherWork, "; {} does other work there", "; {} do other work there");
  // A finding that never had an edit has lost none.
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
          {"untold", runs_with(finding, RunVerdict::kUnrecorded)}};
}

std::string none_found(Analyses analyses, const SourceNames& names) {
  if (std::ranges::all_of(analyses, [](const Analysis& one) {
        return is_only_counted(one.recording, one.process.wall);
      })) {
    return "Redundant transfers were not looked for: that takes single events, and none is "
           "recorded.";
  }
  const bool is_all = std::ranges::all_of(analyses, [](const Analysis& one) {
    return is_recorded_whole(one) || (one.recording.is_part() && !lacks_events(one));
  });
  const std::string_view where =
      is_all ? "in this run" : "in the part of this run with single events";
  const analysis::Totals totals = totals_of(analyses);
  if (totals.htod.count + totals.dtoh.count + totals.dtod.count == 0) {
    return fmt::format("There was no transfer {}.", where);
  }
  const bool any_invariant = std::ranges::any_of(
      analyses, [](const Analysis& one) { return std::ranges::any_of(one.loops, has_invariant); });
  const bool any_kept = std::ranges::any_of(analyses, [](const Analysis& one) {
    return std::ranges::find(one.doubts, analysis::Doubt::Reason::kNoChangeKnown,
                             &analysis::Doubt::reason) != one.doubts.end();
  });
  return fmt::format("{} {}{}",
                     any_kept ? "No finding shows how to avoid a transfer"
                              : "No redundant transfer was proven",
                     where, compared_text(analyses)) +
         (any_invariant ? " Data with the same content every time is needed only if kernels change "
                          "it, which transfers cannot show."
                        : "") +
         unjudged(analyses) + largest_movers(analyses, names);
}

std::string explain(Analyses analyses, const std::string& which, const Layout& layout) {
  std::vector<ShownFinding> all = shown_findings(analyses);
  const std::vector<ShownFinding> clauses = shown_clauses(analyses);
  all.insert(all.end(), clauses.begin(), clauses.end());
  const SourceNames names(analyses);
  if (which.empty() && all.size() != 1) return finding_list(analyses, names, layout);
  const std::size_t at = position_of(all, names, analyses, which);
  const Finding& finding = *all[at].finding;
  constexpr std::size_t kWidest = 100;  // that a line of prose is read well in
  const std::size_t width = std::min(layout.width, kWidest);
  const std::string number = fmt::format("{}. ", at + 1);
  const std::string indent(number.size(), ' ');
  const std::string rank = prefix(ranks_of(analyses), all[at].recording);
  std::string text = paragraph(number, rank + heading_of(finding, names), width) +
                     paragraph(indent, cost_of(finding), width);
  const std::string runs = runs_sentence(finding);
  if (!runs.empty()) text += paragraph(indent, runs, width);
  text += '\n' + paragraph(indent, evidence_text(finding) + '.', width);
  const std::vector<AdviceStep> steps = advice_steps(finding);
  const auto checks = std::ranges::find(steps, true, &AdviceStep::is_check);
  for (auto step = steps.begin(); step != steps.end(); ++step) {
    if (step == checks || step == steps.begin()) {
      text += '\n' + paragraph(indent, step == checks ? kChecks : kSteps, width);
    }
    std::string mark = indent + "- ";
    if (step < checks && checks - steps.begin() > 1) {
      mark = fmt::format("{}{}) ", indent, step - steps.begin() + 1);
    }
    text += step_text(*step, finding, mark, std::string(mark.size() + 4, ' '), width);
  }
  return text;
}

std::string findings_markdown(Analyses analyses, const SourceNames& names) {
  const Ranks ranks = ranks_of(analyses);
  std::string text;
  for (const auto& [recording, shown] : shown_findings(analyses)) {
    const Finding& finding = *shown;
    const std::string runs = runs_sentence(finding);
    text += fmt::format("1. **{}** ({}{}{})\n\n    {}.\n\n",
                        in_markdown(prefix(ranks, recording) + heading_of(finding, names)),
                        cost_of(finding), runs.empty() ? "" : "; ", runs,
                        in_markdown(evidence_text(finding)));
    text += steps_markdown(finding);
  }
  if (text.empty()) return text;
  return fmt::format("## Findings: redundant operations in {}, the largest saving first\n\n{}",
                     are_inputs(analyses) ? "these runs" : "this run", text);
}

}  // namespace ompdm::report
