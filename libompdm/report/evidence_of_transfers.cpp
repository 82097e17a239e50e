#include <fmt/format.h>

#include "report/advice.h"
#include "report/edit_words.h"
#include "report/evidence.h"
#include "report/units.h"

namespace ompdm::report {

namespace {

namespace facts = analysis::facts;
using analysis::Finding;

/// ". 3 of them were compared by blocks only (OMPDM_HASH=full compares every byte)", as far as that
/// was so; empty if all bytes were compared each time.
std::string blocks_text(const facts::SameContents& same) {
  if (same.in_full == same.equal) return {};
  const std::uint64_t some = same.equal - same.in_full;
  const std::string which = same.in_full > 0  ? fmt::format("{} of them", some)
                            : same.equal == 1 ? std::string("It")
                                              : std::string("They");
  return fmt::format(". {} {} compared by blocks only (OMPDM_HASH=full compares every byte)", which,
                     some == 1 ? "was" : "were");
}

/// " (30 of 4000 were compared)": how far that is known, and how many there are besides.
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

/// "once", "30 times".
std::string times(std::uint64_t count) {
  return count == 1 ? std::string("once") : counted(count, "time", "times");
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
    text += fmt::format(" in all, entered {}{}", times(facts.entries),
                        facts.entries_at_least ? " or more often" : "");
  }
  return text + ')';
}

}  // namespace

std::string words_of(const facts::PerIterationMapping& facts, const Finding& /*finding*/) {
  const bool several = facts.devices.size() > 1;
  std::string text =
      fmt::format("{} {} mapped anew {}{}", named_or_counted(facts.names),
                  facts.names.size() == 1 ? "was" : "were",
                  several ? fmt::format("on {}, ", devices_text(facts.devices)) : std::string(),
                  in_loop(facts));
  // Each entry that was not seen needs its own.
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

namespace {

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

}  // namespace

std::string words_of(const facts::Resends& facts, const Finding& finding) {
  return fmt::format("{} went to {} in {} {} {}{}{}", named_or_counted(facts.items),
                     devices_text(facts.devices), counted(finding.count, "transfer", "transfers"),
                     origin_text(facts.how),
                     facts.before.empty() ? "elsewhere" : places_text(facts.before),
                     coverage_text(finding, facts.same, facts.all),
                     facts.is_mapped_anew ? ". Its memory there could have been kept" : "");
}

std::vector<std::string> advice_of(const facts::Resends& /*facts*/, const Finding& finding) {
  if (!is_in_words(finding) || !finding.remarks.empty()) return {};
  return {
      "look for what changes the host's copy before a transfer: transfers without such a change "
      "are not needed"};
}

std::string words_of(const facts::UnmodifiedCopyBack& facts, const Finding& finding) {
  return fmt::format("{} came back in {} as {} had been sent{}", named_or_counted(facts.items),
                     counted(finding.count, "transfer", "transfers"),
                     facts.items.size() == 1 ? "it" : "they",
                     coverage_text(finding, facts.same, finding.count));
}

std::string words_of(const facts::RepeatedCopyBack& facts, const Finding& finding) {
  const bool is_one = facts.items.size() == 1;
  return fmt::format(
      "{} came back in {} as {} had come back already by {}{}. In between nothing was sent, and no "
      "kernel {} have changed {} on the device",
      named_or_counted(facts.items), counted(finding.count, "transfer", "transfers"),
      is_one ? "it" : "they", facts.before.empty() ? "another" : places_text(facts.before),
      coverage_text(finding, facts.same, facts.all), facts.is_scratch ? "was to" : "could",
      is_one ? "it" : "them");
}

namespace {

namespace facts = analysis::facts;
using analysis::Finding;

std::string where_of(const std::optional<analysis::SourcePlace>& place) {
  return place ? place_text(*place) : "there";
}

std::string around(const facts::SmallTransfers& facts) {
  const std::string loop = loop_text(facts.loop);
  return loop.empty() ? "the loop that runs " + where_of(facts.place) : loop;
}

std::string once_text(const facts::SmallTransfers& facts) {
  const std::string where = where_of(facts.place);
  if (!facts.enough) {
    return fmt::format(
        "at {}, let several kernels share one transfer: collect on the device what the host needs, "
        "and copy less often",
        where);
  }
  if (facts.one_place && facts.place) {
    return fmt::format(
        "at {}, copy once, {} {}: no kernel runs between one of them and the next, so that only "
        "the {} counts",
        where, facts.to_device ? "after" : "before", around(facts),
        facts.to_device ? "last" : "first");
  }
  std::vector<std::string> items;
  for (const std::string& expression : facts.items) {
    // An object that is mapped without being named: "*this".
    items.push_back(expression.starts_with('*') ? expression.substr(1) + "[0:1]" : expression);
  }
  const std::string what = items.empty() ? "of it" : spoken_list(items);
  if (facts.place && facts.directive == Directive::kApi) {
    return fmt::format("at {}, copy once, over all the pieces {}", where, what);
  }
  if (facts.place && facts.several_an_instance) {
    return fmt::format(
        "at {}, let each instance take its pieces {} at once: pack them into an array (a section "
        "without gaps would carry what lies between them, too)",
        where, what);
  }
  if (facts.place && facts.directive == Directive::kTargetUpdate) {
    return fmt::format(
        "{} {}, in place of the update there, write one{} with {}() over all the pieces {}",
        facts.to_device ? "after" : "before", around(facts),
        facts.device == 0 ? std::string() : fmt::format(" for device {}", facts.device),
        facts.to_device ? "to" : "from", what);
  }
  return fmt::format(
      "let one clause over neighbouring memory take all the pieces {}, once: in a target enter "
      "data or exit data beside {}",
      what, around(facts));
}

}  // namespace

std::string words_of(const facts::SmallTransfers& facts, const Finding& finding) {
  const std::string text = fmt::format("{} of at most {} B {} the device",
                                       counted(finding.count, "transfer", "transfers"),
                                       facts.largest, facts.to_device ? "to" : "from");
  if (!facts.enough) return text + ": their latency is over half of the device's time there";
  return fmt::format("{}{}{}: {} would do", text,
                     facts.neighbours ? ", of neighbouring memory" : "",
                     facts.repeated ? ", many without a kernel in between" : "", *facts.enough);
}

std::vector<std::string> advice_of(const facts::SmallTransfers& facts, const Finding& /*finding*/) {
  return {once_text(facts)};
}

std::string words_of(const facts::MappedScalars& facts, const Finding& finding) {
  return fmt::format(
      "in {} at {}, {} of {} transfers of at most {} B carried {}, {}. An argument of the launch "
      "takes no transfer",
      counted(facts.launches, "launch", "launches"), places_text(facts.places), finding.count,
      facts.transfers, facts.largest, spoken_list(facts.names),
      facts.came_back ? "which came back as sent" : "of which nothing came back");
}

std::vector<std::string> advice_of(const facts::MappedScalars& facts, const Finding& /*finding*/) {
  std::vector<std::string> lines = {
      fmt::format("where no kernel writes {}, and no reduction clause names {}: write no map "
                  "clause, for scalars "
                  "are firstprivate by default, or firstprivate(...) in place of map(...)",
                  spoken_list(facts.names), facts.names.size() == 1 ? "it" : "them")};
  if (!facts.unchanged.empty()) {
    const bool is_one = facts.unchanged.size() == 1;
    lines.push_back(
        fmt::format("do the same for {} if no kernel ever changes {}: {} came back as sent",
                    spoken_list(facts.unchanged), is_one ? "it" : "them", is_one ? "it" : "they"));
  }
  if (!facts.returned.empty()) {
    lines.push_back(fmt::format("leave {} {} map(tofrom: ...): a kernel's result comes back by it",
                                spoken_list(facts.returned),
                                facts.returned.size() == 1 ? "its" : "their"));
  }
  return lines;
}

std::string words_of(const facts::MapperWalk& facts, const Finding& finding) {
  std::string text = fmt::format(
      "{} walked {}{} in all, {}{} at a time, which moved {} in {}",
      counted(finding.of, "instance", "instances"), facts.at_least ? "at least " : "",
      counted(finding.count, "component", "components"),
      facts.at_least                            ? "at least "
      : facts.most * finding.of > finding.count ? "up to "
                                                : "",
      facts.most, spoken_size(facts.bytes), counted(facts.transfers, "transfer", "transfers"));
  if (facts.at_least) {
    text += fmt::format(". Of longer lists the first {} items are recorded", kMostMapItems);
  }
  if (finding.wasted_time > 0 && facts.wall > 0) {
    text += fmt::format(". {} % of their time went into neither copies nor kernels",
                        100 * finding.wasted_time / facts.wall);
  }
  return text;
}

std::vector<std::string> advice_of(const facts::MapperWalk& facts, const Finding& finding) {
  const std::string where = where_of(facts.place);
  if (facts.names.empty()) {
    return {fmt::format("at {}, map structs and arrays as a whole, not piece by piece", where)};
  }
  if (finding.of > 1 && facts.place && facts.directive == Directive::kTarget) {
    const std::string names = spoken_list(facts.names);
    return {
        fmt::format("give the mapper of {} a name, by declare mapper(NAME: ...): it {}", names,
                    facts.was_there
                        ? fmt::format("was there when {} came to it", where)
                        : fmt::format("was mapped anew each time that {} came to it", where)),
        "write map(mapper(NAME), ...) only in a target enter data before all this, and in a target "
        "exit data after it",
        fmt::format("at {}, leave it out, or write map(alloc: ...), which looks up one component",
                    where),
        "target update what changes meanwhile and the other side reads"};
  }
  return {fmt::format(
      "for {}, keep what the structs point to in one array, and where it begins in the structs: "
      "one clause then takes all of it, without a mapper",
      spoken_list(facts.names))};
}

std::string words_of(const facts::PartialUpdate& facts, const Finding& finding) {
  const std::string updates = fmt::format(
      "{} of {} moved", counted(finding.count, "update", "updates"), spoken_list(facts.names));
  if (facts.in_steps) {
    return fmt::format(
        "{} {} that lie next to each other, from the first on: the step was left out", updates,
        spoken_size(facts.moved));
  }
  if (facts.moved == 0) return updates + " nothing";
  return fmt::format("{} {} of {}", updates, spoken_size(facts.moved), spoken_size(facts.named));
}

std::vector<std::string> advice_of(const facts::PartialUpdate& facts, const Finding& /*finding*/) {
  return {fmt::format(
      "at {}, {}\n"
      "not all that the section names crossed: a fault of compiler and runtime, which makes "
      "results "
      "wrong",
      place_text(facts.place),
      facts.in_steps
          ? "let a loop update each piece by a section without a step; or, where what lies in "
            "between may be overwritten, name all from the first to the last element"
          : "name whole rows, or let a loop update each row by a section without gaps")};
}

}  // namespace ompdm::report
