// Words of findings about data and device memory that no kernel uses.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/patterns/patterns.h"
#include "report/units.h"

namespace ompdm::report {

namespace {

namespace facts = analysis::facts;
using analysis::Finding;

Words unused_transfer(const facts::UnusedTransfer& facts, const Subject& subject) {
  const Finding& finding = subject.finding;
  const bool is_overwritten = facts.overwritten == finding.count;
  std::string fate;
  if (facts.overwritten > 0) fate = fmt::format("{} overwritten", facts.overwritten);
  if (facts.overwritten < finding.count) {
    fate +=
        fmt::format("{}{} dropped", fate.empty() ? "" : " and ", finding.count - facts.overwritten);
  }
  Words words;
  words.evidence =
      fmt::format("{} went to {} in {} that no kernel there could have seen: {}{}", facts.item,
                  devices_text(facts.devices), counted(finding.count, "transfer", "transfers"),
                  fate, facts.all > finding.count ? fmt::format("; {} in all", facts.all) : "");
  words.action =
      !finding.edits.empty()
          ? fmt::format("do not send {}: no kernel saw it", subject.data)
          : fmt::format("{} of {} are {} before a kernel runs{}", finding.count, facts.all,
                        is_overwritten ? "overwritten" : "overwritten or dropped",
                        is_overwritten ? ": keep the last" : "");
  if (has_no_edits_at_all(finding)) {
    words.advice = {is_overwritten
                        ? "of the transfers that follow one another without a kernel in between, "
                          "keep the last"
                        : "send only what a kernel will read"};
  }
  return words;
}

Words repeated_allocation(const facts::RepeatedAllocation& facts, const Subject& subject) {
  const std::uint64_t count = subject.finding.count;
  return {
      fmt::format("{} of {} on {}, by {}, {} of memory that had been allocated there before",
                  counted(count, "allocation", "allocations"), named_or_counted(facts.names),
                  devices_text(facts.devices), places_text(facts.by), count == 1 ? "was" : "were"),
      fmt::format("keep {} allocated: {} too many", subject.data,
                  counted(count, "allocation", "allocations"))};
}

Words unused_allocation(const facts::UnusedAllocation& facts, const Subject& subject) {
  const bool is_one = facts.items.size() < 2;
  Words words;
  words.evidence = fmt::format(
      "{} {} on {} ({}), and no kernel there could have used {}",
      facts.items.empty() ? "memory of omp_target_alloc" : named_or_counted(facts.items),
      is_one ? "was" : "were", devices_text(facts.devices),
      counted(subject.finding.count, "allocation", "allocations"), is_one ? "it" : "them");
  words.action = fmt::format("do not map {}: no kernel saw it", subject.data);
  if (has_no_edits_at_all(subject.finding)) {
    words.advice = {"leave out this allocation, or make it where a kernel needs it"};
  }
  return words;
}

std::vector<std::string> leak_advice(const facts::DeviceLeak& facts) {
  if (!facts.is_mapped) return {};
  if (facts.by_mapper) {
    return {
        "LLVM's runtime keeps what a declare mapper maps: of several elements target exit data "
        "map(delete: ...) frees it, of one struct none does: map that by clauses alone"};
  }
  std::vector<std::string> lines = {
      "if the host still needs what the device computed: target update from(...) before that"};
  if (!facts.other_names.empty()) {
    lines.push_back(fmt::format("it may be called {} by then: these pointers are swapped",
                                fmt::join(facts.other_names, " or ")));
  }
  return lines;
}

Words device_leak(const facts::DeviceLeak& facts, const Subject& subject) {
  Words words;
  words.evidence = fmt::format(
      "{} {} still on {} when the program ended, left by {} at {} ({})",
      facts.is_mapped ? named_or_counted(facts.items) : "memory",
      facts.items.size() > 1 ? "were" : "was", devices_text(facts.devices),
      facts.api.empty() ? analysis::directive_name(facts.directive) : facts.api,
      place_text(facts.place), counted(subject.finding.count, "allocation", "allocations"));
  if (!facts.asked_back.empty()) {
    words.evidence += fmt::format(
        ". map(from: ...) or map(tofrom: ...) at {} found it there and brought nothing back: what "
        "the device computed never reached the host",
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

std::span<const Pattern> unused_data_patterns() {
  static constexpr Pattern kPatterns[] = {
      {"unused_transfer", "sent, and seen by no kernel", "transfer", "transfers",
       words_if<facts::UnusedTransfer, unused_transfer>},
      {"repeated_allocation", "allocated again and again", "allocation", "allocations",
       words_if<facts::RepeatedAllocation, repeated_allocation>},
      {"unused_allocation", "allocated, and seen by no kernel", "allocation", "allocations",
       words_if<facts::UnusedAllocation, unused_allocation>},
      {"device_leak", "left on the device", "allocation", "allocations",
       words_if<facts::DeviceLeak, device_leak>}};
  return kPatterns;
}

}  // namespace ompdm::report
