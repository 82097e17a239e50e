#include "report/tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <set>

#include "report/clauses.h"
#include "report/staging.h"
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
  const Audience arguments = are_inputs(analyses) ? Audience::kAll : Audience::kData;
  const auto itself = [](const Analysis& one) { return std::span(&one, 1); };
  return by_recording(
      analyses, "traces", "Recordings", itself,
      [&](TableRow& row, const Analysis&, const Analysis& one) {
        row.add(data_only("wall_ns"), one.process.wall);
        row.add(reader_only("program_wall_ns", "Wall", Unit::kTime), one.program_wall);
        row.add({"HtoD_bytes", "HtoD"}, moved(one, one.totals.htod.bytes));
        row.add({"DtoH_bytes", "DtoH"}, moved(one, one.totals.dtoh.bytes));
        const analysis::Headline& unions = one.headline;
        row.add({"transfer_union_ns", "Movement"}, timed(one, unions.measured, unions.transfer));
        row.add({"kernel_union_ns", "Kernels"}, timed(one, unions.measured, unions.kernel));
        row.add({"host", "Host"}, one.process.host);
        row.add(data_only("program"), one.process.program);
        row.add({"file", "File"}, one.file);
        row.add({"arguments", "Arguments", Unit::kText, arguments}, arguments_text(one));
      });
}

Table totals_table(Analyses analyses) {
  Table table{"totals",
              "Totals",
              {{"quantity", "What"}, {"count", "Count"}, {"bytes", "Bytes"}, {"time_ns", "Time"}},
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
  return by_recording(
      analyses, api_calls ? "api_calls" : "activities",
      api_calls ? "Allocations and deletes" : "GPU activities",
      api_calls ? &Analysis::api_calls : &Analysis::activities,
      [&](TableRow& row, const Analysis&, const analysis::Activity& of) {
        row.add(data_only("type"), std::string(analysis::activity_type_name(of.type)));
        row.add({"percent", "Time(%)", Unit::kPercent}, of.percent ? Cell(*of.percent) : Cell());
        row.add({"total_ns", "Time"}, of.total);
        row.add({"count", "Calls"}, number(of.count));
        row.add({"avg_ns", "Avg"}, of.average);
        row.add(data_only("med_ns"), of.median);
        row.add({"min_ns", "Min"}, of.minimum);
        row.add({"max_ns", "Max"}, of.maximum);
        row.add(data_only("stddev_ns"), of.deviation);
        row.add(data_only("bytes"), number(of.bytes));
        row.add({"clock", "Clock"}, std::string(trace_schema::word_of(of.clock)));
        row.add({"name", "Name"}, names.activity(of));
      });
}

Table memory_table(Analyses analyses, const SourceNames& names) {
  // A row a holder.
  struct Row {
    std::int32_t device = -1;
    analysis::MemoryHolder holder = {};
    bool is_left = false;
  };
  const auto rows_of = [](const Analysis& one) {
    std::vector<Row> rows;
    for (const analysis::MemoryRow& row : one.memory) {
      for (const analysis::MemoryHolder& holder : row.holders)
        rows.push_back({row.device, holder, false});
      for (const analysis::MemoryHolder& holder : row.left)
        rows.push_back({row.device, holder, true});
    }
    return rows;
  };
  return by_recording(
      analyses, "memory", "Device memory: at its peak, and left", rows_of,
      [&](TableRow& cells, const Analysis&, const Row& row) {
        cells.add({"device", "Device", Unit::kCount}, std::int64_t{row.device});
        cells.add({"when", "When"}, std::string(row.is_left ? "left" : "peak"));
        cells.add({"bytes", "Bytes", Unit::kBytes}, number(row.holder.bytes));
        cells.add({"blocks", "Blocks", Unit::kCount}, number(row.holder.blocks));
        cells.add({"name", "Name"}, row.holder.name);
        cells.add(reader_only("place", "Where"),
                  names.place(row.holder.place.file, row.holder.place.line));
        cells.add(data_only("file"), row.holder.place.file);
        cells.add(data_only("line"), std::int64_t{row.holder.place.line});
        const analysis::SourcePlace& caller = row.holder.caller;
        cells.add(reader_only("caller", "Called at"),
                  caller.file.empty() ? Cell() : Cell(names.place(caller.file, caller.line)));
        cells.add(data_only("caller_file"), row.holder.caller.file);
        cells.add(data_only("caller_line"), std::int64_t{row.holder.caller.line});
      });
}

Table device_use_table(Analyses analyses) {
  return by_recording(analyses, "device_use", "Use of the devices, by their own clock",
                      &Analysis::device_use,
                      [](TableRow& row, const Analysis&, const analysis::DeviceUse& use) {
                        row.add({"device", "Device", Unit::kCount}, std::int64_t{use.device});
                        row.add({"span_ns", "First to last"}, use.span);
                        row.add({"copies_ns", "Copy time"}, use.copies);
                        row.add({"kernels_ns", "Kernel time"}, use.kernels);
                        row.add({"both_ns", "Both at once"}, use.both);
                        row.add({"idle_ns", "Idle"}, use.idle);
                      });
}

Table copy_sizes_table(Analyses analyses) {
  return by_recording(analyses, "copy_sizes", "Copies by size", &Analysis::copy_sizes,
                      [](TableRow& row, const Analysis&, const analysis::CopySizes& sizes) {
                        const auto bytes = [](std::uint64_t value) {
                          return Cell(static_cast<std::int64_t>(value));
                        };
                        row.add({"total_bytes", "Total"}, bytes(sizes.bytes));
                        row.add({"count", "Copies"}, number(sizes.count));
                        row.add({"average_bytes", "Average"},
                                bytes(sizes.bytes / std::max<std::uint64_t>(sizes.count, 1)));
                        row.add({"least_bytes", "Smallest"}, bytes(sizes.least));
                        row.add({"most_bytes", "Largest"}, bytes(sizes.most));
                        row.add({"direction", "Direction"}, sizes.kind == OpKind::kHtoD   ? "HtoD"
                                                            : sizes.kind == OpKind::kDtoH ? "DtoH"
                                                                                          : "DtoD");
                      });
}

Table losses_table(Analyses analyses) {
  return by_recording(analyses, "losses", "Losses", &Analysis::losses,
                      [](TableRow& row, const Analysis&, const Loss& loss) {
                        row.add({"name", "Name"}, loss.name);
                        row.add({"count", "Count"}, number(loss.count));
                      });
}

Table link_table(Analyses analyses) {
  std::vector<analysis::Link> links;
  if (const auto& link = analyses.front().link) links.push_back(*link);
  return table_of("link", "Model of the link", links,
                  [](TableRow& row, const analysis::Link& link) {
                    row.add({"model", "Model"}, link.name);
                    row.add({"bytes_per_second", "Bytes a second", Unit::kBytes},
                            std::int64_t{std::llround(link.bytes_per_second)});
                    row.add({"latency_ns", "Latency"}, link.latency);
                    row.add({"kernel_factor", "Kernels x", Unit::kCount},
                            link.kernels ? Cell(*link.kernels) : Cell());
                  });
}

std::vector<Table> all_tables(Analyses analyses, const SourceNames& names, bool opened) {
  std::vector<Table> tables = {traces_table(analyses),
                               totals_table(analyses),
                               activities_table(analyses, names, false),
                               activities_table(analyses, names, true),
                               directives_table(analyses, names, opened),
                               directive_paths_table(analyses),
                               variables_table(analyses, names),
                               loops_table(analyses, names),
                               mapping_table(analyses, names),
                               findings_table(analyses, names),
                               losses_table(analyses)};
  auto after_activities = tables.begin() + 4;
  for (const Table& table : {memory_table(analyses, names), device_use_table(analyses),
                             host_waits_table(analyses, names), start_latencies_table(analyses),
                             staging_table(analyses, names)}) {
    if (!table.rows.empty()) after_activities = tables.insert(after_activities, table) + 1;
  }
  if (analyses.front().link) tables.insert(tables.begin(), link_table(analyses));
  return tables;
}

Table host_waits_table(Analyses analyses, const SourceNames& names) {
  return by_recording(
      analyses, "host_waits", "Waits of the host, by the device's work", &Analysis::host_waits,
      [&](TableRow& row, const Analysis& one, const analysis::HostWait& wait) {
        row.add({"count", "Waits"}, number(wait.count));
        row.add({"total_ns", "Time"}, wait.total);
        row.add(sparable(2, "avg_ns", "Avg"), wait.average);
        row.add(sparable(1, "max_ns", "Max"), wait.maximum);
        row.add({"kernels_ns", "Kernel time"}, wait.kernels);
        row.add({"copies_ns", "Copy time"}, wait.copies);
        row.add({"neither_ns", "Neither"}, wait.neither);
        const bool is_known = wait.directive != analysis::kNoRow;
        const auto* at = is_known ? &one.directives[wait.directive] : nullptr;
        row.add(reader_only("place", "Where"), is_known ? names.place(*at) : "-");
        row.add(reader_only("what", "Directive"),
                is_known ? SourceNames::directive(*at) : outside(one));
        row.add(data_only("directive"),
                is_known ? Cell(std::string(analysis::directive_name(at->directive))) : Cell());
        row.add(data_only("file"), is_known ? Cell(at->file) : Cell());
        row.add(data_only("line"), is_known ? Cell(std::int64_t{at->line}) : Cell());
      });
}

Table start_latencies_table(Analyses analyses) {
  return by_recording(
      analyses, "start_latencies",
      "From the host's request to its start on the device (queued: behind earlier work of the same "
      "stream)",
      &Analysis::start_latencies,
      [](TableRow& row, const Analysis&, const analysis::StartLatency& latency) {
        row.add({"count", "Requests"}, number(latency.count));
        row.add({"min_ns", "Min"}, latency.minimum);
        row.add({"avg_ns", "Avg"}, latency.average);
        row.add({"max_ns", "Max"}, latency.maximum);
        row.add({"queued_count", "Queued"}, number(latency.queued));
        row.add(reader_only("started", "What"), started(latency.type));
        row.add(data_only("type"), std::string(analysis::activity_type_name(latency.type)));
      });
}

}  // namespace ompdm::report
