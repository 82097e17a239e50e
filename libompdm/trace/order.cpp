#include "trace/order.h"

#include <algorithm>

namespace ompdm::trace {
namespace {

template <class Column>
void rearrange(const std::vector<std::uint32_t>& order, Column& rows) {
  if (order.empty() || rows.empty()) return;
  Column sorted;
  sorted.reserve(rows.size());
  for (const std::uint32_t at : order) sorted.push_back(std::move(rows[at]));
  rows = std::move(sorted);
}

}  // namespace

void order_by_begin(Draft& draft) {
  Trace& trace = draft.trace;
  if (const auto order = trace.regions.sort_by_begin(); !order.empty()) {
    rearrange(order, draft.region_notes);
    rearrange(order, draft.region_externals);
    std::vector<std::uint32_t> moved(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) moved[order[i]] = i;
    const auto follow = [&](std::uint32_t region) { return moved[region]; };
    trace.ops.change_regions(follow);
    trace.launches.change_regions(follow);
    for (MapperPiece& piece : draft.mapper_pieces) {
      if (piece.region) piece.region.value = moved[piece.region.value];
    }
  }
  const auto op_order = trace.ops.sort_by_begin();
  rearrange(op_order, draft.op_notes);
  rearrange(op_order, draft.op_externals);
  const auto launch_order = trace.launches.sort_by_begin();
  rearrange(launch_order, draft.launch_kernels);
  rearrange(launch_order, draft.launch_externals);
  const auto earlier = [](const DeviceEvent& a, const DeviceEvent& b) { return a.time < b.time; };
  std::sort(trace.device_events.begin(), trace.device_events.end(), earlier);
}

void tidy(Trace& trace) {
  trace.regions.tidy();
  trace.ops.tidy();
  trace.launches.tidy();
}

}  // namespace ompdm::trace
