#include <algorithm>
#include <map>

#include "analysis/interval_union.h"
#include "analysis/tables.h"

namespace ompdm::analysis {
namespace {

struct Busy {
  std::vector<Interval> copies;
  std::vector<Interval> kernels;
};

void add_copy(std::map<std::int32_t, Busy>& devices, const DeviceActivity& copy) {
  const Interval interval{copy.begin, copy.end};
  devices[copy.device].copies.push_back(interval);
  for (const std::int32_t other : {copy.source_device, copy.destination_device}) {
    if (other >= 0 && other != copy.device) devices[other].copies.push_back(interval);
  }
}

}  // namespace

std::vector<DeviceUse> device_use_of(const Trace& trace) {
  std::map<std::int32_t, Busy> devices;
  for (const DeviceActivity& activity : trace.activities) {
    if (activity.kind == ActivityKind::kKernel) {
      devices[activity.device].kernels.push_back({activity.begin, activity.end});
    } else if (activity.kind != ActivityKind::kMemset && activity.kind != ActivityKind::kHtoH) {
      add_copy(devices, activity);
    }
  }
  std::vector<DeviceUse> rows;
  for (auto& [device, busy] : devices) {
    std::vector<Interval> all = busy.copies;
    all.insert(all.end(), busy.kernels.begin(), busy.kernels.end());
    const auto begins = [](const Interval& a, const Interval& b) { return a.begin < b.begin; };
    const auto ends = [](const Interval& a, const Interval& b) { return a.end < b.end; };
    DeviceUse row;
    row.device = device;
    row.span =
        std::ranges::max_element(all, ends)->end - std::ranges::min_element(all, begins)->begin;
    row.copies = union_length(std::move(busy.copies));
    row.kernels = union_length(std::move(busy.kernels));
    const Nanoseconds any = union_length(std::move(all));
    row.both = row.copies + row.kernels - any;
    row.idle = row.span - any;
    rows.push_back(row);
  }
  return rows;
}

}  // namespace ompdm::analysis
