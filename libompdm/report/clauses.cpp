#include "report/clauses.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/edits.h"
#include "report/findings.h"
#include "report/patterns/patterns.h"
#include "report/text_layout.h"
#include "report/units.h"

namespace ompdm::report {

namespace {

using analysis::Analysis;
using analysis::Finding;
using Facts = analysis::facts::ClauseEffect;

/// Columns of the word for a stake, and two blanks.
constexpr std::size_t kStakeWidth = 14;

/// A table's heading is of no finding.
Facts::Stake rank_of(const Finding& finding) {
  const auto* facts = std::get_if<Facts>(&finding.facts);
  return facts != nullptr ? facts->stake : Facts::Stake::kHazard;
}

std::string heading_text(const std::vector<ShownFinding>& all) {
  const auto wrong = std::ranges::count_if(all, [](const ShownFinding& one) {
    return rank_of(*one.finding) == Facts::Stake::kWrongValues;
  });
  return fmt::format("Data clauses that do not do what they say: {}{}", all.size(),
                     wrong == 0 ? std::string() : fmt::format(", {} with wrong values", wrong));
}

/// "rank 0, 2: ", of the recordings that have the finding; empty if there is one recording, and of
/// runs on several inputs, of which runs_sentence() tells.
std::string recordings_with(const Finding& finding, Analyses analyses) {
  constexpr std::size_t kMost = 4;
  const Ranks ranks = ranks_of(analyses);
  if (ranks.key.empty() || are_inputs(analyses)) return {};
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    if (std::ranges::find(analyses[i].mapping, finding.id, &Finding::id) !=
        analyses[i].mapping.end()) {
      labels.push_back(ranks.labels[i]);
    }
  }
  if (labels.size() == analyses.size()) return fmt::format("each {}: ", ranks.key);
  if (labels.size() > kMost) return fmt::format("{} {}s: ", labels.size(), ranks.key);
  return fmt::format("{} {}: ", ranks.key, fmt::join(labels, ", "));
}

std::string lead_of(const ShownFinding& one, Analyses analyses, const SourceNames& names) {
  const Finding& finding = *one.finding;
  return fmt::format("{}{}: {}", recordings_with(finding, analyses),
                     names.place(finding.file, finding.line), action_text(finding, names));
}

}  // namespace

std::string_view stake_of(const Finding& finding) {
  return kStakes[static_cast<std::size_t>(rank_of(finding))];
}

std::string spoken_stake(const Finding& finding) {
  std::string text(stake_of(finding));
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::vector<ShownFinding> shown_clauses(Analyses analyses) {
  std::vector<ShownFinding> all;
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    for (const Finding& finding : analyses[i].mapping) {
      const auto known = std::ranges::find(all, finding.id,
                                           [](const ShownFinding& one) { return one.finding->id; });
      if (known == all.end()) {
        all.push_back({i, &finding});
      } else if (rank_of(finding) < rank_of(*known->finding)) {
        *known = {i, &finding};
      }
    }
  }
  std::ranges::stable_sort(all, {}, [](const ShownFinding& one) { return rank_of(*one.finding); });
  return all;
}

std::string clauses_text(Analyses analyses, const SourceNames& names, const Layout& layout) {
  const std::vector<ShownFinding> all = shown_clauses(analyses);
  if (all.empty()) return {};
  const std::string indent(5, ' ');
  std::string text = '\n' + title(heading_text(all), layout) + '\n';
  const std::size_t most =
      layout.findings == 0 ? all.size() : std::min(layout.findings, all.size());
  for (std::size_t i = 0; i < most; ++i) {
    const Finding& finding = *all[i].finding;
    text += paragraph(fmt::format("  {:<{}}", spoken_stake(finding), kStakeWidth),
                      lead_of(all[i], analyses, names), layout.width);
    text += paragraph(indent, evidence_text(finding) + '.', layout.width);
    const std::string runs = runs_sentence(finding);
    if (!runs.empty()) text += paragraph(indent, runs, layout.width);
    for (const AdviceStep& step : advice_steps(finding)) {
      text += step_text(step, finding, indent + "- ", indent + "    + ", layout.width);
    }
  }
  if (most < all.size()) {
    text += fmt::format("  ... and {} more: --all shows {}\n", all.size() - most,
                        all.size() - most == 1 ? "it" : "them");
  }
  return text;
}

std::string clauses_list(Analyses analyses, const SourceNames& names, const Layout& layout,
                         std::size_t first) {
  std::string text;
  for (const ShownFinding& one : shown_clauses(analyses)) {
    text += shortened(fmt::format("{:>3} {:<{}}{}", first++, spoken_stake(*one.finding),
                                  kStakeWidth, lead_of(one, analyses, names)),
                      layout.width) +
            '\n';
  }
  return text;
}

std::string clauses_markdown(Analyses analyses, const SourceNames& names) {
  const std::vector<ShownFinding> all = shown_clauses(analyses);
  if (all.empty()) return {};
  std::string text = fmt::format("## {}\n\n", heading_text(all));
  for (const ShownFinding& one : all) {
    text += fmt::format("1. **{}** ({})\n\n    {}.\n\n", in_markdown(lead_of(one, analyses, names)),
                        spoken_stake(*one.finding), in_markdown(evidence_text(*one.finding)));
    text += steps_markdown(*one.finding);
  }
  return text;
}

std::string clauses_unchecked(const Analysis& one) {
  const analysis::ClauseChecks& checks = one.clause_checks;
  if (checks.directives == 0) return {};
  if (checks.is_part) {
    return "Data clauses were not checked: that takes all events of the run.";
  }
  if (one.recording.unified_shared_memory) {
    return "Data clauses were not checked: with unified_shared_memory they map nothing.";
  }
  if (checks.checked == checks.directives) return {};
  return fmt::format(
      "Data clauses of {} of {} directives were checked: the items of the others are not known.",
      checks.checked, checks.directives);
}

Table mapping_table(Analyses analyses, const SourceNames& names) {
  return by_recording(
      analyses, "mapping", "Data clauses that do not do what they say",
      [](const Analysis& one) -> const std::vector<Finding>& { return one.mapping; },
      [&](TableRow& cells, const Analysis&, const Finding& row) {
        const auto* known = std::get_if<Facts>(&row.facts);
        const Facts facts = known != nullptr ? *known : Facts();
        cells.add({"stake", "Stake"}, std::string(stake_of(row)));
        cells.add({"pattern", "Pattern"}, row.pattern);
        cells.add(reader_only("place", "Where"), names.place(row.file, row.line));
        cells.add(data_only("file"), row.file);
        cells.add(data_only("line"), std::int64_t{row.line});
        cells.add({"item", "Item"}, facts.item);
        cells.add({"count", "Count", Unit::kCount}, number(row.count));
        cells.add({"confidence", "Confidence"}, std::string(confidence_of(row)));
        cells.add({"evidence", "Evidence"}, evidence_text(row));
        cells.add({"advice", "Advice"}, advice_text(row));
      });
}

std::string render_clauses(Analyses analyses, const Layout& layout) {
  const std::string text = clauses_text(analyses, SourceNames(analyses), layout);
  return text.empty() ? text : text.substr(1) + '\n';
}

}  // namespace ompdm::report
