#include "fix/verdicts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/units.h"

namespace ompdm::cli {

namespace fs = std::filesystem;

using Json = nlohmann::json;
using report::spoken_size;

namespace {

/// Whether the bytes of a pattern are device memory, not transfers.
bool is_of_memory(const std::string& pattern) {
  return pattern == "repeated_allocation" || pattern == "unused_allocation" ||
         pattern == "device_leak";
}

/// Identifies a finding in a version of the program whose lines have moved.
std::string subject_of(const Json& finding) {
  std::set<std::string> words;
  for (const Json& edit : finding.at("edits")) {
    std::string word = fmt::format("{} {}", edit.at("kind").get<std::string>(),
                                   edit.at("directive").get<std::string>());
    for (const Json& place : edit.at("places")) {
      word += ' ' + place.value("function", std::string());
    }
    for (const Json& clause : edit.at("clauses")) {
      for (const Json& item : clause.at("items")) {
        word += ' ' + item.at("expression").get<std::string>();
      }
    }
    words.insert(word);
  }
  return fmt::format("{}: {}", finding.at("pattern").get<std::string>(), fmt::join(words, ", "));
}

std::string measured_text(const Verdict& one) {
  if (one.tried_with && one.verified) return fmt::format("with {}", *one.tried_with);
  const std::uint64_t spared = one.spared.value_or(0);
  return spared == 0 ? "-" : spoken_size(spared);
}

/// ", 84 % of what was promised", for a finding that was tried alone. Empty where it spares as much
/// as promised, or where no transfers were promised.
std::string share_text(const Verdict& one, const std::vector<Verdict>& all) {
  const bool is_alone = std::ranges::none_of(
      all, [&](const Verdict& other) { return other.tried_with == one.plan.number; });
  const std::uint64_t spared = one.spared.value_or(0);
  const std::uint64_t promised = one.promised.value_or(0);
  if (one.tried_with || !is_alone || !one.spared || spared >= promised) return {};
  const std::string share =
      report::spoken_share(static_cast<Nanoseconds>(spared), static_cast<Nanoseconds>(promised));
  return share == "100 %" ? "" : fmt::format(", {} of the promised bytes", share);
}

std::string verdict_text(const Verdict& one, const std::vector<Verdict>& all, bool of_other_runs) {
  if (one.waits) return "waits for another round: " + one.plan.refused;
  if (!one.was_tried) return "not tried: " + one.plan.refused;
  if (!one.verified) return "refused: " + one.why;
  return "verified" + (of_other_runs ? std::string() : share_text(one, all));
}

}  // namespace

std::uint64_t Measured::spared() const {
  return before.bytes > after.bytes ? before.bytes - after.bytes : 0;
}

Verdict verdict_on(const Json& finding, std::size_t number) {
  Verdict verdict;
  const fs::path source = finding.at("file").get<std::string>();
  verdict.plan.number = number;
  verdict.place = source.empty() ? "-"
                                 : fmt::format("{}:{}", source.filename().string(),
                                               finding.at("line").get<int>());
  verdict.what = finding.at("pattern");
  verdict.subject = subject_of(finding);
  for (const Json& id : finding.at("variable_ids")) verdict.variables.insert(id);
  if (!is_of_memory(verdict.what)) verdict.promised = finding.at("wasted_bytes");
  return verdict;
}

std::string verdict_table(const std::vector<Verdict>& verdicts, bool of_other_runs) {
  std::size_t place = 5;
  std::size_t what = 7;
  for (const Verdict& one : verdicts) {
    place = std::max(place, one.place.size());
    what = std::max(what, one.what.size());
  }
  std::string text = fmt::format("Finding  {:<{}}  {:<{}}   Promised   Measured  Verdict\n",
                                 "Where", place, "Pattern", what);
  for (const Verdict& one : verdicts) {
    text += fmt::format("{:>7}  {:<{}}  {:<{}}  {:>9}  {:>9}  {}\n", one.plan.number, one.place,
                        place, one.what, what, one.promised ? spoken_size(*one.promised) : "-",
                        measured_text(one), verdict_text(one, verdicts, of_other_runs));
    if (!one.is_open()) continue;
    for (const std::string& each : one.plan.left_out)
      text += fmt::format("         without {}\n", each);
    for (const std::string& each : one.plan.assumed)
      text += fmt::format("         assumes that {}\n", each);
  }
  if (of_other_runs) {
    text += "Promised is of the run that was recorded, measured of those that --run names.\n";
  }
  return text;
}

std::string spared_sentence(const Measured& measured) {
  const Movement& before = measured.before;
  const Movement& after = measured.after;
  const std::string spared =
      measured.spared() == 0
          ? fmt::format("{} instead of {} allocations on the device", after.allocations,
                        before.allocations)
          : fmt::format("{} of {} are no longer transferred ({} instead of {} transfers)",
                        spoken_size(measured.spared()), spoken_size(before.bytes), after.transfers,
                        before.transfers);
  return fmt::format("{}; {}", spared, measured.times.sentence());
}

std::string verified_head(const Target& target, const Together& made) {
  std::string text =
      "# Verified by ompdm on these inputs: built, run, the same output and exit status.\n";
  for (std::size_t i = 0; i < target.commands.size(); ++i) {
    text += fmt::format("#   {}\n", target.command_text(i));
  }
  text += fmt::format("# {}.\n", spared_sentence(made.measured));
  if (!made.measured.unseen.empty()) {
    text += fmt::format(
        "# Not compared: the last contents of {}, whose copies had not arrived when they were "
        "recorded.\n",
        fmt::join(made.measured.unseen, ", "));
  }
  if (!made.assumed.empty()) text += "# Assumed, because no source shows it:\n";
  for (const std::string& one : made.assumed) text += fmt::format("#   {}\n", one);
  if (made.released.empty()) return text;
  return text +
         fmt::format(
             "# No longer copied back: {}. No output depends on it. Code that reads it later "
             "would see old values.\n",
             fmt::join(made.released, ", "));
}

}  // namespace ompdm::cli
