#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "ompdm/error.h"
#include "ompdm/report.h"
#include "ompdm/summary.h"
#include "report/job_tables.h"
#include "report/json_rows.h"
#include "report/text_layout.h"
#include "report/units.h"

namespace ompdm::report {

namespace {

Json by_rank_json(const std::map<std::string, summary::Figure>& figures) {
  Json json = Json::object();
  for (const auto& [name, figure] : figures) {
    json[name] = {{"ranks", figure.ranks.count},      {"least", figure.ranks.least},
                  {"least_rank", figure.least_rank},  {"median", figure.ranks.median()},
                  {"mean", figure.ranks.mean()},      {"stddev", figure.ranks.deviation()},
                  {"most", figure.ranks.most},        {"most_rank", figure.most_rank},
                  {"imbalance", imbalance_of(figure)}};
  }
  return json;
}

/// As in ompdm.report/1, so that conditions mean the same in both.
Json job_totals_json(const summary::Summary& job) {
  Json json = Json::object();
  const auto put = [&](const std::string& of, const char* key, const std::string& figure) {
    const auto found = job.totals.find(of + figure);
    if (found != job.totals.end()) json[of][key] = found->second.ranks.sum;
  };
  for (const char* of : {"HtoD", "DtoH", "DtoD", "memset", "alloc", "delete", "kernel", "region",
                         "runtime_internal"}) {
    put(of, "bytes", "_bytes");
    put(of, "count", "_count");
    put(of, "time_ns", "_ns");
  }
  return json;
}

Json rows_json(const summary::Rows& rows, const char* look_at) {
  Json json = Json::array();
  for (const auto* entry : heaviest_first(rows)) {
    const summary::Row& row = entry->second;
    Json& one = json.emplace_back(Json{{"id", entry->first}});
    for (const auto& [key, text] : row.what) one[key] = text;
    one["line"] = row.line;
    one["ranks"] = row.ranks.size();
    one["which"] = row.ranks.text();
    for (const auto& [name, figure] : row.figures) one[name] = figure.ranks.sum;
    one["by_rank"] = by_rank_json(row.figures);
    if (!row.confidences.empty()) one["confidences"] = row.confidences;
    if (look_at != nullptr) {
      const summary::Figure& time = figure_of(row, "wasted_ns");
      one["look_at_rank"] =
          time.ranks.count > 0 ? time.most_rank : figure_of(row, look_at).most_rank;
    }
    if (row.durations.count > 0) {
      one["durations"] = {
          {"count", row.durations.count},     {"avg_ns", row.durations.mean()},
          {"med_ns", row.durations.median()}, {"min_ns", row.durations.least},
          {"max_ns", row.durations.most},     {"stddev_ns", row.durations.deviation()}};
    }
  }
  return json;
}

Json facts_json(const summary::Summary& job) {
  Json json = Json::object();
  for (const auto& [fact, values] : job.facts) {
    for (const auto& [value, ranks] : values) {
      json[fact].push_back({{"value", value}, {"ranks", ranks.text()}});
    }
  }
  return json;
}

Json unread_json(const summary::Summary& job) {
  Json json = Json::array();
  for (const auto& [why, ranks] : job.unread) {
    json.push_back({{"ranks", ranks.text()}, {"why", why}});
  }
  return json;
}

Json outliers_json(const summary::Summary& job) {
  Json json = Json::array();
  for (const Outlier& one : outliers_of(job)) {
    json.push_back({{"rank", one.rank},
                    {"quantity", one.figure},
                    {"value", one.value},
                    {"median", one.median},
                    {"above", one.above},
                    {"alike", one.alike}});
  }
  return json;
}

std::string job_json(const summary::Summary& job) {
  Json losses = Json::array();
  for (const auto& [name, figure] : job.losses) {
    losses.push_back(
        {{"name", name}, {"count", figure.ranks.sum}, {"most_rank", figure.most_rank}});
  }
  const Json json = {{"schema", kJobSchema},
                     {"ranks",
                      {{"count", job.ranks.size()},
                       {"of", job.rank_count},
                       {"which", job.ranks.text()},
                       {"missing", missing_ranks(job).text()},
                       {"unread", unread_json(job)},
                       {"killed", job.killed.text()},
                       {"truncated", job.truncated.text()},
                       {"counted", told_ranks(job).counted.text()},
                       {"told_in_part", told_ranks(job).in_part.text()},
                       {"parts", told_ranks(job).parts.text()}}},
                     {"wall_ns", job.end_ns - job.begin_ns},
                     {"facts", facts_json(job)},
                     {"totals", job_totals_json(job)},
                     {"by_rank", by_rank_json(job.totals)},
                     {"outliers", outliers_json(job)},
                     {"activities", rows_json(job.activities, nullptr)},
                     {"directives", rows_json(job.directives, nullptr)},
                     {"variables", rows_json(job.variables, nullptr)},
                     {"iterations", rows_json(job.loops, nullptr)},
                     {"findings", rows_json(job.findings, "wasted_bytes")},
                     {"losses", losses}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

using summary::Figure;
using summary::Summary;

Figure total(const Summary& job, const char* name) {
  const auto found = job.totals.find(name);
  return found == job.totals.end() ? Figure() : found->second;
}

/// "8 ranks moved 1.2 GB to and from devices; …; transfers took most in rank 3: 40 ms, 1.4x the
/// mean"
std::string job_headline(const Summary& job) {
  const std::uint64_t moved =
      total(job, "HtoD_bytes").ranks.sum + total(job, "DtoH_bytes").ranks.sum;
  const Figure wall = total(job, "wall_ns");
  std::string text = fmt::format(
      "{} moved {} to and from devices; walls from {} (rank {}) to {} "
      "(rank {})",
      counted(job.ranks.size(), "rank", "ranks"), spoken_size(moved),
      spoken_time(static_cast<Nanoseconds>(wall.ranks.least)), wall.least_rank,
      spoken_time(static_cast<Nanoseconds>(wall.ranks.most)), wall.most_rank);
  // No share of the walls: ranks may have run on host devices, whose times are no device's.
  const Figure transfer = total(job, "transfer_union_ns");
  if (transfer.ranks.most > 0) {
    text += fmt::format("; transfers took most in rank {}: {}, {} the mean", transfer.most_rank,
                        spoken_time(static_cast<Nanoseconds>(transfer.ranks.most)),
                        ratio_text(imbalance_of(transfer)));
  }
  return text;
}

/// As many ranges as are read.
std::string first_ranges(const summary::RankSet& ranks) {
  constexpr std::size_t kMost = 60;
  const std::string text = ranks.text();
  if (text.size() <= kMost) return text;
  return text.substr(0, text.rfind(',', kMost)) + ",…";
}

/// Counts, bytes and times are of all that ran, all else is of what was told event by event.
std::string told_in_part(const Summary& job) {
  const ToldRanks told = told_ranks(job);
  std::vector<std::string> parts;
  if (!told.counted.empty()) parts.push_back("only counted: " + first_ranges(told.counted));
  if (!told.in_part.empty())
    parts.push_back("told event by event in part: " + first_ranges(told.in_part));
  if (parts.empty()) return {};
  return fmt::format("Ranks {}: shares of the time, loops and findings are of what was told",
                     fmt::join(parts, "; "));
}

std::vector<std::string> job_warnings(const Summary& job) {
  std::vector<std::string> lines;
  const auto tell = [&](const summary::RankSet& ranks, std::string_view what,
                        std::string_view why = {}) {
    if (ranks.empty()) return;
    lines.push_back(fmt::format("{} {}: {}", counted(ranks.size(), "rank", "ranks"), what,
                                first_ranges(ranks)));
    if (!why.empty()) lines.back() += fmt::format(" ({})", why);
  };
  for (const auto& [why, ranks] : job.unread) tell(ranks, "not read", why);
  tell(missing_ranks(job), "of the job without a trace");
  tell(job.killed, "killed, or left by _exit, quick_exit or exec");
  tell(job.truncated, "of which the trace is cut short");
  if (const std::string line = told_in_part(job); !line.empty()) lines.push_back(line);
  tell(told_ranks(job).parts, "of which a part of the run is here, and in the figures");
  const auto reaches = job.facts.find("reach");
  if (reaches != job.facts.end()) {
    for (const auto& [reach, ranks] : reaches->second) {
      Recording recording;
      recording.reach = reach;
      if (!analysis::has_transfers(recording)) tell(ranks, "whose transfers are not known");
    }
  }
  for (const auto& [name, figure] : job.losses) {
    if (figure.ranks.sum == 0) continue;
    lines.push_back(
        fmt::format("Lost: {} {}, most in rank {}", name, figure.ranks.sum, figure.most_rank));
  }
  return lines;
}

std::string value_and_ranks(const std::map<std::string, summary::RankSet>& values) {
  constexpr std::size_t kMost = 4;
  const bool are_alike = std::ranges::all_of(
      values, [&](const auto& value) { return value.second == values.begin()->second; });
  std::vector<std::string> parts;
  for (const auto& [value, ranks] : values) {
    if (parts.size() == kMost) {
      parts.push_back(fmt::format("and {} more", values.size() - kMost));
      break;
    }
    parts.push_back(are_alike ? value : fmt::format("{} (ranks {})", value, first_ranges(ranks)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<std::pair<std::string, std::string>> job_facts(const Summary& job) {
  std::string ranks = first_ranges(job.ranks);
  if (job.rank_count > 0) ranks += fmt::format(" of {}", job.rank_count);
  std::vector<std::pair<std::string, std::string>> facts = {{"Ranks", ranks}};
  for (const auto& [key, name] :
       {std::pair("host", "Hosts"), {"program", "Program"}, {"runtime", "Runtime"}}) {
    const auto found = job.facts.find(key);
    if (found != job.facts.end()) facts.emplace_back(name, value_and_ranks(found->second));
  }
  const Figure processes = total(job, "process_count");
  if (processes.ranks.most > 1) {
    facts.emplace_back("Added up", fmt::format("{} processes, at most {} of a rank",
                                               processes.ranks.sum, processes.ranks.most));
  }
  return facts;
}

std::string trace_of_rank(std::int32_t rank) { return fmt::format("trace.rank{}.json", rank); }

/// How to see what to do about the first finding, and what the ranks that do not have it say.
std::string explain_hint(const Summary& job) {
  if (job.findings.empty()) return {};
  const auto& [id, first] = *heaviest_first(job.findings).front();
  const std::int32_t rank = look_at_rank(first);
  std::string text =
      fmt::format("\nWhat to do about one, in the trace of the rank to see: ompdm explain {} {}\n",
                  trace_of_rank(rank), id);
  const summary::RankSet others = ranks_at(job, first).without(first.ranks);
  if (others.empty() || first.line == 0) return text;
  return text + fmt::format(
                    "It holds for {} of the ranks that come to {}, and an edit there is made for "
                    "all. What another says of it: ompdm report --as inputs {} {}\n",
                    first.ranks.size(), place_of(first), trace_of_rank(rank),
                    trace_of_rank(others.first()));
}

/// The sentence for a job without findings.
std::string none_found(const Summary& job) {
  const ToldRanks told = told_ranks(job);
  if (told.counted.size() == job.ranks.size()) {
    return "Redundant transfers were not looked for: that takes single events, and none is told.";
  }
  return fmt::format(
      "No redundant transfer was proven in {}: `ompdm report {}` tells how far "
      "contents were compared.",
      job.ranks.size() == 1 ? "this rank" : "any rank", trace_of_rank(job.ranks.first()));
}

std::string job_text(const Summary& job, const Layout& layout) {
  Layout half = layout;  // all of it is to fit a screen
  half.rows = layout.rows == 0 ? 0 : std::max<std::size_t>(1, layout.rows / 2);
  const std::string first = job_headline(job);
  std::string text = title(layout.narrow ? wrapped(first, layout.width) : first, layout) + '\n';
  for (const std::string& line : job_warnings(job)) {
    text += warning(wrapped(line, layout.width - 2), layout) + '\n';
  }
  for (const auto& [name, value] : job_facts(job)) text += fact(name, value, layout);
  text += titled(job_times(job), layout);
  text += titled(job_bytes(job), layout);
  for (Table (*table)(const Summary&) :
       {job_outliers, job_directives, job_variables, job_loops, job_findings}) {
    text += titled(table(job), half);
  }
  if (job.findings.empty()) text += '\n' + wrapped(none_found(job), layout.width) + '\n';
  return text + explain_hint(job);
}

std::string job_markdown(const Summary& job) {
  std::string text = "**" + job_headline(job) + "**\n\n";
  for (const std::string& line : job_warnings(job)) text += "> " + in_markdown(line) + "\n\n";
  for (const auto& [name, value] : job_facts(job)) {
    text += fmt::format("* {}: `{}`\n", name, value);
  }
  text += '\n';
  for (const Table& table : job_tables(job)) {
    if (table.rows.empty()) continue;
    text += "## " + in_markdown(table.title) + "\n\n" + markdown(for_readers(table)) + '\n';
  }
  if (job.findings.empty()) text += none_found(job) + "\n";
  return text;
}

std::string job_csv(const Summary& job, const std::string& section) {
  std::string text;
  std::vector<std::string> known;
  for (const Table& table : job_tables(job)) {
    if (table.name == section) return csv(for_data(table));
    known.push_back(table.name);
    if (!text.empty()) text += '\n';
    text += "# " + table.name + '\n' + csv(for_data(table));
  }
  if (section.empty()) return text;
  throw Error(
      fmt::format("there is no section {}: name one of {}", section, fmt::join(known, ", ")),
      Error::Kind::kUsage);
}

}  // namespace

std::string render_job(const Summary& job, Format format, const Layout& layout) {
  if (job.ranks.empty()) throw Error("no rank to report on", Error::Kind::kUsage);
  switch (format) {
    case Format::kJson:
      return job_json(job);
    case Format::kCsv:
      return job_csv(job, layout.section);
    case Format::kMarkdown:
      return job_markdown(job);
    case Format::kText:
      break;
  }
  return job_text(job, layout);
}

}  // namespace ompdm::report
