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
        "let {} point into one block of memory, and map that block once instead of {} blocks at "
        "{}. Each block takes an allocation",
        facts.items.empty() ? std::string("the pointers") : spoken_list(facts.items), facts.blocks,
        where);
  }
  if (!facts.enough) {
    return fmt::format(
        "at {}, let several kernels share one transfer: collect results on the device, and copy "
        "less often",
        where);
  }
  if (facts.one_place && facts.place) {
    return fmt::format(
        "at {}, copy once, {} {}. No kernel runs in between, so only the {} copy is needed", where,
        facts.to_device ? "after" : "before", around(facts), facts.to_device ? "last" : "first");
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
        "at {}, copy the pieces {} of each execution at once: pack them into an array", where,
        what);
  }
  if (facts.place && facts.directive == Directive::kTargetUpdate) {
    return fmt::format(
        "{} {}, in place of the update there, write one{} with {}() over all the pieces {}",
        facts.to_device ? "after" : "before", around(facts),
        facts.device == 0 ? std::string() : fmt::format(" for device {}", facts.device),
        facts.to_device ? "to" : "from", what);
  }
  return fmt::format(
      "let one clause over neighbouring memory take all pieces {}, in a target enter data or exit "
      "data beside {}",
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
      "in {} at {}, {} of {} transfers of at most {} B carried {}, {}. A kernel argument "
      "takes no transfer",
      counted(facts.launches, "launch", "launches"), places_text(facts.places),
      subject.finding.count, facts.transfers, facts.largest, spoken_list(facts.names),
      facts.came_back ? "copied back as sent" : "not copied back");
  words.action = fmt::format("do not map {} where no kernel writes it", subject.data);
  words.advice = {fmt::format(
      "if no kernel writes {} and no reduction clause names {}, write no map clause: scalars "
      "are firstprivate by default",
      spoken_list(facts.names), facts.names.size() == 1 ? "it" : "them")};
  if (!facts.unchanged.empty()) {
    const bool is_one = facts.unchanged.size() == 1;
    words.advice.push_back(fmt::format(
        "do the same for {} if no kernel ever changes {}: {} copied back as sent",
        spoken_list(facts.unchanged), is_one ? "it" : "them", is_one ? "it was" : "they were"));
  }
  if (!facts.returned.empty()) {
    words.advice.push_back(
        fmt::format("leave {} {} map(tofrom: ...): it copies a kernel's result back",
                    spoken_list(facts.returned), facts.returned.size() == 1 ? "its" : "their"));
  }
  return words;
}

std::string walk_evidence(const facts::MapperWalk& facts, const Finding& finding) {
  std::string text =
      fmt::format("{} walked {}{} in all, {}{} at a time, which moved {} in {}",
                  counted(finding.of, "execution"), facts.at_least ? "at least " : "",
                  counted(finding.count, "component"),
                  facts.at_least                            ? "at least "
                  : facts.most * finding.of > finding.count ? "up to "
                                                            : "",
                  facts.most, spoken_size(facts.bytes), counted(facts.transfers, "transfer"));
  if (facts.at_least) {
    text += fmt::format(". Of longer lists the first {} items are recorded", kMostMapItems);
  }
  if (finding.wasted_time > 0 && facts.wall > 0) {
    text += fmt::format(". {} % of their time is neither copies nor kernels",
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
        fmt::format("give the mapper of {} a name, by declare mapper(NAME: ...): {}", names,
                    facts.was_there ? fmt::format("its data was present at {}", where)
                                    : fmt::format("{} mapped its data again each time", where)),
        "write map(mapper(NAME), ...) only in a target enter data before all this, and in a target "
        "exit data after it",
        fmt::format("at {}, remove it, or write map(alloc: ...), which looks up one component",
                    where),
        "write target update for data that changes meanwhile and is read on the other side"};
  }
  return {fmt::format(
      "for {}, keep the data of the structs in one array, and offsets in the structs. One clause "
      "then maps it all, without a mapper",
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
  words.action = fmt::format("update {} whole: its section was copied in part", subject.data);
  words.advice = {fmt::format(
      "at {}, {}\nthe section was copied in part: a fault of compiler and runtime, which makes "
      "results wrong",
      place_text(facts.place),
      facts.in_steps
          ? "let a loop update each piece by a section without a step, or name all elements from "
            "the first to the last"
          : "name whole rows, or let a loop update each row by a section without gaps")};
  return words;
}

}  // namespace

std::span<const Pattern> small_data_patterns() {
  static constexpr Pattern kPatterns[] = {
      {"small_transfers", "many small transfers", "transfer", "transfers",
       words_if<facts::SmallTransfers, small_transfers>},
      {"mapped_scalars", "transferred alone at each launch", "transfer", "transfers",
       words_if<facts::MappedScalars, mapped_scalars>},
      {"mapper_walk", "many components of a mapping, few bytes", "component", "components",
       words_if<facts::MapperWalk, mapper_walk>},
      {"partial_update", "did not copy all of its section", "update", "updates",
       words_if<facts::PartialUpdate, partial_update>}};
  return kPatterns;
}

}  // namespace ompdm::report
