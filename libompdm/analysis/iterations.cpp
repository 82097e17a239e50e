#include <algorithm>
#include <cmath>
#include <functional>

#include "analysis/order.h"
#include "analysis/repeats.h"
#include "analysis/tables.h"

namespace ompdm::analysis {
namespace {

/// What each region cost, by position in Trace::regions.
std::vector<PassCost> region_costs(const Trace& trace) {
  std::vector<PassCost> costs(trace.regions.size());
  for (const DataOp& op : trace.ops) {
    if (op.internal || !op.region || !is_transfer(op.kind)) continue;
    PassCost& cost = costs[op.region.value];
    if (op.kind == OpKind::kHtoD) cost.htod_bytes += op.bytes;
    if (op.kind == OpKind::kDtoH) cost.dtoh_bytes += op.bytes;
    cost.transfer += op.end - op.begin;
  }
  for (const Launch& launch : trace.launches) {
    if (launch.region) costs[launch.region.value].kernel += launch.end - launch.begin;
  }
  return costs;
}

/// Begin and end of a `target data` share a row but are not the same step.
std::uint32_t symbol_of(std::uint32_t row, bool ends_data) { return 2 * row + (ends_data ? 1 : 0); }

std::vector<std::vector<Step>> steps_by_thread(const Trace& trace,
                                               const DirectiveTable& directives) {
  std::vector<std::vector<Step>> threads;
  const auto steps_of = [&](std::uint32_t thread) -> std::vector<Step>& {
    if (threads.size() <= thread) threads.resize(thread + 1);
    return threads[thread];
  };
  const std::vector<PassCost> costs = region_costs(trace);
  for (std::size_t i = 0; i < trace.regions.size(); ++i) {
    const Region& region = trace.regions[i];
    const std::uint32_t row = row_of(directives, region.site);
    if (row == kNoDirective) continue;
    steps_of(region.thread)
        .push_back({symbol_of(row, region.ends_data), region.begin, region.end, costs[i]});
  }
  bool api = false;
  for (const DataOp& op : trace.ops) {
    if (op.internal || op.region || !op.site || !is_transfer(op.kind)) continue;
    const std::uint32_t row = row_of(directives, op.site);
    if (row == kNoDirective || directives.rows[row].directive != Directive::kApi) continue;
    PassCost cost;
    if (op.kind == OpKind::kHtoD) cost.htod_bytes = op.bytes;
    if (op.kind == OpKind::kDtoH) cost.dtoh_bytes = op.bytes;
    cost.transfer = op.end - op.begin;
    steps_of(op.thread).push_back({symbol_of(row, false), op.begin, op.end, cost});
    api = true;
  }
  if (api) {
    for (std::vector<Step>& steps : threads) sort_rows(steps, std::mem_fn(&Step::begin));
  }
  return threads;
}

/// Whether a repetition is worth a line: the same call twice in a row is no loop unless it
/// computes.
bool is_loop(const Loop& loop) {
  if (loop.passes >= 3 * loop.entries) return true;
  return loop.entries == 1 && loop.total.kernel > 0;
}

template <class Number>
Number mean(Number total, Number first, std::uint64_t passes) {
  return static_cast<Number>(
      std::llround(static_cast<double>(total - first) / static_cast<double>(passes)));
}

PassCost steady_cost(const Loop& loop) {
  const std::uint64_t passes = loop.passes - loop.entries;
  PassCost cost;
  cost.htod_bytes = mean(loop.total.htod_bytes, loop.first_passes.htod_bytes, passes);
  cost.dtoh_bytes = mean(loop.total.dtoh_bytes, loop.first_passes.dtoh_bytes, passes);
  cost.transfer = mean(loop.total.transfer, loop.first_passes.transfer, passes);
  cost.kernel = mean(loop.total.kernel, loop.first_passes.kernel, passes);
  cost.wall = mean(loop.total.wall, loop.first_passes.wall, passes);
  return cost;
}

}  // namespace

std::vector<Loop> loops_of(const Trace& trace, const DirectiveTable& directives) {
  LoopFinder finder(symbol_of(static_cast<std::uint32_t>(directives.rows.size()), false));
  for (const std::vector<Step>& steps : steps_by_thread(trace, directives)) {
    for (const Step& step : steps) finder.append(step);
    finder.end_sequence();
  }
  std::vector<Loop> loops = finder.loops();
  std::erase_if(loops, [](const Loop& loop) { return !is_loop(loop); });
  return loops;
}

std::vector<Iteration> iterations_of(const std::vector<Loop>& loops,
                                     const DirectiveTable& directives) {
  std::vector<Iteration> rows;
  for (const Loop& loop : loops) {
    Iteration row;
    for (const std::uint32_t symbol : loop.symbols) {
      const std::size_t directive = symbol / 2;
      if (std::ranges::find(row.directives, directive) == row.directives.end()) {
        row.directives.push_back(directive);
      }
      row.timed = row.timed && directives.rows[directive].timed;
    }
    row.count = loop.passes;
    row.entries = loop.entries;
    row.first = loop.first;
    row.steady = steady_cost(loop);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace ompdm::analysis
