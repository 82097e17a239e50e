#include "trace/activities.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "trace/activity_kernels.h"
#include "trace/activity_tallies.h"
#include "trace/external_owners.h"
#include "trace/synchronizations.h"

namespace ompdm::trace {
namespace {

// CUPTI's clock to CLOCK_MONOTONIC: the line through the first and the last pair.
class CuptiScale {
 public:
  explicit CuptiScale(const std::vector<ClockPair>& pairs) {
    if (pairs.empty()) return;
    const auto earlier = [](const ClockPair& a, const ClockPair& b) { return a.cupti < b.cupti; };
    const auto [first, last] = std::minmax_element(pairs.begin(), pairs.end(), earlier);
    origin_ = first->cupti;
    offset_ = offset_of(*first);
    if (last->cupti > first->cupti) {
      slope_ = static_cast<double>(offset_of(*last) - offset_) /
               static_cast<double>(last->cupti - first->cupti);
    }
    for (const ClockPair& pair : pairs) {
      const std::int64_t away =
          static_cast<std::int64_t>(pair.monotonic) - at(static_cast<std::int64_t>(pair.cupti));
      residual_ = std::max(residual_, static_cast<double>(std::abs(away)) + pair.uncertainty / 2.0);
    }
  }
  [[nodiscard]] std::int64_t at(std::int64_t cupti) const {
    const auto since = static_cast<double>(cupti - static_cast<std::int64_t>(origin_));
    return cupti + offset_ + std::llround(slope_ * since);
  }
  [[nodiscard]] double residual() const { return residual_; }

 private:
  static std::int64_t offset_of(const ClockPair& pair) {
    return static_cast<std::int64_t>(pair.monotonic - pair.cupti);
  }
  std::uint64_t origin_ = 0;
  std::int64_t offset_ = 0;
  double slope_ = 0;
  double residual_ = 0;
};

// Sets times, and tells in which order the rows begin.
template <class Row>
std::vector<std::uint32_t> set_times(std::vector<Row>& rows, const CuptiScale& scale,
                                     std::uint64_t attach) {
  std::vector<std::uint32_t> order(rows.size());
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    rows[i].begin = scale.at(rows[i].begin) - static_cast<std::int64_t>(attach);
    rows[i].end = scale.at(rows[i].end) - static_cast<std::int64_t>(attach);
    order[i] = i;
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(rows[a].begin, a) < std::pair(rows[b].begin, b);
  });
  return order;
}

template <class Row>
void put_in_order(std::vector<Row>& rows, const std::vector<std::uint32_t>& order) {
  std::vector<Row> sorted;
  sorted.reserve(rows.size());
  for (const std::uint32_t at : order) sorted.push_back(rows[at]);
  rows = std::move(sorted);
}

// CUDA's ordinals to OpenMP's numbers, and what the driver said of each device to its row.
void set_devices(Draft& draft) {
  Trace& trace = draft.trace;
  std::map<std::int32_t, std::int32_t> numbers;
  for (const CudaDevice& device : draft.cuda_devices) {
    const std::int32_t number = device.row.number >= 0 ? device.row.number : device.ordinal;
    numbers[device.ordinal] = number;
    const auto row = std::find_if(trace.devices.begin(), trace.devices.end(),
                                  [&](const Device& known) { return known.number == number; });
    Device told = device.row;
    told.number = number;
    if (row == trace.devices.end()) {
      trace.devices.push_back(told);
    } else if (!row->is_host) {
      if (!row->type.empty()) told.type = row->type;
      *row = told;
    }
  }
  const auto translate = [&](std::int32_t& device) {
    const auto known = numbers.find(device);
    if (known != numbers.end()) device = known->second;
  };
  std::set<std::int32_t> seen;
  const auto renumber = [&](DeviceActivity& activity) {
    translate(activity.device);
    translate(activity.source_device);
    translate(activity.destination_device);
    seen.insert(activity.device);
  };
  for (DeviceActivity& activity : trace.activities) renumber(activity);
  for (ActivityTallyNote& note : draft.activity_tallies) renumber(note.row.like);
  for (const Device& device : trace.devices) seen.erase(device.number);
  for (const std::int32_t number : seen) trace.devices.push_back({number, "", "", false, false});
  std::sort(trace.devices.begin(), trace.devices.end(),
            [](const Device& a, const Device& b) { return a.number < b.number; });
  // Without OMPT nobody numbered the host.
  if (trace.host_device < 0 && !trace.devices.empty()) {
    trace.host_device = trace.devices.back().number + 1;
    trace.devices.push_back({trace.host_device, "host", "", true, false});
  }
}

void tie(const Trace& trace, const ExternalOwners& owners, std::uint64_t id,
         DeviceActivity& activity) {
  // Ids are told apart by their instants: few are the same, unless the spool is damaged.
  constexpr int kMostOwners = 16;
  auto at = owners.first_op(id);
  for (int i = 0; at != owners.ops.end() && at->first == id && i < kMostOwners; ++at, ++i) {
    const DataOp& op = trace.ops[at->second];
    activity.region = op.region;
    if (does(op.kind, activity.kind)) {
      activity.op = {at->second};
      activity.internal = op.internal;
      // LLVM 19 names the two contexts of cuMemcpyPeerAsync the wrong way round (the addresses
      // count), and CUPTI may tell either; the operation tells what was asked for.
      if (activity.source_device >= 0) {
        activity.source_device = op.src_device;
        activity.destination_device = op.dst_device;
      }
      return;
    }
  }
  if (const auto launch = owners.launches.find(id); launch != owners.launches.end()) {
    activity.region = trace.launches.region_of(launch->second);
    if (activity.kind == ActivityKind::kKernel) activity.launch = {launch->second};
    activity.internal = activity.kind != ActivityKind::kKernel;
  } else if (const auto region = owners.regions.find(id); region != owners.regions.end()) {
    activity.region = {region->second};
  }
}

Untied count_untied(const Trace& trace) {
  Untied untied;
  std::vector<bool> op_done(trace.ops.size());
  std::vector<bool> launch_done(trace.launches.size());
  std::vector<std::uint64_t> bytes(trace.ops.size());
  for (const DeviceActivity& activity : trace.activities) {
    if (activity.op) op_done[activity.op.value] = true;
    if (activity.launch) launch_done[activity.launch.value] = true;
    if (!activity.op) continue;
    if (activity.bytes != trace.ops.common(activity.op.value).bytes) ++untied.unequal;
  }
  for (std::size_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp& op = trace.ops.common(i);
    const bool copies =
        op.kind == OpKind::kHtoD || op.kind == OpKind::kDtoH || op.kind == OpKind::kDtoD;
    if (copies && op.clock == Clock::kEnqueue && op.bytes > 0 && !op_done[i]) ++untied.missing;
  }
  for (std::size_t i = 0; i < trace.launches.size(); ++i) {
    if (trace.launches.common(i).clock == Clock::kEnqueue && !launch_done[i]) ++untied.missing;
  }
  return untied;
}

}  // namespace

Untied tie_activities(Draft& draft, std::uint64_t attach) {
  Trace& trace = draft.trace;
  const CuptiScale scale(draft.cupti_clock);
  trace.recording.cupti_residual_ns = scale.residual();
  const std::vector<std::uint32_t> order = set_times(trace.activities, scale, attach);
  put_in_order(trace.activities, order);
  put_in_order(draft.activity_notes, order);
  put_in_order(trace.synchronizations, set_times(trace.synchronizations, scale, attach));
  for (ActivityTallyNote& note : draft.activity_tallies) {
    DeviceActivity& like = note.row.like;
    like.begin = scale.at(like.begin) - static_cast<std::int64_t>(attach);
    like.end = scale.at(like.end) - static_cast<std::int64_t>(attach);
  }
  set_devices(draft);
  Kernels kernels(draft);
  const bool has_directives = !trace.regions.empty() || !trace.ops.empty() ||
                              !trace.region_tallies.empty() || !trace.op_tallies.empty();
  if (!trace.activities.empty() || !trace.synchronizations.empty()) {
    const ExternalOwners owners(draft);
    for (std::size_t i = 0; i < trace.activities.size(); ++i) {
      DeviceActivity& activity = trace.activities[i];
      activity.internal = has_directives;
      const auto id = draft.external_ids.find(activity.correlation);
      if (id != draft.external_ids.end()) tie(trace, owners, id->second, activity);
      if (activity.launch) activity.internal = false;
      if (activity.kind == ActivityKind::kKernel) {
        const Index<Kernel> launched =
            activity.launch ? trace.launches.common(activity.launch.value).kernel : Index<Kernel>{};
        activity.kernel = kernels.find(launched, draft.activity_notes[i].name);
      }
    }
    tie_synchronizations(draft, owners);
  }
  tie_activity_tallies(draft, kernels, has_directives);
  if (trace.recording.cupti != "on") return {};
  Untied untied = count_untied(trace);
  untied.missing += count_missing_in_tallies(trace);
  return untied;
}

}  // namespace ompdm::trace
