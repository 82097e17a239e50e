#include "report/needless.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <regex>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "ompdm/report.h"
#include "ompdm/trace.h"
#include "report/action.h"
#include "report/advice.h"
#include "report/findings.h"
#include "report/headline.h"
#include "report/pragma.h"
#include "report/sentences.h"
#include "report/table.h"
#include "report/text_layout.h"
#include "report/units.h"

namespace ompdm::report {

namespace {

using analysis::Analysis;
using analysis::Prediction;

/// ", about 136 ms of 240 ms". On host devices a small share tells nothing of a GPU.
std::string time_of(const Analysis& one, const std::optional<Prediction>& prediction) {
  if (!prediction || !analysis::saves_time(one, prediction)) {
    return analysis::has_device_times({&one, 1}) ? ", less than 1 % of the time" : "";
  }
  return fmt::format(", about {} of {}", spoken_time(one.program_wall - prediction->wall),
                     spoken_time(one.program_wall));
}

/// The same where a part of the run is told.
std::string time_in_part(const Analysis& one, const std::optional<Prediction>& prediction) {
  const Nanoseconds wall = prediction ? prediction->wall : one.program_wall;
  return "about " + spoken_time(one.program_wall - wall);
}

/// What the host reads in between has to cross all the same.
const char* at_most(const std::optional<Prediction>& prediction) {
  return prediction && prediction->at_most ? "at most " : "";
}

/// ", 22.8 MB of 72.0 MB"; of copies that others could have made, where no byte would be spared.
std::string bytes_of(const Prediction& prediction, std::uint64_t all) {
  if (prediction.spared_bytes == 0) return ", whose bytes fewer copies would carry";
  return fmt::format(", {} of {}", spoken_size(prediction.spared_bytes), spoken_size(all));
}

/// Of one recording; empty where no copy would be spared.
std::string saved(const Analysis& one) {
  const auto& most = one.possible_prediction ? one.possible_prediction : one.prediction;
  if (!most || most->spared_transfers == 0) return {};
  const std::uint64_t bytes = one.totals.htod.bytes + one.totals.dtoh.bytes;
  const std::uint64_t copies = one.totals.htod.count + one.totals.dtoh.count;
  const std::string text =
      is_told_whole(one.recording) || one.recording.is_part()
          ? fmt::format("{}{} of {}{}{}", at_most(most), most->spared_transfers,
                        counted(copies, "copy", "copies"), bytes_of(*most, bytes),
                        time_of(one, most))
          // Of how many, nobody knows: the totals are of the whole run.
          : fmt::format("{}{} that are told, {}, {}", at_most(most),
                        counted(most->spared_transfers, "copy", "copies"),
                        spoken_size(most->spared_bytes), time_in_part(one, most));
  if (!one.possible_prediction) return text;
  const auto& sure = one.prediction;
  if (!sure || sure->spared_bytes == 0) return text + " (possibly)";
  const std::string time = analysis::saves_time(one, sure)
                               ? fmt::format(", {}", spoken_time(one.program_wall - sure->wall))
                               : std::string();
  return text + fmt::format(" (likely: {}{})", spoken_size(sure->spared_bytes), time);
}

/// "Without what is needless here the run would have taken about 217 ms instead of 381 ms, its
/// transfers 23.1 ms; about 190 ms if what is possible only holds too."
std::string predicted(const Analysis& one) {
  const auto& sure = one.prediction;
  const auto& possible = one.possible_prediction;
  const bool adds = possible && sure && one.program_wall > 0 &&
                    100 * (sure->wall - possible->wall) >= one.program_wall;
  std::string text;
  if (sure && analysis::saves_time(one, sure)) {
    text = fmt::format(
        "Without what is needless here the run would have taken about {} instead of {}, its "
        "transfers {}",
        spoken_time(sure->wall), spoken_time(one.program_wall), spoken_time(sure->transfer));
    if (adds)
      text +=
          fmt::format("; about {} if what is possible only holds too", spoken_time(possible->wall));
  } else if (sure && sure->spared_bytes > 0) {
    text = fmt::format(
        "Without what is needless here {}{} would not have crossed: less than 1 % of this run's "
        "time",
        at_most(sure), spoken_size(sure->spared_bytes));
    if (adds)
      text += fmt::format(
          "; it would have taken about {} instead of {} if what is possible only holds too",
          spoken_time(possible->wall), spoken_time(one.program_wall));
  } else if (adds) {
    text = fmt::format(
        "If what is possible only holds, the run would have taken about {} instead of {}, its "
        "transfers {}",
        spoken_time(possible->wall), spoken_time(one.program_wall),
        spoken_time(possible->transfer));
  } else if (possible && possible->spared_bytes > 0) {
    text = fmt::format(
        "If what is possible only holds, {}{} would not have crossed: less than 1 % of this run's "
        "time",
        at_most(possible), spoken_size(possible->spared_bytes));
  }
  return text.empty() ? text : text + '.';
}

/// "Needless: 36 of 40 copies, 288 MB of 320 MB, about 136 ms of 240 ms": of one recording, with
/// what is likely of it where not all is; "What to do first" where no copy would be spared, or of
/// several recordings.
std::string saving_title(Analyses analyses) {
  const std::string text = analyses.size() == 1 ? saved(analyses.front()) : std::string();
  return text.empty() ? "What to do first" : "Needless: " + text;
}

/// What the title does not tell: the saving of each of several recordings, one without copies, and
/// what was left out.
std::vector<std::string> saving_sentences(Analyses analyses) {
  const Ranks ranks = ranks_of(analyses);
  const bool is_told = analyses.size() == 1 && !saved(analyses.front()).empty();
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    std::vector<std::string> own = left_out(analyses[i]);
    if (!is_told) own.insert(own.begin(), predicted(analyses[i]));
    for (const std::string& sentence : own) {
      if (!sentence.empty()) sentences.push_back(prefix(ranks, i) + sentence);
    }
  }
  return sentences;
}

/// One finding; or several kernels of one function that are to be changed alike.
struct ToldRow {
  std::vector<std::size_t> numbers;  ///< in the report, from 1; the first is the one that is shown
  std::string recording;             ///< whose it is, where there are several: "rank 1: "
  const analysis::Finding* finding = nullptr;  ///< the first, and
  std::vector<const analysis::Finding*> others = {};
  std::string place;  ///< "heat.cpp:56", "heat.cpp:56 +2"
  std::string action;
  std::uint64_t wasted_bytes = 0;  ///< of all of them
  Nanoseconds wasted_time = 0;
  bool timed = true;
};

using analysis::Finding;
using analysis::facts::SerialKernel;

/// In the order of told_findings().
std::vector<ToldRow> told_rows(Analyses analyses, const SourceNames& names) {
  const Ranks ranks = ranks_of(analyses);
  std::vector<ToldRow> rows;
  std::map<std::tuple<std::size_t, std::string, SerialKernel::Shape>, std::size_t> row_of_kernels;
  std::size_t number = 0;
  for (const ToldFinding& told : told_findings(analyses)) {
    const Finding& finding = *told.finding;
    ++number;
    const auto* kernel = std::get_if<SerialKernel>(&finding.facts);
    if (kernel != nullptr && kernel->place && !kernel->place->function.empty()) {
      const auto [known, is_new] = row_of_kernels.try_emplace(
          {told.recording, kernel->place->function, kernel->shape}, rows.size());
      if (!is_new) {
        ToldRow& row = rows[known->second];
        row.numbers.push_back(number);
        row.others.push_back(&finding);
        row.wasted_bytes += finding.wasted_bytes;
        row.wasted_time += finding.wasted_time;
        row.timed = row.timed && finding.timed;
        row.place = fmt::format("{} +{}", names.place(row.finding->file, row.finding->line),
                                row.numbers.size() - 1);
        row.action = action_of_kernels(kernel->shape, row.numbers.size(), kernel->place->function);
        continue;
      }
    }
    rows.push_back({{number},
                    prefix(ranks, told.recording),
                    &finding,
                    {},
                    names.place(finding.file, finding.line),
                    action_text(finding, names),
                    finding.wasted_bytes,
                    finding.wasted_time,
                    finding.timed});
  }
  return rows;
}

using analysis::Analysis;
using analysis::Confidence;
using analysis::Finding;

constexpr std::size_t kIndent = 5;  // of a finding's lines
constexpr std::size_t kConfidenceWidth = 10;
constexpr std::size_t kSavingWidth = 9;

std::vector<ToldRow> first_of(std::vector<ToldRow> rows, const Layout& layout) {
  if (layout.findings > 0 && rows.size() > layout.findings) rows.resize(layout.findings);
  return rows;
}

std::size_t findings_in(const std::vector<ToldRow>& rows) {
  std::size_t count = 0;
  for (const ToldRow& row : rows) count += row.numbers.size();
  return count;
}

/// A sentence in lines of the layout's width: behind `mark`, and beneath the first of its words.
std::string filled_line(const std::string& mark, const std::string& text, const Layout& layout) {
  const std::string next_line = '\n' + std::string(mark.size(), ' ');
  std::string filled = mark;
  for (const char c : wrapped(text, layout.width - std::min(layout.width, mark.size()), 0)) {
    if (c == '\n') {
      filled += next_line;
    } else {
      filled += c;
    }
  }
  return filled + '\n';
}

std::string figure(bool is_known, const std::string& text) {
  return fmt::format("{:>{}}", is_known ? text : "-", kSavingWidth);
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

/// One line each.
std::string lines_of(const std::vector<ToldRow>& told, const Layout& layout) {
  Widths widths;
  constexpr std::size_t kMostPlace = 26;
  for (const ToldRow& one : told) {
    widths.number = std::max(widths.number, std::to_string(one.numbers.front()).size());
    widths.place = std::min(kMostPlace, std::max(widths.place, display_width(one.place)));
  }
  const std::size_t fixed =
      2 + widths.number + 2 + kConfidenceWidth + widths.place + 2 + 2 * kSavingWidth;
  constexpr std::size_t kLeastAction = 24;
  const std::size_t room =
      layout.width > fixed + kLeastAction ? layout.width - fixed : kLeastAction;
  for (const ToldRow& one : told) {
    const std::size_t width = display_width(one.recording + one.action);
    widths.action = std::max(widths.action, std::min(room, width));
  }
  std::string text;
  for (const ToldRow& one : told) text += line_of(one, widths);
  return text;
}

/// "... and 12 more (--all)".
std::string and_more(std::size_t more) {
  return more == 0
             ? std::string()
             : fmt::format("  ... and {} more: --all shows {}\n", more, more == 1 ? "it" : "them");
}

/// A line of the program where a loop begins, for a reader to know the place by; none where it is
/// not at hand, is too wide, or is no such line: a compiler's place may be that of a loop's end.
std::optional<std::string> loop_head(const analysis::Edit& edit, const Layout& layout,
                                     std::size_t width) {
  static const std::regex kHead(R"(^\s*(for|while|do)\b.*[^;\\]$)", std::regex::icase);
  const analysis::Anchor& anchor = edit.anchor;
  if (!layout.source || anchor.of != analysis::Anchor::Of::kLoop || anchor.places.empty() ||
      anchor.side != analysis::Anchor::Side::kBefore || anchor.places.front().line <= 0) {
    return std::nullopt;
  }
  const analysis::SourcePlace& place = anchor.places.front();
  const std::optional<std::string> line = layout.source(place.file, place.line);
  if (!line || !std::regex_match(*line, kHead)) return std::nullopt;
  const std::string head = line->substr(line->find_first_not_of(" \t"));
  if (display_width(head) > width) return std::nullopt;
  return head;
}

/// Lines of the program that call what an edit's names are of; those that are at hand, and fit.
std::vector<std::string> quoted_calls(const analysis::Edit& edit, const Layout& layout,
                                      std::size_t width) {
  std::vector<std::string> quoted;
  if (!layout.source) return quoted;
  for (const analysis::SourcePlace& call : edit.calls) {
    std::optional<std::string> line = layout.source(call.file, call.line);
    if (!line) continue;
    line->erase(0, std::min(line->find_first_not_of(" \t"), line->size()));
    if (!line->empty() && display_width(*line) <= width) quoted.push_back(*std::move(line));
  }
  return quoted;
}

/// A finding's code takes no more lines than this in the report.
constexpr std::size_t kMostLinesOfCode = 12;

/// What to do in any case, with its code; where that is too long, how to read it.
std::string steps_of(const ToldRow& row, const Layout& layout) {
  const Finding& finding = *row.finding;
  const std::string indent(kIndent, ' ');
  const std::size_t width = layout.width - std::min(layout.width, kIndent + 6);
  std::string text;
  std::size_t lines_of_code = 0;
  for (const AdviceStep& step : advice_steps(finding)) {
    if (step.is_check) continue;
    const char* mark = "- ";
    for (const AdviceLine& line : step.lines) {
      if (!line.is_code) {
        text += filled_line(indent + mark, line.text, layout);
        mark = "  ";
        continue;
      }
      for (const std::string& part : set_code(line.text, finding.file, width)) {
        text += indent + "    + " + part + '\n';
        ++lines_of_code;
      }
    }
    if (step.edit == nullptr) continue;
    const bool has_code = std::ranges::any_of(step.lines, &AdviceLine::is_code);
    const std::optional<std::string> head = loop_head(*step.edit, layout, width);
    if (has_code && head) text += indent + "      " + *head + '\n';
    if (has_code || step.edit != &finding.edits.front()) continue;
    for (const std::string& call : quoted_calls(*step.edit, layout, width)) {
      text += indent + "      " + call + '\n';
    }
  }
  if (text.empty()) return filled_line(indent, evidence_text(finding) + '.', layout);
  if (lines_of_code <= kMostLinesOfCode) return text;
  return fmt::format("{}code: ompdm explain {} {}\n", indent,
                     layout.traces.empty() ? "TRACE" : layout.traces, row.numbers.front());
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
  const std::string indent(kIndent, ' ');
  if (!runs.empty()) text += filled_line(indent, runs, layout);
  const bool is_refuted = !finding.unreached.empty() ||
                          std::ranges::any_of(finding.runs, analysis::speaks_against_edits);
  if (!is_refuted) text += steps_of(row, layout);
  for (const std::string& line : {unless_line(finding), also_text(row, names)}) {
    if (!line.empty()) text += filled_line(indent, line, layout);
  }
  return text;
}

}  // namespace

std::string needless_block(Analyses analyses, const SourceNames& names, const Layout& layout) {
  if (std::ranges::none_of(analyses, can_tell)) return {};
  std::string closing;
  for (const std::string& sentence : saving_sentences(analyses)) {
    closing += wrapped(sentence, layout.width) + '\n';
  }
  const std::vector<ToldRow> all = told_rows(analyses, names);
  if (all.empty())
    return '\n' + wrapped(none_found(analyses, names), layout.width) + '\n' + closing;
  const std::vector<ToldRow> told = first_of(all, layout);
  // One alone is told at once; of several the first look is at how they compare.
  const bool is_alone = told.size() == 1;
  const std::string heading = saving_title(analyses) + (is_alone ? explain_hint(layout) : "");
  std::string text =
      "\n" + title(wrapped(heading, layout.width), layout) + '\n' + lines_of(told, layout);
  if (is_alone) text += body_of(told.front(), names, layout);
  return text + and_more(findings_in(all) - findings_in(told)) + closing;
}

std::string finding_list(Analyses analyses, const SourceNames& names, const Layout& layout) {
  const std::vector<ToldRow> all = told_rows(analyses, names);
  if (all.empty()) return wrapped(none_found(analyses, names), layout.width) + '\n';
  const std::string how = layout.traces.empty() ? "TRACE" : layout.traces;
  return lines_of(all, layout) + fmt::format("\nAll of one: ompdm explain {} N\n", how);
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
  if (table.rows.empty()) return none_found(analyses, names) + "\n\n" + closing;
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
