#include "report/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "ompdm/report.h"
#include "report/json_rows.h"
#include "report/sentences.h"
#include "report/text_layout.h"
#include "report/units.h"

namespace ompdm::report {

namespace {

using analysis::Analysis;
using analysis::LoopRow;
using analysis::RowChain;

std::vector<std::string> arguments_of(const Analysis& one) {
  const std::vector<std::string>& all = one.process.arguments;
  return all.empty() ? all : std::vector<std::string>(all.begin() + 1, all.end());
}

/// `of(recording)` of each in turn; empty where all are the same, or one is not known.
template <class Of>
std::string in_turn(std::string_view what, Analyses analyses, std::string_view between, Of of) {
  constexpr std::size_t kMost = 6;  // values in a row
  std::vector<std::string> values;
  for (const Analysis& one : analyses) values.push_back(of(one));
  const bool known = std::ranges::none_of(values, &std::string::empty);
  const bool alike = std::ranges::count(values, values.front()) == std::ssize(values);
  if (alike || !known) return {};
  if (values.size() > kMost) return fmt::format("{} not the same", what);
  return fmt::format("{} {}", what, fmt::join(values, between));
}

std::vector<std::string> other_arguments(Analyses analyses, std::string_view between) {
  const std::size_t count = arguments_of(analyses.front()).size();
  const bool as_many = std::ranges::all_of(
      analyses, [&](const Analysis& one) { return arguments_of(one).size() == count; });
  if (!as_many) {
    return {in_turn("arguments", analyses, between, [](const Analysis& one) {
      return fmt::format("'{}'", fmt::join(arguments_of(one), " "));
    })};
  }
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < count; ++i) {
    parts.push_back(
        in_turn(fmt::format("argument {}:", i + 1), analyses, between, [&](const Analysis& one) {
          const std::string argument = arguments_of(one)[i];
          return argument.empty() ? std::string("''") : argument;
        }));
  }
  return parts;
}

std::string other_program(Analyses analyses, std::string_view between) {
  const auto any = [&](analysis::SameProgram how) {
    return std::ranges::any_of(analyses, [&](const Analysis& one) {
      return analysis::same_program(analyses.front(), one) == how;
    });
  };
  if (any(analysis::SameProgram::kOtherProgram)) {
    return in_turn("program", analyses, between, [](const Analysis& one) {
      const std::vector<std::string>& words = one.process.arguments;
      return words.empty() ? one.process.program : words.front();
    });
  }
  return any(analysis::SameProgram::kOtherBuild) ? "the program was built again" : "";
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

std::string movement(const Versions& all) {
  const std::uint64_t before = moved_bytes(all.first().totals);
  const std::uint64_t after = moved_bytes(all.last().totals);
  const std::string& first = all.names.front();
  const std::string& last = all.names.back();
  if (before == 0 && after == 0) return "neither moves any data";
  if (before == 0) {
    return fmt::format("{} moves {} where {} moves nothing", last, spoken_size(after), first);
  }
  if (after == 0) {
    return fmt::format("{} moves nothing where {} moves {}", last, first, spoken_size(before));
  }
  const std::string change =
      difference(static_cast<double>(before), static_cast<double>(after), "less", "more");
  if (change.empty()) {
    return fmt::format("{} moves as much as {}: {}", last, first, spoken_size(after));
  }
  return fmt::format("{} moves {}: {} → {}", last, change, spoken_size(before), spoken_size(after));
}

std::string walls(Nanoseconds before, Nanoseconds after) {
  if (before <= 0 || after <= 0) return {};
  const std::string change =
      difference(static_cast<double>(before), static_cast<double>(after), "shorter", "longer");
  if (change.empty()) return fmt::format("; wall the same: {}", spoken_time(after));
  return fmt::format("; wall {}: {} → {}", change, spoken_time(before), spoken_time(after));
}

/// The first and the last version.
std::array<std::size_t, 2> ends(const Versions& all) { return {0, all.size() - 1}; }

/// `text(recording)` of each version after its name; those with nothing to say are left out.
template <class Text>
std::vector<std::string> of_each(const Versions& all, const char* between, Text text) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string own = text(all.recordings[i]);
    if (!own.empty()) parts.push_back(fmt::format("{}{}{}", all.names[i], between, own));
  }
  return parts;
}

/// What is not compared, and why; empty if all is.
std::string not_recorded_sentence(const Versions& all) {
  const std::vector<std::string> why = of_each(all, " ", [](const Analysis& one) -> std::string {
    if (is_recorded_whole(one)) return {};
    if (is_only_counted(one.recording, one.process.wall)) return "was aggregated";
    return lacks_events(one) ? "lacks events" : "is recorded event by event only in part";
  });
  if (why.empty()) return {};
  return fmt::format("Loops, findings, unions of time and the prediction are not compared: {}",
                     fmt::join(why, ", "));
}

/// What BEFORE was predicted to take without its waste, and what AFTER takes; empty without a
/// prediction, and where untold_sentence() is not.
std::string prediction_sentence(const Versions& all) {
  const auto& predicted = all.first().prediction;
  if (!all.recorded_whole || !predicted || !analysis::saves_time(all.first())) return {};
  const Nanoseconds wall = all.last().program_wall;
  const bool is_timed = all.last().headline.measured;
  return fmt::format(
      "Predicted for BEFORE without its redundant operations: transfers {}, wall {}. AFTER has: "
      "transfers {}, wall {}",
      spoken_time(predicted->transfer), spoken_time(predicted->wall),
      is_timed ? spoken_time(transfer_time(all.last().totals)) : "not timed", spoken_time(wall));
}

/// Name and value: which recordings these are, on which devices, and in which they differ.
std::vector<std::pair<std::string, std::string>> comparison_header(const Versions& all) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Analysis& one = all.recordings[i];
    lines.emplace_back(all.are_two() ? all.names[i] : std::to_string(i + 1),
                       fmt::format("{}: {}", one.file, header_value(one, "Program")));
  }
  const auto devices_of = [](const Analysis& one) { return header_value(one, "Devices"); };
  const std::string devices = devices_of(all.first());
  if (std::ranges::all_of(all.recordings,
                          [&](const Analysis& one) { return devices_of(one) == devices; })) {
    lines.emplace_back("Devices", devices);
  } else {
    for (const std::string& line : of_each(all, " ", devices_of)) {
      lines.emplace_back(lines.size() == all.size() ? "Devices" : "", line);
    }
  }
  const std::string differ = differences(all.recordings);
  lines.emplace_back("Differ",
                     differ.empty() ? "nothing: the same program with the same arguments" : differ);
  return lines;
}

/// The events that each recording lost.
std::string comparison_losses(const Versions& all) {
  if (std::ranges::none_of(all.recordings, has_losses)) return "No events lost";
  const auto lost_by = [](const Analysis& one) { return losses(std::span(&one, 1)); };
  const std::string lost = lost_by(all.first());
  if (std::ranges::all_of(all.recordings,
                          [&](const Analysis& one) { return lost_by(one) == lost; })) {
    return fmt::format("Lost: {} in {}", lost, all.are_two() ? "either" : "any");
  }
  return fmt::format("Lost: {}",
                     fmt::join(of_each(all, all.are_two() ? " " : ": ", lost_by), "; "));
}

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

/// A row a chain: a pair of two versions' rows, else an array; each as in `ompdm.report/1`, or
/// null.
template <class Row, class ToJson>
Json rows_json(const Versions& all, const std::vector<RowChain>& chains,
               std::vector<Row> Analysis::* table, ToJson to_json) {
  Json rows = Json::array();
  for (const RowChain& chain : chains) {
    Json row = Json::array();
    for (std::size_t i = 0; i < chain.size(); ++i) {
      row.push_back(chain[i] == analysis::kNoRow
                        ? Json(nullptr)
                        : to_json((all.recordings[i].*table)[chain[i]], i));
    }
    rows.push_back(all.are_two() ? pair_json(row[0], row[1], all.are_whole) : std::move(row));
  }
  return rows;
}

Json compared_totals_json(const Versions& all) {
  const Json before = totals_json(all.first().totals);
  const Json after = totals_json(all.last().totals);
  Json totals = Json::object();
  for (const auto& [name, flow] : before.items()) {
    for (const auto& [key, value] : flow.items()) {
      totals[name][key] = figures(value, after[name][key], all.are_whole);
    }
  }
  return totals;
}

/// Loops, whose directives are positions in the document's table.
Json loops_json(const Versions& all) {
  std::vector<std::vector<std::size_t>> positions;  // by version and row
  for (const Analysis& one : all.recordings) positions.emplace_back(one.directives.size());
  for (std::size_t at = 0; at < all.rows.directives.size(); ++at) {
    const RowChain& chain = all.rows.directives[at];
    for (std::size_t i = 0; i < chain.size(); ++i) {
      if (chain[i] != analysis::kNoRow) positions[i][chain[i]] = at;
    }
  }
  return rows_json(all, all.rows.loops, &Analysis::loops,
                   [&](const LoopRow& row, std::size_t version) {
                     Json loop = loop_json(row, all.recordings[version], 0, 0);
                     for (Json& directive : loop["directives"]) {
                       directive = positions[version][directive.get<std::size_t>()];
                     }
                     return loop;
                   });
}

/// Of two versions by what became of them. `json`: finding_json or mapping_json.
Json findings_json(const Versions& all, const std::vector<RowChain>& chains,
                   std::vector<analysis::Finding> Analysis::* findings,
                   Json (*json)(const analysis::Finding&, const Analysis&)) {
  Json rows =
      rows_json(all, chains, findings, [&](const analysis::Finding& row, std::size_t version) {
        return json(row, all.recordings[version]);
      });
  if (!all.are_two()) return rows;
  Json fates = {{"went", Json::array()}, {"stay", Json::array()}, {"came", Json::array()}};
  for (Json& pair : rows) {
    if (pair["after"].is_null()) {
      fates["went"].push_back(std::move(pair["before"]));
    } else if (pair["before"].is_null()) {
      fates["came"].push_back(std::move(pair["after"]));
    } else {
      fates["stay"].push_back(std::move(pair));
    }
  }
  return fates;
}

Json prediction_json(const Versions& all) {
  const Analysis& before = all.first();
  // Without waste there is nothing to hold AFTER against.
  if (!all.recorded_whole || !before.prediction || before.prediction->wall == before.program_wall) {
    return nullptr;
  }
  const auto compared = [](const Json& predicted, const Json& achieved) {
    return Json{{"predicted", predicted},
                {"achieved", achieved},
                {"ratio", ratio_json(predicted, achieved)}};
  };
  const Json transfer =
      all.last().headline.measured ? Json(transfer_time(all.last().totals)) : Json(nullptr);
  return {{"wall_ns", compared(before.prediction->wall, all.last().program_wall)},
          {"transfer_ns", compared(before.prediction->transfer, transfer)}};
}

Json versions_json(const Versions& all) {
  const auto factor = [&](std::size_t of, std::size_t than) {
    const std::optional<double> times = speedup(all, of, than);
    return times ? Json(*times) : Json(nullptr);
  };
  Json rows = Json::array();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Analysis& one = all.recordings[i];
    rows.push_back(
        {{"name", all.names[i]},
         {"trace", compared_trace_json(one)},
         {"totals", totals_json(one.totals)},
         {"needless_bytes", is_recorded_whole(one) ? Json(redundant_bytes(one)) : Json(nullptr)},
         {"step", factor(i, i - 1)},
         {"speedup", factor(i, 0)}});
  }
  return rows;
}

/// `ompdm.compare/1` of two versions, `ompdm.ladder/1` of more (docs/formats/COMPARE.md).
Json comparison_json(const Versions& all) {
  Json json = {{"schema", all.are_two() ? kCompareSchema : kLadderSchema},
               {"headline", comparison_headline(all)}};
  if (const auto& link = all.last().link) json["link"] = link_json(*link);
  if (all.are_two()) {
    json["trace"] =
        pair_json(compared_trace_json(all.first()), compared_trace_json(all.last()), all.are_whole);
    json["totals"] = compared_totals_json(all);
    json["activities"] =
        rows_json(all, all.rows.activities, &Analysis::activities,
                  [&](const analysis::Activity& row, std::size_t version) {
                    return activity_json(row, all.recordings[version], all.sources);
                  });
  } else {
    json["rungs"] = versions_json(all);
  }
  json["directives"] =
      rows_json(all, all.rows.directives, &Analysis::directives,
                [](const analysis::DirectiveRow& row, std::size_t) { return directive_json(row); });
  json["variables"] =
      rows_json(all, all.rows.variables, &Analysis::variables,
                [](const analysis::VariableRow& row, std::size_t) { return variable_json(row); });
  json["iterations"] = all.recorded_whole ? loops_json(all) : Json(nullptr);
  json["findings"] = nullptr;
  json["mapping"] = nullptr;
  if (all.recorded_whole) {
    json["findings"] = findings_json(all, all.rows.findings, &Analysis::findings, finding_json);
    json["mapping"] = findings_json(all, all.rows.mapping, &Analysis::mapping, mapping_json);
  }
  if (all.are_two()) json["prediction"] = prediction_json(all);
  return json;
}

/// The sentences after the tables; some are empty.
std::vector<std::string> closing_sentences(const Versions& all) {
  if (!all.are_two()) return {not_recorded_sentence(all)};
  return {findings_sentence(all), clauses_sentence(all), prediction_sentence(all)};
}

std::string text_page(const Versions& all, const Layout& layout) {
  std::string text = title(wrapped(comparison_headline(all), layout.width), layout) + '\n';
  text += wrapped_lines({wall_sentence(all)}, layout.width);
  text += warnings_text(comparison_warnings(all), layout) + '\n';
  for (const auto& [name, value] : comparison_header(all)) text += fact(name, value, layout);
  for (const Table& table : comparison_tables(all)) text += titled(table, layout);
  text += '\n' + wrapped_lines(closing_sentences(all), layout.width);
  const std::string lost = wrapped(comparison_losses(all), layout.width - 2);
  const bool any = std::ranges::any_of(all.recordings, has_losses);
  return text + (any ? warning(lost, layout) : lost) + '\n';
}

std::string markdown_page(const Versions& all) {
  std::string text = "**" + comparison_headline(all) + "**\n\n";
  text += paragraphs({wall_sentence(all)});
  text += paragraphs(comparison_warnings(all), "> ");
  for (const auto& [name, value] : comparison_header(all)) {
    text += fmt::format("* {}{}`{}`\n", name, name.empty() ? "" : ": ", value);
  }
  text += '\n';
  for (const Table& table : comparison_tables(all)) text += markdown_section(table);
  return text + paragraphs(closing_sentences(all)) + comparison_losses(all) + '\n';
}

std::string csv_tables(const Versions& all) {
  std::vector<Table> tables = comparison_tables(all);
  if (all.last().link) tables.insert(tables.begin(), link_table(all.recordings.last(1)));
  return csv_sections(tables);
}

}  // namespace

Versions::Versions(Analyses of, std::span<const std::string> called)
    : recordings(of),
      names(called.begin(), called.end()),
      rows(analysis::compare(of)),
      sources(of),
      recorded_whole(
          std::ranges::all_of(of, [](const Analysis& one) { return is_recorded_whole(one); })),
      are_whole(why_not_whole(of.front()).empty() && why_not_whole(of.back()).empty()) {
  if (names.empty()) names = {"BEFORE", "AFTER"};
}

std::optional<double> speedup(const Versions& versions, std::size_t of, std::size_t than) {
  if (than >= versions.size()) return std::nullopt;
  const Nanoseconds from = versions.recordings[than].program_wall;
  const Nanoseconds to = versions.recordings[of].program_wall;
  if (from <= 0 || to <= 0) return std::nullopt;
  return static_cast<double>(from) / static_cast<double>(to);
}

std::uint64_t redundant_bytes(const Analysis& one) {
  const std::uint64_t sure = one.prediction ? one.prediction->spared_bytes : 0;
  return sure > 0 || !one.possible_prediction ? sure : one.possible_prediction->spared_bytes;
}

std::string differences(Analyses analyses, std::string_view between) {
  std::vector<std::string> parts = other_arguments(analyses, between);
  parts.insert(parts.begin(), other_program(analyses, between));
  parts.push_back(in_turn("runtime", analyses, between,
                          [](const Analysis& one) { return one.recording.runtime; }));
  parts.push_back(
      in_turn("machine", analyses, between, [](const Analysis& one) { return one.process.host; }));
  std::erase(parts, std::string());
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string comparison_headline(const Versions& versions) {
  for (const std::size_t end : {versions.size() - 1, std::size_t{0}}) {
    const Analysis& one = versions.recordings[end];
    if (analysis::has_target_events(one) && analysis::knows_transfers(one)) continue;
    return fmt::format("{}: {}", versions.names[end],
                       headline(std::span(&one, 1), versions.sources));
  }
  const Analysis& before = versions.first();
  const Analysis& after = versions.last();
  const std::string model = after.link ? fmt::format("on {}: ", link_name(*after.link)) : "";
  if (!versions.are_whole) {
    std::vector<std::string> why;
    for (const std::size_t end : ends(versions)) {
      const std::string own = why_not_whole(versions.recordings[end]);
      if (!own.empty()) why.push_back(fmt::format("{}: {}", versions.names[end], own));
    }
    return fmt::format("not compared as a whole: {}; the rest moved {} and {}",
                       fmt::join(why, "; "), spoken_size(moved_bytes(before.totals)),
                       spoken_size(moved_bytes(after.totals)));
  }
  const std::string what = model + movement(versions);
  const bool before_is_part = before.recording.is_part();
  const bool after_is_part = after.recording.is_part();
  if (before_is_part && after_is_part) return "both are parts of a run: " + what;
  if (before_is_part || after_is_part) {
    return fmt::format("{} is a part of a run: {}",
                       before_is_part ? versions.names.front() : versions.names.back(), what);
  }
  const auto ended = [](const Analysis& one) { return one.recording.finished || one.running; };
  if (!ended(before) || !ended(after)) {
    return fmt::format("{} was killed, or left by _exit, quick_exit or exec: {}",
                       ended(after) ? versions.names.front() : versions.names.back(), what);
  }
  // Wall times on host devices are those of the machine's load: wall_sentence() has them.
  const bool has_gpu_times = after.link || analysis::has_device_times(versions.recordings);
  return has_gpu_times ? what + walls(before.program_wall, after.program_wall) : what;
}

std::string wall_sentence(const Versions& versions) {
  const bool is_known =
      versions.recorded_whole && versions.are_whole &&
      std::ranges::all_of(versions.recordings, [](const Analysis& one) {
        return one.headline.measured && one.program_wall > 0 && analysis::knows_transfers(one);
      });
  if (!is_known) return {};
  const auto in_each = [&](auto time) {
    std::vector<std::string> times;
    for (const Analysis& one : versions.recordings) times.push_back(spoken_time(time(one)));
    return fmt::format("{}", fmt::join(times, " → "));
  };
  const bool is_modelled = versions.last().link.has_value();
  const bool has_gpu_times = is_modelled || analysis::has_device_times(versions.recordings);
  return fmt::format("Wall {}{}: copies {}, kernels {}, no device activity {}",
                     in_each([](const Analysis& one) { return one.program_wall; }),
                     has_gpu_times ? "" : " on host devices",
                     in_each([](const Analysis& one) { return one.headline.transfer; }),
                     in_each([](const Analysis& one) { return one.headline.kernel; }),
                     in_each([](const Analysis& one) {
                       return std::max(one.program_wall - one.headline.device, Nanoseconds{0});
                     }));
}

std::vector<std::string> comparison_warnings(const Versions& versions) {
  const auto& link = versions.last().link;
  const std::string model = link ? link_sentence(*link) : std::string();
  std::vector<std::string> lines;
  if (link) lines.push_back(model);
  for (std::size_t i = 0; i < versions.size(); ++i) {
    for (const std::string& line : warnings(versions.recordings[i], versions.sources)) {
      if (line != model) lines.push_back(fmt::format("{}: {}", versions.names[i], line));
    }
  }
  return lines;
}

std::string findings_sentence(const Versions& versions) {
  if (!versions.recorded_whole) return not_recorded_sentence(versions);
  struct Sum {
    std::size_t count = 0;
    std::uint64_t bytes = 0;
    Nanoseconds time = 0;
  };
  Sum sure;
  Sum possible;
  std::size_t unchanged = 0;
  std::size_t came = 0;
  for (const RowChain& chain : versions.rows.findings) {
    const bool was = chain.front() != analysis::kNoRow;
    const bool is = chain.back() != analysis::kNoRow;
    unchanged += was && is ? 1 : 0;
    came += !was && is ? 1 : 0;
    if (!was || is) continue;
    const analysis::Finding& fixed = versions.first().findings[chain.front()];
    Sum& sum = fixed.confidence == analysis::Confidence::kPossible ? possible : sure;
    ++sum.count;
    sum.bytes += fixed.wasted_bytes;
    sum.time += fixed.timed ? fixed.wasted_time : 0;
  }
  if (sure.count + possible.count + unchanged + came == 0) return "Findings: none in either";
  const auto spared = [](const Sum& sum, const char* how) {
    std::vector<std::string> parts;
    if (sum.bytes > 0) parts.push_back(spoken_size(sum.bytes));
    if (sum.time > 0) parts.push_back(spoken_time(sum.time));
    return parts.empty() ? std::string()
                         : fmt::format(" ({} were {})", fmt::join(parts, " and "), how);
  };
  const std::string fixed =
      sure.count > 0 ? spared(sure, "redundant") : spared(possible, "possibly redundant");
  return fmt::format("Findings: {} fixed{}, {} unchanged, {} new", sure.count + possible.count,
                     fixed, unchanged, came);
}

std::string clauses_sentence(const Versions& versions) {
  const std::vector<RowChain>& rows = versions.rows.mapping;
  if (!versions.recorded_whole || rows.empty()) return {};
  const auto count = [&](bool was, bool is) {
    return std::ranges::count_if(rows, [&](const RowChain& chain) {
      return (chain.front() != analysis::kNoRow) == was && (chain.back() != analysis::kNoRow) == is;
    });
  };
  return fmt::format("Data clauses that do not do what they say: {} fixed, {} unchanged, {} new",
                     count(true, false), count(true, true), count(false, true));
}

std::string render_comparison(std::span<const Analysis> recordings, Format format,
                              const Layout& layout, std::span<const std::string> names) {
  const Versions versions(recordings, names);
  if (format == Format::kJson) return document_text(comparison_json(versions));
  if (format == Format::kCsv) return csv_tables(versions);
  if (format == Format::kMarkdown) return markdown_page(versions);
  Layout usable = layout;
  usable.width = std::max<std::size_t>(layout.width, 60);
  return text_page(versions, usable);
}

}  // namespace ompdm::report
