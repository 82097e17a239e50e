// What ranks took and moved, one line a quantity, and which of them stand out.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "report/job_cells.h"
#include "report/job_figures.h"
#include "report/job_tables.h"

namespace ompdm::report {
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
  constexpr std::array<Named, 8> kFigures = {{{"wall_ns", "wall"},
                                              {"HtoD_ns", "HtoD"},
                                              {"DtoH_ns", "DtoH"},
                                              {"DtoD_ns", "DtoD"},
                                              {"memset_ns", "memset"},
                                              {"alloc_ns", "alloc"},
                                              {"kernel_ns", "kernels"},
                                              {"region_ns", "directives"}}};
  return per_rank(job, {"rank_times", "Time by rank", {}, {}}, Unit::kTime, kFigures);
}

Table job_bytes(const Summary& job) {
  constexpr std::array<Named, 4> kFigures = {{{"HtoD_bytes", "HtoD"},
                                              {"DtoH_bytes", "DtoH"},
                                              {"DtoD_bytes", "DtoD"},
                                              {"alloc_bytes", "alloc"}}};
  return per_rank(job, {"rank_bytes", "Bytes by rank", {}, {}}, Unit::kBytes, kFigures);
}

Table job_counts(const Summary& job) {
  constexpr std::array<Named, 6> kFigures = {{{"HtoD_count", "HtoD"},
                                              {"DtoH_count", "DtoH"},
                                              {"DtoD_count", "DtoD"},
                                              {"alloc_count", "alloc"},
                                              {"kernel_count", "kernels"},
                                              {"region_count", "directives"}}};
  return per_rank(job, {"rank_counts", "Operations by rank", {}, {}}, Unit::kCount, kFigures);
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
