// What each device was doing at a time, by its own clock. Inside the analysis library only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ompdm/trace.h"

namespace ompdm::analysis {

/// Whether the trace has times of devices, of single activities or of aggregates.
inline bool has_device_times(const Trace& trace) {
  return !trace.activities.empty() || !trace.activity_aggregates.empty();
}

/// Gives operations and launches the device's interval (Clock::kDevice) of their activities.
/// Activities without an operation or launch become rows of their own, those of the runtime as
/// internal ones. All columns are in order of their begin again, and activities refer to their
/// rows. Aggregates are treated alike. A trace that is on the device's clock already remains as it
/// is.
Trace on_device_clock(Trace trace);

/// Positions of rows in the order of their begins.
class ByBegin {
 public:
  template <class Row>
  explicit ByBegin(const DedupColumn<Row>& rows) : order_(order_of_begins(rows)) {}
  std::size_t operator[](std::size_t at) const { return order_.empty() ? at : order_[at]; }

 private:
  std::vector<std::uint32_t> order_;
};

/// Calls `take_op` and `take_launch` with the positions of all of them, in the order of begins.
template <class TakeOp, class TakeLaunch>
void walk_by_begin(const Trace& trace, TakeOp take_op, TakeLaunch take_launch) {
  const ByBegin ops(trace.ops);
  const ByBegin launches(trace.launches);
  std::size_t launch = 0;
  const auto take_launches = [&](std::size_t until_op) {
    for (; launch < trace.launches.size(); ++launch) {
      const std::size_t at = launches[launch];
      const bool is_later = until_op < trace.ops.size() &&
                            trace.launches.begin_of(at) >= trace.ops.begin_of(ops[until_op]);
      if (is_later) return;
      take_launch(at);
    }
  };
  for (std::size_t i = 0; i < trace.ops.size(); ++i) {
    take_launches(i);
    take_op(ops[i]);
  }
  take_launches(trace.ops.size());
}

}  // namespace ompdm::analysis
