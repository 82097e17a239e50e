// Patterns that stand on what crossed having been there already.
#include <fmt/format.h>

#include "report/advice.h"
#include "report/evidence/words.h"
#include "report/loop_words.h"
#include "report/units.h"

namespace ompdm::report {
namespace {

namespace facts = analysis::facts;
using analysis::Finding;

/// ", by blocks of it (OMPDM_HASH=full compares all)", as far as that was so; empty if all bytes
/// were compared each time.
std::string blocks_text(const facts::SameContents& same) {
  if (same.in_full == same.equal) return {};
  return fmt::format(
      ", {}by blocks of it (OMPDM_HASH=full compares all)",
      same.in_full > 0 ? fmt::format("{} of them ", same.equal - same.in_full) : std::string());
}

/// "in this run (30 of 4000 compared)": for the end of a sentence.
std::string coverage_text(const Finding& finding, const facts::SameContents& same) {
  const std::string text =
      finding.examined == finding.of
          ? std::string("in this run")
          : fmt::format("in this run ({} of {} compared)", finding.examined, finding.of);
  return text + blocks_text(same);
}

/// "; 40 in all" where not all were needless.
std::string in_all_text(std::uint64_t needless, std::uint64_t all) {
  return needless == all ? std::string() : fmt::format("; {} in all", all);
}

/// "in the loop at heat.cpp:54, in solve, of 30 passes in all, entered 2 times"; "in a loop of 30
/// passes" where its place is not known.
std::string in_loop(const facts::PerIterationMapping& facts) {
  const std::string place = loop_text(facts.loop);
  std::string text =
      fmt::format("in {} of {}{}", place.empty() ? "a loop" : place + ",",
                  facts.passes_at_least ? ">= " : "", counted(facts.passes, "pass", "passes"));
  if (facts.entries > 1 || facts.entries_at_least) {
    text += fmt::format(" in all, entered {}{}",
                        facts.entries == 1 ? "once" : counted(facts.entries, "time", "times"),
                        facts.entries_at_least ? " or more often" : "");
  }
  return text;
}

}  // namespace

std::string words_of(const facts::PerIterationMapping& facts, const Finding& /*finding*/) {
  const bool several = facts.devices.size() > 1;
  std::string text = fmt::format(
      "{} {} mapped anew {}{}", spoken_list(facts.names), facts.names.size() == 1 ? "was" : "were",
      several ? fmt::format("on {}, ", devices_text(facts.devices)) : std::string(),
      in_loop(facts));
  std::string moved;
  // Each entry that was not seen needs its own.
  const bool is_least = facts.entries_at_least;
  const char* enough = !facts.enough_at_most ? "" : is_least ? "about " : "at most ";
  const char* or_more = is_least && !facts.enough_at_most ? " or more" : "";
  if (facts.sent > facts.sent_enough) {
    moved = fmt::format("sent in {} where {}{}{} would do",
                        counted(facts.sent, "transfer", "transfers"), enough, facts.sent_enough,
                        or_more);
  }
  if (facts.returned > facts.returned_enough) {
    moved += fmt::format("{}brought back in {} where {}{}{} would do", moved.empty() ? "" : ", ",
                         moved.empty() ? counted(facts.returned, "transfer", "transfers")
                                       : std::to_string(facts.returned),
                         enough, facts.returned_enough, or_more);
  }
  text += ": " + moved;
  if (facts.same.equal > 0) {
    text += fmt::format("; in {} of {} compared the device had had that content before{}",
                        facts.same.equal, facts.compared, blocks_text(facts.same));
  }
  if (facts.may_be_read) {
    text += "; whether the host read in between what came back does not show";
  }
  return text;
}

namespace {

const char* origin_text(facts::Resends::How how) {
  switch (how) {
    case facts::Resends::How::kWasSent:
      return "with a content that had gone there by";
    case facts::Resends::How::kCameBack:
      return "unchanged since brought back by";
    case facts::Resends::How::kBoth:
      return "with a content that the device had had at";
  }
  return "";
}

}  // namespace

std::string words_of(const facts::Resends& facts, const Finding& finding) {
  return fmt::format("{} went to {} in {} {} {}, {}{}{}", spoken_list(facts.items),
                     devices_text(facts.devices), counted(finding.count, "transfer", "transfers"),
                     origin_text(facts.how),
                     facts.before.empty() ? "elsewhere" : places_text(facts.before),
                     coverage_text(finding, facts.same),
                     facts.is_mapped_anew ? ": its memory there could have been kept" : "",
                     in_all_text(finding.count, facts.all));
}

std::string words_of(const facts::UnmodifiedCopyBack& facts, const Finding& finding) {
  return fmt::format("{} came back in {} as {} had been sent, {}", spoken_list(facts.items),
                     counted(finding.count, "transfer", "transfers"),
                     facts.items.size() == 1 ? "it" : "they", coverage_text(finding, facts.same));
}

std::string words_of(const facts::RepeatedCopyBack& facts, const Finding& finding) {
  const bool is_one = facts.items.size() == 1;
  return fmt::format(
      "{} came back in {} as {} had come back by {}, with no send in between, and no kernel that "
      "{} have changed {} on the device, {}{}",
      spoken_list(facts.items), counted(finding.count, "transfer", "transfers"),
      is_one ? "it" : "they", facts.before.empty() ? "another" : places_text(facts.before),
      facts.is_scratch ? "was to" : "could", is_one ? "it" : "them",
      coverage_text(finding, facts.same), in_all_text(finding.count, facts.all));
}

}  // namespace ompdm::report
