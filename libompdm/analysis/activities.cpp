#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "analysis/order.h"
#include "analysis/tables.h"

namespace ompdm::analysis {
namespace {

/// An activity row with the durations it is to be computed from.
struct Group {
  Activity row;
  std::vector<Nanoseconds> durations;
  std::vector<Nanoseconds> unfinished;  ///< lower bounds: told of only where nothing else is known

  void add(bool ended, Nanoseconds duration) {
    (ended ? durations : unfinished).push_back(duration);
  }
};

std::vector<Group> group_ops(const Trace& trace, bool api_calls) {
  constexpr std::size_t kTypes = 7;
  constexpr std::size_t kClocks = 4;
  std::vector<Group> groups(kTypes * kClocks);
  for (const DataOp& op : trace.ops) {
    const std::optional<ActivityType> type = type_of(op.kind);
    if (op.internal || !type) continue;
    if ((*type == ActivityType::kAlloc || *type == ActivityType::kDelete) != api_calls) continue;
    Group& group =
        groups[static_cast<std::size_t>(*type) * kClocks + static_cast<std::size_t>(op.clock)];
    group.row.type = *type;
    group.row.clock = op.clock;
    group.row.bytes += op.bytes;
    group.add(!op.unfinished, op.end - op.begin);
  }
  std::erase_if(groups, [](const Group& group) {
    return group.durations.empty() && group.unfinished.empty();
  });
  return groups;
}

/// What a kernel is called: the region's own source line before what the entry's name tells.
Activity describe_kernel(const Trace& trace, Index<Kernel> kernel, Index<Site> site, Clock clock) {
  Activity row;
  row.type = ActivityType::kKernel;
  row.clock = clock;
  if (site) {
    const Site& source = trace.sites[site.value];
    row.function = source.function;
    row.file = source.file;
    row.line = source.line;
  }
  if (kernel) {
    const Kernel& entry = trace.kernels[kernel.value];
    if (row.function.empty()) row.function = entry.function;
    if (row.function.empty()) row.function = entry.name;
    if (row.file.empty()) row.file = entry.file;
    if (row.line == 0) row.line = entry.line;
  }
  return row;
}

std::vector<Group> group_launches(const Trace& trace) {
  std::vector<Group> groups;
  std::map<std::tuple<std::string, std::string, int, Clock>, std::size_t> by_name;
  std::map<std::tuple<Index<Kernel>, Index<Site>, Clock>, std::size_t> by_origin;
  for (const Launch& launch : trace.launches) {
    const Index<Site> site = site_of(trace, launch);
    const auto [known, is_new] =
        by_origin.try_emplace(std::tuple(launch.kernel, site, launch.clock), groups.size());
    if (is_new) {
      Activity row = describe_kernel(trace, launch.kernel, site, launch.clock);
      const auto [same, first] = by_name.try_emplace(
          std::tuple(row.function, row.file, row.line, row.clock), groups.size());
      known->second = same->second;
      if (first) groups.push_back({std::move(row), {}, {}});
    }
    groups[known->second].add(!launch.unfinished, launch.end - launch.begin);
  }
  return groups;
}

Activity summarize(Group group) {
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

std::optional<ActivityType> type_of(OpKind kind) {
  switch (kind) {
    case OpKind::kAlloc:
      return ActivityType::kAlloc;
    case OpKind::kHtoD:
      return ActivityType::kHtoD;
    case OpKind::kDtoH:
      return ActivityType::kDtoH;
    case OpKind::kDtoD:
      return ActivityType::kDtoD;
    case OpKind::kMemset:
      return ActivityType::kMemset;
    case OpKind::kDelete:
      return ActivityType::kDelete;
    case OpKind::kAssociate:
    case OpKind::kDisassociate:
      break;
  }
  return std::nullopt;
}

std::vector<Activity> activities_of(const Trace& trace, bool api_calls) {
  std::vector<Group> groups = group_ops(trace, api_calls);
  if (!api_calls) std::ranges::move(group_launches(trace), std::back_inserter(groups));
  std::vector<Activity> rows;
  rows.reserve(groups.size());
  Nanoseconds listed = 0;
  for (Group& group : groups) {
    rows.push_back(summarize(std::move(group)));
    if (rows.back().clock != Clock::kEnqueue) listed += rows.back().total;
  }
  for (Activity& row : rows) {
    if (row.clock == Clock::kEnqueue) continue;
    row.percent =
        listed > 0 ? 100.0 * static_cast<double>(row.total) / static_cast<double>(listed) : 0.0;
  }
  sort_rows(rows, std::mem_fn(&Activity::total), std::greater<>{});
  return rows;
}

}  // namespace ompdm::analysis
