#include "report/tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <set>

#include "trace_files/trace_schema.h"

namespace ompdm::report {

namespace {

using analysis::Analysis;

/// The command line without the program.
std::string arguments_text(const Analysis& one) {
  const std::vector<std::string>& all = one.process.arguments;
  return all.empty() ? std::string()
                     : fmt::format("{}", fmt::join(all.begin() + 1, all.end(), " "));
}

}  // namespace

Ranks ranks_of(Analyses analyses) {
  Ranks ranks;
  if (analyses.size() < 2) return ranks;
  if (are_inputs(analyses)) {
    ranks.key = "run";
    ranks.title = "Run";
    for (const Analysis& one : analyses) ranks.labels.push_back(static_cast<std::int64_t>(one.run));
    return ranks;
  }
  ranks.key = "rank";
  std::set<std::int32_t> distinct;
  for (const Analysis& analysis : analyses) {
    if (analysis.process.rank < 0 || !distinct.insert(analysis.process.rank).second) {
      ranks.key = "pid";
    }
  }
  ranks.title = ranks.key == "rank" ? "Rank" : "PID";
  for (const Analysis& analysis : analyses) {
    ranks.labels.push_back(ranks.key == "rank" ? std::int64_t{analysis.process.rank}
                                               : std::int64_t{analysis.process.pid});
  }
  return ranks;
}

std::string prefix(const Ranks& ranks, std::size_t recording) {
  return ranks.key.empty() ? std::string()
                           : fmt::format("{} {}: ", ranks.key, ranks.labels[recording]);
}

std::vector<std::size_t> directive_offsets(Analyses analyses) {
  std::vector<std::size_t> offsets;
  std::size_t offset = 0;
  for (const Analysis& analysis : analyses) {
    offsets.push_back(offset);
    offset += analysis.directives.size();
  }
  return offsets;
}

analysis::Totals totals_of(Analyses analyses) {
  analysis::Totals totals;
  for (const Analysis& analysis : analyses) analysis::add(totals, analysis.totals);
  return totals;
}

Table traces_table(Analyses analyses) {
  TableBuilder table(analyses, {"traces",
                                "Recordings",
                                {{"wall_ns", "", Unit::kTime, Audience::kData},
                                 {"program_wall_ns", "Wall", Unit::kTime, Audience::kReader},
                                 {"HtoD_bytes", "HtoD", Unit::kBytes},
                                 {"DtoH_bytes", "DtoH", Unit::kBytes},
                                 {"transfer_union_ns", "Movement", Unit::kTime},
                                 {"kernel_union_ns", "Kernels", Unit::kTime},
                                 {"host", "Host"},
                                 {"program", "Program", Unit::kText, Audience::kData},
                                 {"file", "File"},
                                 {"arguments", "Arguments", Unit::kText,
                                  are_inputs(analyses) ? Audience::kAll : Audience::kData}},
                                {}});
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    const Analysis& one = analyses[i];
    table.add(i, {one.process.wall, one.program_wall, moved(one, one.totals.htod.bytes),
                  moved(one, one.totals.dtoh.bytes),
                  timed(one, one.headline.measured, one.headline.transfer),
                  timed(one, one.headline.measured, one.headline.kernel), one.process.host,
                  one.process.program, one.file, arguments_text(one)});
  }
  return table.take();
}

Table totals_table(Analyses analyses) {
  Table table{"totals",
              "Totals",
              {{"quantity", "What"},
               {"count", "Count", Unit::kCount},
               {"bytes", "Bytes", Unit::kBytes},
               {"time_ns", "Time", Unit::kTime}},
              {}};
  const analysis::Totals totals = totals_of(analyses);
  for (const auto& [name, member, has_bytes] : kFlows) {
    const analysis::Flow& flow = totals.*member;
    table.rows.push_back(
        {name, number(flow.count), has_bytes ? number(flow.bytes) : Cell(), flow.time});
  }
  return table;
}

Table activities_table(Analyses analyses, const SourceNames& names, bool api_calls) {
  TableBuilder table(analyses, {api_calls ? "api_calls" : "activities",
                                api_calls ? "Allocations and deletes" : "GPU activities",
                                {{"type", "Type", Unit::kText, Audience::kData},
                                 {"percent", "Time(%)", Unit::kPercent},
                                 {"total_ns", "Time", Unit::kTime},
                                 {"count", "Calls", Unit::kCount},
                                 {"avg_ns", "Avg", Unit::kTime},
                                 {"med_ns", "Med", Unit::kTime, Audience::kData},
                                 {"min_ns", "Min", Unit::kTime},
                                 {"max_ns", "Max", Unit::kTime},
                                 {"stddev_ns", "StdDev", Unit::kTime, Audience::kData},
                                 {"bytes", "Bytes", Unit::kBytes, Audience::kData},
                                 {"clock", "Clock"},
                                 {"name", "Name"}},
                                {}});
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    for (const auto& row : api_calls ? analyses[i].api_calls : analyses[i].activities) {
      table.add(
          i, {std::string(analysis::activity_type_name(row.type)),
              row.percent ? Cell(*row.percent) : Cell(), row.total, number(row.count), row.average,
              row.median, row.minimum, row.maximum, row.deviation, number(row.bytes),
              std::string(trace_schema::word_of(row.clock)), names.activity(row)});
    }
  }
  return table.take();
}

Table device_use_table(Analyses analyses) {
  TableBuilder table(analyses, {"device_use",
                                "Use of the devices, by their own clock",
                                {{"device", "Device", Unit::kCount},
                                 {"span_ns", "First to last", Unit::kTime},
                                 {"copies_ns", "Copies", Unit::kTime},
                                 {"kernels_ns", "Kernels", Unit::kTime},
                                 {"both_ns", "Both at once", Unit::kTime},
                                 {"idle_ns", "Idle", Unit::kTime}},
                                {}});
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    for (const analysis::DeviceUse& row : analyses[i].device_use) {
      table.add(i,
                {std::int64_t{row.device}, row.span, row.copies, row.kernels, row.both, row.idle});
    }
  }
  return table.take();
}

Table losses_table(Analyses analyses) {
  TableBuilder table(
      analyses, {"losses", "Losses", {{"name", "Name"}, {"count", "Count", Unit::kCount}}, {}});
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    for (const Loss& loss : analyses[i].losses) table.add(i, {loss.name, number(loss.count)});
  }
  return table.take();
}

Table link_table(Analyses analyses) {
  Table table{"link",
              "Model of the link",
              {{"model", "Model"},
               {"bytes_per_second", "Bytes a second", Unit::kBytes},
               {"latency_ns", "Latency", Unit::kTime},
               {"kernel_factor", "Kernels x", Unit::kCount}},
              {}};
  if (const auto& link = analyses.front().link) {
    table.rows.push_back({link->name, std::int64_t{std::llround(link->bytes_per_second)},
                          std::int64_t{link->latency},
                          link->kernels ? Cell(*link->kernels) : Cell()});
  }
  return table;
}

std::vector<Table> all_tables(Analyses analyses, const SourceNames& names, bool opened) {
  std::vector<Table> tables = {traces_table(analyses),
                               totals_table(analyses),
                               activities_table(analyses, names, false),
                               activities_table(analyses, names, true),
                               directives_table(analyses, names, opened),
                               directive_paths_table(analyses),
                               variables_table(analyses, names),
                               iterations_table(analyses, names),
                               findings_table(analyses, names),
                               losses_table(analyses)};
  auto after_activities = tables.begin() + 4;
  for (const Table& table : {device_use_table(analyses), host_waits_table(analyses, names),
                             start_latencies_table(analyses)}) {
    if (!table.rows.empty()) after_activities = tables.insert(after_activities, table) + 1;
  }
  if (analyses.front().link) tables.insert(tables.begin(), link_table(analyses));
  return tables;
}

namespace {

using analysis::ActivityType;

/// Where the host waited if no directive is known: in a call of the runtime's own, or of a program
/// that was recorded without OpenMP.
std::string outside(const analysis::Analysis& one) {
  const bool without_openmp = one.recording.attached_by == "CUDA_INJECTION64_PATH";
  return without_openmp ? "no directive" : "the runtime's own";
}

/// What was requested, for readers: "kernels", "[memcpy HtoD]".
std::string started(ActivityType type) {
  return type == ActivityType::kKernel
             ? "kernels"
             : "[memcpy " + std::string(analysis::activity_type_name(type)) + "]";
}

}  // namespace

Table host_waits_table(Analyses analyses, const SourceNames& names) {
  TableBuilder table(analyses,
                     {"host_waits",
                      "What the host waited for, by what the device did meanwhile",
                      {{"count", "Waits", Unit::kCount},
                       {"total_ns", "Time", Unit::kTime},
                       {.key = "avg_ns", .title = "Avg", .unit = Unit::kTime, .drop_priority = 2},
                       {.key = "max_ns", .title = "Max", .unit = Unit::kTime, .drop_priority = 1},
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
