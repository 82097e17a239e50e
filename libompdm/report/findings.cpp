#include "report/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <variant>
#include <vector>

#include "ompdm/error.h"
#include "ompdm/trace.h"
#include "report/advice.h"
#include "report/headline.h"
#include "report/needless.h"
#include "report/patterns.h"
#include "report/pragma.h"
#include "report/sentences.h"
#include "report/table.h"
#include "report/text_layout.h"
#include "report/units.h"

namespace ompdm::report {

namespace {

using analysis::Analysis;
using analysis::Finding;

Pattern pattern_of(const Finding& finding) {
  const auto known = std::ranges::find(kPatterns, finding.pattern, &Pattern::name);
  if (known != std::end(kPatterns)) return *known;
  return {finding.pattern, {}, "instance", "instances"};
}

}  // namespace

std::string pattern_words(const Finding& finding) {
  const Pattern pattern = pattern_of(finding);
  if (!pattern.words.empty()) return std::string(pattern.words);
  std::string words = finding.pattern;
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::string_view confidence_of(const Finding& finding) {
  switch (finding.confidence) {
    case analysis::Confidence::kCertain:
      return "certain";
    case analysis::Confidence::kLikely:
      return "likely";
    case analysis::Confidence::kPossible:
      break;
  }
  return "possible";
}

std::string heading_of(const Finding& finding, const SourceNames& names) {
  std::string text = names.place(finding.file, finding.line);
  if (!finding.variable.empty()) text += (text.empty() ? "" : ", ") + finding.variable;
  return text + (text.empty() ? "" : ": ") + pattern_words(finding);
}

std::string cost_of(const Finding& finding) {
  const Pattern pattern = pattern_of(finding);
  // What the host reads in between has to cross all the same.
  const auto* loop = std::get_if<analysis::facts::PerIterationMapping>(&finding.facts);
  std::string text = loop != nullptr && loop->may_be_read ? "at most " : "";
  text += counted(finding.count, pattern.one, pattern.many);
  if (finding.wasted_bytes > 0) text += ", " + spoken_size(finding.wasted_bytes);
  if (finding.allocated_bytes > 0) {
    text += fmt::format(", {} of device memory", spoken_size(finding.allocated_bytes));
  }
  if (!finding.timed) {
    text += ", time not known";
  } else if (finding.wasted_time > 0) {
    text += ", " + spoken_time(finding.wasted_time);
    if (finding.with_allocations && pattern.one == std::string_view("transfer")) {
      text += " with allocations";
    }
  }
  if (finding.memory_bytes > 0) {
    text += fmt::format("; keeps {} on the device", spoken_size(finding.memory_bytes));
  }
  return fmt::format("{}; {}", text, confidence_of(finding));
}

bool can_tell(const Analysis& one) {
  return analysis::has_target_events(one) && analysis::knows_transfers(one);
}

bool was_looked_for(Analyses analyses) {
  return std::ranges::any_of(analyses, [](const Analysis& one) {
    return !is_only_counted(one.recording, one.process.wall);
  });
}

namespace {

/// "Most was moved by a.cpp:7 (target update, 32.0 MB) and a.cpp:9 (target update, 30.0 MB)."
std::string largest_movers(Analyses analyses, const SourceNames& names) {
  constexpr std::size_t kMost = 3;
  std::vector<std::pair<std::uint64_t, std::string>> movers;
  const Ranks ranks = ranks_of(analyses);
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    for (const analysis::DirectiveRow& row : analyses[i].directives) {
      const std::uint64_t bytes = row.htod.bytes + row.dtoh.bytes + row.dtod.bytes;
      if (bytes == 0) continue;
      const bool is_named = row.directive != Directive::kRuntime;
      movers.emplace_back(bytes,
                          fmt::format("{}{} ({}, {})", prefix(ranks, i),
                                      is_named ? names.place(row) : std::string("no directive"),
                                      analysis::directive_name(row.directive), spoken_size(bytes)));
    }
  }
  if (movers.empty()) return {};
  std::ranges::stable_sort(movers, std::greater<>(), &std::pair<std::uint64_t, std::string>::first);
  std::vector<std::string> told;
  for (std::size_t i = 0; i < std::min(kMost, movers.size()); ++i) told.push_back(movers[i].second);
  return fmt::format(" Most bytes: {}.", spoken_list(told));
}

/// " 80 transfers of at most 256 B were not judged."
std::string unjudged(Analyses analyses) {
  std::uint64_t small = 0;
  for (const Analysis& one : analyses) small += one.withheld.small_transfers;
  if (small == 0) return {};
  return fmt::format(" {} of at most 256 B {} not judged.", counted(small, "transfer", "transfers"),
                     small == 1 ? "was" : "were");
}

/// How far contents were compared.
std::string compared_text(Analyses analyses) {
  const auto unseen = [](const Analysis& one) {
    return one.recording.hashing.empty() || one.recording.hashing == "off";
  };
  if (std::ranges::any_of(analyses, unseen)) {
    return ". Contents were not compared: whether data crossed again unchanged is not known.";
  }
  const std::string& hashing = analyses.front().recording.hashing;
  if (hashing == "full") {
    return "; the contents of all transfers of the same piece of memory were compared.";
  }
  return fmt::format("; contents were compared as far as their share went (OMPDM_HASH={}).",
                     hashing);
}

}  // namespace

std::string none_found(Analyses analyses, const SourceNames& names) {
  if (!was_looked_for(analyses)) {
    return "Redundant transfers were not looked for: that takes single events, and none is told.";
  }
  const bool is_all = std::ranges::all_of(analyses, [](const Analysis& one) {
    return is_told_whole(one) || (one.recording.is_part() && !lacks_events(one));
  });
  const std::string_view where =
      is_all ? "in this run" : "in what of this run is told event by event";
  const analysis::Totals totals = totals_of(analyses);
  if (totals.htod.count + totals.dtoh.count + totals.dtod.count == 0) {
    return fmt::format("There was no transfer {}.", where);
  }
  const bool any_invariant = std::ranges::any_of(analyses, [](const Analysis& one) {
    return std::ranges::any_of(one.iterations, has_invariant);
  });
  const bool any_kept = std::ranges::any_of(analyses, [](const Analysis& one) {
    return std::ranges::find(one.doubts, analysis::Doubt::kNoChangeKnown,
                             &analysis::Doubt::reason) != one.doubts.end();
  });
  return fmt::format("{} {}{}",
                     any_kept ? "No finding tells how to avoid a transfer"
                              : "No redundant transfer was proven",
                     where, compared_text(analyses)) +
         (any_invariant ? " What never changes on its way is needed only if kernels change it on "
                          "the device, which transfers do not tell."
                        : "") +
         unjudged(analyses) + largest_movers(analyses, names);
}

namespace {

using analysis::Finding;

constexpr const char* kSteps = "What to do:";
constexpr const char* kChecks = "What to look for in the program:";

std::string title_of(Analyses analyses) {
  return fmt::format("Findings: what was needless in {}, what would save most time first",
                     are_inputs(analyses) ? "these runs" : "this run");
}

/// Words in lines that are not wider than `width`, each after `indent` blanks.
std::string filled(const std::string& line, std::size_t indent, std::size_t width) {
  std::string text;
  std::size_t used = 0;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t blank = std::min(line.find(' ', at), line.size());
    const std::string word = line.substr(at, blank - at);
    const std::size_t size = display_width(word);
    if (used > 0 && used + 1 + size <= width) {
      text += ' ' + word;
      used += 1 + size;
    } else {
      text += (used > 0 ? "\n" : "") + std::string(indent, ' ') + word;
      used = indent + size;
    }
    at = blank + 1;
  }
  return text + '\n';
}

/// One thing to do behind `mark`: code is wrapped as the language has it.
std::string listed(const std::string& mark, const AdviceStep& step, const Finding& finding,
                   std::size_t indent, std::size_t width) {
  std::string text;
  const std::size_t inner = indent + mark.size();
  const std::string code_indent(inner + 4, ' ');
  const std::size_t code_width = width - std::min(width, code_indent.size());
  for (const AdviceLine& line : step.lines) {
    if (!line.is_code) {
      text += filled(line.text, inner, width);
      continue;
    }
    for (const std::string& part : set_code(line.text, finding.file, code_width)) {
      text += code_indent + part + '\n';
    }
  }
  return std::string(indent, ' ') + mark + text.substr(inner);
}

/// The same in a list within a list's item, four columns a level and for code: what Markdown's
/// dialects agree on, where fences within lists are not.
std::string listed_markdown(const std::string& mark, const AdviceStep& step,
                            const Finding& finding) {
  constexpr std::size_t kWidest = 88;
  std::string text;
  bool in_code = false;
  for (const AdviceLine& line : step.lines) {
    if (!text.empty() && !(line.is_code && in_code)) text += '\n';
    if (line.is_code) {
      for (const std::string& part : set_code(line.text, finding.file, kWidest)) {
        text += fmt::format("            {}\n", part);
      }
    } else {
      text += fmt::format("    {}{}\n", text.empty() ? mark : "    ", in_markdown(line.text));
    }
    in_code = line.is_code;
  }
  return text + '\n';
}

std::string steps_markdown(const Finding& finding) {
  std::string text;
  bool is_check = false;
  for (const AdviceStep& step : advice_steps(finding)) {
    if (text.empty() && !step.is_check) text = fmt::format("    {}\n\n", kSteps);
    if (step.is_check && !is_check) text += fmt::format("    {}\n\n", kChecks);
    is_check = step.is_check;
    text += listed_markdown(is_check ? "* " : "1. ", step, finding);
  }
  return text;
}

/// Of the finding that has this number, from 1, or id.
std::size_t position_of(const std::vector<ToldFinding>& all, const SourceNames& names,
                        Analyses analyses, const std::string& which) {
  if (which.empty()) return 0;
  const auto by_id =
      std::ranges::find(all, which, [](const ToldFinding& one) { return one.finding->id; });
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

std::string explain(Analyses analyses, const std::string& which, const Layout& layout) {
  const std::vector<ToldFinding> all = told_findings(analyses);
  const SourceNames names(analyses);
  if (which.empty() && all.size() != 1) return finding_list(analyses, names, layout);
  const std::size_t at = position_of(all, names, analyses, which);
  const Ranks ranks = ranks_of(analyses);
  const Finding& finding = *all[at].finding;
  constexpr std::size_t kWidest = 100;  // that a line of prose is read well in
  const std::size_t width = std::min(layout.width, kWidest);
  const std::string label = fmt::format("{}. ", at + 1);
  const std::size_t indent = label.size();
  std::string text =
      label + filled(prefix(ranks, all[at].recording) + heading_of(finding, names), indent, width)
                  .substr(indent);
  text += filled(cost_of(finding), indent, width);
  const std::string runs = runs_sentence(finding);
  if (!runs.empty()) text += filled(runs, indent, width);
  text += '\n' + filled(evidence_text(finding) + '.', indent, width);
  const std::vector<AdviceStep> steps = advice_steps(finding);
  const auto checks = std::ranges::find(steps, true, &AdviceStep::is_check);
  const bool is_numbered = checks - steps.begin() > 1;
  if (checks != steps.begin()) text += '\n' + filled(kSteps, indent, width);
  std::size_t number = 0;
  for (auto step = steps.begin(); step != checks; ++step) {
    const std::string mark = is_numbered ? fmt::format("{}) ", ++number) : std::string("- ");
    text += listed(mark, *step, finding, indent, width);
  }
  if (checks != steps.end()) {
    text += '\n' + filled(kChecks, indent, width);
  }
  for (auto step = checks; step != steps.end(); ++step) {
    text += listed("- ", *step, finding, indent, width);
  }
  return text;
}

std::string findings_markdown(Analyses analyses, const SourceNames& names) {
  const Ranks ranks = ranks_of(analyses);
  std::string text;
  for (const auto& [recording, told] : told_findings(analyses)) {
    const Finding& finding = *told;
    const std::string runs = runs_sentence(finding);
    text += fmt::format("1. **{}** ({}{}{})\n\n    {}.\n\n",
                        in_markdown(prefix(ranks, recording) + heading_of(finding, names)),
                        cost_of(finding), runs.empty() ? "" : "; ", runs,
                        in_markdown(evidence_text(finding)));
    text += steps_markdown(finding);
  }
  return text.empty() ? text : fmt::format("## {}\n\n{}", title_of(analyses), text);
}

}  // namespace ompdm::report
