// Patterns of many operations that move few bytes, and of updates that move fewer than they name.
#include <fmt/format.h>

#include "report/advice.h"
#include "report/evidence/words.h"
#include "report/loop_words.h"
#include "report/units.h"

namespace ompdm::report {
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
        "at {}, let each instance take its pieces {} at once: a section without gaps that holds "
        "them, or an array that they are packed into",
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
  std::string text =
      fmt::format("{} walked {} in all, {}{} at a time, which moved {} in {}",
                  counted(finding.of, "instance", "instances"),
                  counted(finding.count, "component", "components"),
                  facts.most * finding.of > finding.count ? "up to " : "", facts.most,
                  spoken_size(facts.bytes), counted(facts.transfers, "transfer", "transfers"));
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
