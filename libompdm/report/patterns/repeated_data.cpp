// Words of findings about data that is transferred again although nothing changed it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/patterns/patterns.h"
#include "report/units.h"

namespace ompdm::report {

namespace {

namespace facts = analysis::facts;
using analysis::Finding;

/// ". 3 of them were compared by blocks only (OMPDM_HASH=full compares every byte)"; empty if all
/// bytes were compared each time.
std::string blocks_text(const facts::SameContents& same) {
  if (same.in_full == same.equal) return {};
  const std::uint64_t some = same.equal - same.in_full;
  const std::string which = same.in_full > 0  ? fmt::format("{} of them", some)
                            : same.equal == 1 ? std::string("It")
                                              : std::string("They");
  return fmt::format(". {} {} compared by blocks only (OMPDM_HASH=full compares every byte)", which,
                     some == 1 ? "was" : "were");
}

/// " (400 transfers in all; 30 of 4000 were compared)": as far as that is not clear from the count.
std::string coverage_text(const Finding& finding, const facts::SameContents& same,
                          std::uint64_t all) {
  std::vector<std::string> notes;
  if (finding.count != all)
    notes.push_back(fmt::format("{} in all", counted(all, "transfer", "transfers")));
  if (finding.examined != finding.of) {
    notes.push_back(fmt::format("{} of {} were compared", finding.examined, finding.of));
  }
  const std::string text = notes.empty() ? "" : fmt::format(" ({})", fmt::join(notes, "; "));
  return text + blocks_text(same);
}

/// "in the loop at heat.cpp:54 in solve (30 passes in all, entered 2 times)"; "in a loop (30
/// passes)" where its place is not known.
std::string in_loop(const facts::PerIterationMapping& facts) {
  const std::string place = loop_text(facts.loop);
  std::string text =
      fmt::format("in {} ({}{}",
                  !place.empty()        ? place
                  : facts.loop.is_calls ? "calls of one function by itself"
                                        : "a loop",
                  facts.passes_at_least ? ">= " : "", counted(facts.passes, "pass", "passes"));
  if (facts.entries > 1 || facts.entries_at_least) {
    text += fmt::format(" in all, entered {}{}",
                        facts.entries == 1 ? "once" : counted(facts.entries, "time", "times"),
                        facts.entries_at_least ? " or more often" : "");
  }
  return text + ')';
}

std::string mapping_evidence(const facts::PerIterationMapping& facts) {
  const bool several = facts.devices.size() > 1;
  std::string text =
      fmt::format("{} {} mapped anew {}{}", named_or_counted(facts.names),
                  facts.names.size() == 1 ? "was" : "were",
                  several ? fmt::format("on {}, ", devices_text(facts.devices)) : std::string(),
                  in_loop(facts));
  // Each entry that was not seen needs transfers of its own.
  const bool is_least = facts.entries_at_least;
  const char* enough = !facts.enough_at_most ? "" : is_least ? "about " : "at most ";
  const char* or_more = is_least && !facts.enough_at_most ? " or more" : "";
  const auto moved = [&](const char* how, std::uint64_t count, std::uint64_t would_do) {
    return fmt::format("{} in {} where {}{}{} would do", how,
                       counted(count, "transfer", "transfers"), enough, would_do, or_more);
  };
  std::vector<std::string> ways;
  if (facts.sent > facts.sent_enough) ways.push_back(moved("sent", facts.sent, facts.sent_enough));
  if (facts.returned > facts.returned_enough) {
    ways.push_back(moved("brought back", facts.returned, facts.returned_enough));
  }
  text += fmt::format(": {}", fmt::join(ways, ", "));
  if (facts.same.equal > 0) {
    text += fmt::format(". {} transfers that were compared carried what the device had had before",
                        facts.same.equal == facts.compared
                            ? fmt::format("All {}", facts.compared)
                            : fmt::format("{} of {}", facts.same.equal, facts.compared));
    text += blocks_text(facts.same);
  }
  if (facts.may_be_read) {
    text += ". Whether the host read in between what came back does not show";
  }
  return text;
}

Words per_iteration_mapping(const facts::PerIterationMapping& facts, const Subject& subject) {
  const analysis::SourcePlace& place = facts.loop.place;
  const std::string loop = !place.file.empty()
                               ? fmt::format("the {} at {}", facts.loop.is_calls ? "calls" : "loop",
                                             place_text(place, subject.names))
                           : facts.loop.is_calls ? "its calls"
                                                 : "its loop";
  return {mapping_evidence(facts),
          fmt::format("keep {} on the device around {}", subject.data, loop)};
}

const char* origin_text(facts::Resends::How how) {
  switch (how) {
    case facts::Resends::How::kWasSent:
      return "with a content that had been sent there by";
    case facts::Resends::How::kCameBack:
      return "unchanged since brought back by";
    case facts::Resends::How::kBoth:
      return "with a content that the device had had at";
  }
  return "";
}

Words resends(const facts::Resends& facts, const Subject& subject) {
  const Finding& finding = subject.finding;
  Words words;
  words.evidence = fmt::format(
      "{} went to {} in {} {} {}{}{}", named_or_counted(facts.items), devices_text(facts.devices),
      counted(finding.count, "transfer", "transfers"), origin_text(facts.how),
      facts.before.empty() ? "elsewhere" : places_text(facts.before),
      coverage_text(finding, facts.same, facts.all),
      facts.is_mapped_anew ? ". Its memory there could have been kept" : "");
  words.action =
      facts.is_mapped_anew     ? fmt::format("keep {} on the device in between", subject.data)
      : !finding.edits.empty() ? fmt::format("do not send {} again: it is there", subject.data)
                               : fmt::format("{} of {} copies of {} brought what was there",
                                             finding.count, facts.all, subject.data);
  if (has_no_edits_at_all(finding) && finding.remarks.empty()) {
    words.advice = {
        "look for what changes the host's copy before a transfer: transfers without such a change "
        "are not needed"};
  }
  return words;
}

std::string copy_back_action(const Subject& subject, std::uint64_t all) {
  const Finding& finding = subject.finding;
  if (finding.edits.empty()) {
    return fmt::format("{} of {} copies of {} came back unchanged", finding.count, all,
                       subject.data);
  }
  for (const analysis::Edit& edit : finding.edits) {
    if (edit.kind != analysis::EditKind::kReplace || edit.clauses.empty()) continue;
    return fmt::format("write map({}: {}): it comes back unchanged", edit.clauses.front().kind,
                       subject.data);
  }
  return fmt::format("do not bring {} back unchanged", subject.data);
}

Words unmodified_copy_back(const facts::UnmodifiedCopyBack& facts, const Subject& subject) {
  const Finding& finding = subject.finding;
  return {fmt::format("{} came back in {} as {} had been sent{}", named_or_counted(facts.items),
                      counted(finding.count, "transfer", "transfers"),
                      facts.items.size() == 1 ? "it" : "they",
                      coverage_text(finding, facts.same, finding.count)),
          copy_back_action(subject, finding.count)};
}

Words repeated_copy_back(const facts::RepeatedCopyBack& facts, const Subject& subject) {
  const Finding& finding = subject.finding;
  const bool is_one = facts.items.size() == 1;
  return {fmt::format(
              "{} came back in {} as {} had come back already by {}{}. In between nothing was "
              "sent, and no kernel {} have changed {} on the device",
              named_or_counted(facts.items), counted(finding.count, "transfer", "transfers"),
              is_one ? "it" : "they", facts.before.empty() ? "another" : places_text(facts.before),
              coverage_text(finding, facts.same, facts.all), facts.is_scratch ? "was to" : "could",
              is_one ? "it" : "them"),
          copy_back_action(subject, facts.all)};
}

}  // namespace

std::span<const Pattern> repeated_data_patterns() {
  static constexpr Pattern kPatterns[] = {
      {"per_iteration_mapping", "mapped anew by each pass of a loop", "transfer", "transfers",
       words_if<facts::PerIterationMapping, per_iteration_mapping>},
      {"duplicate_transfer", "sent though it was there already", "transfer", "transfers",
       words_if<facts::Resends, resends>},
      {"round_trip_transfer", "came back and went over again unchanged", "transfer", "transfers",
       words_if<facts::Resends, resends>},
      {"unmodified_copy_back", "came back unchanged", "transfer", "transfers",
       words_if<facts::UnmodifiedCopyBack, unmodified_copy_back>},
      {"unmodified_copy_back", "came back unchanged", "transfer", "transfers",
       words_if<facts::RepeatedCopyBack, repeated_copy_back>}};
  return kPatterns;
}

}  // namespace ompdm::report
