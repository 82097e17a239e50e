#include "analysis/steps.h"

#include <algorithm>
#include <functional>
#include <map>

#include "analysis/api_calls.h"
#include "analysis/order.h"

namespace ompdm::analysis {
namespace {

/// What each region cost, by position in Trace::regions.
std::vector<PassCost> region_costs(const Trace& trace) {
  std::vector<PassCost> costs(trace.regions.size());
  for (const DataOp& op : trace.ops) {
    if (op.internal || !op.region) continue;
    PassCost& cost = costs[op.region.value];
    if (op.kind == OpKind::kAlloc) ++cost.allocations;
    if (!is_transfer(op.kind)) continue;
    if (op.kind == OpKind::kHtoD) cost.htod_bytes += op.bytes;
    if (op.kind == OpKind::kDtoH) cost.dtoh_bytes += op.bytes;
    cost.transfer += op.end - op.begin;
  }
  for (const Launch& launch : trace.launches) {
    if (launch.region) costs[launch.region.value].kernel += launch.end - launch.begin;
  }
  for (std::size_t i = 0; i < costs.size(); ++i) {
    // Who had it deferred does not wait for it, nor for what the recorder does meanwhile.
    const Region& region = trace.regions[i];
    if (region.made == 0) costs[i].hashing = region.hashing + region.hashing_after;
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

/// The device that an operation is about.
std::int32_t device_of(const DataOp& op) {
  return op.kind == OpKind::kDtoH ? op.src_device : op.dst_device;
}

}  // namespace

std::vector<std::vector<Step>> steps_by_thread(const Trace& trace,
                                               const DirectiveTable& directives) {
  std::vector<std::vector<Step>> threads;
  const auto steps_of = [&](std::uint32_t thread) -> std::vector<Step>& {
    if (threads.size() <= thread) threads.resize(thread + 1);
    return threads[thread];
  };
  bool is_sorted = true;
  const std::vector<PassCost> costs = region_costs(trace);
  for (std::size_t i = 0; i < trace.regions.size(); ++i) {
    const Region& region = trace.regions[i];
    const std::uint32_t row = row_of(directives, region.site);
    if (row == kNoDirective) continue;
    is_sorted = is_sorted && region.made == 0;
    steps_of(region.asker())
        .push_back({symbol_of(row, region.ends_data), region.asked(),
                    region.end + region.hashing_after, costs[i], region.device, region.path});
  }
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
    if (calls.goes_on(op.thread, op.call)) {
      add(steps.back(), op.end, cost);  // the rows of a rectangle are one step
    } else {
      steps.push_back({symbol_of(row, false), op.begin, op.end, cost, device_of(op), op.path});
    }
    is_sorted = false;
  }
  if (!is_sorted) {
    for (std::vector<Step>& steps : threads) sort_rows(steps, std::mem_fn(&Step::begin));
  }
  return threads;
}

std::uint32_t number_devices(std::vector<Step>& steps) {
  std::map<std::int32_t, std::int32_t> numbers;
  for (Step& step : steps) {
    const auto next = static_cast<std::int32_t>(numbers.size());
    step.device = numbers.try_emplace(step.device, next).first->second;
  }
  return static_cast<std::uint32_t>(numbers.size());
}

}  // namespace ompdm::analysis
