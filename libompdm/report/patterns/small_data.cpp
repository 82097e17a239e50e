// Words of findings about data that is transferred in too many pieces, or not whole.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/patterns/patterns.h"
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

std::string fewer_transfers(const facts::SmallTransfers& facts) {
  const std::string where = where_of(facts.place);
  if (facts.blocks > 0 && facts.directive != Directive::kTarget) {
    return fmt::format(
        "let {} point into one block of memory, and map that block once, in place of {} blocks at "
        "{}: each takes an allocation on the device, too",
        facts.items.empty() ? std::string("the pointers") : spoken_list(facts.items), facts.blocks,
        where);
  }
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

Words small_transfers(const facts::SmallTransfers& facts, const Subject& subject) {
  const std::uint64_t count = subject.finding.count;
  const std::string why =
      facts.enough
          ? fmt::format("{}{}: {} would do", facts.neighbours ? ", of neighbouring memory" : "",
                        facts.repeated ? ", many without a kernel in between" : "", *facts.enough)
          : ": their latency is over half of the device's time there";
  return {
      fmt::format("{} of at most {} B {} the device{}", counted(count, "transfer"), facts.largest,
                  facts.to_device ? "to" : "from", why),
      fmt::format("make {} of {} small ones",
                  facts.enough ? counted(*facts.enough, "copy", "copies") : "fewer copies", count),
      {fewer_transfers(facts)}};
}

Words mapped_scalars(const facts::MappedScalars& facts, const Subject& subject) {
  Words words;
  words.evidence = fmt::format(
      "in {} at {}, {} of {} transfers of at most {} B carried {}, {}. An argument of the launch "
      "takes no transfer",
      counted(facts.launches, "launch", "launches"), places_text(facts.places),
      subject.finding.count, facts.transfers, facts.largest, spoken_list(facts.names),
      facts.came_back ? "which came back as sent" : "of which nothing came back");
  words.action = fmt::format("do not map {} where no kernel writes it", subject.data);
  words.advice = {fmt::format(
      "where no kernel writes {}, and no reduction clause names {}: write no map clause, for "
      "scalars are firstprivate by default, or firstprivate(...) in place of map(...)",
      spoken_list(facts.names), facts.names.size() == 1 ? "it" : "them")};
  if (!facts.unchanged.empty()) {
    const bool is_one = facts.unchanged.size() == 1;
    words.advice.push_back(
        fmt::format("do the same for {} if no kernel ever changes {}: {} came back as sent",
                    spoken_list(facts.unchanged), is_one ? "it" : "them", is_one ? "it" : "they"));
  }
  if (!facts.returned.empty()) {
    words.advice.push_back(
        fmt::format("leave {} {} map(tofrom: ...): a kernel's result comes back by it",
                    spoken_list(facts.returned), facts.returned.size() == 1 ? "its" : "their"));
  }
  return words;
}

std::string walk_evidence(const facts::MapperWalk& facts, const Finding& finding) {
  std::string text =
      fmt::format("{} walked {}{} in all, {}{} at a time, which moved {} in {}",
                  counted(finding.of, "instance"), facts.at_least ? "at least " : "",
                  counted(finding.count, "component"),
                  facts.at_least                            ? "at least "
                  : facts.most * finding.of > finding.count ? "up to "
                                                            : "",
                  facts.most, spoken_size(facts.bytes), counted(facts.transfers, "transfer"));
  if (facts.at_least) {
    text += fmt::format(". Of longer lists the first {} items are recorded", kMostMapItems);
  }
  if (finding.wasted_time > 0 && facts.wall > 0) {
    text += fmt::format(". {} % of their time went into neither copies nor kernels",
                        100 * finding.wasted_time / facts.wall);
  }
  return text;
}

std::vector<std::string> walk_advice(const facts::MapperWalk& facts, const Finding& finding) {
  const std::string where = where_of(facts.place);
  if (facts.names.empty()) {
    return {fmt::format("at {}, map structs and arrays as a whole, not piece by piece", where)};
  }
  const std::string names = spoken_list(facts.names);
  if (finding.of > 1 && facts.place && facts.directive == Directive::kTarget) {
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
      names)};
}

Words mapper_walk(const facts::MapperWalk& facts, const Subject& subject) {
  return {walk_evidence(facts, subject.finding),
          fmt::format("map {} as few large pieces", subject.data),
          walk_advice(facts, subject.finding)};
}

Words partial_update(const facts::PartialUpdate& facts, const Subject& subject) {
  Words words;
  words.evidence = fmt::format(
      "{} of {} moved {}", counted(subject.finding.count, "update"), spoken_list(facts.names),
      facts.in_steps ? fmt::format("{} that lie next to each other, from the first on: "
                                   "the step was left out",
                                   spoken_size(facts.moved))
      : facts.moved == 0
          ? "nothing"
          : fmt::format("{} of {}", spoken_size(facts.moved), spoken_size(facts.named)));
  words.action = fmt::format("update {} whole: its section moved in part", subject.data);
  words.advice = {fmt::format(
      "at {}, {}\nnot all that the section names crossed: a fault of compiler and runtime, which "
      "makes results wrong",
      place_text(facts.place),
      facts.in_steps
          ? "let a loop update each piece by a section without a step; or, where what lies in "
            "between may be overwritten, name all from the first to the last element"
          : "name whole rows, or let a loop update each row by a section without gaps")};
  return words;
}

}  // namespace

std::span<const Pattern> small_data_patterns() {
  static constexpr Pattern kPatterns[] = {
      {"small_transfers", "many small transfers", "transfer", "transfers",
       words_if<facts::SmallTransfers, small_transfers>},
      {"mapped_scalars", "crosses by itself with each launch", "transfer", "transfers",
       words_if<facts::MappedScalars, mapped_scalars>},
      {"mapper_walk", "many components of a mapping, of which few bytes move", "component",
       "components", words_if<facts::MapperWalk, mapper_walk>},
      {"partial_update", "did not move what its section names", "update", "updates",
       words_if<facts::PartialUpdate, partial_update>}};
  return kPatterns;
}

}  // namespace ompdm::report
