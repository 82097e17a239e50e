#include "analysis/durations.h"

#include <algorithm>
#include <tuple>

#include "analysis/device_clock.h"
#include "analysis/tables.h"

namespace ompdm::analysis {
namespace {

using ActivityKey = std::tuple<ActivityType, Clock, std::string, std::string, int>;

ActivityKey key_of(const Activity& row) {
  return {row.type, row.clock, row.function, row.file, row.line};
}

std::uint64_t length(Nanoseconds duration) {
  return static_cast<std::uint64_t>(std::max(Nanoseconds{0}, duration));
}

void add_activities(const Trace& trace, const Analysis& analysis, Durations& all) {
  std::map<ActivityKey, Distribution*> rows;
  for (const auto* table : {&analysis.activities, &analysis.api_calls}) {
    for (const Activity& row : *table) rows[key_of(row)] = &all.activities[row.id];
  }
  const auto row_of = [&](const ActivityKey& key) {
    const auto row = rows.find(key);
    return row == rows.end() ? nullptr : row->second;
  };
  const auto row_of_op = [&](const DataOp& op) -> Distribution* {
    const std::optional<ActivityType> type = type_of(op.kind);
    return op.internal || !type ? nullptr : row_of({*type, op.clock, "", "", 0});
  };
  const auto row_of_launch = [&](const Launch& launch) {
    return row_of(key_of(describe_kernel(trace, launch.kernel, launch.site, launch.clock)));
  };
  const auto of_op = trace.ops.of_shapes(row_of_op);
  for (std::size_t i = 0; i < trace.ops.size(); ++i) {
    Distribution* row = of_op[trace.ops.shape_of(i)];
    if (row != nullptr && !trace.ops.common(i).unfinished)
      row->add(length(trace.ops.duration_of(i)));
  }
  const auto of_launch = trace.launches.of_shapes(row_of_launch);
  for (std::size_t i = 0; i < trace.launches.size(); ++i) {
    Distribution* row = of_launch[trace.launches.shape_of(i)];
    if (row == nullptr || trace.launches.common(i).unfinished) continue;
    row->add(length(trace.launches.duration_of(i)));
  }
  for (const OpTally& tally : trace.op_tallies) {
    if (Distribution* row = row_of_op(tally.like)) row->add(tally.times);
  }
  for (const LaunchTally& tally : trace.launch_tallies) {
    if (Distribution* row = row_of_launch(tally.like)) row->add(tally.times);
  }
}

void add_directives(const Trace& trace, const Analysis& analysis, const Picture& picture,
                    Durations& all) {
  std::vector<Distribution*> rows;
  for (const DirectiveRow& row : analysis.directives) rows.push_back(&all.directives[row.id]);
  const auto row_of_region = [&](const Region& region) -> Distribution* {
    if (!region.site || region.ends_data || region.unfinished) return nullptr;
    const std::uint32_t row = picture.directive_of_site[region.site.value];
    return row == Picture::kNone ? nullptr : rows[row];
  };
  for (std::size_t i = 0; i < trace.regions.size(); ++i) {
    Distribution* row = row_of_region(trace.regions.common(i));
    if (row == nullptr) continue;
    row->add(length(trace.regions.duration_of(i) - trace.regions.rare(i).hashing));
  }
  for (const RegionTally& tally : trace.region_tallies) {
    if (Distribution* row = row_of_region(tally.like)) row->add(tally.times);
  }
}

}  // namespace

Durations durations_of(const Trace& trace, const Analysis& analysis, const Picture& picture) {
  Durations all;
  if (!has_device_times(trace)) {
    add_activities(trace, analysis, all);
  } else {
    add_activities(on_device_clock(trace), analysis, all);
  }
  add_directives(trace, analysis, picture, all);
  return all;
}

}  // namespace ompdm::analysis
