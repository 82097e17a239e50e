#include "report/glance/told_rows.h"

#include <fmt/format.h>

#include <map>
#include <tuple>
#include <utility>
#include <variant>

#include "report/glance/action.h"

namespace ompdm::report {
namespace {

using analysis::Finding;
using analysis::facts::SerialKernel;

}  // namespace

std::vector<ToldRow> told_rows(Analyses analyses, const SourceNames& names) {
  const Ranks ranks = ranks_of(analyses);
  std::vector<ToldRow> rows;
  std::map<std::tuple<std::size_t, std::string, SerialKernel::Shape>, std::size_t> row_of_kernels;
  std::size_t number = 0;
  for (const ToldFinding& told : told_findings(analyses)) {
    const Finding& finding = *told.finding;
    ++number;
    const auto* kernel = std::get_if<SerialKernel>(&finding.facts);
    if (kernel != nullptr && kernel->place && !kernel->place->function.empty()) {
      const auto [known, is_new] = row_of_kernels.try_emplace(
          {told.recording, kernel->place->function, kernel->shape}, rows.size());
      if (!is_new) {
        ToldRow& row = rows[known->second];
        row.numbers.push_back(number);
        row.others.push_back(&finding);
        row.wasted_bytes += finding.wasted_bytes;
        row.wasted_time += finding.wasted_time;
        row.timed = row.timed && finding.timed;
        row.place = fmt::format("{} +{}", names.place(row.finding->file, row.finding->line),
                                row.numbers.size() - 1);
        row.action = action_of_kernels(kernel->shape, row.numbers.size(), kernel->place->function);
        continue;
      }
    }
    rows.push_back({{number},
                    prefix(ranks, told.recording),
                    &finding,
                    {},
                    names.place(finding.file, finding.line),
                    action_text(finding, names),
                    finding.wasted_bytes,
                    finding.wasted_time,
                    finding.timed});
  }
  return rows;
}

}  // namespace ompdm::report
