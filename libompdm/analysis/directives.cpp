#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/api_calls.h"
#include "analysis/directive_paths.h"
#include "analysis/function_names.h"
#include "analysis/order.h"
#include "analysis/row_ids.h"
#include "analysis/tables.h"
#include "ompdm/run_sums.h"

namespace ompdm::analysis {
namespace {

/// Equal keys are one row. Instances of a template stand at one place; without a line only the
/// address tells two directives of a function apart.
using SourceKey = std::tuple<Directive, std::string, int, int, std::string, std::string,
                             std::uint32_t, std::uint64_t>;

SourceKey key_of(const Site& site) {
  const bool has_line = !site.file.empty() && site.line > 0;
  return {site.directive,
          site.file,
          site.line,
          site.column,
          has_line ? plain_name(site.function) : site.function,
          site.api,
          has_line ? Index<Module>::kNone : site.module.value,
          has_line ? 0 : site.address};
}

DirectiveRow describe(const Trace& trace, const Site& site) {
  DirectiveRow row;
  row.directive = site.directive;
  row.file = site.file;
  row.line = site.line;
  row.column = site.column;
  row.api = site.api;
  if (site.module) row.module = trace.modules[site.module.value].path;
  row.address = site.address;
  return row;
}

/// Rows that stand for every site, in the order of sites, and a last one for what has no site.
DirectiveTable empty_table(const Trace& trace) {
  DirectiveTable table;
  std::map<SourceKey, std::uint32_t> rows;
  std::vector<std::vector<std::string>> functions;  // of each row's sites
  for (const Site& site : trace.sites) {
    const auto next = static_cast<std::uint32_t>(table.rows.size());
    const auto [row, is_new] = rows.try_emplace(key_of(site), next);
    if (is_new) table.rows.push_back(describe(trace, site));
    table.row_of_site.push_back(row->second);
    if (is_new) functions.emplace_back();
    functions[row->second].push_back(site.function);
  }
  for (std::size_t i = 0; i < functions.size(); ++i) {
    table.rows[i].function = common_function(functions[i]);
  }
  table.no_site = static_cast<std::uint32_t>(table.rows.size());
  table.rows.emplace_back();
  return table;
}

std::vector<std::uint64_t> mapped_bytes(const Trace& trace) {
  constexpr std::uint64_t kPrivate = 0x80;
  constexpr std::uint64_t kLiteral = 0x100;
  std::vector<std::uint64_t> sums;
  for (const std::vector<MapItem>& items : trace.map_lists) {
    std::uint64_t sum = 0;
    for (const MapItem& item : items) {
      if ((item.type & (kPrivate | kLiteral)) == 0) sum += item.bytes;
    }
    sums.push_back(sum);
  }
  return sums;
}

void add_regions(const Trace& trace, const DirectiveTable& table, DirectivePaths& sums) {
  const std::vector<std::uint64_t> mapped = mapped_bytes(trace);
  const auto add = [&](const Region& region, std::uint64_t count, Nanoseconds time) {
    DirectiveFigures& sum = sums.at(row_of(table, region.site), region.path);
    sum.time += time;
    if (region.ends_data) return;
    sum.count += count;
    if (region.host_fallback) sum.fallback_count += count;
    if (region.map_list < mapped.size()) sum.mapped_bytes += count * mapped[region.map_list];
  };
  sum_up(trace.regions, add);
  trace.regions.each_rare([&](std::size_t at, const auto& own) {
    const Region& region = trace.regions.common(at);
    sums.at(row_of(table, region.site), region.path).time -= own.hashing;
  });
  for (const RegionTally& tally : trace.region_tallies) {
    add(tally.like, tally.times.count, sum_of(tally.times));
  }
}

/// By which calls the program came to an operation or launch: its region's, or its own.
Index<CallPath> path_of(const Trace& trace, Index<Region> region, Index<CallPath> own) {
  return region ? trace.regions.common(region.value).path : own;
}

/// No region brackets the operations of such a row: they are instances themselves, or parts of one.
bool is_call(const DirectiveRow& row) {
  return row.directive == Directive::kApi || row.directive == Directive::kRuntime;
}

void add_ops(const DataOp& op, const Flow& moved, DirectiveFigures& sum) {
  Flow* flow = nullptr;
  switch (op.kind) {
    case OpKind::kHtoD:
      flow = &sum.htod;
      break;
    case OpKind::kDtoH:
      flow = &sum.dtoh;
      break;
    case OpKind::kDtoD:
      flow = &sum.dtod;
      break;
    case OpKind::kAlloc:
      sum.alloc_count += moved.count;
      break;
    case OpKind::kMemset:
    case OpKind::kDelete:
    case OpKind::kAssociate:
    case OpKind::kDisassociate:
      break;
  }
  if (flow != nullptr) {
    flow->bytes += moved.bytes;
    flow->count += moved.count;
    flow->time += moved.time;
    if (op.clock == Clock::kEnqueue) sum.timed = false;
  }
}

void add_ops(const Trace& trace, const DirectiveTable& table, DirectivePaths& sums) {
  const auto path = [&](std::size_t op) {
    return path_of(trace, trace.ops.region_of(op), trace.ops.common(op).path);
  };
  const auto add = [&](const DataOp& op, Index<CallPath> by, std::uint64_t count,
                       Nanoseconds time) {
    if (op.internal) return;
    const std::uint32_t row = row_of(table, op.site);
    DirectiveFigures& sum = sums.at(row, by);
    add_ops(op, {count * op.bytes, count, time}, sum);
    if (!is_call(table.rows[row])) return;
    sum.count += count;
    sum.time += time;
  };
  sum_up(trace.ops, path, add);
  // Several operations of one call were counted each.
  ApiCalls calls;
  for (std::size_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp& op = trace.ops.common(i);
    if (op.internal || !calls.goes_on(op.thread, trace.ops.rare(i).call)) continue;
    const std::uint32_t row = row_of(table, op.site);
    if (is_call(table.rows[row])) --sums.at(row, path(i)).count;
  }
  for (const OpTally& tally : trace.op_tallies) {
    if (tally.like.internal) continue;
    const std::uint32_t row = row_of(table, tally.like.site);
    DirectiveFigures& sum = sums.at(row, tally.like.path);
    add_ops(tally.like, {tally.bytes, tally.times.count, sum_of(tally.times)}, sum);
    if (!is_call(table.rows[row])) continue;
    // Of an API call that is told in part no call is counted; without a site all are of none.
    const bool has_calls = tally.calls != 0 || table.rows[row].directive == Directive::kApi;
    sum.count += has_calls ? tally.calls : tally.times.count;
    sum.time += sum_of(tally.times);
  }
}

void add_launches(const Trace& trace, const DirectiveTable& table, DirectivePaths& sums) {
  const auto path = [&](std::size_t launch) {
    return path_of(trace, trace.launches.region_of(launch), {});
  };
  const auto add = [&](const Launch& launch, Index<CallPath> by, std::uint64_t count,
                       Nanoseconds time) {
    DirectiveFigures& sum = sums.at(row_of(table, launch.site), by);
    sum.kernel_count += count;
    sum.kernel_time += time;
    if (launch.clock == Clock::kEnqueue) sum.timed = false;
  };
  sum_up(trace.launches, path, add);
  for (const LaunchTally& tally : trace.launch_tallies) {
    add(tally.like, tally.path, tally.times.count, sum_of(tally.times));
  }
}

/// Drops what was never executed and puts the heaviest row first.
void arrange(DirectiveTable& table) {
  const auto weight = [](const DirectiveRow& row) {
    return std::pair(row.htod.bytes + row.dtoh.bytes + row.dtod.bytes, row.time);
  };

  std::vector<std::uint32_t> moved_to(table.rows.size(), kNoDirective);
  std::vector<DirectiveRow> rows;
  for (const std::size_t from : stable_order(table.rows, weight, std::greater<>{})) {
    if (table.rows[from].count == 0) continue;
    moved_to[from] = static_cast<std::uint32_t>(rows.size());
    rows.push_back(std::move(table.rows[from]));
  }
  table.rows = std::move(rows);
  for (std::uint32_t& row : table.row_of_site) row = moved_to[row];
  table.no_site = moved_to[table.no_site];
}

}  // namespace

std::uint32_t row_of(const DirectiveTable& table, Index<Site> site) {
  return site ? table.row_of_site[site.value] : table.no_site;
}

DirectiveTable directives_of(const Trace& trace) {
  DirectiveTable table = empty_table(trace);
  DirectivePaths sums(trace);
  add_regions(trace, table, sums);
  add_ops(trace, table, sums);
  add_launches(trace, table, sums);
  sums.give_to(table.rows);
  identify(table.rows);
  arrange(table);
  return table;
}

}  // namespace ompdm::analysis
