#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/api_calls.h"
#include "analysis/function_names.h"
#include "analysis/order.h"
#include "analysis/tables.h"

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

void add_regions(const Trace& trace, DirectiveTable& table) {
  const std::vector<std::uint64_t> mapped = mapped_bytes(trace);
  trace.regions.sum_up([&](const Region& region, std::uint64_t count, Nanoseconds time) {
    DirectiveRow& row = table.rows[row_of(table, region.site)];
    row.time += time;
    if (region.ends_data) return;
    row.count += count;
    if (region.host_fallback) row.fallback_count += count;
    if (region.map_list < mapped.size()) row.mapped_bytes += count * mapped[region.map_list];
  });
  trace.regions.each_rare([&](std::size_t region, const auto& own) {
    table.rows[row_of(table, trace.regions.common(region).site)].time -= own.hashing;
  });
}

bool is_call(const DirectiveRow& row) {
  return row.directive == Directive::kApi || row.directive == Directive::kRuntime;
}

void add_ops(const DataOp& op, std::uint64_t count, Nanoseconds time, DirectiveRow& row) {
  Flow* flow = nullptr;
  switch (op.kind) {
    case OpKind::kHtoD:
      flow = &row.htod;
      break;
    case OpKind::kDtoH:
      flow = &row.dtoh;
      break;
    case OpKind::kDtoD:
      flow = &row.dtod;
      break;
    case OpKind::kAlloc:
      row.alloc_count += count;
      break;
    case OpKind::kMemset:
    case OpKind::kDelete:
    case OpKind::kAssociate:
    case OpKind::kDisassociate:
      break;
  }
  if (flow != nullptr) {
    flow->bytes += count * op.bytes;
    flow->count += count;
    flow->time += time;
    if (op.clock == Clock::kEnqueue) row.timed = false;
  }
  // No region brackets these: the call is the instance, or the operation itself.
  if (is_call(row)) {
    row.count += count;
    row.time += time;
  }
}

/// Several operations of one call were counted each.
void join_calls(const Trace& trace, DirectiveTable& table) {
  ApiCalls calls;
  for (std::size_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp& op = trace.ops.common(i);
    if (op.internal || !calls.goes_on(op.thread, trace.ops.rare(i).call)) continue;
    DirectiveRow& row = table.rows[row_of(table, op.site)];
    if (is_call(row)) --row.count;
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
  add_regions(trace, table);
  trace.ops.sum_up([&](const DataOp& op, std::uint64_t count, Nanoseconds time) {
    if (!op.internal) add_ops(op, count, time, table.rows[row_of(table, op.site)]);
  });
  join_calls(trace, table);
  trace.launches.sum_up([&](const Launch& launch, std::uint64_t count, Nanoseconds time) {
    DirectiveRow& row = table.rows[row_of(table, launch.site)];
    row.kernel_count += count;
    row.kernel_time += time;
    if (launch.clock == Clock::kEnqueue) row.timed = false;
  });
  arrange(table);
  return table;
}

}  // namespace ompdm::analysis
