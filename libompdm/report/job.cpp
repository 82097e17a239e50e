// The report of a job of many ranks: sums over the ranks, and least, median and most of them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include "ompdm/error.h"
#include "ompdm/report.h"
#include "report/json_rows.h"
#include "report/tables.h"
#include "report/text_layout.h"
#include "report/units.h"
#include "trace_files/trace_schema.h"

namespace ompdm::report {

namespace {

using summary::Figure;
using summary::RankSet;
using summary::Row;
using summary::Rows;
using summary::Summary;
using Figures = std::map<std::string, Figure>;

/// Most over mean: how much longer the job waits for that rank than it would if all had an equal
/// share. 1 if nothing is there.
double imbalance_of(const Figure& figure) {
  const double mean = figure.ranks.mean();
  return mean > 0 ? static_cast<double>(figure.ranks.most) / mean : 1;
}

/// A figure by its name; no rank has it if it is not there.
const Figure& figure_of(const Figures& figures, const std::string& name) {
  static const Figure kNoFigure;
  const auto found = figures.find(name);
  return found == figures.end() ? kNoFigure : found->second;
}

/// Ranks of the job of which there is nothing: ranks that could not be read are there.
RankSet missing_ranks(const Summary& job) {
  RankSet known = job.ranks;
  for (const auto& [why, ranks] : job.unread) known.add(ranks);
  return known.missing(job.rank_count);
}

/// Ranks that were not recorded as events to their end.
struct RecordedRanks {
  RankSet counted;  ///< of which no events are recorded
  RankSet in_part;
  RankSet parts;  ///< of which a part of the run is here, and nothing of the rest
};

RecordedRanks recorded_ranks(const Summary& job) {
  RecordedRanks recorded;
  const auto details = job.facts.find("detail");
  if (details == job.facts.end()) return recorded;
  for (const auto& [detail, ranks] : details->second) {
    (detail == trace_schema::word_of(Recording::Detail::kAggregates) ? recorded.counted
     : detail == trace_schema::word_of(Recording::Detail::kPart)     ? recorded.parts
                                                                     : recorded.in_part)
        .add(ranks);
  }
  return recorded;
}

/// A rank that is far from the others.
struct Outlier {
  std::string figure;  ///< as in the summary's totals
  std::int32_t rank = -1;
  std::uint64_t value = 0;
  std::uint64_t median = 0;
  bool above = true;
  std::uint64_t alike = 1;  ///< ranks that are surely as far out on that side, itself too
};

constexpr double kFar = 3;
constexpr double kLeastPart = 0.25;
constexpr std::uint64_t kFewest = 4;

/// Shares of other figures, which are outliers where these are.
bool is_told_by_others(const std::string& figure) {
  return figure.starts_with("runtime_internal") || figure.ends_with("_union_ns") ||
         figure == "program_wall_ns" || figure == "region_ns";
}

/// Ranks in whole bins above or below a limit.
std::uint64_t ranks_beyond(const Distribution& ranks, bool above, double limit) {
  std::uint64_t count = 0;
  for (std::size_t bin = 0; bin + (above ? 0 : 1) < Distribution::kBins; ++bin) {
    const bool is_beyond = above ? static_cast<double>(bin_begin(bin)) > limit
                                 : static_cast<double>(bin_begin(bin + 1)) <= limit;
    if (is_beyond) count += ranks.bins[bin];
  }
  return std::max<std::uint64_t>(count, 1);
}

/// Outliers by Tukey's rule. They are beyond the quartiles by more than three times the distance
/// of the quartiles. They also differ from the median by more than a quarter of it, which is the
/// precision of a histogram. Needs four ranks or more. On each side the farthest is named.
std::vector<Outlier> outliers_of(const summary::Summary& job) {
  std::vector<Outlier> outliers;
  for (const auto& [name, figure] : job.totals) {
    const Distribution& ranks = figure.ranks;
    if (ranks.count < kFewest || is_told_by_others(name)) continue;
    const auto lower = static_cast<double>(ranks.quantile(0.25));
    const auto upper = static_cast<double>(ranks.quantile(0.75));
    const auto median = static_cast<double>(ranks.median());
    const double reach = kFar * (upper - lower);
    const double high = std::max(upper + reach, median * (1 + kLeastPart));
    const double low = std::min(lower - reach, median * (1 - kLeastPart));
    if (static_cast<double>(ranks.most) > high) {
      outliers.push_back({name, figure.most_rank, ranks.most, ranks.median(), true,
                          ranks_beyond(ranks, true, high)});
    }
    if (static_cast<double>(ranks.least) < low) {
      outliers.push_back({name, figure.least_rank, ranks.least, ranks.median(), false,
                          ranks_beyond(ranks, false, low)});
    }
  }
  return outliers;
}

std::string text_of(const Row& row, const std::string& what) {
  const auto found = row.what.find(what);
  return found == row.what.end() ? std::string() : found->second;
}

/// "heat.cpp:41"; a module where there is no line.
std::string place_of(const Row& row) {
  std::string file = text_of(row, "file");
  if (file.empty()) file = text_of(row, "module");
  file = file.substr(file.rfind('/') + 1);
  return row.line == 0 ? file : fmt::format("{}:{}", file, row.line);
}

/// The rank in which a finding wastes most.
std::int32_t look_at_rank(const Row& finding) {
  const Figure& time = figure_of(finding.figures, "wasted_ns");
  return time.ranks.count > 0 ? time.most_rank
                              : figure_of(finding.figures, "wasted_bytes").most_rank;
}

/// The ranks that came to the line that a finding is at, whether they have it or not; all, where it
/// is at none. An edit there is made for all of them.
summary::RankSet ranks_at(const Summary& job, const Row& finding) {
  if (finding.line == 0) return job.ranks;
  summary::RankSet ranks = finding.ranks;
  for (const auto& [id, row] : job.directives) {
    if (row.line == finding.line && text_of(row, "file") == text_of(finding, "file")) {
      ranks.add(row.ranks);
    }
  }
  return ranks;
}

/// The rows by what they moved, then by their times; of findings by what they wasted.
std::vector<const Rows::value_type*> heaviest_first(const Rows& rows) {
  std::vector<const Rows::value_type*> order;
  for (const auto& row : rows) order.push_back(&row);
  const auto weight = [](const Rows::value_type* row) {
    const auto of = [&](const char* name) {
      return figure_of(row->second.figures, name).ranks.sum;
    };
    return std::tuple(of("wasted_ns"), of("wasted_bytes"), of("HtoD_bytes") + of("DtoH_bytes"),
                      of("transfer_ns"), of("time_ns"), of("count"));
  };
  std::ranges::stable_sort(order, std::greater<>{}, weight);
  return order;
}

Cell text_cell(std::string value) { return value.empty() ? Cell() : Cell(std::move(value)); }

/// The sum over the ranks, of the figure that the column is named by.
void add_sum(TableRow& row, Column column, const Figures& figures) {
  const Distribution& ranks = figure_of(figures, column.key).ranks;
  row.add(std::move(column), ranks.count == 0 ? Cell() : number(ranks.sum));
}

/// The rank with most of a figure, and how far it is above the mean. `prefix`: of the columns'
/// keys.
void add_imbalance(TableRow& row, const std::string& prefix, const Figure& figure,
                   int drop_priority) {
  const bool is_known = figure.ranks.most > 0;
  const double times = imbalance_of(figure);
  row.add(
      {prefix + "most_rank", "in rank", Unit::kCount, Audience::kAll, true, false, drop_priority},
      is_known ? Cell(std::int64_t{figure.most_rank}) : Cell());
  row.add({prefix + "imbalance", "Most/mean", Unit::kText, Audience::kReader, true, false,
           drop_priority},
          is_known ? Cell(ratio_text(times)) : Cell());
  row.add(data_only(prefix + "imbalance"), is_known ? Cell(times) : Cell());
}

/// A table with a row of the summary each, heaviest first. `fill(TableRow&, id, row)`: as for
/// table_of().
template <class Fill>
Table rank_rows(const char* name, const char* title, const Rows& rows, Fill fill) {
  return table_of(name, title, heaviest_first(rows),
                  [&](TableRow& cells, const Rows::value_type* entry) {
                    static const Rows::value_type kHeading;
                    const auto& [id, row] = entry != nullptr ? *entry : kHeading;
                    fill(cells, id, row);
                  });
}

Table job_directives(const Summary& job) {
  return rank_rows("directives", "Directives, all ranks", job.directives,
                   [](TableRow& cells, const std::string& id, const Row& row) {
                     const std::string api = text_of(row, "api");
                     cells.add(data_only("id"), id);
                     cells.add({"directive", "Directive"},
                               api.empty() ? text_of(row, "directive") : api);
                     cells.add({"place", "Where"}, place_of(row));
                     cells.add({"ranks", "Ranks", Unit::kCount}, number(row.ranks.size()));
                     add_sum(cells, sparable(2, "count", "Count"), row.figures);
                     add_sum(cells, if_any("HtoD_bytes", "HtoD"), row.figures);
                     add_sum(cells, if_any("DtoH_bytes", "DtoH"), row.figures);
                     add_sum(cells, if_any("transfer_ns", "Transfer"), row.figures);
                     add_imbalance(cells, "transfer_", figure_of(row.figures, "transfer_ns"), 3);
                     add_sum(cells, if_any("kernel_ns", "Kernel time"), row.figures);
                     add_imbalance(cells, "kernel_", figure_of(row.figures, "kernel_ns"), 4);
                   });
}

Table job_variables(const Summary& job) {
  return rank_rows("variables", "Variables, all ranks", job.variables,
                   [](TableRow& cells, const std::string& id, const Row& row) {
                     cells.add(data_only("id"), id);
                     cells.add({"name", "Variable"}, text_cell(text_of(row, "name")));
                     cells.add({"place", "Where"}, text_cell(place_of(row)));
                     cells.add({"ranks", "Ranks", Unit::kCount}, number(row.ranks.size()));
                     add_sum(cells, {"HtoD_bytes", "HtoD"}, row.figures);
                     add_sum(cells, {"DtoH_bytes", "DtoH"}, row.figures);
                     add_sum(cells, {"transfer_ns", "Transfer"}, row.figures);
                     add_imbalance(cells, "transfer_", figure_of(row.figures, "transfer_ns"), 3);
                   });
}

Table job_loops(const Summary& job) {
  return rank_rows(
      "loops", "Loops, an iteration of each", job.loops,
      [](TableRow& cells, const std::string& id, const Row& row) {
        const std::string place = place_of(row);
        const auto ranks = [&](const char* figure) -> const Distribution& {
          return figure_of(row.figures, figure).ranks;
        };
        cells.add(data_only("id"), id);
        cells.add({"place", "Loop"}, place.empty() ? "(by order)" : place);
        cells.add({"ranks", "Ranks", Unit::kCount}, number(row.ranks.size()));
        add_sum(cells, {"count", "Iterations"}, row.figures);
        cells.add({"HtoD_bytes", "HtoD (median)"}, number(ranks("HtoD_bytes").median()));
        cells.add({"DtoH_bytes", "DtoH (median)"}, number(ranks("DtoH_bytes").median()));
        cells.add({"wall_ns", "Iteration (median)"}, number(ranks("wall_ns").median()));
        cells.add({"wall_most_ns", "Iteration (most)"}, number(ranks("wall_ns").most));
        add_imbalance(cells, "wall_", figure_of(row.figures, "wall_ns"), 3);
      });
}

/// "likely"; of ranks that do not agree "3 likely, 1 possible".
std::string confidences_of(const Row& row) {
  std::string text;
  for (const auto& [word, ranks] : row.confidences) {
    text += (text.empty() ? "" : ", ") +
            (row.confidences.size() == 1 ? word : fmt::format("{} {}", ranks, word));
  }
  return text;
}

/// Which ranks have a finding.
void add_ranks(TableRow& cells, const Summary& job, const Row& row) {
  cells.add(reader_only("in", "Ranks"),
            fmt::format("{} of {}", row.ranks.size(), ranks_at(job, row).size()));
  cells.add(data_only("ranks", Unit::kCount), number(row.ranks.size()));
  cells.add(data_only("which"), row.ranks.text());
}

Table job_findings(const Summary& job) {
  return rank_rows("findings", "Findings", job.findings,
                   [&](TableRow& cells, const std::string& id, const Row& row) {
                     cells.add({"id", "Id"}, id);
                     cells.add({"pattern", "Pattern"}, text_of(row, "pattern"));
                     cells.add({"place", "Where"}, place_of(row));
                     cells.add({"variable", "Variable"}, text_of(row, "variable"));
                     add_ranks(cells, job, row);
                     add_sum(cells, sparable(2, "count", "Operations"), row.figures);
                     add_sum(cells, {"wasted_bytes", "Bytes"}, row.figures);
                     add_sum(cells, {"wasted_ns", "Time"}, row.figures);
                     cells.add({"look_at_rank", "See rank", Unit::kCount},
                               std::int64_t{look_at_rank(row)});
                     cells.add({"confidence", "Confidence"}, confidences_of(row));
                   });
}

Table job_clauses(const Summary& job) {
  return rank_rows("mapping", "Data clauses that do not do what they say", job.mapping,
                   [&](TableRow& cells, const std::string& id, const Row& row) {
                     cells.add({"id", "Id"}, id);
                     cells.add({"stake", "Stake"}, text_of(row, "stake"));
                     cells.add({"pattern", "Pattern"}, text_of(row, "pattern"));
                     cells.add({"place", "Where"}, place_of(row));
                     cells.add({"variable", "Variable"}, text_of(row, "variable"));
                     add_ranks(cells, job, row);
                     cells.add({"look_at_rank", "See rank", Unit::kCount},
                               std::int64_t{row.ranks.first()});
                     cells.add({"confidence", "Confidence"}, confidences_of(row));
                   });
}

/// Totals of each rank: sum, least, median and most, of those that any rank has. `suffix`: of their
/// names in Summary::totals, after the names of `quantities`.
Table per_rank(const Summary& job, const char* name, const char* title, const char* suffix,
               std::vector<std::string> quantities) {
  const auto figure_with = [&](const std::string& quantity) -> const Figure& {
    return figure_of(job.totals, quantity + suffix);
  };
  std::erase_if(quantities,
                [&](const std::string& quantity) { return figure_with(quantity).ranks.most == 0; });
  return table_of(name, title, quantities, [&](TableRow& row, const std::string& quantity) {
    const Figure& figure = figure_with(quantity);
    const Unit unit = unit_of(suffix);
    row.add({"quantity", "Per rank"}, quantity == "kernel"   ? "kernels"
                                      : quantity == "region" ? "directives"
                                                             : quantity);
    row.add(data_only("ranks", Unit::kCount), number(figure.ranks.count));
    row.add({"sum", "Sum", unit}, number(figure.ranks.sum));
    row.add({"least", "Least", unit}, number(figure.ranks.least));
    row.add({"least_rank", "in rank", Unit::kCount}, std::int64_t{figure.least_rank});
    row.add({"median", "Median", unit}, number(figure.ranks.median()));
    row.add({"most", "Most", unit}, number(figure.ranks.most));
    add_imbalance(row, "", figure, 0);
  });
}

Table job_times(const Summary& job) {
  return per_rank(job, "rank_times", "Time by rank", "_ns",
                  {"wall", "HtoD", "DtoH", "DtoD", "memset", "alloc", "kernel", "region"});
}

Table job_bytes(const Summary& job) {
  return per_rank(job, "rank_bytes", "Bytes by rank", "_bytes", {"HtoD", "DtoH", "DtoD", "alloc"});
}

Table job_counts(const Summary& job) {
  return per_rank(job, "rank_counts", "Operations by rank", "_count",
                  {"HtoD", "DtoH", "DtoD", "alloc", "kernel", "region"});
}

Table job_hosts(const Summary& job) {
  const auto hosts = job.facts.find("host");
  const std::map<std::string, RankSet> none;
  return table_of("hosts", "Hosts", hosts == job.facts.end() ? none : hosts->second,
                  [](TableRow& row, const auto& host) {
                    row.add({"host", "Host"}, host.first);
                    row.add({"count", "Ranks"}, number(host.second.size()));
                    row.add({"ranks", "which"}, host.second.text());
                  });
}

Table job_outliers(const Summary& job) {
  constexpr const char* kTitle =
      "Ranks far from the others (more than 3 times the quartiles' distance beyond them, and a "
      "quarter off the median)";
  std::vector<Outlier> outliers = outliers_of(job);
  std::ranges::stable_sort(outliers, {}, &Outlier::rank);
  return table_of("outliers", kTitle, outliers, [](TableRow& row, const Outlier& one) {
    const Unit unit = unit_of(one.figure);
    row.add({"rank", "Rank", Unit::kCount}, std::int64_t{one.rank});
    row.add({"quantity", "Quantity"}, one.figure);
    row.add(reader_only("value", "Is"), reader_text(number(one.value), unit));
    row.add(reader_only("median", "Median"), reader_text(number(one.median), unit));
    row.add(data_only("value", Unit::kCount), number(one.value));
    row.add(data_only("median", Unit::kCount), number(one.median));
    row.add({"alike", "Ranks as far", Unit::kCount}, number(one.alike));
  });
}

Table job_losses(const Summary& job) {
  return table_of("losses", "Lost", job.losses, [](TableRow& row, const auto& loss) {
    row.add({"name", "What"}, loss.first);
    row.add({"count", "Count"}, number(loss.second.ranks.sum));
    row.add({"most_rank", "Most in rank", Unit::kCount}, std::int64_t{loss.second.most_rank});
  });
}

/// All tables in the report's order, empty ones too.
std::vector<Table> job_tables(const Summary& job) {
  return {job_times(job),    job_bytes(job),      job_counts(job),    job_hosts(job),
          job_outliers(job), job_directives(job), job_variables(job), job_loops(job),
          job_findings(job), job_clauses(job),    job_losses(job)};
}

Json by_rank_json(const Figures& figures) {
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
Json job_totals_json(const Summary& job) {
  Json json = Json::object();
  const auto put = [&](const std::string& of, const char* key, const std::string& figure) {
    const auto found = job.totals.find(of + figure);
    if (found != job.totals.end()) json[of][key] = found->second.ranks.sum;
  };
  for (const NamedFlow& of : kFlows) {
    put(of.name, "bytes", "_bytes");
    put(of.name, "count", "_count");
    put(of.name, "time_ns", "_ns");
  }
  return json;
}

Json rank_rows_json(const Summary& job, const Rows& rows) {
  Json json = Json::array();
  for (const auto* entry : heaviest_first(rows)) {
    const Row& row = entry->second;
    Json& one = json.emplace_back(Json{{"id", entry->first}});
    for (const auto& [key, text] : row.what) one[key] = text;
    one["line"] = row.line;
    one["ranks"] = row.ranks.size();
    one["which"] = row.ranks.text();
    for (const auto& [name, figure] : row.figures) one[name] = figure.ranks.sum;
    one["by_rank"] = by_rank_json(row.figures);
    if (!row.confidences.empty()) one["confidences"] = row.confidences;
    if (&rows == &job.findings) one["look_at_rank"] = look_at_rank(row);
    if (&rows == &job.mapping) one["look_at_rank"] = row.ranks.first();
    if (row.durations.count > 0) {
      one["durations"] = {
          {"count", row.durations.count},     {"avg_ns", row.durations.mean()},
          {"med_ns", row.durations.median()}, {"min_ns", row.durations.least},
          {"max_ns", row.durations.most},     {"stddev_ns", row.durations.deviation()}};
    }
  }
  return json;
}

Json facts_json(const Summary& job) {
  Json json = Json::object();
  for (const auto& [fact, values] : job.facts) {
    for (const auto& [value, ranks] : values) {
      json[fact].push_back({{"value", value}, {"ranks", ranks.text()}});
    }
  }
  return json;
}

Json unread_json(const Summary& job) {
  Json json = Json::array();
  for (const auto& [why, ranks] : job.unread) {
    json.push_back({{"ranks", ranks.text()}, {"why", why}});
  }
  return json;
}

Json outliers_json(const Summary& job) {
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

Json job_json(const Summary& job) {
  Json losses = Json::array();
  for (const auto& [name, figure] : job.losses) {
    losses.push_back(
        {{"name", name}, {"count", figure.ranks.sum}, {"most_rank", figure.most_rank}});
  }
  const RecordedRanks recorded = recorded_ranks(job);
  return {{"schema", kJobSchema},
          {"ranks",
           {{"count", job.ranks.size()},
            {"of", job.rank_count},
            {"which", job.ranks.text()},
            {"missing", missing_ranks(job).text()},
            {"unread", unread_json(job)},
            {"killed", job.killed.text()},
            {"truncated", job.truncated.text()},
            {"counted", recorded.counted.text()},
            {"told_in_part", recorded.in_part.text()},
            {"parts", recorded.parts.text()}}},
          {"wall_ns", job.end_ns - job.begin_ns},
          {"facts", facts_json(job)},
          {"totals", job_totals_json(job)},
          {"by_rank", by_rank_json(job.totals)},
          {"outliers", outliers_json(job)},
          {"activities", rank_rows_json(job, job.activities)},
          {"directives", rank_rows_json(job, job.directives)},
          {"variables", rank_rows_json(job, job.variables)},
          {"iterations", rank_rows_json(job, job.loops)},
          {"findings", rank_rows_json(job, job.findings)},
          {"mapping", rank_rows_json(job, job.mapping)},
          {"losses", losses}};
}

/// "8 ranks moved 1.2 GB to and from devices; …; transfers took most in rank 3: 40 ms, 1.4x the
/// mean"
std::string job_headline(const Summary& job) {
  const std::uint64_t moved =
      figure_of(job.totals, "HtoD_bytes").ranks.sum + figure_of(job.totals, "DtoH_bytes").ranks.sum;
  const Figure& wall = figure_of(job.totals, "wall_ns");
  std::string text = fmt::format(
      "{} moved {} to and from devices; walls from {} (rank {}) to {} "
      "(rank {})",
      counted(job.ranks.size(), "rank"), spoken_size(moved),
      spoken_time(static_cast<Nanoseconds>(wall.ranks.least)), wall.least_rank,
      spoken_time(static_cast<Nanoseconds>(wall.ranks.most)), wall.most_rank);
  // No share of the walls: ranks may have run on host devices, whose times are no device's.
  const Figure& transfer = figure_of(job.totals, "transfer_union_ns");
  if (transfer.ranks.most > 0) {
    text += fmt::format("; transfers took most in rank {}: {}, {} the mean", transfer.most_rank,
                        spoken_time(static_cast<Nanoseconds>(transfer.ranks.most)),
                        ratio_text(imbalance_of(transfer)));
  }
  return text;
}

/// As many ranges as are read.
std::string first_ranges(const RankSet& ranks) {
  constexpr std::size_t kMost = 60;
  const std::string text = ranks.text();
  if (text.size() <= kMost) return text;
  return text.substr(0, text.rfind(',', kMost)) + ",…";
}

/// Counts, bytes and times are of the whole run. All else is of the part that was recorded event by
/// event.
std::string recorded_in_part(const Summary& job) {
  const RecordedRanks recorded = recorded_ranks(job);
  std::vector<std::string> parts;
  if (!recorded.counted.empty()) parts.push_back("only counted: " + first_ranges(recorded.counted));
  if (!recorded.in_part.empty())
    parts.push_back("recorded event by event in part: " + first_ranges(recorded.in_part));
  if (parts.empty()) return {};
  return fmt::format("Ranks {}: shares of time, loops and findings are of the recorded part",
                     fmt::join(parts, "; "));
}

std::vector<std::string> job_warnings(const Summary& job) {
  std::vector<std::string> lines;
  const auto tell = [&](const RankSet& ranks, std::string_view what, std::string_view why = {}) {
    if (ranks.empty()) return;
    lines.push_back(
        fmt::format("{} {}: {}", counted(ranks.size(), "rank"), what, first_ranges(ranks)));
    if (!why.empty()) lines.back() += fmt::format(" ({})", why);
  };
  for (const auto& [why, ranks] : job.unread) tell(ranks, "not read", why);
  tell(missing_ranks(job), "of the job without a trace");
  tell(job.killed, "killed, or left by _exit, quick_exit or exec");
  tell(job.truncated, "of which the trace is cut short");
  if (const std::string line = recorded_in_part(job); !line.empty()) lines.push_back(line);
  tell(recorded_ranks(job).parts, "of which a part of the run is here, and in the figures");
  const auto reaches = job.facts.find("reach");
  if (reaches != job.facts.end()) {
    for (const auto& [reach, ranks] : reaches->second) {
      Recording recording;
      recording.reach =
          trace_schema::value_of<Recording::Reach>(reach).value_or(Recording::Reach::kUnknown);
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

std::string value_and_ranks(const std::map<std::string, RankSet>& values) {
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
  const Figure& processes = figure_of(job.totals, "process_count");
  if (processes.ranks.most > 1) {
    facts.emplace_back("Added up", fmt::format("{} processes, at most {} of a rank",
                                               processes.ranks.sum, processes.ranks.most));
  }
  return facts;
}

std::string trace_of_rank(std::int32_t rank) { return fmt::format("trace.rank{}.json", rank); }

std::string explain_command(std::int32_t rank, const std::string& id) {
  return fmt::format(
      "\nWhat to do about one, in the trace of the rank to see: ompdm explain {} {}\n",
      trace_of_rank(rank), id);
}

/// How to see what to do about the first finding, and what the ranks that do not have it say.
std::string explain_hint(const Summary& job) {
  if (job.findings.empty() && !job.mapping.empty()) {
    const auto& [id, first] = *heaviest_first(job.mapping).front();
    return explain_command(first.ranks.first(), id);
  }
  if (job.findings.empty()) return {};
  const auto& [id, first] = *heaviest_first(job.findings).front();
  const std::int32_t rank = look_at_rank(first);
  const std::string text = explain_command(rank, id);
  const RankSet others = ranks_at(job, first).without(first.ranks);
  if (others.empty() || first.line == 0) return text;
  return text + fmt::format(
                    "It holds for {} of the ranks that come to {}, and an edit there is made for "
                    "all. What another says of it: ompdm report --as inputs {} {}\n",
                    first.ranks.size(), place_of(first), trace_of_rank(rank),
                    trace_of_rank(others.first()));
}

/// The sentence for a job without findings.
std::string none_found(const Summary& job) {
  const RecordedRanks recorded = recorded_ranks(job);
  if (recorded.counted.size() == job.ranks.size()) {
    return "Redundant transfers were not looked for: that takes single events, and none is "
           "recorded.";
  }
  return fmt::format(
      "No redundant transfer was proven in {}: `ompdm report {}` shows how far "
      "contents were compared.",
      job.ranks.size() == 1 ? "this rank" : "any rank", trace_of_rank(job.ranks.first()));
}

std::string job_text(const Summary& job, const Layout& layout) {
  Layout half = layout;  // all of it is to fit a screen
  half.rows = layout.rows == 0 ? 0 : std::max<std::size_t>(1, layout.rows / 2);
  const std::string first = job_headline(job);
  std::string text = title(layout.narrow ? wrapped(first, layout.width) : first, layout) + '\n';
  text += warnings_text(job_warnings(job), layout);
  for (const auto& [name, value] : job_facts(job)) text += fact(name, value, layout);
  text += titled(job_times(job), layout);
  text += titled(job_bytes(job), layout);
  for (Table (*table)(const Summary&) :
       {job_outliers, job_directives, job_variables, job_loops, job_clauses, job_findings}) {
    text += titled(table(job), half);
  }
  if (job.findings.empty()) text += '\n' + wrapped(none_found(job), layout.width) + '\n';
  return text + explain_hint(job);
}

std::string job_markdown(const Summary& job) {
  std::string text = "**" + job_headline(job) + "**\n\n";
  for (const std::string& line : job_warnings(job)) text += paragraphs({in_markdown(line)}, "> ");
  for (const auto& [name, value] : job_facts(job)) {
    text += fmt::format("* {}: `{}`\n", name, value);
  }
  text += '\n';
  for (const Table& table : job_tables(job)) text += markdown_section(table);
  if (job.findings.empty()) text += none_found(job) + "\n";
  return text;
}

}  // namespace

std::string render_job(const Summary& job, Format format, const Layout& layout) {
  if (job.ranks.empty()) throw Error("no rank to report on", Error::Kind::kUsage);
  if (format == Format::kJson) return document_text(job_json(job));
  if (format == Format::kCsv) return csv_sections(job_tables(job), layout.section);
  if (format == Format::kMarkdown) return job_markdown(job);
  return job_text(job, layout);
}

}  // namespace ompdm::report
