#include "report/glance/needless.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "report/advice.h"
#include "report/finding_words.h"
#include "report/fitted_text.h"
#include "report/glance/action.h"
#include "report/glance/edit_lines.h"
#include "report/page.h"
#include "report/runs.h"
#include "report/units.h"

namespace ompdm::report {
namespace {

using analysis::Analysis;
using analysis::Confidence;
using analysis::Finding;

constexpr std::size_t kIndent = 5;  // of a finding's lines
constexpr std::size_t kConfidenceWidth = 10;
constexpr std::size_t kFigureWidth = 9;
constexpr std::size_t kMostLines = 4;  // of a finding, between what to do and what is against it

std::vector<ToldFinding> first_of(Analyses analyses, const Layout& layout) {
  std::vector<ToldFinding> told = told_findings(analyses);
  if (layout.findings > 0 && told.size() > layout.findings) told.resize(layout.findings);
  return told;
}

std::string where_of(const Finding& finding, const SourceNames& names) {
  return names.place(finding.file, finding.line);
}

std::string filled_line(const std::string& text, const Layout& layout, std::size_t indent) {
  return wrapped(text, layout.width, indent) + '\n';
}

/// "Needless: 36 of 40 copies, 288 of 320 MB": of one recording; empty where that is not known.
std::string total_of(const Analysis& one) {
  const auto& most = one.possible_prediction ? one.possible_prediction : one.prediction;
  if (!most || most->spared_transfers == 0) return {};
  const std::uint64_t bytes = one.totals.htod.bytes + one.totals.dtoh.bytes;
  const std::uint64_t copies = one.totals.htod.count + one.totals.dtoh.count;
  std::string text =
      fmt::format("{} of {}, {} of {}", most->spared_transfers, counted(copies, "copy", "copies"),
                  spoken_size(most->spared_bytes), spoken_size(bytes));
  const auto& sure = one.prediction;
  if (one.possible_prediction) {
    text += sure && sure->spared_bytes > 0
                ? fmt::format(" ({} likely)", spoken_size(sure->spared_bytes))
                : std::string(" (possibly)");
  }
  return text;
}

std::string figure(bool is_known, const std::string& text) {
  return fmt::format("{:>{}}", is_known ? text : "-", kFigureWidth);
}

struct Widths {
  std::size_t number = 1;
  std::size_t place = 0;
  std::size_t action = 0;
};

std::string line_of(std::size_t number, const ToldFinding& told, const Ranks& ranks,
                    const SourceNames& names, const Widths& widths) {
  const Finding& finding = *told.finding;
  const std::string what = prefix(ranks, told.recording) + action_text(finding, names);
  return fmt::format(
      "  {:>{}}  {:<{}}{:<{}}  {}{}{}\n", number, widths.number, confidence_of(finding),
      kConfidenceWidth, shortened(where_of(finding, names), widths.place), widths.place,
      what.size() > widths.action ? shortened(what, widths.action)
                                  : fmt::format("{:<{}}", what, widths.action),
      figure(finding.wasted_bytes > 0, spoken_size(finding.wasted_bytes)),
      figure(finding.timed && finding.wasted_time > 0, spoken_time(finding.wasted_time)));
}

/// "... and 12 more (--all)".
std::string and_more(std::size_t more) {
  return more == 0
             ? std::string()
             : fmt::format("  ... and {} more: --all shows {}\n", more, more == 1 ? "it" : "them");
}

/// The first lines of what is to be done that is no edit.
std::string words_alone(const Finding& finding, const Layout& layout) {
  if (!finding.unreached.empty() ||
      std::ranges::any_of(finding.runs, analysis::speaks_against_edits)) {
    return {};
  }
  std::string text;
  std::size_t count = 0;
  for (const AdviceStep& step : advice_steps(finding)) {
    for (std::size_t begin = 0; begin < step.text.size();) {
      const std::size_t end = std::min(step.text.find('\n', begin), step.text.size());
      const std::string whole = step.text.substr(begin, end - begin);
      begin = end + 1;
      for (const std::string& line : set_in_lines(whole, layout.width - kIndent)) {
        if (++count > kMostLines - 1) return text + std::string(kIndent, ' ') + "...\n";
        text += std::string(kIndent, ' ') + line + '\n';
      }
    }
  }
  return text;
}

std::string explain_hint(const Layout& layout, std::size_t number) {
  return layout.traces.empty() ? std::string()
                               : fmt::format("ompdm explain {} {}", layout.traces, number);
}

}  // namespace

std::string needless_block(Analyses analyses, const SourceNames& names, const Layout& layout) {
  if (std::ranges::none_of(analyses, can_tell)) return {};
  const Ranks ranks = ranks_of(analyses);
  std::string closing;
  for (const std::string& sentence : closing_sentences(analyses, ranks)) {
    closing += filled_line(sentence, layout, 2);
  }
  const std::vector<ToldFinding> all = told_findings(analyses);
  if (all.empty()) return '\n' + filled_line(none_found(analyses), layout, 2) + closing;
  const std::vector<ToldFinding> told = first_of(analyses, layout);
  const std::string total = analyses.size() == 1 ? total_of(analyses.front()) : std::string();
  std::string text =
      "\n" + title(total.empty() ? "What to do first" : "Needless: " + total, layout) + '\n';
  Widths widths;
  widths.number = std::to_string(told.size()).size();
  constexpr std::size_t kMostPlace = 26;
  for (const ToldFinding& one : told) {
    const std::size_t width = display_width(where_of(*one.finding, names));
    widths.place = std::min(kMostPlace, std::max(widths.place, width));
  }
  const std::size_t fixed =
      2 + widths.number + 2 + kConfidenceWidth + widths.place + 2 + 2 * kFigureWidth;
  constexpr std::size_t kLeastAction = 24;
  const std::size_t room =
      layout.width > fixed + kLeastAction ? layout.width - fixed : kLeastAction;
  for (const ToldFinding& one : told) {
    const std::string action = prefix(ranks, one.recording) + action_text(*one.finding, names);
    widths.action = std::max(widths.action, std::min(room, display_width(action)));
  }
  for (std::size_t i = 0; i < told.size(); ++i) {
    text += line_of(i + 1, told[i], ranks, names, widths);
  }
  return text + and_more(all.size() - told.size()) + closing;
}

std::string short_findings(Analyses analyses, const SourceNames& names, const Layout& layout) {
  const std::vector<ToldFinding> told = first_of(analyses, layout);
  if (told.empty()) return {};
  const Ranks ranks = ranks_of(analyses);
  std::string text = '\n' + title("Findings: what to write", layout) + '\n';
  for (std::size_t i = 0; i < told.size(); ++i) {
    const Finding& finding = *told[i].finding;
    const std::string where = where_of(finding, names);
    const std::string label = fmt::format("{}. ", i + 1);
    text += shortened(fmt::format("{}{}{}{}{}", label, prefix(ranks, told[i].recording), where,
                                  where.empty() ? "" : ": ", action_text(finding, names)),
                      layout.width) +
            '\n';
    const std::string runs = runs_sentence(finding);
    if (!runs.empty()) text += "     " + filled_line(runs, layout, kIndent);
    const std::vector<EditLine> lines = edit_lines(finding, names, layout, kMostLines);
    std::size_t place = 0;
    for (const EditLine& line : lines) place = std::max(place, display_width(line.place));
    for (const EditLine& line : lines) {
      const std::string begin = fmt::format("{:>{}} | {} ", line.place, 4 + place, line.mark);
      text += shortened(begin + line.text, layout.width) + '\n';
    }
    if (lines.empty()) text += words_alone(finding, layout);
    const std::string against = unless_line(finding);
    const std::string hint = explain_hint(layout, i + 1);
    const std::size_t room = layout.width - std::min(layout.width, hint.size() + 8);
    std::string last = "     " + shortened(against, room);
    if (!hint.empty()) last += fmt::format("{}({})", against.empty() ? "" : "  ", hint);
    if (last.find_first_not_of(' ') != std::string::npos) text += last + '\n';
  }
  return text;
}

}  // namespace ompdm::report
