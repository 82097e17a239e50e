#include "report/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "report/fitted_text.h"
#include "report/invariant.h"
#include "report/left_out.h"
#include "report/page.h"
#include "report/patterns.h"
#include "report/runs.h"
#include "report/units.h"

namespace ompdm::report {
namespace {

using analysis::Analysis;
using analysis::Finding;

std::string title_of(Analyses analyses) {
  return fmt::format("Findings: what was needless in {}, what would save most time first",
                     are_inputs(analyses) ? "these runs" : "this run");
}

Pattern pattern_of(const Finding& finding) {
  const auto known = std::ranges::find(kPatterns, finding.pattern, &Pattern::name);
  if (known != std::end(kPatterns)) return *known;
  return {finding.pattern, finding.pattern, "instance", "instances"};
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

/// "heat.cpp:41, u, u_tmp: mapped anew by each pass of a loop"
std::string heading_of(const Finding& finding, const SourceNames& names) {
  std::string text = names.place(finding.file, finding.line);
  if (!finding.variable.empty()) text += (text.empty() ? "" : ", ") + finding.variable;
  return text + (text.empty() ? "" : ": ") + std::string(pattern_of(finding).words);
}

/// "36 transfers, 288 MB, 164 ms; likely"
std::string cost_of(const Finding& finding) {
  const Pattern pattern = pattern_of(finding);
  std::string text = counted(finding.count, pattern.one, pattern.many);
  if (finding.wasted_bytes > 0) text += ", " + spoken_size(finding.wasted_bytes);
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

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  if (text.empty()) return lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

bool is_code(const std::string& line) { return line.starts_with("  "); }

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

/// "Without what is needless here the run would have taken about 217 ms instead of 381 ms, its
/// transfers 23.1 ms; about 190 ms if what is possible only holds too."
std::string predicted(const Analysis& one) {
  const auto& sure = one.prediction;
  const auto& possible = one.possible_prediction;
  const bool adds = possible && sure && one.program_wall > 0 &&
                    100 * (sure->wall - possible->wall) >= one.program_wall;
  std::string text;
  if (analysis::saves_time(one, sure)) {
    text = fmt::format(
        "Without what is needless here the run would have taken about {} instead of {}, its "
        "transfers {}",
        spoken_time(sure->wall), spoken_time(one.program_wall), spoken_time(sure->transfer));
    if (adds)
      text +=
          fmt::format("; about {} if what is possible only holds too", spoken_time(possible->wall));
  } else if (sure && sure->spared_bytes > 0) {
    text = fmt::format(
        "Without what is needless here {} would not have crossed: less than 1 % of this run's time",
        spoken_size(sure->spared_bytes));
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
        "If what is possible only holds, {} would not have crossed: less than 1 % of this run's "
        "time",
        spoken_size(possible->spared_bytes));
  }
  return text.empty() ? text : text + '.';
}

/// What is said once all findings are, of each recording.
std::vector<std::string> closing_sentences(Analyses analyses, const Ranks& ranks) {
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    std::vector<std::string> own = left_out(analyses[i]);
    own.insert(own.begin(), predicted(analyses[i]));
    for (const std::string& sentence : own) {
      if (!sentence.empty()) sentences.push_back(prefix(ranks, i) + sentence);
    }
  }
  return sentences;
}

bool can_tell(const Analysis& one) {
  return analysis::has_target_events(one) && analysis::knows_transfers(one);
}

std::string none_found(Analyses analyses) {
  const auto unseen = [](const Analysis& one) {
    return one.recording.hashing.empty() || one.recording.hashing == "off";
  };
  if (std::ranges::any_of(analyses, unseen)) {
    return "No needless movement was found in this run. Contents were not compared: whether data "
           "crossed again unchanged is not known.";
  }
  const std::string& hashing = analyses.front().recording.hashing;
  const bool any_invariant = std::ranges::any_of(analyses, [](const Analysis& one) {
    return std::ranges::any_of(one.iterations, has_invariant);
  });
  return "No needless movement that can safely be left out was found in this run; " +
         (hashing == "full"
              ? "the contents of all transfers of the same piece of memory were compared."
              : "contents were compared as far as their share went (OMPDM_HASH=" + hashing + ").") +
         (any_invariant ? " What never changes on its way is needed only if kernels change it on "
                          "the device, which transfers do not tell."
                        : "");
}

}  // namespace

std::string findings_text(Analyses analyses, const SourceNames& names, const Layout& layout) {
  const Ranks ranks = ranks_of(analyses);
  std::string text;
  std::string closing;
  for (const std::string& sentence : closing_sentences(analyses, ranks)) {
    closing += filled(sentence, 0, layout.width);
  }
  std::size_t number = 0;
  for (const auto& [recording, told] : told_findings(analyses)) {
    const Finding& finding = *told;
    const std::string label = fmt::format("{}. ", ++number);
    const std::size_t indent = label.size();
    text +=
        label + filled(prefix(ranks, recording) + heading_of(finding, names), indent, layout.width)
                    .substr(indent);
    text += filled(cost_of(finding), indent, layout.width);
    const std::string runs = runs_sentence(finding);
    if (!runs.empty()) text += filled(runs, indent, layout.width);
    text += filled(evidence_text(finding), indent, layout.width);
    for (const std::string& line : lines_of(advice_text(finding))) {
      // A pragma's lines are as they are to be copied.
      text += is_code(line) ? std::string(indent, ' ') + "    " + line + '\n'
                            : filled("> " + line, indent, layout.width);
    }
  }
  if (text.empty()) {
    return std::ranges::any_of(analyses, can_tell)
               ? '\n' + filled(none_found(analyses), 0, layout.width) + closing
               : std::string();
  }
  return '\n' + title(wrapped(title_of(analyses), layout.width), layout) + '\n' + text + closing;
}

std::string findings_markdown(Analyses analyses, const SourceNames& names) {
  const Ranks ranks = ranks_of(analyses);
  std::string text;
  std::string closing;
  for (const std::string& sentence : closing_sentences(analyses, ranks)) {
    closing += sentence + "\n\n";
  }
  for (const auto& [recording, told] : told_findings(analyses)) {
    const Finding& finding = *told;
    const std::string runs = runs_sentence(finding);
    text += fmt::format("1. **{}{}** ({}{}{})\n\n   {}\n", prefix(ranks, recording),
                        heading_of(finding, names), cost_of(finding), runs.empty() ? "" : "; ",
                        runs, evidence_text(finding));
    bool in_code = false;
    for (const std::string& line : lines_of(advice_text(finding))) {
      if (is_code(line) != in_code) text += in_code ? "   ```\n" : "\n   ```\n";
      if (!is_code(line)) text += '\n';
      text += fmt::format("   {}\n", is_code(line) ? line.substr(2) : line);
      in_code = is_code(line);
    }
    text += in_code ? "   ```\n\n" : "\n";
  }
  if (text.empty()) {
    return std::ranges::any_of(analyses, can_tell) ? none_found(analyses) + "\n\n" + closing
                                                   : std::string();
  }
  return fmt::format("## {}\n\n", title_of(analyses)) + text + closing;
}

}  // namespace ompdm::report
