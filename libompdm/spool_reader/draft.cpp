#include "spool_reader/draft.h"

#include <fmt/ranges.h>

#include <utility>

#include "spool_reader/clock.h"
#include "spool_reader/passes.h"

namespace ompdm::trace {

std::string hex_of(std::span<const std::byte> bytes) {
  const auto* first = reinterpret_cast<const unsigned char*>(bytes.data());
  return fmt::format("{:02x}", fmt::join(first, first + bytes.size(), ""));
}

namespace {

// Removes the examples' rows and the elements beside them. Returns where each row went.
template <class Row, class... Beside>
std::vector<std::uint32_t> without_examples(DedupColumn<Row>& rows, Beside&... beside) {
  const auto moved =
      rows.keep([&](std::size_t i) { return rows.common(i).thread < kFirstExample; });
  (keep_beside(moved, beside), ...);
  return moved;
}

class Taker {
 public:
  explicit Taker(DecodedTrace& decoded) : decoded_(decoded), trace_(decoded.trace) {}

  void run() {
    const auto each_example = [](const auto& rows, const auto& take) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows.common(i).thread >= kFirstExample) take(rows[i]);
      }
    };
    each_example(trace_.regions, [this](const Region& region) { take_region(region); });
    each_example(trace_.ops, [this](const DataOp& op) { take_op(op); });
    each_example(trace_.launches, [this](const Launch& launch) { take_launch(launch); });
    const auto moved =
        without_examples(trace_.regions, decoded_.region_extras, decoded_.region_externals);
    without_examples(trace_.ops, decoded_.op_extras, decoded_.op_externals);
    without_examples(trace_.launches, decoded_.launch_kernels, decoded_.launch_externals);
    const auto follow = [&](std::uint32_t region) { return moved[region]; };
    trace_.ops.change_regions(follow);
    trace_.launches.change_regions(follow);
  }

 private:
  // Null: its aggregate was lost, or is of another sort.
  AggregateExtra* aggregate_of(std::uint32_t thread, spool::AggregateOf of) const {
    const std::size_t number = thread - kFirstExample;
    if (number >= decoded_.aggregates.size()) return nullptr;
    AggregateExtra& extra = decoded_.aggregates[number];
    return extra.is_known && extra.of == of && extra.times.count != 0 ? &extra : nullptr;
  }

  Index<CallPath> path_of(Index<Region> region) const {
    return region ? trace_.regions.common(region.value).path : Index<CallPath>{};
  }

  void take_region(Region region) {
    const AggregateExtra* extra = aggregate_of(region.thread, spool::AggregateOf::kRegion);
    if (extra == nullptr) return;
    region.thread = extra->thread;
    trace_.region_aggregates.push_back({region, extra->times});
  }

  void take_op(DataOp op) {
    AggregateExtra* extra = aggregate_of(op.thread, spool::AggregateOf::kOp);
    if (extra == nullptr) return;
    extra->ops.push_back(static_cast<std::uint32_t>(trace_.op_aggregates.size()));
    op.thread = extra->thread;
    if (op.region) op.path = path_of(op.region);
    op.region = {};
    op.call = 0;
    trace_.op_aggregates.push_back(
        {op, extra->calls, extra->bytes, extra->least_bytes, extra->most_bytes, extra->times});
  }

  void take_launch(Launch launch) {
    AggregateExtra* extra = aggregate_of(launch.thread, spool::AggregateOf::kLaunch);
    if (extra == nullptr) return;
    extra->launches.push_back(static_cast<std::uint32_t>(trace_.launch_aggregates.size()));
    launch.thread = extra->thread;
    const Index<CallPath> path = path_of(launch.region);
    launch.region = {};
    trace_.launch_aggregates.push_back({launch, path, extra->times});
  }

  DecodedTrace& decoded_;
  Trace& trace_;
};

}  // namespace

void take_examples(DecodedTrace& decoded) {
  if (!decoded.aggregates.empty()) Taker(decoded).run();
}

}  // namespace ompdm::trace
