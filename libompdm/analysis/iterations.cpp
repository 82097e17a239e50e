#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "analysis/api_calls.h"
#include "analysis/order.h"
#include "analysis/repeats.h"
#include "analysis/sequences.h"
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
  for (std::size_t i = 0; i < costs.size(); ++i) {
    costs[i].hashing = trace.regions[i].hashing + trace.regions[i].hashing_after;
  }
  return costs;
}

/// Begin and end of a `target data` share a row but are not the same step.
std::uint32_t symbol_of(std::uint32_t row, bool ends_data) { return 2 * row + (ends_data ? 1 : 0); }

/// Lets the step go on until `end`.
void add(Step& step, Nanoseconds end, const PassCost& cost) {
  step.end = std::max(step.end, end);
  step.cost.htod_bytes += cost.htod_bytes;
  step.cost.dtoh_bytes += cost.dtoh_bytes;
  step.cost.transfer += cost.transfer;
}

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
        .push_back({symbol_of(row, region.ends_data), region.begin,
                    region.end + region.hashing_after, costs[i]});
  }
  bool api = false;
  ApiCalls calls;
  for (const DataOp& op : trace.ops) {
    if (op.internal || op.region || !op.site || !is_transfer(op.kind)) continue;
    const std::uint32_t row = row_of(directives, op.site);
    if (row == kNoDirective || directives.rows[row].directive != Directive::kApi) continue;
    PassCost cost;
    if (op.kind == OpKind::kHtoD) cost.htod_bytes = op.bytes;
    if (op.kind == OpKind::kDtoH) cost.dtoh_bytes = op.bytes;
    cost.transfer = op.end - op.begin;
    std::vector<Step>& steps = steps_of(op.thread);
    if (calls.goes_on(op)) {
      add(steps.back(), op.end, cost);  // the rows of a rectangle are one step
    } else {
      steps.push_back({symbol_of(row, false), op.begin, op.end, cost});
    }
    api = true;
  }
  if (api) {
    for (std::vector<Step>& steps : threads) sort_rows(steps, std::mem_fn(&Step::begin));
  }
  return threads;
}

/// Whether a repetition is worth a line: the same call twice in a row is no loop unless it
/// computes, and then once, or in several threads that share the passes.
bool is_loop(const Loop& loop) {
  const auto long_ones =
      std::ranges::count_if(loop.spans, [](const LoopEntry& span) { return span.passes >= 3; });
  if (2 * static_cast<std::uint64_t>(long_ones) >= loop.entries) return true;
  if (loop.total.kernel == 0) return false;
  std::set<std::uint32_t> sequences;
  for (const LoopEntry& span : loop.spans) sequences.insert(span.sequence);
  return loop.entries == sequences.size() && (loop.entries == 1 || loop.passes >= 3);
}

/// What is left of sequences once their loops are folded: the smaller, the better they are
/// explained.
std::size_t left_of(const std::vector<const std::vector<Step>*>& sequences, std::uint32_t symbols) {
  LoopFinder finder(symbols);
  std::size_t left = 0;
  for (const std::vector<Step>* steps : sequences) {
    for (const Step& step : *steps) finder.append(step);
    left += finder.left();
    finder.end_sequence();
  }
  return left;
}

/// Makes one sequence of a group's threads, unless they are better explained apart: threads that
/// share data and run at the same time may be the runtime's own, or each have a loop of its own.
void join(std::vector<std::vector<Step>>& sequences, const ThreadGroup& group,
          std::uint32_t symbols, std::vector<std::uint32_t>& sequence_of_thread) {
  std::vector<Step> all;
  std::vector<const std::vector<Step>*> apart;
  for (const std::uint32_t thread : group.threads) {
    if (thread >= sequences.size()) continue;
    apart.push_back(&sequences[thread]);
    all.insert(all.end(), sequences[thread].begin(), sequences[thread].end());
  }
  sort_rows(all, std::mem_fn(&Step::begin));
  if (!group.one_at_a_time && 2 * left_of({&all}, symbols) >= left_of(apart, symbols)) return;
  const std::uint32_t first = group.threads.front();
  for (const std::uint32_t thread : group.threads) {
    if (thread < sequences.size()) sequences[thread].clear();
    sequence_of_thread[thread] = first;
  }
  if (sequences.size() <= first) sequences.resize(first + 1);
  sequences[first] = std::move(all);
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
  cost.hashing = mean(loop.total.hashing, loop.first_passes.hashing, passes);
  cost.wall = mean(loop.total.wall, loop.first_passes.wall, passes) - cost.hashing;
  return cost;
}

}  // namespace

LoopTable loops_of(const Trace& trace, const DirectiveTable& directives) {
  const std::uint32_t symbols =
      symbol_of(static_cast<std::uint32_t>(directives.rows.size()), false);
  std::vector<std::vector<Step>> sequences = steps_by_thread(trace, directives);
  LoopTable table;
  table.sequence_of_thread.resize(std::max(trace.threads.size(), sequences.size()));
  std::iota(table.sequence_of_thread.begin(), table.sequence_of_thread.end(), 0U);
  for (const ThreadGroup& group : groups_of_threads(trace)) {
    join(sequences, group, symbols, table.sequence_of_thread);
  }
  LoopFinder finder(symbols);
  for (const std::vector<Step>& steps : sequences) {
    for (const Step& step : steps) finder.append(step);
    finder.end_sequence();
  }
  table.rows = finder.loops();
  std::erase_if(table.rows, [](const Loop& loop) { return !is_loop(loop); });
  return table;
}

std::vector<Iteration> iterations_of(const LoopTable& loops, const DirectiveTable& directives) {
  std::vector<Iteration> rows;
  for (const Loop& loop : loops.rows) {
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
    row.first.wall -= row.first.hashing;
    row.steady = steady_cost(loop);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace ompdm::analysis
