#include "analysis/steps.h"

#include <algorithm>
#include <map>

#include "analysis/api_calls.h"

namespace ompdm::analysis {
namespace {

constexpr std::uint32_t kFirstApi = std::uint32_t{1} << 31U;

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

Steps::Steps(const Trace& trace, const DirectiveTable& directives)
    : trace_(trace),
      directives_(directives),
      ops_(rows_of_regions(trace.ops)),
      launches_(rows_of_regions(trace.launches)) {
  const auto add_to = [&](std::uint32_t thread, std::uint32_t number) {
    if (threads_.size() <= thread) threads_.resize(thread + 1);
    threads_[thread].push_back(number);
  };
  bool is_sorted = true;
  for (std::uint32_t i = 0; i < trace.regions.size(); ++i) {
    const Region& shape = trace.regions.common(i);
    if (row_of(directives, shape.site) == kNoDirective) continue;
    const bool was_deferred = trace.regions.rare(i).made != 0;
    is_sorted = is_sorted && !was_deferred;
    add_to(was_deferred ? shape.maker : shape.thread, i);
  }
  ApiCalls calls;
  for (std::size_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp& shape = trace.ops.common(i);
    if (shape.internal || trace.ops.region_of(i) || !shape.site || !is_transfer(shape.kind)) {
      continue;
    }
    const std::uint32_t row = row_of(directives, shape.site);
    if (row == kNoDirective || directives.rows[row].directive != Directive::kApi) continue;
    const DataOp& op = trace.ops[i];
    PassCost cost;
    if (op.kind == OpKind::kHtoD) cost.htod_bytes = op.bytes;
    if (op.kind == OpKind::kDtoH) cost.dtoh_bytes = op.bytes;
    cost.transfer = op.end - op.begin;
    if (calls.goes_on(op.thread, op.call)) {
      // The rows of a rectangle are one step.
      add(api_steps_[threads_[op.thread].back() - kFirstApi], op.end, cost);
    } else {
      add_to(op.thread, kFirstApi + static_cast<std::uint32_t>(api_steps_.size()));
      api_steps_.push_back({symbol_of(row, false), op.begin, op.end, cost, device_of(op), op.path});
    }
    is_sorted = false;
  }
  if (is_sorted) return;
  for (std::vector<std::uint32_t>& numbers : threads_) {
    std::vector<std::pair<Nanoseconds, std::uint32_t>> order;
    order.reserve(numbers.size());
    for (const std::uint32_t number : numbers) order.emplace_back(begin_of(number), number);
    std::ranges::sort(order);
    for (std::size_t i = 0; i < order.size(); ++i) numbers[i] = order[i].second;
  }
}

template <class Row>
Steps::OfRegion Steps::rows_of_regions(const Runs<Row>& rows) const {
  OfRegion of;
  if (rows.empty()) return of;
  of.first.resize(trace_.regions.size() + 2);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (const Index<Region> region = rows.region_of(i)) ++of.first[region.value + 2];
  }
  for (std::size_t i = 2; i < of.first.size(); ++i) of.first[i] += of.first[i - 1];
  of.rows.resize(of.first.back());
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    if (const Index<Region> region = rows.region_of(i)) of.rows[of.first[region.value + 1]++] = i;
  }
  return of;
}

PassCost Steps::cost_of(std::uint32_t region) const {
  PassCost cost;
  if (!ops_.rows.empty()) {
    for (std::uint32_t at = ops_.first[region]; at < ops_.first[region + 1]; ++at) {
      const std::uint32_t op = ops_.rows[at];
      const DataOp& shape = trace_.ops.common(op);
      if (shape.internal) continue;
      if (shape.kind == OpKind::kAlloc) ++cost.allocations;
      if (!is_transfer(shape.kind)) continue;
      if (shape.kind == OpKind::kHtoD) cost.htod_bytes += shape.bytes;
      if (shape.kind == OpKind::kDtoH) cost.dtoh_bytes += shape.bytes;
      cost.transfer += trace_.ops.duration_of(op);
    }
  }
  if (!launches_.rows.empty()) {
    for (std::uint32_t at = launches_.first[region]; at < launches_.first[region + 1]; ++at) {
      cost.kernel += trace_.launches.duration_of(launches_.rows[at]);
    }
  }
  // Who had it deferred does not wait for it, nor for what the recorder does meanwhile.
  const auto& rare = trace_.regions.rare(region);
  if (rare.made == 0) cost.hashing = rare.hashing + rare.hashing_after;
  return cost;
}

Nanoseconds Steps::begin_of(std::uint32_t number) const {
  if (number >= kFirstApi) return api_steps_[number - kFirstApi].begin;
  const Nanoseconds made = trace_.regions.rare(number).made;
  return made != 0 ? made : trace_.regions.begin_of(number);
}

Step Steps::step_of(std::uint32_t number) const {
  if (number >= kFirstApi) return api_steps_[number - kFirstApi];
  const Region& shape = trace_.regions.common(number);
  const std::uint32_t row = row_of(directives_, shape.site);
  return {symbol_of(row, shape.ends_data),
          begin_of(number),
          trace_.regions.end_of(number) + trace_.regions.rare(number).hashing_after,
          cost_of(number),
          shape.device,
          shape.path};
}

Index<CallPath> Steps::path_at(std::uint32_t thread, std::size_t position) const {
  const std::uint32_t number = threads_[thread][position];
  return number >= kFirstApi ? api_steps_[number - kFirstApi].path
                             : trace_.regions.common(number).path;
}

std::vector<Step> Steps::all_of(std::uint32_t thread) const {
  std::vector<Step> steps;
  steps.reserve(size(thread));
  for (const std::uint32_t number : threads_[thread]) steps.push_back(step_of(number));
  return steps;
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
