#include "report/finding_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <variant>
#include <vector>

#include "ompdm/told_part.h"
#include "report/invariant.h"
#include "report/patterns.h"
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

}  // namespace ompdm::report
