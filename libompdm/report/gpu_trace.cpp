#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>

#include "ompdm/analysis.h"
#include "ompdm/report.h"
#include "report/source_names.h"
#include "report/table.h"
#include "report/units.h"

namespace ompdm::report {
namespace {

constexpr const char* kClocks[] = {"host", "device", "enqueue", "model"};
constexpr std::uint32_t kNoTeams = 0xffffffff;

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
};

const char* kind_name(OpKind kind) {
  switch (kind) {
    case OpKind::kAlloc:
      return "alloc";
    case OpKind::kHtoD:
      return "memcpy HtoD";
    case OpKind::kDtoH:
      return "memcpy DtoH";
    case OpKind::kDtoD:
      return "memcpy DtoD";
    case OpKind::kMemset:
      return "memset";
    case OpKind::kDelete:
      return "delete";
    case OpKind::kAssociate:
      return "associate";
    case OpKind::kDisassociate:
      break;
  }
  return "disassociate";
}

class Lister {
 public:
  Lister(const Trace& trace, const SourceNames& names) : trace_(trace), names_(names) {
    for (const Site& site : trace.sites) directives_.push_back(directive_text(site));
  }

  [[nodiscard]] Operation describe(const DataOp& op) const {
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
    line.name = fmt::format("[{}{}]", op.internal ? "runtime's " : "", kind_name(op.kind));
    if (op.variable) line.name += ' ' + trace_.variables[op.variable.value].name;
    line.directive = directive_of(op.site ? op.site : region_site(op.region));
    return line;
  }

  [[nodiscard]] Operation describe(const Launch& launch) const {
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
    return line;
  }

 private:
  [[nodiscard]] std::string directive_text(const Site& site) const {
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
  [[nodiscard]] Index<Site> region_site(Index<Region> region) const {
    return region ? trace_.regions[region.value].site : Index<Site>{};
  }
  [[nodiscard]] std::string directive_of(Index<Site> site) const {
    return site ? directives_[site.value] : std::string("-");
  }
  [[nodiscard]] std::uint32_t tid_of(std::uint32_t thread) const {
    return thread < trace_.threads.size() ? trace_.threads[thread].tid : 0;
  }

  const Trace& trace_;
  const SourceNames& names_;
  std::vector<std::string> directives_;  ///< by site
};

/// Calls `take` with each operation and launch in order of their begin.
template <class Take>
void for_each_operation(const Trace& trace, const Lister& lister, Take take) {
  std::size_t op = 0;
  std::size_t launch = 0;
  while (op < trace.ops.size() || launch < trace.launches.size()) {
    const bool op_is_next =
        launch == trace.launches.size() ||
        (op < trace.ops.size() && trace.ops[op].begin <= trace.launches[launch].begin);
    take(op_is_next ? lister.describe(trace.ops[op++]) : lister.describe(trace.launches[launch++]));
  }
}

std::string shape(std::uint32_t requested) {
  return requested == 0 ? "-" : fmt::format("{}*", requested);
}

std::string throughput(const Operation& line) {
  if (line.clock == Clock::kEnqueue) return "enqueue";
  return line.moves ? throughput_text(line.bytes, line.duration) : "-";
}

constexpr std::size_t kLeastDirective = 40;

/// Columns for the name; a list this wide does not fit every terminal.
std::size_t text_width(const Layout& layout) {
  constexpr std::size_t kNameAt = 9 + 10 + 11 + 12 + 10 + 12 + 8 + 10;
  constexpr std::size_t kLeast = 28;
  return std::max((layout.width - std::min(layout.width, kNameAt)) / 2, kLeast + 2) - 2;
}

void text_line(const Operation& line, const Layout& layout, std::string& out) {
  const std::size_t width = text_width(layout);
  fmt::format_to(
      std::back_inserter(out), "{:>9}{:>10}{:>11}{:>12}{:>10}{:>12}{:>8}{:>10}  {:<{}}  {}\n",
      time_text(line.begin), time_text(line.duration), shape(line.teams), shape(line.threads),
      line.has_bytes && !line.is_kernel ? size_text(line.bytes) : "-", throughput(line),
      line.device, line.tid, shortened(line.name, width), width,
      shortened(line.directive, std::max(width, kLeastDirective)));
}

void csv_line(const Operation& line, std::size_t recording, bool several, std::string& out) {
  const Cell trace = several ? Cell(static_cast<std::int64_t>(recording)) : Cell();
  Table row;
  row.rows.push_back(
      {trace, line.begin, line.duration, std::string(kClocks[static_cast<std::size_t>(line.clock)]),
       std::int64_t{line.teams}, std::int64_t{line.threads},
       line.has_bytes && !line.is_kernel ? Cell(static_cast<std::int64_t>(line.bytes)) : Cell(),
       std::int64_t{line.device}, std::int64_t{line.tid}, line.name, line.directive});
  const std::string text = csv(row);  // an empty heading, then the line
  out += text.substr(text.find('\n') + (several ? 1 : 2));
}

void markdown_line(const Operation& line, std::string& out) {
  fmt::format_to(std::back_inserter(out), "| {} | {} | {} | {} | {} | {} | {} | {} | `{}` | {} |\n",
                 time_text(line.begin), time_text(line.duration), shape(line.teams),
                 shape(line.threads),
                 line.has_bytes && !line.is_kernel ? size_text(line.bytes) : "-", throughput(line),
                 line.device, line.tid, line.name, line.directive);
}

void json_line(const Operation& line, std::size_t recording, std::string& out) {
  const nlohmann::ordered_json json = {
      {"trace", recording},
      {"start_ns", line.begin},
      {"duration_ns", line.duration},
      {"clock", kClocks[static_cast<std::size_t>(line.clock)]},
      {"requested_teams", line.teams},
      {"requested_threads", line.threads},
      {"bytes", line.is_kernel || !line.has_bytes ? nlohmann::ordered_json()
                                                  : nlohmann::ordered_json(line.bytes)},
      {"device", line.device},
      {"thread", line.tid},
      {"name", line.name},
      {"directive", line.directive}};
  out += json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string heading(Format format, bool several, const Layout& layout) {
  switch (format) {
    case Format::kText:
      return fmt::format("{:>9}{:>10}{:>11}{:>12}{:>10}{:>12}{:>8}{:>10}  {:<{}}  {}\n", "Start",
                         "Duration", "Grid Size", "Block Size", "Size", "Throughput", "Device",
                         "Thread", "Name", text_width(layout), "Directive");
    case Format::kCsv:
      return fmt::format(
          "{}start_ns,duration_ns,clock,requested_teams,requested_threads,bytes,device,thread,name,"
          "directive\n",
          several ? "trace," : "");
    case Format::kMarkdown:
      return "| Start | Duration | Grid Size | Block Size | Size | Throughput | Device | Thread | "
             "Name | "
             "Directive |\n| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |\n";
    case Format::kJson:
      break;
  }
  return fmt::format("{{\"schema\": \"{}\", \"operations\": [\n", kGpuTraceSchema);
}

}  // namespace

void render_gpu_trace(std::span<const Trace> traces, Format format, const Layout& layout,
                      std::ostream& out) {
  constexpr std::size_t kFlushAt = 1 << 16;
  const SourceNames names(traces);
  std::string text =
      format == Format::kText ? std::string() : heading(format, traces.size() > 1, layout);
  bool requested = false;
  bool modelled = false;
  bool first = true;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const Lister lister(traces[i], names);
    if (format == Format::kText) {
      if (traces.size() > 1) text += fmt::format("{}== {} ==\n", i > 0 ? "\n" : "", traces[i].file);
      text += heading(format, false, layout);
    }
    for_each_operation(traces[i], lister, [&](const Operation& line) {
      modelled = modelled || line.clock == Clock::kModel;
      requested = requested || line.teams > 0 || line.threads > 0;
      if (format == Format::kText) text_line(line, layout, text);
      if (format == Format::kCsv) csv_line(line, i, traces.size() > 1, text);
      if (format == Format::kMarkdown) markdown_line(line, text);
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
  out << text;
}

}  // namespace ompdm::report
