#include "report/glance/saving.h"

#include <fmt/format.h>

#include "ompdm/told_part.h"
#include "report/left_out.h"
#include "report/units.h"

namespace ompdm::report {
namespace {

using analysis::Analysis;
using analysis::Prediction;

/// ", about 136 ms of 240 ms". On host devices a small share tells nothing of a GPU.
std::string time_of(const Analysis& one, const std::optional<Prediction>& prediction) {
  if (!prediction || !analysis::saves_time(one, prediction)) {
    return analysis::has_device_times({&one, 1}) ? ", less than 1 % of the time" : "";
  }
  return fmt::format(", about {} of {}", spoken_time(one.program_wall - prediction->wall),
                     spoken_time(one.program_wall));
}

/// The same where a part of the run is told.
std::string time_in_part(const Analysis& one, const std::optional<Prediction>& prediction) {
  const Nanoseconds wall = prediction ? prediction->wall : one.program_wall;
  return "about " + spoken_time(one.program_wall - wall);
}

/// What the host reads in between has to cross all the same.
const char* at_most(const std::optional<Prediction>& prediction) {
  return prediction && prediction->at_most ? "at most " : "";
}

/// ", 22.8 MB of 72.0 MB"; of copies that others could have made, where no byte would be spared.
std::string bytes_of(const Prediction& prediction, std::uint64_t all) {
  if (prediction.spared_bytes == 0) return ", whose bytes fewer copies would carry";
  return fmt::format(", {} of {}", spoken_size(prediction.spared_bytes), spoken_size(all));
}

/// Of one recording; empty where no copy would be spared.
std::string saved(const Analysis& one) {
  const auto& most = one.possible_prediction ? one.possible_prediction : one.prediction;
  if (!most || most->spared_transfers == 0) return {};
  const std::uint64_t bytes = one.totals.htod.bytes + one.totals.dtoh.bytes;
  const std::uint64_t copies = one.totals.htod.count + one.totals.dtoh.count;
  const std::string text =
      is_told_whole(one.recording) || one.recording.is_part()
          ? fmt::format("{}{} of {}{}{}", at_most(most), most->spared_transfers,
                        counted(copies, "copy", "copies"), bytes_of(*most, bytes),
                        time_of(one, most))
          // Of how many, nobody knows: the totals are of the whole run.
          : fmt::format("{}{} that are told, {}, {}", at_most(most),
                        counted(most->spared_transfers, "copy", "copies"),
                        spoken_size(most->spared_bytes), time_in_part(one, most));
  if (!one.possible_prediction) return text;
  const auto& sure = one.prediction;
  if (!sure || sure->spared_bytes == 0) return text + " (possibly)";
  const std::string time = analysis::saves_time(one, sure)
                               ? fmt::format(", {}", spoken_time(one.program_wall - sure->wall))
                               : std::string();
  return text + fmt::format(" (likely: {}{})", spoken_size(sure->spared_bytes), time);
}

/// "Without what is needless here the run would have taken about 217 ms instead of 381 ms, its
/// transfers 23.1 ms; about 190 ms if what is possible only holds too."
std::string predicted(const Analysis& one) {
  const auto& sure = one.prediction;
  const auto& possible = one.possible_prediction;
  const bool adds = possible && sure && one.program_wall > 0 &&
                    100 * (sure->wall - possible->wall) >= one.program_wall;
  std::string text;
  if (sure && analysis::saves_time(one, sure)) {
    text = fmt::format(
        "Without what is needless here the run would have taken about {} instead of {}, its "
        "transfers {}",
        spoken_time(sure->wall), spoken_time(one.program_wall), spoken_time(sure->transfer));
    if (adds)
      text +=
          fmt::format("; about {} if what is possible only holds too", spoken_time(possible->wall));
  } else if (sure && sure->spared_bytes > 0) {
    text = fmt::format(
        "Without what is needless here {}{} would not have crossed: less than 1 % of this run's "
        "time",
        at_most(sure), spoken_size(sure->spared_bytes));
    if (adds)
      text += fmt::format(
          "; it would have taken about {} instead of {} if what is possible only holds too",
          spoken_time(possible->wall), spoken_time(one.program_wall));
  } else if (adds) {
    text = fmt::format(
        "If what is possible only holds, the run would have taken about {} instead of {}, its "
        "transfers {}",
        spoken_time(possible->wall), spoken_time(one.program_wall),
        spoken_time(possible->transfer));
  } else if (possible && possible->spared_bytes > 0) {
    text = fmt::format(
        "If what is possible only holds, {}{} would not have crossed: less than 1 % of this run's "
        "time",
        at_most(possible), spoken_size(possible->spared_bytes));
  }
  return text.empty() ? text : text + '.';
}

}  // namespace

std::string saving_title(Analyses analyses) {
  const std::string text = analyses.size() == 1 ? saved(analyses.front()) : std::string();
  return text.empty() ? "What to do first" : "Needless: " + text;
}

std::vector<std::string> saving_sentences(Analyses analyses) {
  const Ranks ranks = ranks_of(analyses);
  const bool is_told = analyses.size() == 1 && !saved(analyses.front()).empty();
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    std::vector<std::string> own = left_out(analyses[i]);
    if (!is_told) own.insert(own.begin(), predicted(analyses[i]));
    for (const std::string& sentence : own) {
      if (!sentence.empty()) sentences.push_back(prefix(ranks, i) + sentence);
    }
  }
  return sentences;
}

}  // namespace ompdm::report
