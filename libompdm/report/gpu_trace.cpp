#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "analysis/device_clock.h"
#include "ompdm/analysis.h"
#include "ompdm/report.h"
#include "ompdm/trace.h"
#include "report/source_names.h"
#include "report/table.h"
#include "report/units.h"
#include "trace_files/trace_schema.h"

namespace ompdm::report {

namespace {

/// One line of the list.
struct Operation {
  Nanoseconds begin = 0;
  Nanoseconds duration = 0;
  Clock clock = Clock::kHost;
  bool is_kernel = false;
  bool has_bytes = false;
  bool moves = false;  ///< its bytes over its time are a throughput
  std::uint64_t bytes = 0;
  std::uint32_t teams = 0;    ///< requested; 0: unknown or left to the runtime
  std::uint32_t threads = 0;  ///< requested limit; 0: unknown or left to the runtime
  std::int32_t device = -1;
  std::uint32_t tid = 0;
  std::string name;
  std::string directive;
  const DeviceActivity* activity = nullptr;  ///< that did it; null: none is known
  Nanoseconds submitted = 0;                 ///< with an activity: when the host asked for it
};

/// The operations of one trace in order of their begin, by the device's clock where there is one.
class OperationList {
 public:
  /// Both must outlive this.
  OperationList(const Trace& trace, const SourceNames& names);

  /// Calls `take` with each operation and launch.
  template <class Take>
  void for_each(Take take) const {
    std::size_t op = 0;
    std::size_t launch = 0;
    while (op < trace_.ops.size() || launch < trace_.launches.size()) {
      const bool op_is_next =
          launch == trace_.launches.size() ||
          (op < trace_.ops.size() && trace_.ops.begin_of(op) <= trace_.launches.begin_of(launch));
      take(op_is_next ? describe_op(op++) : describe_launch(launch++));
    }
  }

 private:
  [[nodiscard]] Operation describe_op(std::size_t position) const;
  [[nodiscard]] Operation describe_launch(std::size_t position) const;
  void add_activity(std::uint32_t position, Operation& line) const;
  [[nodiscard]] std::string directive_text(const Site& site) const;
  [[nodiscard]] std::string directive_of(Index<Site> site) const;
  [[nodiscard]] Index<Site> region_site(Index<Region> region) const;
  [[nodiscard]] std::uint32_t tid_of(std::uint32_t thread) const;

  Trace converted_;  ///< empty where there is no device clock
  const Trace& trace_;
  const SourceNames& names_;
  std::vector<std::string> directives_;           ///< by site
  std::vector<std::uint32_t> op_activities_;      ///< the first of each operation's
  std::vector<std::uint32_t> launch_activities_;  ///< the first of each launch's
  std::vector<Nanoseconds> submitted_;            ///< by activity
};

constexpr std::uint32_t kNone = Index<DeviceActivity>::kNone;
constexpr std::uint32_t kNoTeams = 0xffffffff;

/// As nvprof has it.
std::string kind_name(OpKind kind) {
  const bool copies = kind == OpKind::kHtoD || kind == OpKind::kDtoH || kind == OpKind::kDtoD;
  const std::string_view name = trace_schema::name_of(trace_schema::kOpCategories, kind);
  return fmt::format("{}{}", copies ? "memcpy " : "", name);
}

Nanoseconds submitted_at(const Trace& trace, const DeviceActivity& activity) {
  if (activity.op) return trace.ops.begin_of(activity.op.value);
  if (activity.launch) return trace.launches.begin_of(activity.launch.value);
  return activity.begin;
}

OperationList::OperationList(const Trace& trace, const SourceNames& names)
    : converted_(trace.activities.empty() ? Trace{} : analysis::on_device_clock(trace)),
      trace_(trace.activities.empty() ? trace : converted_),
      names_(names),
      op_activities_(trace_.ops.size(), kNone),
      launch_activities_(trace_.launches.size(), kNone) {
  for (const Site& site : trace_.sites) directives_.push_back(directive_text(site));
  for (std::uint32_t i = 0; i < trace_.activities.size(); ++i) {
    const DeviceActivity& activity = trace_.activities[i];
    submitted_.push_back(submitted_at(trace, trace.activities[i]));
    if (activity.op && op_activities_[activity.op.value] == kNone) {
      op_activities_[activity.op.value] = i;
    }
    if (activity.launch) launch_activities_[activity.launch.value] = i;
  }
}

void OperationList::add_activity(std::uint32_t position, Operation& line) const {
  if (position == kNone) return;
  line.activity = &trace_.activities[position];
  line.submitted = submitted_[position];
}

Operation OperationList::describe_op(std::size_t position) const {
  const DataOp& op = trace_.ops[position];
  Operation line;
  line.begin = op.begin;
  line.duration = op.end - op.begin;
  line.clock = op.clock;
  line.has_bytes = op.bytes > 0 || op.kind != OpKind::kDelete;
  line.bytes = op.bytes;
  line.moves = op.kind == OpKind::kHtoD || op.kind == OpKind::kDtoH || op.kind == OpKind::kDtoD ||
               op.kind == OpKind::kMemset;
  const bool from_device = op.kind == OpKind::kDtoH || op.kind == OpKind::kDelete;
  line.device = from_device ? op.src_device : op.dst_device;
  line.tid = tid_of(op.thread);
  line.name = fmt::format("[{}{}{}]", op.internal ? "runtime's " : "",
                          op.clock == Clock::kDevice ? "CUDA " : "", kind_name(op.kind));
  if (op.variable) line.name += ' ' + trace_.variables[op.variable.value].name;
  line.directive = directive_of(op.site ? op.site : region_site(op.region));
  add_activity(op_activities_[position], line);
  return line;
}

Operation OperationList::describe_launch(std::size_t position) const {
  const Launch& launch = trace_.launches[position];
  Operation line;
  line.is_kernel = true;
  line.begin = launch.begin;
  line.duration = launch.end - launch.begin;
  line.clock = launch.clock;
  line.teams = launch.num_teams != 0 && launch.num_teams != kNoTeams ? launch.num_teams
                                                                     : launch.requested_teams;
  line.threads = launch.thread_limit;
  line.device = launch.device;
  line.tid = tid_of(launch.thread);
  const Index<Site> site = launch.site ? launch.site : region_site(launch.region);
  analysis::Activity row;
  row.type = analysis::ActivityType::kKernel;
  if (site) {
    row.function = trace_.sites[site.value].function;
    row.file = trace_.sites[site.value].file;
    row.line = trace_.sites[site.value].line;
  }
  if (launch.kernel) {
    const Kernel& kernel = trace_.kernels[launch.kernel.value];
    if (row.function.empty())
      row.function = kernel.function.empty() ? kernel.name : kernel.function;
    if (row.file.empty()) row.file = kernel.file;
    if (row.line == 0) row.line = kernel.line;
  }
  line.name = names_.activity(row);
  line.directive = directive_of(site);
  add_activity(launch_activities_[position], line);
  return line;
}

std::string OperationList::directive_text(const Site& site) const {
  analysis::DirectiveRow row;
  row.directive = site.directive;
  row.file = site.file;
  row.line = site.line;
  row.function = site.function;
  row.api = site.api;
  if (site.module) row.module = trace_.modules[site.module.value].path;
  row.address = site.address;
  return names_.place(row) + ' ' + names_.directive(row);
}
Index<Site> OperationList::region_site(Index<Region> region) const {
  return region ? trace_.regions.common(region.value).site : Index<Site>{};
}
std::string OperationList::directive_of(Index<Site> site) const {
  return site ? directives_[site.value] : std::string("-");
}
std::uint32_t OperationList::tid_of(std::uint32_t thread) const {
  return thread < trace_.threads.size() ? trace_.threads[thread].tid : 0;
}

constexpr const char* kMemoryKinds[] = {"-", "Pageable", "Pinned", "Device", "Array", "Managed"};

/// Which columns the list has.
struct OperationColumns {
  bool trace = false;   ///< several recordings: which one
  bool device = false;  ///< some device told what it did: its shapes, memory and streams
};

std::string shape(std::uint32_t requested) {
  return requested == 0 ? "-" : fmt::format("{}*", requested);
}

std::string shape(const std::array<std::uint32_t, 3>& size) {
  return fmt::format("({} {} {})", size[0], size[1], size[2]);
}

std::string throughput(const Operation& line) {
  if (line.clock == Clock::kEnqueue) return "enqueue";
  return line.moves ? throughput_text(line.bytes, line.duration) : "-";
}

constexpr std::size_t kLeastDirective = 40;

const char* memory_name(MemoryKind kind) { return kMemoryKinds[static_cast<std::size_t>(kind)]; }

/// The cells before the name, as nvprof's --print-gpu-trace has them.
std::vector<std::string> cells_of(const Operation& line, const OperationColumns& columns) {
  const DeviceActivity* activity = line.activity;
  const bool ran = line.is_kernel && activity != nullptr;
  const std::string size = line.has_bytes && !line.is_kernel ? size_text(line.bytes) : "-";
  std::vector<std::string> cells = {time_text(line.begin), time_text(line.duration),
                                    ran ? shape(activity->grid) : shape(line.teams),
                                    ran ? shape(activity->block) : shape(line.threads)};
  if (columns.device) {
    cells.push_back(ran ? fmt::format("{}", activity->registers) : "-");
    cells.push_back(ran ? size_text(activity->static_shared) : "-");
    cells.push_back(ran ? size_text(activity->dynamic_shared) : "-");
  }
  cells.push_back(size);
  cells.push_back(throughput(line));
  if (columns.device) {
    const bool copies = activity != nullptr && !line.is_kernel;
    cells.emplace_back(copies ? memory_name(activity->source) : "-");
    cells.emplace_back(copies ? memory_name(activity->destination) : "-");
  }
  cells.push_back(fmt::format("{}", line.device));
  if (columns.device) {
    cells.push_back(activity != nullptr ? fmt::format("{}", activity->stream) : "-");
  }
  cells.push_back(fmt::format("{}", line.tid));
  return cells;
}

struct Heading {
  const char* title;
  std::size_t width;
  bool device;  ///< only where a device told
};
constexpr Heading kHeadings[] = {
    {"Start", 9, false},       {"Duration", 10, false},  {"Grid Size", 11, false},
    {"Block Size", 12, false}, {"Regs", 6, true},        {"SSMem", 10, true},
    {"DSMem", 10, true},       {"Size", 10, false},      {"Throughput", 12, false},
    {"SrcMemType", 12, true},  {"DstMemType", 12, true}, {"Device", 8, false},
    {"Stream", 8, true},       {"Thread", 10, false}};

std::vector<Heading> headings_of(const OperationColumns& columns) {
  std::vector<Heading> headings;
  for (Heading heading : kHeadings) {
    if (heading.device && !columns.device) continue;
    // "(2147483647 1 1)" has to fit where shapes are known.
    if (columns.device && std::string_view(heading.title).ends_with("Size")) heading.width += 4;
    headings.push_back(heading);
  }
  return headings;
}

/// Columns for the name; a list this wide does not fit every terminal.
std::size_t text_width(const Layout& layout, const OperationColumns& columns) {
  std::size_t name_at = 0;
  for (const Heading& heading : headings_of(columns)) name_at += heading.width;
  constexpr std::size_t kLeast = 28;
  return std::max((layout.width - std::min(layout.width, name_at)) / 2, kLeast + 2) - 2;
}

void text_line(const Operation& line, const OperationColumns& columns, const Layout& layout,
               std::string& out) {
  const std::size_t width = text_width(layout, columns);
  const std::vector<Heading> headings = headings_of(columns);
  const std::vector<std::string> cells = cells_of(line, columns);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    fmt::format_to(std::back_inserter(out), "{:>{}}", cells[i], headings[i].width);
  }
  fmt::format_to(std::back_inserter(out), "  {:<{}}  {}\n", shortened(line.name, width), width,
                 shortened(line.directive, std::max(width, kLeastDirective)));
}

void csv_line(const Operation& line, std::size_t recording, const OperationColumns& columns,
              std::string& out) {
  const Cell trace = columns.trace ? Cell(static_cast<std::int64_t>(recording)) : Cell();
  Table row;
  std::vector<Cell>& cells = row.rows.emplace_back();
  cells = {trace,
           line.begin,
           line.duration,
           std::string(trace_schema::name_of(trace_schema::kClocks, line.clock)),
           std::int64_t{line.teams},
           std::int64_t{line.threads},
           line.has_bytes && !line.is_kernel ? Cell(static_cast<std::int64_t>(line.bytes)) : Cell(),
           std::int64_t{line.device},
           std::int64_t{line.tid},
           line.name,
           line.directive};
  if (columns.device) {
    const DeviceActivity none;
    const DeviceActivity& activity = line.activity != nullptr ? *line.activity : none;
    const auto known = [&](bool here, Cell cell) {
      return here && line.activity != nullptr ? std::move(cell) : Cell();
    };
    cells.push_back(known(true, std::int64_t{line.submitted}));
    for (const auto& size : {activity.grid, activity.block}) {
      cells.push_back(known(line.is_kernel, fmt::format("{}", fmt::join(size, " "))));
    }
    cells.push_back(known(line.is_kernel, std::int64_t{activity.registers}));
    cells.push_back(known(line.is_kernel, std::int64_t{activity.static_shared}));
    cells.push_back(known(line.is_kernel, std::int64_t{activity.dynamic_shared}));
    cells.push_back(known(!line.is_kernel, std::string(memory_name(activity.source))));
    cells.push_back(known(!line.is_kernel, std::string(memory_name(activity.destination))));
    cells.push_back(known(true, std::int64_t{activity.stream}));
  }
  const std::string text = csv(row);  // an empty heading, then the line
  out += text.substr(text.find('\n') + (columns.trace ? 1 : 2));
}

void markdown_line(const Operation& line, const OperationColumns& columns, std::string& out) {
  fmt::format_to(std::back_inserter(out), "| {} | `{}` | {} |\n",
                 fmt::join(cells_of(line, columns), " | "), line.name, line.directive);
}

void add_activity(const Operation& line, nlohmann::ordered_json& json) {
  if (line.activity == nullptr) return;
  const DeviceActivity& activity = *line.activity;
  json["submitted_ns"] = line.submitted;
  json["stream"] = activity.stream;
  json["context"] = activity.context;
  if (line.is_kernel) {
    json["grid"] = activity.grid;
    json["block"] = activity.block;
    json["registers"] = activity.registers;
    json["static_shared_bytes"] = activity.static_shared;
    json["dynamic_shared_bytes"] = activity.dynamic_shared;
  } else {
    json["source_memory"] = memory_name(activity.source);
    json["destination_memory"] = memory_name(activity.destination);
  }
}

void json_line(const Operation& line, std::size_t recording, std::string& out) {
  nlohmann::ordered_json json = {
      {"trace", recording},
      {"start_ns", line.begin},
      {"duration_ns", line.duration},
      {"clock", trace_schema::name_of(trace_schema::kClocks, line.clock)},
      {"requested_teams", line.teams},
      {"requested_threads", line.threads},
      {"bytes", line.is_kernel || !line.has_bytes ? nlohmann::ordered_json()
                                                  : nlohmann::ordered_json(line.bytes)},
      {"device", line.device},
      {"thread", line.tid},
      {"name", line.name},
      {"directive", line.directive}};
  add_activity(line, json);
  out += json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string text_heading(const OperationColumns& columns, const Layout& layout) {
  std::string text;
  for (const Heading& heading : headings_of(columns)) {
    fmt::format_to(std::back_inserter(text), "{:>{}}", heading.title, heading.width);
  }
  return text + fmt::format("  {:<{}}  {}\n", "Name", text_width(layout, columns), "Directive");
}

std::string markdown_heading(const OperationColumns& columns) {
  std::string titles = "|";
  std::string rule = "|";
  for (const Heading& heading : headings_of(columns)) {
    titles += fmt::format(" {} |", heading.title);
    rule += " ---: |";
  }
  return titles + " Name | Directive |\n" + rule + " --- | --- |\n";
}

std::string heading(Format format, const OperationColumns& columns, const Layout& layout) {
  switch (format) {
    case Format::kText:
      return text_heading(columns, layout);
    case Format::kCsv:
      return fmt::format(
          "{}start_ns,duration_ns,clock,requested_teams,requested_threads,bytes,device,thread,name,"
          "directive{}\n",
          columns.trace ? "trace," : "",
          columns.device ? ",submitted_ns,grid,block,registers,static_shared_bytes,"
                           "dynamic_shared_bytes,source_memory,destination_memory,stream"
                         : "");
    case Format::kMarkdown:
      return markdown_heading(columns);
    case Format::kJson:
      break;
  }
  return fmt::format("{{\"schema\": \"{}\", \"operations\": [\n", kGpuTraceSchema);
}

/// Whether "heat.cpp:56 target" is at "heat.cpp:56".
bool is_place(const std::string& directive, const std::string& where) {
  return directive.starts_with(where) &&
         (directive.size() == where.size() || directive[where.size()] == ' ');
}

}  // namespace

void render_gpu_trace(std::span<const Trace> traces, Format format, const Layout& layout,
                      std::ostream& out, const OperationFilter& filter) {
  constexpr std::size_t kFlushAt = 1 << 16;
  const SourceNames names(traces);
  const OperationColumns columns{
      traces.size() > 1,
      std::ranges::any_of(traces, [](const Trace& trace) { return !trace.activities.empty(); })};
  std::string text = format == Format::kText ? std::string() : heading(format, columns, layout);
  bool requested = false;
  bool modelled = false;
  bool first = true;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const OperationList operations(traces[i], names);
    if (format == Format::kText) {
      if (traces.size() > 1) text += fmt::format("{}== {} ==\n", i > 0 ? "\n" : "", traces[i].file);
      text += heading(format, columns, layout);
    }
    operations.for_each([&](const Operation& line) {
      const bool is_at = filter.where.empty() || is_place(line.directive, filter.where);
      if (!is_at || line.begin < filter.from || line.begin > filter.to) return;
      modelled = modelled || line.clock == Clock::kModel;
      requested = requested || (line.activity == nullptr && (line.teams > 0 || line.threads > 0));
      if (format == Format::kText) text_line(line, columns, layout, text);
      if (format == Format::kCsv) csv_line(line, i, columns, text);
      if (format == Format::kMarkdown) markdown_line(line, columns, text);
      if (format == Format::kJson) {
        if (!first) text += ",\n";
        json_line(line, i, text);
      }
      first = false;
      if (text.size() >= kFlushAt) {
        out << text;
        text.clear();
      }
    });
  }
  if (format == Format::kJson) text += "\n]}\n";
  if (requested && (format == Format::kText || format == Format::kMarkdown)) {
    text += "\n* as requested (teams, thread limit): what the device really used is not known\n";
  }
  if (modelled && (format == Format::kText || format == Format::kMarkdown)) {
    text += "\ncopies between devices are timed by a model of a link, not measured\n";
  }
  for (const Trace& trace : traces) {
    const std::string line = unlisted_part(trace);
    if (line.empty() || (format != Format::kText && format != Format::kMarkdown)) continue;
    text += fmt::format("\n{}{}{}\n", traces.size() > 1 ? trace.file : "",
                        traces.size() > 1 ? ": " : "", line);
  }
  out << text;
}

}  // namespace ompdm::report
