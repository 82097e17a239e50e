#include "report/comparison_sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "ompdm/told_part.h"
#include "report/differences.h"
#include "report/headline.h"
#include "report/losses.h"
#include "report/sentences.h"
#include "report/units.h"

namespace ompdm::report {
namespace {

using analysis::Analysis;

std::uint64_t moved_bytes(const Analysis& one) {
  return one.totals.htod.bytes + one.totals.dtoh.bytes + one.totals.dtod.bytes;
}

/// "31x less", "5 % more", or nothing where the difference is below one in a thousand.
std::string difference(double before, double after, const char* less, const char* more) {
  const double ratio = std::max(before, after) / std::min(before, after);
  if (ratio < 1.0005) return {};
  const char* word = after < before ? less : more;
  if (ratio >= 1.15) return fmt::format("{} {}", spoken_ratio(ratio), word);
  const double percent = 100.0 * std::max(before, after) / before - 100.0;
  const double change = after < before ? 100.0 - 100.0 * after / before : percent;
  return fmt::format("{:.{}f} % {}", change, change >= 9.95 ? 0 : 1, word);
}

Nanoseconds transfer_time(const analysis::Totals& totals) {
  return totals.htod.time + totals.dtoh.time + totals.dtod.time;
}

std::string movement(const Sides& sides) {
  const std::uint64_t before = moved_bytes(sides.before);
  const std::uint64_t after = moved_bytes(sides.after);
  if (before == 0 && after == 0) return "neither moves any data";
  if (before == 0) {
    return fmt::format("{} moves {} where {} moves nothing", sides.after_name, spoken_size(after),
                       sides.before_name);
  }
  if (after == 0) {
    return fmt::format("{} moves nothing where {} moves {}", sides.after_name, sides.before_name,
                       spoken_size(before));
  }
  const std::string change =
      difference(static_cast<double>(before), static_cast<double>(after), "less", "more");
  if (change.empty()) {
    return fmt::format("{} moves as much as {}: {}", sides.after_name, sides.before_name,
                       spoken_size(after));
  }
  return fmt::format("{} moves {}: {} → {}", sides.after_name, change, spoken_size(before),
                     spoken_size(after));
}

std::string walls(Nanoseconds before, Nanoseconds after) {
  if (before <= 0 || after <= 0) return {};
  const std::string change =
      difference(static_cast<double>(before), static_cast<double>(after), "shorter", "longer");
  if (change.empty()) return fmt::format("; wall the same: {}", spoken_time(after));
  return fmt::format("; wall {}: {} → {}", change, spoken_time(before), spoken_time(after));
}

/// Why nothing can be compared; empty if it can be.
std::string obstacle(const Analysis& one, const std::string& side, const SourceNames& names) {
  const bool tells = analysis::has_target_events(one) && analysis::knows_transfers(one);
  return tells ? std::string() : fmt::format("{}: {}", side, headline(std::span(&one, 1), names));
}

}  // namespace

std::string comparison_headline(const Sides& sides) {
  const std::string before = obstacle(sides.before, sides.before_name, sides.names);
  const std::string after = obstacle(sides.after, sides.after_name, sides.names);
  if (!after.empty()) return after;
  if (!before.empty()) return before;
  const std::string model =
      sides.after.link ? fmt::format("on {}: ", link_name(*sides.after.link)) : "";
  if (!sides.are_whole()) {
    std::string why;
    for (const auto& [side, one] :
         {std::pair(sides.before_name, &sides.before), std::pair(sides.after_name, &sides.after)}) {
      const std::string own = why_not_whole(*one);
      if (!own.empty()) why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", side, own);
    }
    return fmt::format("not compared as a whole: {}; what is left moved {} and {}", why,
                       spoken_size(moved_bytes(sides.before)),
                       spoken_size(moved_bytes(sides.after)));
  }
  const bool before_is_part = sides.before.recording.is_part();
  const bool after_is_part = sides.after.recording.is_part();
  if (before_is_part || after_is_part) {
    const std::string which = before_is_part && after_is_part ? "both are parts of a run"
                              : before_is_part ? sides.before_name + " is a part of a run"
                                               : sides.after_name + " is a part of a run";
    return which + ": " + model + movement(sides);
  }
  const auto ended = [](const Analysis& one) { return one.recording.finished || one.running; };
  if (!ended(sides.before) || !ended(sides.after)) {
    return fmt::format("{} was killed, or left by _exit, quick_exit or exec: {}{}",
                       ended(sides.after) ? sides.before_name : sides.after_name, model,
                       movement(sides));
  }
  return model + movement(sides) + walls(sides.before.program_wall, sides.after.program_wall);
}

std::vector<std::string> comparison_warnings(const Sides& sides) {
  std::vector<std::string> lines;
  if (sides.after.link) lines.push_back(link_sentence(*sides.after.link));
  for (const auto& [side, one] :
       {std::pair(sides.before_name, &sides.before), std::pair(sides.after_name, &sides.after)}) {
    for (const std::string& line : warnings(*one, sides.names)) {
      if (!one->link || line != link_sentence(*one->link)) {
        lines.push_back(fmt::format("{}: {}", side, line));
      }
    }
  }
  return lines;
}

std::vector<std::pair<std::string, std::string>> comparison_header(const Sides& sides) {
  const auto what = [](const Analysis& one) {
    return fmt::format("{}: {}", one.file, header_value(one, "Program"));
  };
  const std::string before = header_value(sides.before, "Devices");
  const std::string after = header_value(sides.after, "Devices");
  std::vector<std::pair<std::string, std::string>> lines = {{"BEFORE", what(sides.before)},
                                                            {"AFTER", what(sides.after)}};
  if (before == after) {
    lines.emplace_back("Devices", after);
  } else {
    lines.emplace_back("Devices", "BEFORE " + before);
    lines.emplace_back("", "AFTER " + after);
  }
  const std::string differ = differences(sides.recordings);
  lines.emplace_back("Differ",
                     differ.empty() ? "nothing: the same program with the same arguments" : differ);
  return lines;
}

std::string untold_sentence(std::span<const Analysis* const> recordings,
                            std::span<const std::string> names) {
  std::string why;
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    const Analysis& one = *recordings[i];
    if (is_told_whole(one)) continue;
    why += fmt::format("{}{} {}", why.empty() ? "" : ", ", names[i],
                       is_only_counted(one.recording, one.process.wall) ? "was only counted"
                       : lacks_events(one)                              ? "lacks events"
                                           : "is told event by event only in part");
  }
  if (why.empty()) return {};
  return "Loops, findings, unions of time and the prediction are not compared: " + why;
}

std::string prediction_sentence(const Sides& sides) {
  const auto& predicted = sides.before.prediction;
  if (!sides.told_whole() || !predicted || !analysis::saves_time(sides.before)) return {};
  const analysis::Prediction& prediction = *predicted;
  const Nanoseconds wall = sides.after.program_wall;
  std::string text = fmt::format("Predicted for BEFORE without its waste: wall {}; AFTER takes {}",
                                 spoken_time(prediction.wall), spoken_time(wall));
  if (prediction.wall > 0 && wall > 0) {
    const std::string change =
        difference(static_cast<double>(prediction.wall), static_cast<double>(wall), "less", "more");
    text += change.empty() ? " (as predicted)" : fmt::format(" ({})", change);
  }
  text += fmt::format("; transfers {}, AFTER's {}", spoken_time(prediction.transfer),
                      sides.after.headline.measured ? spoken_time(transfer_time(sides.after.totals))
                                                    : "were not timed");
  return text;
}

std::string findings_sentence(const Sides& sides) {
  if (!sides.told_whole()) {
    const std::array ends = {&sides.before, &sides.after};
    return untold_sentence(ends, std::array{sides.before_name, sides.after_name});
  }
  if (sides.pairs.findings.empty()) return "Findings: none in either";
  std::size_t went = 0;
  std::size_t came = 0;
  for (const analysis::RowPair& pair : sides.pairs.findings) {
    went += pair.after == analysis::kNoRow ? 1 : 0;
    came += pair.before == analysis::kNoRow ? 1 : 0;
  }
  const std::size_t stay = sides.pairs.findings.size() - went - came;
  return fmt::format("Findings: {} went, {} {}, {} came", went, stay, stay == 1 ? "stays" : "stay",
                     came);
}

std::string comparison_losses(const Sides& sides) {
  const std::string before = losses(std::span(&sides.before, 1));
  const std::string after = losses(std::span(&sides.after, 1));
  return before == after ? fmt::format("Lost: {} in either", before)
                         : fmt::format("Lost: BEFORE {}; AFTER {}", before, after);
}

}  // namespace ompdm::report
