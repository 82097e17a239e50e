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
#include "report/glance/saving.h"
#include "report/glance/told_rows.h"
#include "report/page.h"
#include "report/runs.h"
#include "report/table.h"
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

std::vector<ToldRow> first_of(std::vector<ToldRow> rows, const Layout& layout) {
  if (layout.findings > 0 && rows.size() > layout.findings) rows.resize(layout.findings);
  return rows;
}

std::size_t findings_in(const std::vector<ToldRow>& rows) {
  std::size_t count = 0;
  for (const ToldRow& row : rows) count += row.numbers.size();
  return count;
}

std::string filled_line(const std::string& text, const Layout& layout, std::size_t indent) {
  return wrapped(text, layout.width, indent) + '\n';
}

std::string figure(bool is_known, const std::string& text) {
  return fmt::format("{:>{}}", is_known ? text : "-", kFigureWidth);
}

struct Widths {
  std::size_t number = 1;
  std::size_t place = 0;
  std::size_t action = 0;
};

std::string line_of(const ToldRow& row, const Widths& widths) {
  const std::string what = row.recording + row.action;
  return fmt::format("  {:>{}}  {:<{}}{:<{}}  {}{}{}\n", row.numbers.front(), widths.number,
                     confidence_of(*row.finding), kConfidenceWidth,
                     shortened(row.place, widths.place), widths.place,
                     what.size() > widths.action ? shortened(what, widths.action)
                                                 : fmt::format("{:<{}}", what, widths.action),
                     figure(row.wasted_bytes > 0, spoken_size(row.wasted_bytes)),
                     figure(row.timed && row.wasted_time > 0, spoken_time(row.wasted_time)));
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

/// "also 2 (heat.cpp:20) and 3 (heat.cpp:30)": which are told in the same row.
std::string also_text(const ToldRow& row, const SourceNames& names) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> others;
  for (std::size_t i = 1; i < row.numbers.size() && i <= kMost; ++i) {
    others.push_back(fmt::format("{} ({})", row.numbers[i],
                                 names.place(row.others[i - 1]->file, row.others[i - 1]->line)));
  }
  if (others.empty()) return {};
  const std::size_t more = row.others.size() - others.size();
  if (more > 0) others.push_back(fmt::format("{} more", more));
  return "also " + spoken_list(others);
}

/// How to see all of what is told in a few lines.
std::string explain_hint(const Layout& layout) {
  if (layout.traces.empty()) return {};
  return fmt::format(" (all of it: ompdm explain {} 1)", layout.traces);
}

/// What to write, and what is against it.
std::string body_of(const ToldRow& row, const SourceNames& names, const Layout& layout) {
  const Finding& finding = *row.finding;
  std::string text;
  const std::string runs = runs_sentence(finding);
  if (!runs.empty()) text += "     " + filled_line(runs, layout, kIndent);
  const std::vector<EditLine> lines = edit_lines(finding, names, layout, kMostLines);
  std::size_t place = 0;
  for (const EditLine& line : lines) place = std::max(place, display_width(line.place));
  for (const EditLine& line : lines) {
    const std::string begin = fmt::format("{:>{}} | {} ", line.place, 4 + place, line.mark);
    const std::size_t left = layout.width - std::min(layout.width, display_width(begin));
    text += begin +
            (line.mark == '+' ? fitted_directive(line.text, left) : shortened(line.text, left)) +
            '\n';
  }
  if (lines.empty()) text += words_alone(finding, layout);
  for (const std::string& line : {unless_line(finding), also_text(row, names)}) {
    if (!line.empty()) text += "     " + filled_line(line, layout, kIndent);
  }
  return text;
}

}  // namespace

std::string needless_block(Analyses analyses, const SourceNames& names, const Layout& layout) {
  if (std::ranges::none_of(analyses, can_tell)) return {};
  std::string closing;
  for (const std::string& sentence : saving_sentences(analyses)) {
    closing += filled_line(sentence, layout, 2);
  }
  const std::vector<ToldRow> all = told_rows(analyses, names);
  if (all.empty()) return '\n' + filled_line(none_found(analyses), layout, 2) + closing;
  const std::vector<ToldRow> told = first_of(all, layout);
  // One alone is told at once; of several the first look is at how they compare.
  const bool is_alone = told.size() == 1;
  const std::string heading = saving_title(analyses) + (is_alone ? explain_hint(layout) : "");
  std::string text = "\n" + title(wrapped(heading, layout.width), layout) + '\n';
  Widths widths;
  constexpr std::size_t kMostPlace = 26;
  for (const ToldRow& one : told) {
    widths.number = std::max(widths.number, std::to_string(one.numbers.front()).size());
    widths.place = std::min(kMostPlace, std::max(widths.place, display_width(one.place)));
  }
  const std::size_t fixed =
      2 + widths.number + 2 + kConfidenceWidth + widths.place + 2 + 2 * kFigureWidth;
  constexpr std::size_t kLeastAction = 24;
  const std::size_t room =
      layout.width > fixed + kLeastAction ? layout.width - fixed : kLeastAction;
  for (const ToldRow& one : told) {
    const std::size_t width = display_width(one.recording + one.action);
    widths.action = std::max(widths.action, std::min(room, width));
  }
  for (const ToldRow& one : told) text += line_of(one, widths);
  if (is_alone) text += body_of(told.front(), names, layout);
  return text + and_more(findings_in(all) - findings_in(told)) + closing;
}

std::string needless_markdown(Analyses analyses, const SourceNames& names) {
  if (std::ranges::none_of(analyses, can_tell)) return {};
  std::string closing;
  for (const std::string& sentence : saving_sentences(analyses)) {
    closing += sentence + "\n\n";
  }
  Table table{"needless",
              saving_title(analyses),
              {{"number", "Finding", Unit::kCount},
               {"confidence", "Confidence"},
               {"place", "Where"},
               {"action", "What to do"},
               {"wasted_bytes", "Bytes", Unit::kBytes},
               {"wasted_ns", "Time", Unit::kTime}},
              {}};
  for (const ToldRow& row : told_rows(analyses, names)) {
    table.rows.push_back(
        {static_cast<std::int64_t>(row.numbers.front()), std::string(confidence_of(*row.finding)),
         row.place, row.recording + row.action,
         row.wasted_bytes > 0 ? Cell(static_cast<std::int64_t>(row.wasted_bytes)) : Cell(),
         row.timed && row.wasted_time > 0 ? Cell(std::int64_t{row.wasted_time}) : Cell()});
  }
  if (table.rows.empty()) return none_found(analyses) + "\n\n" + closing;
  return fmt::format("## {}\n\n{}\n{}", in_markdown(table.title), markdown(table), closing);
}

std::string short_findings(Analyses analyses, const SourceNames& names, const Layout& layout) {
  const std::vector<ToldRow> told = first_of(told_rows(analyses, names), layout);
  if (told.size() < 2) return {};
  const std::string how = layout.traces.empty()
                              ? std::string()
                              : fmt::format(" (all of one: ompdm explain {} N)", layout.traces);
  std::string text =
      '\n' + title(wrapped("Findings: what to write" + how, layout.width), layout) + '\n';
  for (const ToldRow& row : told) {
    text += shortened(fmt::format("{}. {}{}{}{}", row.numbers.front(), row.recording, row.place,
                                  row.place.empty() ? "" : ": ", row.action),
                      layout.width) +
            '\n' + body_of(row, names, layout);
  }
  return text;
}

}  // namespace ompdm::report
