#include "analysis/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <set>
#include <tuple>

#include "analysis/names.h"
#include "analysis/order.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ompdm::analysis {

Totals totals_of(const Trace& trace) {
  Totals totals;
  sum_up_ops(trace, [&](const DataOp& op, const Flow& moved) {
    Flow Totals::* total = op.internal ? &Totals::runtime_internal : described(op.kind).total;
    if (total != nullptr) add(totals.*total, moved);
  });
  sum_up(trace.launches, [&](const Launch& /*launch*/, std::uint64_t count, Nanoseconds time) {
    add(totals.kernel, {0, count, time});
  });
  sum_up(trace.regions, [&](const Region& region, std::uint64_t count, Nanoseconds time) {
    add(totals.region, {0, region.ends_data ? 0U : count, time});
  });
  trace.regions.each_rare(
      [&](std::size_t /*region*/, const auto& own) { totals.region.time -= own.hashing; });
  for (const LaunchAggregate& aggregate : trace.launch_aggregates) {
    add(totals.kernel, {0, aggregate.times.count, sum_of(aggregate.times)});
  }
  for (const RegionAggregate& aggregate : trace.region_aggregates) {
    add(totals.region,
        {0, aggregate.like.ends_data ? 0U : aggregate.times.count, sum_of(aggregate.times)});
  }
  return totals;
}

std::vector<CopySizes> copy_sizes_of(const Trace& trace) {
  std::vector<CopySizes> all = {{OpKind::kHtoD}, {OpKind::kDtoH}, {OpKind::kDtoD}};
  const auto add_sizes = [&](const DataOp& op, std::uint64_t count, std::uint64_t bytes,
                             std::uint64_t least, std::uint64_t most) {
    for (CopySizes& one : all) {
      if (one.kind != op.kind || op.internal || count == 0) continue;
      one.least = one.count == 0 ? least : std::min(one.least, least);
      one.most = std::max(one.most, most);
      one.count += count;
      one.bytes += bytes;
    }
  };
  sum_up(trace.ops, [&](const DataOp& op, std::uint64_t count, Nanoseconds /*time*/) {
    add_sizes(op, count, count * op.bytes, op.bytes, op.bytes);
  });
  for (const OpAggregate& one : trace.op_aggregates) {
    add_sizes(one.like, one.times.count, one.bytes, one.least_bytes, one.most_bytes);
  }
  std::erase_if(all, [](const CopySizes& one) { return one.count == 0; });
  return all;
}

Nanoseconds program_wall_of(const Trace& trace) {
  std::set<std::uint32_t> threads;
  trace.ops.each_rare([&](std::size_t op, const auto& content) {
    if (content.hash != 0 || content.fingerprint != 0) threads.insert(trace.ops.common(op).thread);
  });
  if (threads.empty()) return trace.process.wall;
  return trace.process.wall - trace.recording.hashing_ns / static_cast<Nanoseconds>(threads.size());
}

void add(Totals& sum, const Totals& other) {
  for (Flow Totals::* flow :
       {&Totals::htod, &Totals::dtoh, &Totals::dtod, &Totals::memset, &Totals::alloc,
        &Totals::remove, &Totals::kernel, &Totals::region, &Totals::runtime_internal}) {
    add(sum.*flow, other.*flow);
  }
}

void add(IterationCost& sum, const IterationCost& cost) {
  sum.htod_bytes += cost.htod_bytes;
  sum.dtoh_bytes += cost.dtoh_bytes;
  sum.transfer += cost.transfer;
  sum.kernel += cost.kernel;
  sum.wall += cost.wall;
  sum.hashing += cost.hashing;
  sum.allocations += cost.allocations;
}

std::vector<VariableRow> variables_of(const Trace& trace) {
  std::vector<VariableRow> rows;
  rows.reserve(trace.variables.size());
  RowIds ids;
  for (const Variable& variable : trace.variables) {
    VariableRow row;
    row.piece = {static_cast<std::uint32_t>(rows.size())};
    row.name = variable.name;
    row.expression = variable.expression;
    row.file = variable.file;
    row.line = variable.line;
    row.address = variable.address;
    row.bytes = variable.bytes;
    row.least_bytes = variable.least_bytes;
    row.pieces = variable.pieces;
    row.aliases = variable.aliases;
    row.id = ids.of(fmt::format("variable\n{}\n{}\n{}", row.name, last_name(row.file), row.line));
    rows.push_back(std::move(row));
  }
  sum_up_ops(trace, [&](const DataOp& op, const Flow& moved) {
    if (op.internal || !op.variable) return;
    if (op.kind != OpKind::kHtoD && op.kind != OpKind::kDtoH) return;
    VariableRow& row = rows[op.variable.value];
    add(op.kind == OpKind::kHtoD ? row.htod : row.dtoh, moved);
    if (op.clock == Clock::kEnqueue) row.timed = false;
  });
  const auto weight = [](const VariableRow& row) {
    return std::pair(row.htod.bytes + row.dtoh.bytes, row.bytes);
  };
  sort_rows(rows, weight, std::greater<>{});
  return rows;
}

namespace {

/// An activity row with the durations of its operations.
struct ActivityGroup {
  Activity row;
  std::vector<Nanoseconds> durations = {};
  std::vector<Nanoseconds> unfinished = {};  ///< lower bounds: used only if no others are known
  Distribution counted = {};                 ///< of operations that are aggregated
};

/// Adds rows and aggregates to the groups that `group_of` gives; null: to none.
template <class Row, class Aggregate, class GroupOf>
void fill(const DedupColumn<Row>& rows, const std::vector<Aggregate>& aggregates,
          GroupOf group_of) {
  const auto of_shape = rows.of_shapes(group_of);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ActivityGroup* group = of_shape[rows.shape_of(i)];
    if (group == nullptr) continue;
    const Row& shape = rows.common(i);
    (shape.unfinished ? group->unfinished : group->durations).push_back(rows.duration_of(i));
    if constexpr (requires { shape.bytes; }) group->row.bytes += shape.bytes;
  }
  for (const Aggregate& aggregate : aggregates) {
    ActivityGroup* group = group_of(aggregate.like);
    if (group == nullptr) continue;
    group->counted.add(aggregate.times);
    if constexpr (requires { aggregate.bytes; }) group->row.bytes += aggregate.bytes;
  }
}

/// The type, function, place and clock of a kernel's row. The region's own source line comes before
/// the one in the entry's name.
Activity describe_kernel(const Trace& trace, const Launch& launch) {
  Activity row;
  row.type = ActivityType::kKernel;
  row.clock = launch.clock;
  if (launch.site) {
    const Site& source = trace.sites[launch.site.value];
    row.function = source.function;
    row.file = source.file;
    row.line = source.line;
  }
  if (launch.kernel) {
    const Kernel& entry = trace.kernels[launch.kernel.value];
    if (row.function.empty()) row.function = entry.function;
    if (row.function.empty()) row.function = entry.name;
    if (row.file.empty()) row.file = entry.file;
    if (row.line == 0) row.line = entry.line;
  }
  return row;
}

/// By type and clock; then the kernels, in the order of their first launch.
std::deque<ActivityGroup> groups_of(const Trace& trace, bool api_calls) {
  std::map<std::pair<ActivityType, Clock>, ActivityGroup> by_type;
  fill(trace.ops, trace.op_aggregates, [&](const DataOp& op) -> ActivityGroup* {
    const std::optional<ActivityType> type = described(op.kind).type;
    if (op.internal || !type) return nullptr;
    const bool is_api_call = *type == ActivityType::kAlloc || *type == ActivityType::kDelete;
    if (is_api_call != api_calls) return nullptr;
    ActivityGroup& group = by_type[{*type, op.clock}];
    group.row.type = *type;
    group.row.clock = op.clock;
    return &group;
  });
  std::deque<ActivityGroup> groups;
  for (auto& [type, group] : by_type) groups.push_back(std::move(group));
  std::map<std::tuple<std::string, std::string, int, Clock>, ActivityGroup*> by_name;
  const auto group_of = [&](const Launch& launch) {
    Activity row = describe_kernel(trace, launch);
    const std::tuple name(row.function, row.file, row.line, row.clock);
    const auto [known, is_new] = by_name.try_emplace(name);
    if (is_new) known->second = &groups.emplace_back(ActivityGroup{std::move(row)});
    return known->second;
  };
  if (!api_calls) fill(trace.launches, trace.launch_aggregates, group_of);
  std::erase_if(groups, [](const ActivityGroup& group) {
    return group.durations.empty() && group.unfinished.empty() && group.counted.count == 0;
  });
  RowIds ids;
  for (ActivityGroup& group : groups) {
    const Activity& row = group.row;
    group.row.id = ids.of(fmt::format("activity\n{}\n{}\n{}\n{}\n{}", activity_type_name(row.type),
                                      static_cast<int>(row.clock), row.function,
                                      last_name(row.file), row.line));
  }
  return groups;
}

void add_up(const std::vector<Nanoseconds>& durations, Distribution& all) {
  for (const Nanoseconds duration : durations) {
    all.add(static_cast<std::uint64_t>(std::max(duration, Nanoseconds{0})));
  }
}

/// The row of a group with aggregates: median and deviation are the histogram's.
Activity summarize_counted(ActivityGroup group) {
  Activity row = std::move(group.row);
  Distribution& all = group.counted;
  row.count = all.count + group.durations.size() + group.unfinished.size();
  add_up(group.durations, all);
  row.total = sum_of(all);
  row.minimum = static_cast<Nanoseconds>(all.least);
  row.maximum = static_cast<Nanoseconds>(all.most);
  row.average = std::llround(all.mean());
  row.median = static_cast<Nanoseconds>(all.median());
  const auto count = static_cast<double>(all.count);
  // Of the sample: n - 1.
  if (all.count > 1) {
    row.deviation = std::llround(all.deviation() * std::sqrt(count / (count - 1)));
  }
  return row;
}

Activity summarize(ActivityGroup group) {
  if (group.counted.count != 0) return summarize_counted(std::move(group));
  Activity row = std::move(group.row);
  row.count = group.durations.size() + group.unfinished.size();
  std::vector<Nanoseconds>& durations =
      group.durations.empty() ? group.unfinished : group.durations;
  const std::size_t count = durations.size();
  for (const Nanoseconds duration : durations) row.total += duration;
  const auto [least, most] = std::minmax_element(durations.begin(), durations.end());
  row.minimum = *least;
  row.maximum = *most;
  const double mean = static_cast<double>(row.total) / static_cast<double>(count);
  row.average = std::llround(mean);
  double squares = 0;
  for (const Nanoseconds duration : durations) {
    const double distance = static_cast<double>(duration) - mean;
    squares += distance * distance;
  }
  if (count > 1) row.deviation = std::llround(std::sqrt(squares / static_cast<double>(count - 1)));

  const auto middle = durations.begin() + static_cast<std::ptrdiff_t>(count / 2);
  std::nth_element(durations.begin(), middle, durations.end());
  row.median = *middle;
  if (count % 2 == 0) {
    row.median = (row.median + *std::max_element(durations.begin(), middle)) / 2;
  }
  return row;
}

}  // namespace

std::vector<Activity> activities_of(const Trace& trace, bool api_calls) {
  std::vector<Activity> rows;
  Nanoseconds listed = 0;
  for (ActivityGroup& group : groups_of(trace, api_calls)) {
    rows.push_back(summarize(std::move(group)));
    if (rows.back().clock != Clock::kEnqueue) listed += rows.back().total;
  }
  for (Activity& row : rows) {
    if (row.clock == Clock::kEnqueue) continue;
    row.percent =
        listed > 0 ? 100.0 * static_cast<double>(row.total) / static_cast<double>(listed) : 0.0;
  }
  sort_rows(rows, &Activity::total, std::greater<>{});
  return rows;
}

void add_activities(const Trace& trace, std::map<std::string, Distribution>& durations) {
  for (const bool api_calls : {false, true}) {
    for (const ActivityGroup& group : groups_of(trace, api_calls)) {
      Distribution& all = durations[group.row.id];
      add_up(group.durations, all);
      all.add(group.counted);
    }
  }
}

std::string row_id(std::string_view what) {
  return fmt::format("{:016x}", XXH3_64bits(what.data(), what.size()));
}

std::string RowIds::of(const std::string& what) {
  const std::uint64_t number = known_[what]++;
  return row_id(number == 0 ? what : fmt::format("{}\n{}", what, number));
}

void identify(std::vector<DirectiveRow>& rows) {
  RowIds ids;
  for (DirectiveRow& row : rows) {
    std::string what =
        fmt::format("directive\n{}\n{}\n{}\n{}\n{}\n{}", directive_name(row.directive),
                    last_name(row.file), row.line, row.column, row.function, row.api);
    if (row.line == 0) what += fmt::format("\n{}\n{:x}", last_name(row.module), row.address);
    row.id = ids.of(what);
    RowIds path_ids;
    for (DirectivePath& path : row.paths) {
      std::string frames = "path\n" + row.id;
      for (const Frame& frame : path.frames) {
        frames += fmt::format("\n{}\n{}\n{}\n{}", frame.function, last_name(frame.file), frame.line,
                              frame.column);
      }
      path.id = path_ids.of(frames);
    }
  }
}

void identify(std::vector<LoopRow>& rows, const std::vector<DirectiveRow>& directives) {
  RowIds ids;
  for (LoopRow& row : rows) {
    std::string what = fmt::format("loop\n{}\n{}\n{}\n{}\n{}", row.from_code, row.unrolled,
                                   last_name(row.file), row.line + row.inside, row.function);
    if (row.line + row.inside == 0) {
      for (const std::size_t directive : row.directives) what += '\n' + directives[directive].id;
    }
    row.id = ids.of(what);
  }
}

}  // namespace ompdm::analysis
