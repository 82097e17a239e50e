#include "trace/order.h"

#include <algorithm>
#include <numeric>

namespace ompdm::trace {
namespace {

// Positions in the order of `when`, equals as they come; empty if that is the order already.
template <class Row>
std::vector<std::uint32_t> order_of(const std::vector<Row>& rows, Nanoseconds Row::* when) {
  const auto earlier = [when](const Row& a, const Row& b) { return a.*when < b.*when; };
  if (std::is_sorted(rows.begin(), rows.end(), earlier)) return {};
  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return rows[a].*when != rows[b].*when ? rows[a].*when < rows[b].*when : a < b;
  });
  return order;
}

template <class Row>
void rearrange(const std::vector<std::uint32_t>& order, std::vector<Row>& rows) {
  if (order.empty()) return;
  std::vector<Row> sorted;
  sorted.reserve(rows.size());
  for (const std::uint32_t at : order) sorted.push_back(std::move(rows[at]));
  rows = std::move(sorted);
}

}  // namespace

void order_by_begin(Draft& draft) {
  Trace& trace = draft.trace;
  if (const auto order = order_of(trace.regions, &Region::begin); !order.empty()) {
    rearrange(order, trace.regions);
    rearrange(order, draft.region_notes);
    std::vector<std::uint32_t> moved(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) moved[order[i]] = i;
    const auto follow = [&](auto& row) {
      if (row.region) row.region.value = moved[row.region.value];
    };
    std::for_each(trace.ops.begin(), trace.ops.end(), follow);
    std::for_each(trace.launches.begin(), trace.launches.end(), follow);
    std::for_each(draft.mapper_pieces.begin(), draft.mapper_pieces.end(), follow);
  }
  const auto op_order = order_of(trace.ops, &DataOp::begin);
  rearrange(op_order, trace.ops);
  rearrange(op_order, draft.op_notes);
  const auto launch_order = order_of(trace.launches, &Launch::begin);
  rearrange(launch_order, trace.launches);
  rearrange(launch_order, draft.launch_kernels);
  rearrange(launch_order, draft.launch_externals);
  rearrange(order_of(trace.device_events, &DeviceEvent::time), trace.device_events);
}

}  // namespace ompdm::trace
