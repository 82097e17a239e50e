#include "spool_reader/draft.h"

#include <fmt/ranges.h>

#include "spool_reader/passes.h"

namespace ompdm::trace {

std::string hex_of(std::span<const std::byte> bytes) {
  const auto* first = reinterpret_cast<const unsigned char*>(bytes.data());
  return fmt::format("{:02x}", fmt::join(first, first + bytes.size(), ""));
}

namespace {

// Removes the samples' rows and the elements beside them. Returns where each row went.
template <class Row, class... Beside>
std::vector<std::uint32_t> without_samples(DedupColumn<Row>& rows, Beside&... beside) {
  const auto moved = rows.keep([&](std::size_t i) { return rows.common(i).thread < kFirstSample; });
  (keep_beside(moved, beside), ...);
  return moved;
}

}  // namespace

void take_samples(DecodedTrace& decoded) {
  if (decoded.aggregates.empty()) return;
  Trace& trace = decoded.trace;
  // Calls `take` with each sample of a kind and its aggregate, unless that was lost, or is of
  // another kind. The sample has its thread again.
  const auto each_sample = [&](const auto& rows, spool::AggregateOf of, auto take) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows.common(i).thread < kFirstSample) continue;
      auto row = rows[i];
      const std::size_t number = row.thread - kFirstSample;
      if (number >= decoded.aggregates.size()) continue;
      AggregateExtra& extra = decoded.aggregates[number];
      if (!extra.is_known || extra.of != of || extra.times.count == 0) continue;
      row.thread = extra.thread;
      take(row, extra);
    }
  };
  const auto path_of = [&](Index<Region> region) {
    return region ? trace.regions.common(region.value).path : Index<CallPath>{};
  };
  each_sample(trace.regions, spool::AggregateOf::kRegion,
              [&](const Region& region, const AggregateExtra& extra) {
                trace.region_aggregates.push_back({region, extra.times});
              });
  each_sample(trace.ops, spool::AggregateOf::kOp, [&](DataOp& op, AggregateExtra& extra) {
    extra.ops.push_back(static_cast<std::uint32_t>(trace.op_aggregates.size()));
    if (op.region) op.path = path_of(op.region);
    op.region = {};
    op.call = 0;
    trace.op_aggregates.push_back(
        {op, extra.calls, extra.bytes, extra.least_bytes, extra.most_bytes, extra.times});
  });
  each_sample(
      trace.launches, spool::AggregateOf::kLaunch, [&](Launch& launch, AggregateExtra& extra) {
        extra.launches.push_back(static_cast<std::uint32_t>(trace.launch_aggregates.size()));
        const Index<CallPath> path = path_of(launch.region);
        launch.region = {};
        trace.launch_aggregates.push_back({launch, path, extra.times});
      });
  const auto moved =
      without_samples(trace.regions, decoded.region_extras, decoded.region_externals);
  without_samples(trace.ops, decoded.op_extras, decoded.op_externals);
  const auto moved_launches =
      without_samples(trace.launches, decoded.launch_kernels, decoded.launch_externals);
  for (BlockTouch& touch : trace.block_touches) {
    touch.launch.value = moved_launches[touch.launch.value];
  }
  const auto follow = [&](std::uint32_t region) { return moved[region]; };
  trace.ops.change_regions(follow);
  trace.launches.change_regions(follow);
  for (UnsentItem& item : trace.unsent_items) item.region.value = moved[item.region.value];
}

}  // namespace ompdm::trace
