#include "report/table_builder.h"
#include "report/tables.h"

namespace ompdm::report {
namespace {

using analysis::ActivityType;

/// Where the host was when no directive is known: in the runtime's own calls, or without one.
std::string outside(const analysis::Analysis& one) {
  const bool without_openmp = one.recording.attached_by == "CUDA_INJECTION64_PATH";
  return without_openmp ? "no directive" : "the runtime's own";
}

/// A launch is a kernel's and a copy has a way, for readers.
std::string started(ActivityType type) {
  return type == ActivityType::kKernel
             ? "kernels"
             : "[memcpy " + std::string(analysis::activity_type_name(type)) + "]";
}

}  // namespace

Table host_waits_table(Analyses analyses, const SourceNames& names) {
  TableBuilder table(analyses, {"host_waits",
                                "What the host waited for, by what the device did meanwhile",
                                {{"count", "Waits", Unit::kCount},
                                 {"total_ns", "Time", Unit::kTime},
                                 {.key = "avg_ns", .title = "Avg", .unit = Unit::kTime, .spare = 2},
                                 {.key = "max_ns", .title = "Max", .unit = Unit::kTime, .spare = 1},
                                 {"kernels_ns", "Kernels", Unit::kTime},
                                 {"copies_ns", "Copies", Unit::kTime},
                                 {"neither_ns", "Neither", Unit::kTime},
                                 {"place", "Where", Unit::kText, Audience::kReader},
                                 {"what", "Directive", Unit::kText, Audience::kReader},
                                 {"directive", "", Unit::kText, Audience::kData},
                                 {"file", "", Unit::kText, Audience::kData},
                                 {"line", "", Unit::kCount, Audience::kData}},
                                {}});
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    for (const analysis::HostWait& row : analyses[i].host_waits) {
      std::vector<Cell> cells = {number(row.count), row.total,  row.average, row.maximum,
                                 row.kernels,       row.copies, row.neither};
      if (row.directive == analysis::kNoRow) {
        cells.insert(cells.end(), {std::string("-"), outside(analyses[i]), Cell(), Cell(), Cell()});
      } else {
        const analysis::DirectiveRow& directive = analyses[i].directives[row.directive];
        cells.insert(cells.end(), {names.place(directive), SourceNames::directive(directive),
                                   std::string(analysis::directive_name(directive.directive)),
                                   directive.file, std::int64_t{directive.line}});
      }
      table.add(i, std::move(cells));
    }
  }
  return table.take();
}

Table start_latencies_table(Analyses analyses) {
  TableBuilder table(analyses,
                     {"start_latencies",
                      "From the host's request to its start on the device (queued: behind earlier "
                      "work of the same stream)",
                      {{"count", "Requests", Unit::kCount},
                       {"min_ns", "Min", Unit::kTime},
                       {"avg_ns", "Avg", Unit::kTime},
                       {"max_ns", "Max", Unit::kTime},
                       {"queued_count", "Queued", Unit::kCount},
                       {"started", "What", Unit::kText, Audience::kReader},
                       {"type", "", Unit::kText, Audience::kData}},
                      {}});
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    for (const analysis::StartLatency& row : analyses[i].start_latencies) {
      table.add(i, {number(row.count), row.minimum, row.average, row.maximum, number(row.queued),
                    started(row.type), std::string(analysis::activity_type_name(row.type))});
    }
  }
  return table.take();
}

}  // namespace ompdm::report
