#include "fix/verdicts.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/units.h"

namespace ompdm::cli {
namespace {

using report::spoken_size;

std::string time(std::chrono::nanoseconds duration) {
  return report::spoken_time(duration.count());
}

std::string measured_text(const Verdict& verdict) {
  const Measured& of = verdict.measured;
  if (!verdict.was_tried || of.bytes_after >= of.bytes_before) return "-";
  return spoken_size(of.bytes_before - of.bytes_after);
}

std::string verdict_text(const Verdict& verdict) {
  if (!verdict.was_tried) return "not tried: " + verdict.refused;
  return verdict.measured.verified ? "verified" : "refused: " + verdict.measured.why;
}

}  // namespace

std::string verdict_table(const std::vector<Verdict>& verdicts) {
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
                        one.what, what, spoken_size(one.promised), measured_text(one),
                        verdict_text(one));
    if (!one.refused.empty()) continue;
    for (const std::string& each : one.left_out) text += fmt::format("         without {}\n", each);
  }
  return text;
}

std::string spared_sentence(const Measured& measured) {
  return fmt::format(
      "{} of {} no longer cross ({} of {} transfers); the run takes {} instead of {}",
      spoken_size(measured.bytes_before - measured.bytes_after), spoken_size(measured.bytes_before),
      measured.transfers_before - measured.transfers_after, measured.transfers_before,
      time(measured.wall_after), time(measured.wall_before));
}

}  // namespace ompdm::cli
