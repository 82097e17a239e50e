#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "analysis/order.h"
#include "analysis/pass_finder.h"
#include "analysis/repeats.h"
#include "analysis/row_ids.h"
#include "analysis/sequences.h"
#include "analysis/steps.h"
#include "analysis/tables.h"

namespace ompdm::analysis {
namespace {

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

/// Gives what a sequence does on each of its devices symbols of its own, unless it is better
/// explained without: which device is next may be decided anew each time. Returns the number of
/// devices told apart.
std::uint32_t tell_devices_apart(std::vector<Step>& steps, std::uint32_t symbols) {
  const std::uint32_t devices = number_devices(steps);
  if (devices < 2) return 1;
  std::vector<Step> apart = steps;
  for (Step& step : apart) step.symbol += symbols * static_cast<std::uint32_t>(step.device);
  // A loop for each device explains them as well as one loop over all of them.
  if (left_of({&apart}, symbols * devices) > devices * left_of({&steps}, symbols)) return 1;
  steps = std::move(apart);
  return devices;
}

/// What a loop does, whichever devices it does that on: each device by the order in which a pass
/// comes to it.
std::vector<std::uint32_t> on_any_device(const Loop& loop, std::uint32_t symbols) {
  std::map<std::uint32_t, std::uint32_t> numbers;
  std::vector<std::uint32_t> same;
  for (const std::uint32_t symbol : loop.symbols) {
    const auto next = static_cast<std::uint32_t>(numbers.size());
    const std::uint32_t device = numbers.try_emplace(symbol / symbols, next).first->second;
    same.push_back(symbol % symbols + symbols * device);
  }
  return same;
}

/// Makes one row of loops that do the same on different devices, with symbols that name none.
std::vector<Loop> forget_devices(std::vector<Loop> loops, std::uint32_t symbols) {
  std::map<std::vector<std::uint32_t>, std::size_t> known;
  std::vector<Loop> rows;
  for (Loop& loop : loops) {
    const std::vector<std::uint32_t> same = on_any_device(loop, symbols);
    const auto [at, is_new] = known.try_emplace(same, rows.size());
    if (!is_new) {
      add(rows[at->second], loop);
      continue;
    }
    loop.devices = std::ranges::max(same) / symbols + 1;
    std::vector<std::uint32_t> once;
    for (const std::uint32_t symbol : loop.symbols) {
      if (std::ranges::find(once, symbol % symbols) == once.end()) once.push_back(symbol % symbols);
    }
    loop.symbols = std::move(once);
    rows.push_back(std::move(loop));
  }
  return rows;
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
  cost.allocations = mean(loop.total.allocations, loop.first_passes.allocations, passes);
  cost.hashing = mean(loop.total.hashing, loop.first_passes.hashing, passes);
  cost.wall = mean(loop.total.wall, loop.first_passes.wall, passes) - cost.hashing;
  return cost;
}

}  // namespace

LoopTable loops_of(const Trace& trace, const DirectiveTable& directives) {
  const auto symbols = 2 * static_cast<std::uint32_t>(directives.rows.size());
  const Steps steps_of(trace, directives);
  std::vector<std::vector<Step>> sequences(steps_of.threads());
  LoopTable table;
  table.sequence_of_thread.resize(std::max(trace.threads.size(), sequences.size()));
  std::iota(table.sequence_of_thread.begin(), table.sequence_of_thread.end(), 0U);
  const std::vector<ThreadGroup> groups = groups_of_threads(trace);
  std::vector<bool> is_grouped(sequences.size());
  for (const ThreadGroup& group : groups) {
    for (const std::uint32_t thread : group.threads) {
      if (thread >= sequences.size()) continue;
      is_grouped[thread] = true;
      sequences[thread] = steps_of.all_of(thread);
    }
    join(sequences, group, symbols, table.sequence_of_thread);
  }
  is_grouped.resize(sequences.size(), true);
  const CallOrder order(trace);
  PassFinder passes(trace, order, symbols);
  std::vector<ByOrder> why(sequences.size());
  for (std::uint32_t i = 0; i < sequences.size(); ++i) {
    if (is_grouped[i] ? passes.read(sequences[i], i) : passes.read(steps_of, i)) {
      sequences[i].clear();
      continue;
    }
    why[i] = passes.why_not();
    if (!is_grouped[i]) sequences[i] = steps_of.all_of(i);
  }
  std::uint32_t devices = 1;
  for (std::vector<Step>& steps : sequences) {
    devices = std::max(devices, tell_devices_apart(steps, symbols));
  }
  LoopFinder finder(symbols * devices);
  for (const std::vector<Step>& steps : sequences) {
    for (const Step& step : steps) finder.append(step);
    finder.end_sequence();
  }
  table.rows = forget_devices(finder.loops(), symbols);
  for (Loop& loop : table.rows) loop.by_order = why[loop.spans.front().sequence];
  std::erase_if(table.rows, [](const Loop& loop) { return !is_loop(loop); });
  for (Loop& loop : passes.take_loops()) table.rows.push_back(std::move(loop));
  sort_rows(table.rows, std::mem_fn(&Loop::begin));
  return table;
}

std::vector<Iteration> iterations_of(const Trace& trace, const LoopTable& loops,
                                     const DirectiveTable& directives) {
  std::map<std::uint32_t, std::size_t> row_of_code;
  for (std::size_t i = 0; i < loops.rows.size(); ++i) {
    if (loops.rows[i].code) row_of_code[loops.rows[i].code.value] = i;
  }
  std::vector<Iteration> rows;
  for (const Loop& loop : loops.rows) {
    Iteration row;
    row.by_order = loop.by_order;
    if (loop.code) {
      row.file = loop.place.file;
      (loop.begin_unknown ? row.inside : row.line) = loop.place.line;
      row.function = loop.place.function;
      row.from_code = true;
      row.unrolled = trace.loops[loop.code.value].unrolled;
      row.at_least = loop.at_least;
      if (loop.parent) row.parent = row_of_code.at(loop.parent.value);
    }
    for (const std::uint32_t symbol : loop.symbols) {
      const std::size_t directive = symbol / 2;
      if (std::ranges::find(row.directives, directive) == row.directives.end()) {
        row.directives.push_back(directive);
      }
      row.timed = row.timed && directives.rows[directive].timed;
    }
    row.count = loop.passes;
    row.entries = loop.entries;
    row.entries_at_least = loop.entries_at_least;
    row.devices = loop.devices;
    row.first = loop.first;
    row.first.wall -= row.first.hashing;
    row.steady = steady_cost(loop);
    rows.push_back(std::move(row));
  }
  identify(rows, directives.rows);
  return rows;
}

}  // namespace ompdm::analysis
