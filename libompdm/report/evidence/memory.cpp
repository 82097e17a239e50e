// Patterns of device memory, and of what is sent to it, that no kernel needs so.
#include <fmt/format.h>

#include "report/advice.h"
#include "report/evidence/words.h"
#include "report/units.h"

namespace ompdm::report {
namespace {

namespace facts = analysis::facts;
using analysis::Finding;

}  // namespace

std::string words_of(const facts::UnusedTransfer& facts, const Finding& finding) {
  std::string fate;
  if (facts.overwritten > 0) fate = fmt::format("{} overwritten", facts.overwritten);
  if (facts.overwritten < finding.count) {
    fate +=
        fmt::format("{}{} dropped", fate.empty() ? "" : " and ", finding.count - facts.overwritten);
  }
  return fmt::format("{} went to {} in {} that no kernel there could have seen: {}{}", facts.item,
                     devices_text(facts.devices), counted(finding.count, "transfer", "transfers"),
                     fate, facts.all > finding.count ? fmt::format("; {} in all", facts.all) : "");
}

std::vector<std::string> advice_of(const facts::UnusedTransfer& facts, const Finding& finding) {
  if (!is_in_words(finding)) return {};
  if (facts.overwritten == finding.count) {
    return {"of the transfers that follow one another without a kernel in between, keep the last"};
  }
  return {"send only what a kernel will read"};
}

std::string words_of(const facts::UnusedAllocation& facts, const Finding& finding) {
  const bool is_one = facts.items.size() < 2;
  return fmt::format(
      "{} {} on {} ({}), and no kernel there could have used {}",
      facts.items.empty() ? "memory of omp_target_alloc" : named_or_counted(facts.items),
      is_one ? "was" : "were", devices_text(facts.devices),
      counted(finding.count, "allocation", "allocations"), is_one ? "it" : "them");
}

std::vector<std::string> advice_of(const facts::UnusedAllocation& /*facts*/,
                                   const Finding& finding) {
  if (!is_in_words(finding)) return {};
  return {"leave out this allocation, or make it where a kernel needs it"};
}

std::string words_of(const facts::RepeatedAllocation& facts, const Finding& /*finding*/) {
  return fmt::format(
      "{}{} {} allocated {} times on {}, by {}, where {} would do",
      facts.pieces > 1 ? fmt::format("{} pieces of memory of ", facts.pieces) : "",
      named_or_counted(facts.names), facts.names.size() == 1 && facts.pieces == 1 ? "was" : "were",
      facts.allocations, devices_text(facts.devices), places_text(facts.by), facts.pieces);
}

std::string words_of(const facts::DeviceLeak& facts, const Finding& finding) {
  const std::string text =
      fmt::format("{} {} still on {} when the program ended, left by {} at {} ({})",
                  facts.is_mapped ? named_or_counted(facts.items) : "memory",
                  facts.items.size() > 1 ? "were" : "was", devices_text(facts.devices),
                  facts.api.empty() ? analysis::directive_name(facts.directive) : facts.api,
                  place_text(facts.place), counted(finding.count, "allocation", "allocations"));
  if (facts.asked_back.empty()) return text;
  return text + fmt::format(
                    ". map(from: ...) or map(tofrom: ...) at {} found it there and brought nothing "
                    "back: what the device computed never reached the host",
                    places_text(facts.asked_back));
}

std::vector<std::string> advice_of(const facts::DeviceLeak& facts, const Finding& /*finding*/) {
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

}  // namespace ompdm::report
