#include "report/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "ompdm/comparison.h"
#include "ompdm/report.h"
#include "ompdm/trace.h"
#include "report/headline.h"
#include "report/json_rows.h"
#include "report/sentences.h"
#include "report/text_layout.h"
#include "report/units.h"

namespace ompdm::report {

namespace {

using analysis::Analysis;

constexpr std::size_t kMostTold = 6;  // values in a row

std::vector<std::string> arguments_of(const Analysis& one) {
  const std::vector<std::string>& all = one.process.arguments;
  return all.empty() ? all : std::vector<std::string>(all.begin() + 1, all.end());
}

/// What each has in turn; empty where all have the same, or some do not tell.
std::string in_turn(std::string_view what, const std::vector<std::string>& values,
                    std::string_view between) {
  const bool known = std::ranges::none_of(values, &std::string::empty);
  const bool alike = std::ranges::all_of(
      values, [&](const std::string& value) { return value == values.front(); });
  if (alike || !known) return {};
  if (values.size() > kMostTold) return fmt::format("{} not the same", what);
  return fmt::format("{} {}", what, fmt::join(values, between));
}

template <class Of>
std::vector<std::string> each(Analyses analyses, Of of) {
  std::vector<std::string> values;
  for (const Analysis& one : analyses) values.push_back(of(one));
  return values;
}

std::string other_arguments(Analyses analyses, std::string_view between) {
  const std::size_t count = arguments_of(analyses.front()).size();
  const bool as_many = std::ranges::all_of(
      analyses, [&](const Analysis& one) { return arguments_of(one).size() == count; });
  if (!as_many) {
    return in_turn("arguments",
                   each(analyses,
                        [](const Analysis& one) {
                          return fmt::format("'{}'", fmt::join(arguments_of(one), " "));
                        }),
                   between);
  }
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string one = in_turn(fmt::format("argument {}:", i + 1),
                                    each(analyses,
                                         [&](const Analysis& of) {
                                           const std::string argument = arguments_of(of)[i];
                                           return argument.empty() ? std::string("''") : argument;
                                         }),
                                    between);
    if (!one.empty()) text += (text.empty() ? "" : "; ") + one;
  }
  return text;
}

std::string program_of(const Analysis& one) {
  return one.process.arguments.empty() ? one.process.program : one.process.arguments.front();
}

std::string other_program(Analyses analyses, std::string_view between) {
  bool other_build = false;
  bool other_program = false;
  for (const Analysis& one : analyses) {
    const analysis::SameProgram same = analysis::same_program(analyses.front(), one);
    other_build = other_build || same == analysis::SameProgram::kOtherBuild;
    other_program = other_program || same == analysis::SameProgram::kOtherProgram;
  }
  if (other_program) return in_turn("program", each(analyses, program_of), between);
  return other_build ? "the program was built anew" : "";
}

}  // namespace

std::string differences(Analyses analyses, std::string_view between) {
  std::string text;
  for (const std::string& one :
       {other_program(analyses, between), other_arguments(analyses, between),
        in_turn("runtime", each(analyses, [](const Analysis& of) { return of.recording.runtime; }),
                between),
        in_turn("machine", each(analyses, [](const Analysis& of) { return of.process.host; }),
                between)}) {
    if (!one.empty()) text += (text.empty() ? "" : "; ") + one;
  }
  return text;
}

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

namespace {

using analysis::RowPair;

/// Null where there is no such number on a side, or where BEFORE's is 0.
Json ratio_json(const Json& before, const Json& after) {
  if (!before.is_number() || !after.is_number() || before.get<double>() == 0) return nullptr;
  return after.get<double>() / before.get<double>();
}

Json figures(const Json& before, const Json& after, bool has_ratio) {
  return {{"before", before},
          {"after", after},
          {"ratio", has_ratio ? ratio_json(before, after) : Json(nullptr)}};
}

/// Whether a number says how much, and not where or which.
bool is_amount(std::string_view key) {
  return key == "bytes" || key == "count" || key.ends_with("_bytes") || key.ends_with("_count") ||
         key.ends_with("_ns");
}

Json pair_json(Json before, Json after, bool has_ratios = true) {
  Json ratios = nullptr;
  if (has_ratios && before.is_object() && after.is_object()) {
    ratios = Json::object();
    for (const auto& [key, value] : before.items()) {
      if (is_amount(key)) ratios[key] = ratio_json(value, after[key]);
    }
  }
  return {{"before", std::move(before)}, {"after", std::move(after)}, {"ratio", std::move(ratios)}};
}

/// A row a pair, each side as in `ompdm.report/1`.
template <class Row, class ToJson>
Json pairs_json(const Sides& sides, const std::vector<RowPair>& pairs,
                std::vector<Row> analysis::Analysis::* table, ToJson to_json) {
  const std::vector<Row>& before = sides.before.*table;
  const std::vector<Row>& after = sides.after.*table;
  Json rows = Json::array();
  for (const RowPair& pair : pairs) {
    const Row* left = row_at(before, pair.before);
    const Row* right = row_at(after, pair.after);
    rows.push_back(pair_json(left != nullptr ? to_json(*left, sides.before) : Json(nullptr),
                             right != nullptr ? to_json(*right, sides.after) : Json(nullptr),
                             sides.are_whole()));
  }
  return rows;
}

Json compared_totals_json(const Sides& sides) {
  const Json before = totals_json(sides.before.totals);
  const Json after = totals_json(sides.after.totals);
  Json totals = Json::object();
  for (const auto& [name, flow] : before.items()) {
    for (const auto& [key, value] : flow.items()) {
      totals[name][key] = figures(value, after[name][key], sides.are_whole());
    }
  }
  return totals;
}

/// Where each side's directives are in the document's table of pairs.
std::vector<std::size_t> positions(const std::vector<RowPair>& pairs, std::size_t RowPair::* side) {
  std::vector<std::size_t> positions(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (pairs[i].*side != analysis::kNoRow) positions[pairs[i].*side] = i;
  }
  return positions;
}

Json loops_json(const Sides& sides) {
  const auto loop = [](const analysis::Iteration& row, const analysis::Analysis& of,
                       const std::vector<std::size_t>& at) {
    Json json = iteration_json(row, of, 0, 0);
    for (Json& directive : json["directives"]) directive = at[directive.get<std::size_t>()];
    return json;
  };
  const auto before_at = positions(sides.pairs.directives, &RowPair::before);
  const auto after_at = positions(sides.pairs.directives, &RowPair::after);
  Json rows = Json::array();
  for (const RowPair& pair : sides.pairs.iterations) {
    const auto* before = row_at(sides.before.iterations, pair.before);
    const auto* after = row_at(sides.after.iterations, pair.after);
    rows.push_back(
        pair_json(before != nullptr ? loop(*before, sides.before, before_at) : Json(nullptr),
                  after != nullptr ? loop(*after, sides.after, after_at) : Json(nullptr)));
  }
  return rows;
}

Json findings_json(const Sides& sides) {
  Json findings = {{"went", Json::array()}, {"stay", Json::array()}, {"came", Json::array()}};
  for (const RowPair& pair : sides.pairs.findings) {
    const auto* before = row_at(sides.before.findings, pair.before);
    const auto* after = row_at(sides.after.findings, pair.after);
    if (after == nullptr) {
      findings["went"].push_back(finding_json(*before, sides.before));
    } else if (before == nullptr) {
      findings["came"].push_back(finding_json(*after, sides.after));
    } else {
      findings["stay"].push_back(
          pair_json(finding_json(*before, sides.before), finding_json(*after, sides.after)));
    }
  }
  return findings;
}

Json prediction_json(const Sides& sides) {
  // Without waste there is nothing to hold AFTER against.
  if (!sides.told_whole() || !sides.before.prediction ||
      sides.before.prediction->wall == sides.before.program_wall)
    return nullptr;
  const auto compared = [](const Json& predicted, const Json& achieved) {
    return Json{{"predicted", predicted},
                {"achieved", achieved},
                {"ratio", ratio_json(predicted, achieved)}};
  };
  const analysis::Totals& totals = sides.after.totals;
  const Json transfer = sides.after.headline.measured
                            ? Json(totals.htod.time + totals.dtoh.time + totals.dtod.time)
                            : Json(nullptr);
  return {{"wall_ns", compared(sides.before.prediction->wall, sides.after.program_wall)},
          {"transfer_ns", compared(sides.before.prediction->transfer, transfer)}};
}

/// Every figure of both recordings, in nanoseconds and bytes, with ratios of AFTER to BEFORE.
std::string comparison_json(const Sides& sides) {
  Json json = {{"schema", kCompareSchema}, {"headline", comparison_headline(sides)}};
  if (sides.after.link) json["link"] = link_json(*sides.after.link);
  json["trace"] = pair_json(compared_trace_json(sides.before), compared_trace_json(sides.after),
                            sides.are_whole());
  json["totals"] = compared_totals_json(sides);
  using analysis::Analysis;
  json["activities"] = pairs_json(sides, sides.pairs.activities, &Analysis::activities,
                                  [&](const analysis::Activity& row, const Analysis& of) {
                                    return activity_json(row, of, sides.names);
                                  });
  json["directives"] = pairs_json(
      sides, sides.pairs.directives, &Analysis::directives,
      [](const analysis::DirectiveRow& row, const Analysis&) { return directive_json(row); });
  json["variables"] = pairs_json(
      sides, sides.pairs.variables, &Analysis::variables,
      [](const analysis::VariableRow& row, const Analysis&) { return variable_json(row); });
  json["iterations"] = sides.told_whole() ? loops_json(sides) : Json(nullptr);
  json["findings"] = sides.told_whole() ? findings_json(sides) : Json(nullptr);
  json["prediction"] = prediction_json(sides);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string text_page(const Sides& sides, const Layout& layout) {
  std::string text = title(wrapped(comparison_headline(sides), layout.width), layout) + '\n';
  for (const std::string& line : comparison_warnings(sides)) {
    text += warning(wrapped(line, layout.width - 2), layout) + '\n';
  }
  text += '\n';
  for (const auto& [name, value] : comparison_header(sides)) {
    text += fact(name, value, layout);
  }
  for (const Table& table : compared_tables(sides)) text += titled(table, layout);
  text += '\n' + wrapped(findings_sentence(sides), layout.width) + '\n';
  const std::string prediction = prediction_sentence(sides);
  if (!prediction.empty()) text += wrapped(prediction, layout.width) + '\n';
  const std::string lost = wrapped(comparison_losses(sides), layout.width - 2);
  const bool any = has_losses(sides.before) || has_losses(sides.after);
  return text + (any ? warning(lost, layout) : lost) + '\n';
}

std::string markdown_page(const Sides& sides) {
  std::string text = "**" + comparison_headline(sides) + "**\n\n";
  for (const std::string& line : comparison_warnings(sides)) text += "> " + line + "\n\n";
  for (const auto& [name, value] : comparison_header(sides)) {
    text += fmt::format("* {}{}`{}`\n", name, name.empty() ? "" : ": ", value);
  }
  text += '\n';
  for (const Table& table : compared_tables(sides)) {
    if (table.rows.empty()) continue;
    text += "## " + table.title + "\n\n" + markdown(for_readers(table)) + '\n';
  }
  text += findings_sentence(sides) + "\n\n";
  const std::string prediction = prediction_sentence(sides);
  if (!prediction.empty()) text += prediction + "\n\n";
  return text + comparison_losses(sides) + '\n';
}

std::string csv_tables(const Sides& sides) {
  std::vector<Table> tables = compared_tables(sides);
  if (sides.after.link) {
    tables.insert(tables.begin(), link_table(std::span(&sides.after, 1)));
  }
  std::string text;
  for (const Table& table : tables) {
    if (!text.empty()) text += '\n';
    text += "# " + table.name + '\n' + csv(for_data(table));
  }
  return text;
}

}  // namespace

std::string render_comparison(std::span<const analysis::Analysis, 2> recordings, Format format,
                              const Layout& layout) {
  const Sides sides(recordings);
  switch (format) {
    case Format::kJson:
      return comparison_json(sides);
    case Format::kCsv:
      return csv_tables(sides);
    case Format::kMarkdown:
      return markdown_page(sides);
    case Format::kText:
      break;
  }
  Layout usable = layout;
  usable.width = std::max<std::size_t>(layout.width, 60);
  return text_page(sides, usable);
}

}  // namespace ompdm::report
