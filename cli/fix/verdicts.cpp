#include "fix/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "report/units.h"

namespace ompdm::cli {
namespace {

using report::spoken_size;

std::string measured_text(const Verdict& verdict) {
  const std::uint64_t spared = verdict.measured.spared();
  return spared == 0 ? "-" : spoken_size(spared);
}

/// ", 84 % of what was promised"; empty where it is as much, or nothing of the kind was promised.
std::string share_text(const Verdict& verdict) {
  const std::uint64_t spared = verdict.measured.spared();
  if (!verdict.promised || spared >= *verdict.promised) return {};
  const std::string share = report::spoken_share(static_cast<Nanoseconds>(spared),
                                                 static_cast<Nanoseconds>(*verdict.promised));
  return share == "100 %" ? "" : fmt::format(", {} of what was promised", share);
}

std::string verdict_text(const Verdict& verdict, bool of_other_runs) {
  if (!verdict.was_tried) return "not tried: " + verdict.refused;
  if (!verdict.measured.verified) return "refused: " + verdict.measured.why;
  return "verified" + (of_other_runs ? std::string() : share_text(verdict));
}

/// Whether its bytes are of device memory, and need not cross.
bool is_of_memory(const std::string& pattern) {
  return pattern == "repeated_allocation" || pattern == "unused_allocation" ||
         pattern == "device_leak";
}

}  // namespace

Verdict verdict_of(std::size_t number, const nlohmann::json& finding) {
  Verdict verdict;
  verdict.number = number;
  const std::string file = finding.at("file");
  verdict.place = file.empty()
                      ? "-"
                      : fmt::format("{}:{}", std::filesystem::path(file).filename().string(),
                                    finding.at("line").get<int>());
  verdict.what = finding.at("pattern");
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
    text += fmt::format("{:>7}  {:<{}}  {:<{}}  {:>9}  {:>9}  {}\n", one.number, one.place, place,
                        one.what, what, one.promised ? spoken_size(*one.promised) : "-",
                        measured_text(one), verdict_text(one, of_other_runs));
    if (!one.refused.empty()) continue;
    for (const std::string& each : one.left_out) text += fmt::format("         without {}\n", each);
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
          : fmt::format("{} of {} no longer cross ({} instead of {} transfers)",
                        spoken_size(measured.spared()), spoken_size(before.bytes), after.transfers,
                        before.transfers);
  return fmt::format("{}; {}", spared, measured.times.sentence());
}

}  // namespace ompdm::cli
