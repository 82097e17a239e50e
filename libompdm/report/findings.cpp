#include "report/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "ompdm/error.h"
#include "report/advice.h"
#include "report/finding_words.h"
#include "report/fitted_text.h"
#include "report/glance/needless.h"
#include "report/page.h"
#include "report/pragma.h"
#include "report/runs.h"
#include "report/table.h"

namespace ompdm::report {
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
