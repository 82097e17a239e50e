#include "report/job_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "report/units.h"

namespace ompdm::report {

namespace {

constexpr double kFar = 3;
constexpr double kLeastPart = 0.25;
constexpr std::uint64_t kFewest = 4;

/// Shares of other figures, which are far out where these are.
bool is_told_by_others(const std::string& figure) {
  return figure.starts_with("runtime_internal") || figure.ends_with("_union_ns") ||
         figure == "program_wall_ns" || figure == "region_ns";
}

/// Whole bins beyond a limit.
std::uint64_t ranks_above(const Distribution& ranks, double limit) {
  std::uint64_t count = 0;
  for (std::size_t bin = 0; bin < Distribution::kBins; ++bin) {
    if (static_cast<double>(bin_begin(bin)) > limit) count += ranks.bins[bin];
  }
  return std::max<std::uint64_t>(count, 1);
}

std::uint64_t ranks_below(const Distribution& ranks, double limit) {
  std::uint64_t count = 0;
  for (std::size_t bin = 0; bin + 1 < Distribution::kBins; ++bin) {
    if (static_cast<double>(bin_begin(bin + 1)) <= limit) count += ranks.bins[bin];
  }
  return std::max<std::uint64_t>(count, 1);
}

}  // namespace

double imbalance_of(const summary::Figure& figure) {
  const double mean = figure.ranks.mean();
  return mean > 0 ? static_cast<double>(figure.ranks.most) / mean : 1;
}

summary::RankSet missing_ranks(const summary::Summary& job) {
  summary::RankSet known = job.ranks;
  for (const auto& [why, ranks] : job.unread) known.add(ranks);
  return known.missing(job.rank_count);
}

ToldRanks told_ranks(const summary::Summary& job) {
  ToldRanks told;
  const auto details = job.facts.find("detail");
  if (details == job.facts.end()) return told;
  for (const auto& [detail, ranks] : details->second) {
    (detail == "tallies"          ? told.counted
     : detail == Recording::kPart ? told.parts
                                  : told.in_part)
        .add(ranks);
  }
  return told;
}

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
      outliers.push_back(
          {name, figure.most_rank, ranks.most, ranks.median(), true, ranks_above(ranks, high)});
    }
    if (static_cast<double>(ranks.least) < low) {
      outliers.push_back(
          {name, figure.least_rank, ranks.least, ranks.median(), false, ranks_below(ranks, low)});
    }
  }
  return outliers;
}

namespace {

using summary::Figure;
using summary::Row;
using summary::Rows;
using summary::Summary;

std::string text_of(const Row& row, const std::string& what) {
  const auto found = row.what.find(what);
  return found == row.what.end() ? std::string() : found->second;
}

Cell count(std::uint64_t value) { return static_cast<std::int64_t>(value); }

Cell sum(const summary::Figure& figure) {
  return figure.ranks.count == 0 ? Cell() : count(figure.ranks.sum);
}

/// Two cells: the rank with most of it, and most over mean for readers and for programs.
void add_imbalance(std::vector<Cell>& row, const summary::Figure& figure) {
  if (figure.ranks.most == 0) {
    row.insert(row.end(), 3, Cell());
    return;
  }
  const double times = imbalance_of(figure);
  row.insert(row.end(), {std::int64_t{figure.most_rank}, ratio_text(times), times});
}

void add_imbalance(std::vector<Column>& columns, const std::string& of, int spare) {
  columns.push_back(
      {of + "_most_rank", "in rank", Unit::kCount, Audience::kAll, true, false, spare});
  columns.push_back(
      {of + "_imbalance", "Most/mean", Unit::kText, Audience::kReader, true, false, spare});
  columns.push_back({of + "_imbalance", "Most/mean", Unit::kText, Audience::kData});
}

Cell text(std::string value) { return value.empty() ? Cell() : Cell(std::move(value)); }

}  // namespace

const Figure& figure_of(const Row& row, const std::string& name) {
  static const Figure kNoFigure;
  const auto found = row.figures.find(name);
  return found == row.figures.end() ? kNoFigure : found->second;
}

std::string place_of(const Row& row) {
  std::string file = text_of(row, "file");
  if (file.empty()) file = text_of(row, "module");
  file = file.substr(file.rfind('/') + 1);
  return row.line == 0 ? file : fmt::format("{}:{}", file, row.line);
}

std::int32_t look_at_rank(const Row& finding) {
  const Figure& time = figure_of(finding, "wasted_ns");
  return time.ranks.count > 0 ? time.most_rank : figure_of(finding, "wasted_bytes").most_rank;
}

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

std::vector<const Rows::value_type*> heaviest_first(const Rows& rows) {
  std::vector<const Rows::value_type*> order;
  for (const auto& row : rows) order.push_back(&row);
  const auto weight = [](const Rows::value_type* row) {
    const auto of = [&](const char* name) { return figure_of(row->second, name).ranks.sum; };
    return std::tuple(of("wasted_ns"), of("wasted_bytes"), of("HtoD_bytes") + of("DtoH_bytes"),
                      of("transfer_ns"), of("time_ns"), of("count"));
  };
  std::ranges::stable_sort(order, std::greater<>{}, weight);
  return order;
}

Table job_directives(const Summary& job) {
  Table table{"directives",
              "Directives, all ranks",
              {{"id", "", Unit::kText, Audience::kData},
               {"directive", "Directive"},
               {"place", "Place"},
               {"ranks", "Ranks", Unit::kCount},
               {"count", "Count", Unit::kCount, Audience::kAll, false, false, 2},
               {"HtoD_bytes", "HtoD", Unit::kBytes, Audience::kAll, true},
               {"DtoH_bytes", "DtoH", Unit::kBytes, Audience::kAll, true},
               {"transfer_ns", "Transfer", Unit::kTime, Audience::kAll, true}},
              {}};
  add_imbalance(table.columns, "transfer", 3);
  table.columns.push_back({"kernel_ns", "Kernels", Unit::kTime, Audience::kAll, true});
  add_imbalance(table.columns, "kernel", 4);
  for (const auto* entry : heaviest_first(job.directives)) {
    const Row& row = entry->second;
    const std::string api = text_of(row, "api");
    std::vector<Cell> cells = {entry->first,
                               api.empty() ? text_of(row, "directive") : api,
                               place_of(row),
                               count(row.ranks.size()),
                               sum(figure_of(row, "count")),
                               sum(figure_of(row, "HtoD_bytes")),
                               sum(figure_of(row, "DtoH_bytes")),
                               sum(figure_of(row, "transfer_ns"))};
    add_imbalance(cells, figure_of(row, "transfer_ns"));
    cells.push_back(sum(figure_of(row, "kernel_ns")));
    add_imbalance(cells, figure_of(row, "kernel_ns"));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table job_variables(const Summary& job) {
  Table table{"variables",
              "Variables, all ranks",
              {{"id", "", Unit::kText, Audience::kData},
               {"name", "Variable"},
               {"place", "Place"},
               {"ranks", "Ranks", Unit::kCount},
               {"HtoD_bytes", "HtoD", Unit::kBytes},
               {"DtoH_bytes", "DtoH", Unit::kBytes},
               {"transfer_ns", "Transfer", Unit::kTime}},
              {}};
  add_imbalance(table.columns, "transfer", 3);
  for (const auto* entry : heaviest_first(job.variables)) {
    const Row& row = entry->second;
    std::vector<Cell> cells = {entry->first,
                               text(text_of(row, "name")),
                               text(place_of(row)),
                               count(row.ranks.size()),
                               sum(figure_of(row, "HtoD_bytes")),
                               sum(figure_of(row, "DtoH_bytes")),
                               sum(figure_of(row, "transfer_ns"))};
    add_imbalance(cells, figure_of(row, "transfer_ns"));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table job_loops(const Summary& job) {
  Table table{"loops",
              "Loops, a pass of each",
              {{"id", "", Unit::kText, Audience::kData},
               {"place", "Loop"},
               {"ranks", "Ranks", Unit::kCount},
               {"count", "Passes", Unit::kCount},
               {"HtoD_bytes", "HtoD (median)", Unit::kBytes},
               {"DtoH_bytes", "DtoH (median)", Unit::kBytes},
               {"wall_ns", "Pass (median)", Unit::kTime},
               {"wall_most_ns", "Pass (most)", Unit::kTime}},
              {}};
  add_imbalance(table.columns, "wall", 3);
  for (const auto* entry : heaviest_first(job.loops)) {
    const Row& row = entry->second;
    const Figure& wall = figure_of(row, "wall_ns");
    const std::string place = place_of(row);
    std::vector<Cell> cells = {entry->first,
                               place.empty() ? "(by order)" : place,
                               count(row.ranks.size()),
                               sum(figure_of(row, "count")),
                               count(figure_of(row, "HtoD_bytes").ranks.median()),
                               count(figure_of(row, "DtoH_bytes").ranks.median()),
                               count(wall.ranks.median()),
                               count(wall.ranks.most)};
    add_imbalance(cells, wall);
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table job_findings(const Summary& job) {
  Table table{"findings",
              "Findings",
              {{"id", "Id"},
               {"pattern", "Pattern"},
               {"place", "Place"},
               {"variable", "Variable"},
               {"in", "Ranks", Unit::kText, Audience::kReader},
               {"ranks", "Ranks", Unit::kCount, Audience::kData},
               {"which", "which", Unit::kText, Audience::kData},
               {"count", "Operations", Unit::kCount, Audience::kAll, false, false, 2},
               {"wasted_bytes", "Bytes", Unit::kBytes},
               {"wasted_ns", "Time", Unit::kTime},
               {"look_at_rank", "See rank", Unit::kCount},
               {"confidence", "Confidence"}},
              {}};
  for (const auto* entry : heaviest_first(job.findings)) {
    const Row& row = entry->second;
    std::string confidence;
    for (const auto& [word, ranks] : row.confidences) {
      confidence += (confidence.empty() ? "" : ", ") +
                    (row.confidences.size() == 1 ? word : fmt::format("{} {}", ranks, word));
    }
    table.rows.push_back({entry->first, text_of(row, "pattern"), place_of(row),
                          text_of(row, "variable"),
                          fmt::format("{} of {}", row.ranks.size(), ranks_at(job, row).size()),
                          count(row.ranks.size()), row.ranks.text(), sum(figure_of(row, "count")),
                          sum(figure_of(row, "wasted_bytes")), sum(figure_of(row, "wasted_ns")),
                          std::int64_t{look_at_rank(row)}, confidence});
  }
  return table;
}

Table job_losses(const Summary& job) {
  Table table{"losses",
              "Lost",
              {{"name", "What"},
               {"count", "Count", Unit::kCount},
               {"most_rank", "Most in rank", Unit::kCount}},
              {}};
  for (const auto& [name, figure] : job.losses) {
    table.rows.push_back({name, count(figure.ranks.sum), std::int64_t{figure.most_rank}});
  }
  return table;
}

std::vector<Table> job_tables(const Summary& job) {
  return {job_times(job),    job_bytes(job),      job_counts(job),    job_hosts(job),
          job_outliers(job), job_directives(job), job_variables(job), job_loops(job),
          job_findings(job), job_losses(job)};
}

namespace {

using summary::Figure;
using summary::Summary;

using Named = std::pair<const char*, const char*>;  // of Summary::totals, for readers

Table per_rank(const Summary& job, Table table, Unit unit, std::span<const Named> figures) {
  table.columns = {{"quantity", "Per rank"},
                   {"ranks", "Ranks", Unit::kCount, Audience::kData},
                   {"sum", "Sum", unit},
                   {"least", "Least", unit},
                   {"least_rank", "in rank", Unit::kCount},
                   {"median", "Median", unit},
                   {"most", "Most", unit}};
  add_imbalance(table.columns, "most", 0);
  table.columns[7].key = "most_rank";
  table.columns[8].key = table.columns[9].key = "imbalance";
  for (const auto& [name, title] : figures) {
    const auto found = job.totals.find(name);
    if (found == job.totals.end() || found->second.ranks.most == 0) continue;
    const Figure& figure = found->second;
    std::vector<Cell> row = {
        std::string(title),        count(figure.ranks.count),       count(figure.ranks.sum),
        count(figure.ranks.least), std::int64_t{figure.least_rank}, count(figure.ranks.median()),
        count(figure.ranks.most)};
    add_imbalance(row, figure);
    table.rows.push_back(std::move(row));
  }
  return table;
}

Unit unit_of(std::string_view figure) {
  if (figure.ends_with("_ns")) return Unit::kTime;
  return figure.ends_with("_bytes") ? Unit::kBytes : Unit::kCount;
}

}  // namespace

Table job_times(const Summary& job) {
  constexpr std::array<Named, 8> kTotals = {{{"wall_ns", "wall"},
                                             {"HtoD_ns", "HtoD"},
                                             {"DtoH_ns", "DtoH"},
                                             {"DtoD_ns", "DtoD"},
                                             {"memset_ns", "memset"},
                                             {"alloc_ns", "alloc"},
                                             {"kernel_ns", "kernels"},
                                             {"region_ns", "directives"}}};
  return per_rank(job, {"rank_times", "Time by rank", {}, {}}, Unit::kTime, kTotals);
}

Table job_bytes(const Summary& job) {
  constexpr std::array<Named, 4> kTotals = {{{"HtoD_bytes", "HtoD"},
                                             {"DtoH_bytes", "DtoH"},
                                             {"DtoD_bytes", "DtoD"},
                                             {"alloc_bytes", "alloc"}}};
  return per_rank(job, {"rank_bytes", "Bytes by rank", {}, {}}, Unit::kBytes, kTotals);
}

Table job_counts(const Summary& job) {
  constexpr std::array<Named, 6> kTotals = {{{"HtoD_count", "HtoD"},
                                             {"DtoH_count", "DtoH"},
                                             {"DtoD_count", "DtoD"},
                                             {"alloc_count", "alloc"},
                                             {"kernel_count", "kernels"},
                                             {"region_count", "directives"}}};
  return per_rank(job, {"rank_counts", "Operations by rank", {}, {}}, Unit::kCount, kTotals);
}

Table job_hosts(const Summary& job) {
  Table table{"hosts",
              "Hosts",
              {{"host", "Host"}, {"count", "Ranks", Unit::kCount}, {"ranks", "which"}},
              {}};
  const auto hosts = job.facts.find("host");
  if (hosts == job.facts.end()) return table;
  for (const auto& [host, ranks] : hosts->second) {
    table.rows.push_back({host, count(ranks.size()), ranks.text()});
  }
  return table;
}

Table job_outliers(const Summary& job) {
  Table table{"outliers",
              fmt::format("Ranks far from the others ({})", kOutlierRule),
              {{"rank", "Rank", Unit::kCount},
               {"quantity", "Quantity"},
               {"value", "Is", Unit::kText, Audience::kReader},
               {"median", "Median", Unit::kText, Audience::kReader},
               {"value", "Is", Unit::kCount, Audience::kData},
               {"median", "Median", Unit::kCount, Audience::kData},
               {"alike", "Ranks as far", Unit::kCount}},
              {}};
  for (const Outlier& one : outliers_of(job)) {
    const Unit unit = unit_of(one.figure);
    table.rows.push_back({std::int64_t{one.rank}, one.figure, reader_text(count(one.value), unit),
                          reader_text(count(one.median), unit), count(one.value), count(one.median),
                          count(one.alike)});
  }
  const auto by_rank = [](const std::vector<Cell>& row) { return row.front(); };
  std::ranges::stable_sort(table.rows, {}, by_rank);
  return table;
}

}  // namespace ompdm::report
