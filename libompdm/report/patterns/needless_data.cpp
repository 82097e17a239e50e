// Words of findings about data that is transferred again although nothing changed it, and about
// data and device memory that no kernel uses.
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
  if (finding.count != all) notes.push_back(fmt::format("{} in all", counted(all, "transfer")));
  if (finding.examined != finding.of) {
    notes.push_back(fmt::format("{} of {} were compared", finding.examined, finding.of));
  }
  const std::string text = notes.empty() ? "" : fmt::format(" ({})", fmt::join(notes, "; "));
  return text + blocks_text(same);
}

/// "in the loop at heat.cpp:54 in solve (30 iterations in all, entered 2 times)"; "in a loop (30
/// iterations)" where its place is not known.
std::string in_loop(const facts::PerIterationMapping& facts) {
  const std::string place = loop_text(facts.loop);
  std::string text =
      fmt::format("in {} ({}{}",
                  !place.empty()        ? place
                  : facts.loop.is_calls ? "calls of one function by itself"
                                        : "a loop",
                  facts.iterations_at_least ? ">= " : "", counted(facts.iterations, "iteration"));
  if (facts.entries > 1 || facts.entries_at_least) {
    text += fmt::format(" in all, entered {}{}",
                        facts.entries == 1 ? "once" : counted(facts.entries, "time"),
                        facts.entries_at_least ? " or more often" : "");
  }
  return text + ')';
}

std::string mapping_evidence(const facts::PerIterationMapping& facts) {
  const bool several = facts.devices.size() > 1;
  std::string text = fmt::format(
      "{} {} {} {}{}", named_or_counted(facts.names), facts.names.size() == 1 ? "was" : "were",
      facts.by_updates ? "updated" : "mapped again",
      several ? fmt::format("on {}, ", devices_text(facts.devices)) : std::string(),
      in_loop(facts));
  // Each entry that was not seen needs transfers of its own.
  const bool is_least = facts.entries_at_least;
  const char* enough = !facts.enough_at_most ? "" : is_least ? "about " : "at most ";
  const char* or_more = is_least && !facts.enough_at_most ? " or more" : "";
  const auto moved = [&](const char* how, std::uint64_t count, std::uint64_t would_do) {
    if (would_do == 0)
      return fmt::format("{} in {}, none of them needed", how, counted(count, "transfer"));
    return fmt::format("{} in {} where {}{}{} would do", how, counted(count, "transfer"), enough,
                       would_do, or_more);
  };
  std::vector<std::string> ways;
  if (facts.sent > facts.sent_enough) ways.push_back(moved("sent", facts.sent, facts.sent_enough));
  if (facts.returned > facts.returned_enough) {
    ways.push_back(moved("copied back", facts.returned, facts.returned_enough));
  }
  text += fmt::format(": {}", fmt::join(ways, ", "));
  if (facts.same.equal > 0) {
    text += fmt::format(". {} compared transfers had the content that was on the device",
                        facts.same.equal == facts.compared
                            ? fmt::format("All {}", facts.compared)
                            : fmt::format("{} of {}", facts.same.equal, facts.compared));
    text += blocks_text(facts.same);
  }
  if (facts.may_be_read) {
    text += ". The trace cannot show whether the host read the copied-back data";
  }
  if (facts.of_elements)
    text += ". The source shows that the host uses only a few elements there: update these alone";
  return text;
}

Words per_iteration_mapping(const facts::PerIterationMapping& facts, const Subject& subject) {
  const analysis::SourcePlace& place = facts.loop.place;
  const std::string loop = !place.file.empty()
                               ? fmt::format("the {} at {}", facts.loop.is_calls ? "calls" : "loop",
                                             place_text(place, subject.names))
                           : facts.loop.is_calls ? "its calls"
                                                 : "its loop";
  const char* advice = facts.by_updates
                           ? "update {} around {}, and in it only where the host uses it"
                           : "keep {} on the device around {}";
  return {mapping_evidence(facts), fmt::format(fmt::runtime(advice), subject.data, loop)};
}

Words resends(const facts::Resends& facts, const Subject& subject) {
  constexpr const char* kOrigins[] = {"with a content that had been sent there by",
                                      "unchanged since copied back by",
                                      "with a content that the device had at"};
  const Finding& finding = subject.finding;
  Words words;
  std::string returned;
  if (facts.returned > 0) {
    returned = fmt::format(". {} copied it back, and its source shows that no kernel changes it",
                           counted(facts.returned, "transfer"));
  }
  if (facts.unread > 0) {
    returned +=
        fmt::format(". {} copied it back, and the source shows that the host does not read it",
                    counted(facts.unread, "transfer"));
  }
  words.evidence = fmt::format(
      "{} went to {} in {} {} {}{}{}{}", named_or_counted(facts.items), devices_text(facts.devices),
      counted(finding.count, "transfer"), kOrigins[static_cast<std::size_t>(facts.how)],
      facts.before.empty() ? "elsewhere" : places_text(facts.before),
      coverage_text(finding, facts.same, facts.all),
      facts.is_mapped_again ? ". Its memory there could have been kept" : "", returned);
  words.action =
      facts.is_mapped_again    ? fmt::format("keep {} on the device in between", subject.data)
      : !finding.edits.empty() ? fmt::format("do not send {} again: it is there", subject.data)
                               : fmt::format("{} of {} copies of {} sent present data",
                                             finding.count, facts.all, subject.data);
  if (has_no_edits_at_all(finding) && finding.remarks.empty()) {
    words.advice = {
        "look for changes of the host's copy before each transfer. A transfer without one is not "
        "needed"};
  }
  return words;
}

std::string copy_back_action(const Subject& subject, std::uint64_t all) {
  const Finding& finding = subject.finding;
  if (finding.edits.empty()) {
    return fmt::format("{} of {} copies of {} to the host were unchanged", finding.count, all,
                       subject.data);
  }
  for (const analysis::Edit& edit : finding.edits) {
    if (edit.kind != analysis::EditKind::kReplace || edit.clauses.empty()) continue;
    return fmt::format("write map({}: {}): it is copied back unchanged", edit.clauses.front().kind,
                       subject.data);
  }
  return fmt::format("do not copy {} back: it is unchanged", subject.data);
}

Words unmodified_copy_back(const facts::UnmodifiedCopyBack& facts, const Subject& subject) {
  const Finding& finding = subject.finding;
  const bool is_one = facts.items.size() == 1;
  const std::string reason =
      facts.is_only_read
          ? fmt::format(": the source of the kernels only reads {}", is_one ? "it" : "them")
          : coverage_text(finding, facts.same, finding.count);
  return {fmt::format("{} {} copied back unchanged in {}{}", named_or_counted(facts.items),
                      is_one ? "was" : "were", counted(finding.count, "transfer"), reason),
          copy_back_action(subject, finding.count)};
}

Words repeated_copy_back(const facts::RepeatedCopyBack& facts, const Subject& subject) {
  const Finding& finding = subject.finding;
  const bool is_one = facts.items.size() == 1;
  return {
      fmt::format("{} {} copied back in {} with the content that {} had copied back{}. In between "
                  "nothing was sent, and no kernel {} have changed {}",
                  named_or_counted(facts.items), is_one ? "was" : "were",
                  counted(finding.count, "transfer"),
                  facts.before.empty() ? "another transfer" : places_text(facts.before),
                  coverage_text(finding, facts.same, facts.all),
                  facts.is_scratch ? "was to" : "could", is_one ? "it" : "them"),
      copy_back_action(subject, facts.all)};
}

Words unused_transfer(const facts::UnusedTransfer& facts, const Subject& subject) {
  const Finding& finding = subject.finding;
  const bool is_overwritten = facts.overwritten == finding.count;
  std::string fate;
  if (facts.overwritten > 0) fate = fmt::format("{} overwritten", facts.overwritten);
  if (facts.overwritten < finding.count) {
    fate += fmt::format("{}{} deleted unused", fate.empty() ? "" : " and ",
                        finding.count - facts.overwritten);
  }
  Words words;
  words.evidence =
      fmt::format("{} went to {} in {} that no kernel there could have used: {}{}", facts.item,
                  devices_text(facts.devices), counted(finding.count, "transfer"), fate,
                  facts.all > finding.count ? fmt::format("; {} in all", facts.all) : "");
  words.action =
      !finding.edits.empty()
          ? fmt::format("do not send {}: no kernel used it", subject.data)
          : fmt::format("{} of {} are {} before a kernel runs{}", finding.count, facts.all,
                        is_overwritten ? "overwritten" : "overwritten or deleted",
                        is_overwritten ? ": keep the last" : "");
  if (has_no_edits_at_all(finding)) {
    words.advice = {is_overwritten ? "keep the last of the transfers that have no kernel in between"
                                   : "send only data that a kernel will read"};
  }
  return words;
}

Words overwritten_transfer(const facts::OverwrittenTransfer& facts, const Subject& subject) {
  const Finding& finding = subject.finding;
  const bool is_one = facts.items.size() == 1;
  Words words;
  words.evidence = fmt::format(
      "{} went to {} in {}. The source shows that kernels overwrite {} before they read any of it",
      named_or_counted(facts.items), devices_text(facts.devices),
      counted(finding.count, "transfer"), is_one ? "all of it" : "all of them");
  words.action =
      fmt::format("do not send {}: kernels overwrite {}", subject.data, is_one ? "it" : "them");
  return words;
}

Words unread_copy_back(const facts::UnreadCopyBack& facts, const Subject& subject) {
  Words words;
  words.evidence = fmt::format(
      "{} {} copied back from {} in {}. As the program is compiled, nothing reads {} then",
      named_or_counted(facts.items), facts.items.size() == 1 ? "was" : "were",
      devices_text(facts.devices), counted(subject.finding.count, "transfer"),
      facts.items.size() == 1 ? "it" : "them");
  words.advice = {"leave this if another build of the program uses the result"};
  words.action = fmt::format("do not copy {} back: nothing reads {}", subject.data,
                             facts.items.size() == 1 ? "it" : "them");
  return words;
}

Words repeated_allocation(const facts::RepeatedAllocation& facts, const Subject& subject) {
  const std::uint64_t count = subject.finding.count;
  return {
      fmt::format("{} of {} on {}, by {}, {} of memory that had been allocated there before",
                  counted(count, "allocation"), named_or_counted(facts.names),
                  devices_text(facts.devices), places_text(facts.by), count == 1 ? "was" : "were"),
      fmt::format("keep {} allocated: {} too many", subject.data, counted(count, "allocation"))};
}

Words unused_allocation(const facts::UnusedAllocation& facts, const Subject& subject) {
  const bool is_one = facts.items.size() < 2;
  Words words;
  words.evidence = fmt::format(
      "{} {} on {} ({}), {}",
      facts.items.empty() ? "memory of omp_target_alloc" : named_or_counted(facts.items),
      is_one ? "was" : "were", devices_text(facts.devices),
      counted(subject.finding.count, "allocation"),
      facts.has_no_kernels ? "where no kernel ran"
      : is_one             ? "and no kernel there could have used it"
                           : "and no kernel there could have used them");
  if (facts.is_unset) {
    words.evidence += fmt::format(
        ". Nothing had set the memory that was copied back over the host's values of {}",
        subject.data);
  }
  words.action = fmt::format("do not map {}: no kernel used it", subject.data);
  if (has_no_edits_at_all(subject.finding)) {
    words.advice = {"remove this allocation, or make it where a kernel needs it"};
  }
  return words;
}

std::vector<std::string> leak_advice(const facts::DeviceLeak& facts) {
  if (!facts.is_mapped) return {};
  if (facts.by_mapper) {
    return {
        "LLVM's runtime keeps what a declare mapper maps. For several elements, target exit data "
        "map(delete: ...) frees it. For one struct nothing does: map it by clauses alone"};
  }
  std::vector<std::string> lines = {
      "if the host still needs the device's results, write target update from(...) before that"};
  if (!facts.other_names.empty()) {
    lines.push_back(fmt::format("it may be called {} by then: these pointers are swapped",
                                fmt::join(facts.other_names, " or ")));
  }
  return lines;
}

Words device_leak(const facts::DeviceLeak& facts, const Subject& subject) {
  Words words;
  words.evidence =
      fmt::format("{} {} still on {} when the program ended, left by {} at {} ({})",
                  facts.is_mapped ? named_or_counted(facts.items) : "memory",
                  facts.items.size() > 1 ? "were" : "was", devices_text(facts.devices),
                  facts.api.empty() ? analysis::directive_name(facts.directive) : facts.api,
                  place_text(facts.place), counted(subject.finding.count, "allocation"));
  if (!facts.asked_back.empty()) {
    words.evidence += fmt::format(
        ". map(from: ...) or map(tofrom: ...) at {} found it present and copied nothing back. The "
        "host never got the device's results",
        places_text(facts.asked_back));
  }
  words.action =
      facts.by_mapper   ? fmt::format("delete {}, or map it without a mapper", subject.data)
      : facts.is_mapped ? fmt::format("end the mapping of {} after its last use", subject.data)
                        : "free this memory by omp_target_free";
  words.advice = leak_advice(facts);
  return words;
}

}  // namespace

std::span<const Pattern> needless_data_patterns() {
  static constexpr Pattern kPatterns[] = {
      {"per_iteration_update", "updated in each iteration", "transfer", "transfers",
       words_if<facts::PerIterationMapping, per_iteration_mapping>},
      {"per_iteration_mapping", "mapped again in each iteration", "transfer", "transfers",
       words_if<facts::PerIterationMapping, per_iteration_mapping>},
      {"duplicate_transfer", "sent though it was there already", "transfer", "transfers",
       words_if<facts::Resends, resends>},
      {"round_trip_transfer", "copied back and sent again unchanged", "transfer", "transfers",
       words_if<facts::Resends, resends>},
      {"unmodified_copy_back", "copied back unchanged", "transfer", "transfers",
       words_if<facts::UnmodifiedCopyBack, unmodified_copy_back>},
      {"unmodified_copy_back", "copied back unchanged", "transfer", "transfers",
       words_if<facts::RepeatedCopyBack, repeated_copy_back>},
      {"overwritten_transfer", "sent, and overwritten by kernels", "transfer", "transfers",
       words_if<facts::OverwrittenTransfer, overwritten_transfer>},
      {"unread_copy_back", "copied back, and read by nothing", "transfer", "transfers",
       words_if<facts::UnreadCopyBack, unread_copy_back>},
      {"unused_transfer", "sent, and used by no kernel", "transfer", "transfers",
       words_if<facts::UnusedTransfer, unused_transfer>},
      {"repeated_allocation", "allocated again and again", "allocation", "allocations",
       words_if<facts::RepeatedAllocation, repeated_allocation>},
      {"unused_allocation", "allocated, and used by no kernel", "allocation", "allocations",
       words_if<facts::UnusedAllocation, unused_allocation>},
      {"device_leak", "left on the device", "allocation", "allocations",
       words_if<facts::DeviceLeak, device_leak>}};
  return kPatterns;
}

}  // namespace ompdm::report
