#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <regex>
#include <sstream>
#include <tuple>

#include "ompdm/report.h"
#include "report/clauses.h"
#include "report/edits.h"
#include "report/findings.h"
#include "report/patterns/patterns.h"
#include "report/sentences.h"
#include "report/text_layout.h"
#include "report/units.h"

namespace ompdm::report {

namespace {

using analysis::Analysis;
using analysis::Finding;
using analysis::Prediction;
using analysis::facts::SerialKernel;

/// Whether a recording can show redundant transfers.
bool shows_transfers(const Analysis& one) {
  return analysis::has_target_events(one) && analysis::knows_transfers(one);
}

/// Data that the host reads in between is transferred nevertheless.
const char* at_most(const std::optional<Prediction>& prediction) {
  return prediction && prediction->at_most ? "at most " : "";
}

/// ", about 136 ms of 240 ms". On host devices a small share says nothing about a GPU.
std::string time_of(const Analysis& one, const Prediction& prediction) {
  if (!analysis::saves_time(one, prediction)) {
    return analysis::has_device_times({&one, 1}) ? ", less than 1 % of the time" : "";
  }
  return fmt::format(", about {} of {}", spoken_time(one.program_wall - prediction.wall),
                     spoken_time(one.program_wall));
}

/// ", 22.8 MB of 72.0 MB"; of copies that others could have made, where no byte would be spared.
std::string bytes_of(const Prediction& prediction, std::uint64_t all) {
  if (prediction.spared_bytes == 0) return ", whose bytes fewer copies would carry";
  return fmt::format(", {} of {}", spoken_size(prediction.spared_bytes), spoken_size(all));
}

/// Of one recording: "36 of 40 copies, 288 MB of 320 MB, about 136 ms of 240 ms; possibly 38
/// copies, 300 MB". Empty where no copy would be spared.
std::string saved(const Analysis& one) {
  const auto spares = [](const std::optional<Prediction>& prediction) {
    return prediction && prediction->spared_transfers > 0;
  };
  const bool is_sure = spares(one.prediction);
  const auto& most = is_sure ? one.prediction : one.possible_prediction;
  if (!spares(most)) return {};
  const char* bound = is_sure ? at_most(most) : "possibly ";
  const std::uint64_t bytes = one.totals.htod.bytes + one.totals.dtoh.bytes;
  const std::uint64_t copies = one.totals.htod.count + one.totals.dtoh.count;
  const std::string text =
      is_recorded_whole(one.recording) || one.recording.is_part()
          ? fmt::format("{}{} of {}{}{}", bound, most->spared_transfers,
                        counted(copies, "copy", "copies"), bytes_of(*most, bytes),
                        time_of(one, *most))
          // The totals are of the whole run, the findings of a part: there is no share.
          : fmt::format("{}{} recorded, {}, about {}", bound,
                        counted(most->spared_transfers, "copy", "copies"),
                        spoken_size(most->spared_bytes),
                        spoken_time(one.program_wall - most->wall));
  if (!is_sure || !spares(one.possible_prediction)) return text;
  const Prediction& possible = *one.possible_prediction;
  return text + fmt::format("; possibly {}, {}",
                            counted(possible.spared_transfers, "copy", "copies"),
                            spoken_size(possible.spared_bytes));
}

/// The times of a run without its redundant operations. The first part of the sentence is
/// "Without the redundant operations the run would have taken about 217 ms instead of 381 ms".
/// "its transfers 23.1 ms" and "about 190 ms without the possibly redundant ones too" may follow.
/// Where less than 1 % of the time is saved, the sentence names bytes instead. May be empty.
std::string predicted(const Analysis& one) {
  constexpr const char* kSure = "Without the redundant operations";
  constexpr const char* kPossible = "Without the possibly redundant operations";
  const auto& sure = one.prediction;
  const auto& possible = one.possible_prediction;
  const std::string now = spoken_time(one.program_wall);
  const bool adds = possible && sure && one.program_wall > 0 &&
                    100 * (sure->wall - possible->wall) >= one.program_wall;
  const auto spares_time = [&](const char* when, const Prediction& without) {
    return fmt::format("{} the run would have taken about {} instead of {}, its transfers {}", when,
                       spoken_time(without.wall), now, spoken_time(without.transfer));
  };
  const auto spares_bytes = [&](const char* when, const std::optional<Prediction>& without) {
    return fmt::format("{} {}{} would not have been transferred: less than 1 % of this run's time",
                       when, at_most(without), spoken_size(without->spared_bytes));
  };
  std::string text;
  std::string more;
  if (sure && analysis::saves_time(one, sure)) {
    text = spares_time(kSure, *sure);
    if (adds) more = fmt::format("; about {}", spoken_time(possible->wall));
  } else if (sure && sure->spared_bytes > 0) {
    text = spares_bytes(kSure, sure);
    if (adds) {
      more = fmt::format("; it would have taken about {} instead of {}",
                         spoken_time(possible->wall), now);
    }
  } else if (adds) {
    text = spares_time(kPossible, *possible);
  } else if (possible && possible->spared_bytes > 0) {
    text = spares_bytes(kPossible, possible);
  }
  if (!more.empty()) text += more + " without the possibly redundant ones too";
  return text.empty() ? text : text + '.';
}

/// "Redundant: 36 of 40 copies, 288 MB of 320 MB, about 136 ms of 240 ms": of one recording;
/// "What to do first" where no copy would be spared, or of several recordings.
std::string saving_title(Analyses analyses) {
  const std::string text = analyses.size() == 1 ? saved(analyses.front()) : std::string();
  return text.empty() ? "What to do first" : "Redundant: " + text;
}

/// What the title does not have: the saving of each of several recordings, one without copies, and
/// what was left out.
std::vector<std::string> saving_sentences(Analyses analyses) {
  const bool is_in_title = analyses.size() == 1 && !saved(analyses.front()).empty();
  return prefixed(analyses, [&](const Analysis& one) {
    std::vector<std::string> own = left_out(one);
    if (!is_in_title) own.insert(own.begin(), predicted(one));
    return own;
  });
}

/// One finding, or several on kernels of one function that are to be changed alike.
struct SummaryRow {
  std::size_t number = 0;  ///< in the report, from 1: of the finding that is shown
  std::string recording;   ///< whose it is, where there are several: "rank 1: "
  const Finding* finding = nullptr;
  std::vector<std::pair<std::size_t, const Finding*>> others = {};  ///< by their numbers
  std::string place;                                                ///< "heat.cpp:56 +2"
  std::string action;
  std::uint64_t wasted_bytes = 0;  ///< of all of them
  Nanoseconds wasted_time = 0;
  bool timed = true;
};

/// In the order of shown_findings().
std::vector<SummaryRow> summary_rows(Analyses analyses, const SourceNames& names) {
  const Ranks ranks = ranks_of(analyses);
  std::vector<SummaryRow> rows;
  std::map<std::tuple<std::size_t, std::string, SerialKernel::Shape>, std::size_t> row_of_kernels;
  std::size_t number = 0;
  for (const auto& [recording, shown] : shown_findings(analyses)) {
    const Finding& finding = *shown;
    ++number;
    const auto* kernel = std::get_if<SerialKernel>(&finding.facts);
    if (kernel != nullptr && kernel->place && !kernel->place->function.empty()) {
      const auto [known, is_new] = row_of_kernels.try_emplace(
          {recording, kernel->place->function, kernel->shape}, rows.size());
      if (!is_new) {
        SummaryRow& row = rows[known->second];
        row.others.emplace_back(number, &finding);
        row.wasted_bytes += finding.wasted_bytes;
        row.wasted_time += finding.wasted_time;
        row.timed = row.timed && finding.timed;
        row.place = fmt::format("{} +{}", names.place(row.finding->file, row.finding->line),
                                row.others.size());
        row.action =
            action_of_kernels(kernel->shape, row.others.size() + 1, kernel->place->function);
        continue;
      }
    }
    rows.push_back({.number = number,
                    .recording = prefix(ranks, recording),
                    .finding = &finding,
                    .place = names.place(finding.file, finding.line),
                    .action = action_text(finding, names),
                    .wasted_bytes = finding.wasted_bytes,
                    .wasted_time = finding.wasted_time,
                    .timed = finding.timed});
  }
  return rows;
}

constexpr std::size_t kIndent = 5;  // of a finding's lines
constexpr std::size_t kConfidenceWidth = 10;
constexpr std::size_t kSavingWidth = 9;

std::vector<SummaryRow> first_of(std::vector<SummaryRow> rows, const Layout& layout) {
  if (layout.findings > 0 && rows.size() > layout.findings) rows.resize(layout.findings);
  return rows;
}

std::size_t findings_in(const std::vector<SummaryRow>& rows) {
  std::size_t count = rows.size();
  for (const SummaryRow& row : rows) count += row.others.size();
  return count;
}

/// One line each, in columns.
std::string lines_of(const std::vector<SummaryRow>& rows, const Layout& layout) {
  constexpr std::size_t kMostPlace = 26;
  constexpr std::size_t kLeastAction = 24;
  std::size_t number_width = 1;
  std::size_t place_width = 0;
  for (const SummaryRow& row : rows) {
    number_width = std::max(number_width, std::to_string(row.number).size());
    place_width = std::min(kMostPlace, std::max(place_width, display_width(row.place)));
  }
  const std::size_t fixed =
      2 + number_width + 2 + kConfidenceWidth + place_width + 2 + 2 * kSavingWidth;
  const std::size_t room =
      layout.width > fixed + kLeastAction ? layout.width - fixed : kLeastAction;
  std::size_t action_width = 0;
  for (const SummaryRow& row : rows) {
    const std::size_t width = display_width(row.recording + row.action);
    action_width = std::max(action_width, std::min(room, width));
  }
  std::string text;
  for (const SummaryRow& row : rows) {
    // An action that is wider goes on below.
    std::istringstream lines(wrapped(row.recording + row.action, action_width, 0));
    std::string line;
    std::getline(lines, line);
    text += fmt::format("  {:>{}}  {:<{}}{:<{}}  {:<{}}{:>{}}{:>{}}\n", row.number, number_width,
                        confidence_of(*row.finding), kConfidenceWidth,
                        shortened(row.place, place_width), place_width, line, action_width,
                        row.wasted_bytes > 0 ? spoken_size(row.wasted_bytes) : "-", kSavingWidth,
                        row.timed && row.wasted_time > 0 ? spoken_time(row.wasted_time) : "-",
                        kSavingWidth);
    while (std::getline(lines, line)) {
      text += fmt::format("{:{}}{}\n", "", fixed - 2 * kSavingWidth, line);
    }
  }
  return text;
}

/// The line of the program where a loop begins, so that a reader recognizes the place. None if it
/// is not at hand, is too wide, or begins no loop: a compiler's place may be that of a loop's end.
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

/// Lines of the program with calls that lead to the names of an edit; those that are at hand, and
/// fit.
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

/// A finding's code takes no more lines than this in the report, and its hunks no more than that.
constexpr std::size_t kMostLinesOfCode = 12;
constexpr std::size_t kMostLinesOfHunks = 18;

/// What to do in any case, with its code; where that is too long, how to read it.
std::string steps_of(const SummaryRow& row, const Layout& layout) {
  const Finding& finding = *row.finding;
  const std::string indent(kIndent, ' ');
  const std::string code_mark = indent + "    + ";
  const std::size_t width = layout.width - std::min(layout.width, code_mark.size());
  std::string text;
  std::size_t lines_of_code = 0;
  std::size_t lines_of_hunks = 0;
  for (const AdviceStep& step : advice_steps(finding)) {
    if (step.is_check) continue;
    text += step_text(step, finding, indent + "- ", code_mark, layout.width);
    bool has_code = false;
    for (const AdviceLine& line : step.lines) {
      if (line.is_source) ++lines_of_hunks;
      if (!line.is_code) continue;
      lines_of_code += set_code(line.text, finding.file, width).size();
      has_code = true;
    }
    if (step.edit == nullptr) continue;
    const std::optional<std::string> head = loop_head(*step.edit, layout, width);
    if (has_code && head) text += indent + "      " + *head + '\n';
    if (has_code || step.edit != &finding.edits.front()) continue;
    for (const std::string& call : quoted_calls(*step.edit, layout, width)) {
      text += indent + "      " + call + '\n';
    }
  }
  if (text.empty()) return paragraph(indent, evidence_text(finding) + '.', layout.width);
  if (lines_of_code <= kMostLinesOfCode && lines_of_hunks <= kMostLinesOfHunks) return text;
  return fmt::format("{}code: ompdm explain {} {}\n", indent,
                     layout.traces.empty() ? "TRACE" : layout.traces, row.number);
}

/// "also 2 (heat.cpp:20) and 3 (heat.cpp:30)": the other findings of the row.
std::string also_text(const SummaryRow& row, const SourceNames& names) {
  constexpr std::size_t kMost = 4;
  if (row.others.empty()) return {};
  std::vector<std::string> others;
  for (const auto& [number, finding] : row.others) {
    if (others.size() == kMost) {
      others.push_back(fmt::format("{} more", row.others.size() - kMost));
      break;
    }
    others.push_back(fmt::format("{} ({})", number, names.place(finding->file, finding->line)));
  }
  return "also " + spoken_list(others);
}

/// The advice on a finding, and what speaks against it.
std::string body_of(const SummaryRow& row, const SourceNames& names, const Layout& layout) {
  const Finding& finding = *row.finding;
  const std::string indent(kIndent, ' ');
  const bool is_refuted = (!finding.unreached.empty() && finding.patch.hunks.empty()) ||
                          std::ranges::any_of(finding.runs, analysis::speaks_against_edits);
  const std::string runs = runs_sentence(finding);
  std::string text;
  if (!runs.empty()) text += paragraph(indent, runs, layout.width);
  if (!is_refuted) text += steps_of(row, layout);
  for (const std::string& line : {unless_line(finding), also_text(row, names)}) {
    if (!line.empty()) text += paragraph(indent, line, layout.width);
  }
  return text;
}

/// " (ompdm explain trace.json 1; ompdm fix trace.json)": of a single finding, and of findings with
/// edits in C or C++. Empty where the traces have no names, or are several.
std::string next_commands(Analyses analyses, const std::vector<SummaryRow>& rows,
                          const std::string& traces) {
  if (traces.empty() || analyses.size() != 1) return {};
  std::vector<std::string> commands;
  if (rows.size() == 1) commands.push_back(fmt::format("ompdm explain {} 1", traces));
  const bool has_patch = std::ranges::any_of(rows, [](const SummaryRow& row) {
    return !row.finding->edits.empty() && !is_fortran_source(row.finding->file);
  });
  if (has_patch) commands.push_back(fmt::format("ompdm fix {}", traces));
  return commands.empty() ? std::string() : fmt::format(" ({})", fmt::join(commands, "; "));
}

}  // namespace

std::string findings_summary(Analyses analyses, const SourceNames& names, const Layout& layout) {
  if (std::ranges::none_of(analyses, shows_transfers)) return {};
  const std::string closing = wrapped_lines(saving_sentences(analyses), layout.width);
  const std::vector<SummaryRow> all = summary_rows(analyses, names);
  if (all.empty())
    return '\n' + wrapped(none_found(analyses, names), layout.width) + '\n' + closing;
  const std::vector<SummaryRow> first = first_of(all, layout);
  // A single finding is shown whole. Several are first compared, a line each.
  const bool is_alone = first.size() == 1;
  const std::string heading =
      saving_title(analyses) + next_commands(analyses, first, layout.traces);
  std::string text =
      "\n" + title(wrapped(heading, layout.width), layout) + '\n' + lines_of(first, layout);
  if (is_alone) text += body_of(first.front(), names, layout);
  const std::size_t more = findings_in(all) - findings_in(first);
  if (more > 0) {
    text += fmt::format("  ... and {} more: --all shows {}\n", more, more == 1 ? "it" : "them");
  }
  return text + closing;
}

std::string finding_list(Analyses analyses, const SourceNames& names, const Layout& layout) {
  const std::vector<SummaryRow> all = summary_rows(analyses, names);
  const std::string clauses =
      clauses_list(analyses, names, layout, shown_findings(analyses).size() + 1);
  if (all.empty() && clauses.empty()) {
    return wrapped(none_found(analyses, names), layout.width) + '\n';
  }
  return (all.empty() ? std::string() : lines_of(all, layout)) +
         (clauses.empty() ? clauses : "\nData clauses that do not do what they say:\n" + clauses) +
         fmt::format("\nAll of one: ompdm explain {} N\n",
                     layout.traces.empty() ? "TRACE" : layout.traces);
}

std::string findings_summary_markdown(Analyses analyses, const SourceNames& names) {
  if (std::ranges::none_of(analyses, shows_transfers)) return {};
  const std::string closing = paragraphs(saving_sentences(analyses));
  Table table{"needless",
              saving_title(analyses),
              {{"number", "Finding", Unit::kCount},
               {"confidence", "Confidence"},
               {"place", "Where"},
               {"action", "What to do"},
               {"wasted_bytes", "Bytes"},
               {"wasted_ns", "Time"}},
              {}};
  for (const SummaryRow& row : summary_rows(analyses, names)) {
    table.rows.push_back(
        {number(row.number), std::string(confidence_of(*row.finding)), row.place,
         row.recording + row.action, row.wasted_bytes > 0 ? number(row.wasted_bytes) : Cell(),
         row.timed && row.wasted_time > 0 ? Cell(std::int64_t{row.wasted_time}) : Cell()});
  }
  if (table.rows.empty()) return none_found(analyses, names) + "\n\n" + closing;
  return fmt::format("## {}\n\n{}\n{}", in_markdown(table.title), markdown(table), closing);
}

std::string short_findings(Analyses analyses, const SourceNames& names, const Layout& layout) {
  const std::vector<SummaryRow> first = first_of(summary_rows(analyses, names), layout);
  if (first.size() < 2) return {};
  const std::string how = layout.traces.empty()
                              ? std::string()
                              : fmt::format(" (all of one: ompdm explain {} N)", layout.traces);
  std::string text = '\n' + title(wrapped("Findings: edits" + how, layout.width), layout) + '\n';
  for (const SummaryRow& row : first) {
    text += shortened(fmt::format("{}. {}{}{}{}", row.number, row.recording, row.place,
                                  row.place.empty() ? "" : ": ", row.action),
                      layout.width) +
            '\n' + body_of(row, names, layout);
  }
  return text;
}

}  // namespace ompdm::report
