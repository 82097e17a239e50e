#include "report/operation_list.h"

#include <fmt/format.h>

#include "analysis/device_clock.h"
#include "ompdm/analysis.h"
#include "trace/trace_schema.h"

namespace ompdm::report {
namespace {

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

}  // namespace

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

}  // namespace ompdm::report
