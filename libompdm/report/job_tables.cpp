#include "report/job_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "report/job_cells.h"

namespace ompdm::report {
namespace {

using summary::Figure;
using summary::Row;
using summary::Rows;
using summary::Summary;

std::string text_of(const Row& row, const std::string& what) {
  const auto found = row.what.find(what);
  return found == row.what.end() ? std::string() : found->second;
}

Cell text(std::string value) { return value.empty() ? Cell() : Cell(std::move(value)); }

}  // namespace

const Figure& figure_of(const Row& row, const std::string& name) {
  static const Figure kNone;
  const auto found = row.figures.find(name);
  return found == row.figures.end() ? kNone : found->second;
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

}  // namespace ompdm::report
