// Device activities to operations and launches.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "spool_reader/passes.h"
#include "symbols/symbol_names.h"

namespace ompdm::trace {

namespace {

/// Whether such an operation asks a device for such an activity.
bool does(OpKind op, ActivityKind kind) {
  if (op == OpKind::kHtoD) return kind == ActivityKind::kHtoD;
  if (op == OpKind::kDtoH) return kind == ActivityKind::kDtoH;
  if (op == OpKind::kMemset) return kind == ActivityKind::kMemset;
  // Bounced copies are done as one of each direction.
  return op == OpKind::kDtoD && kind != ActivityKind::kKernel && kind != ActivityKind::kMemset;
}

/// Positions of operations, launches and regions by the external id that they pushed.
struct ExternalOwners {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> ops;  ///< in order
  std::unordered_map<std::uint64_t, std::uint32_t> launches;
  std::unordered_map<std::uint64_t, std::uint32_t> regions;

  explicit ExternalOwners(const DecodedTrace& decoded) {
    for (std::uint32_t i = 0; i < decoded.op_externals.size(); ++i) {
      const OpExternals& externals = decoded.op_externals[i];
      ops.emplace_back(externals.id, i);
      if (externals.second != 0) ops.emplace_back(externals.second, i);
    }
    std::sort(ops.begin(), ops.end());
    for (std::uint32_t i = 0; i < decoded.launch_externals.size(); ++i) {
      launches.emplace(decoded.launch_externals[i], i);
    }
    for (std::uint32_t i = 0; i < decoded.region_externals.size(); ++i) {
      regions.emplace(decoded.region_externals[i], i);
    }
  }

  /// The first operation that pushed an id; as many may follow as did. ops.end() if none did.
  [[nodiscard]] auto first_op(std::uint64_t id) const {
    const auto at = std::lower_bound(ops.begin(), ops.end(), std::pair(id, std::uint32_t{0}));
    return at != ops.end() && at->first == id ? at : ops.end();
  }
};

/// Kernels by their names. A kernel without a recorded launch gets a row.
class Kernels {
 public:
  explicit Kernels(DecodedTrace& decoded) : decoded_(decoded) {
    for (std::uint32_t i = 0; i < decoded.trace.kernels.size(); ++i) {
      rows_.emplace(decoded.trace.kernels[i].name, i);
    }
  }

  /// The row of a kernel that ran. It is that of its launch, which gets the name if it has none, or
  /// that of the name. `name`: in DecodedTrace::activity_names; kNoList: unknown.
  Index<Kernel> find(Index<Kernel> launched, std::uint32_t name) {
    std::vector<Kernel>& kernels = decoded_.trace.kernels;
    if (launched) {
      Kernel& kernel = kernels[launched.value];
      if (kernel.name.empty() && name != kNoList) kernel.name = decoded_.activity_names[name];
      return launched;
    }
    if (name == kNoList) return {};
    const std::string& text = decoded_.activity_names[name];
    const auto [at, is_new] = rows_.emplace(text, static_cast<std::uint32_t>(kernels.size()));
    if (is_new) {
      Kernel kernel;
      kernel.name = text;
      const auto parsed = parse_kernel(text);
      kernel.function = demangle(parsed ? parsed->function : text);
      kernel.line = parsed ? parsed->line : 0;
      kernels.push_back(std::move(kernel));
    }
    return {at->second};
  }

 private:
  DecodedTrace& decoded_;
  std::map<std::string, std::uint32_t> rows_;
};

// Takes from the operation that asked for an activity.
void take_from(const DataOp& op, DeviceActivity& activity) {
  activity.internal = op.internal;
  // LLVM 19 names the two contexts of cuMemcpyPeerAsync in the wrong order (the addresses count),
  // and CUPTI may report either. The operation has the devices that were asked for.
  if (activity.source_device >= 0) {
    activity.source_device = op.src_device;
    activity.destination_device = op.dst_device;
  }
}

/// Makes the trace's aggregates of the decoded trace's, which have their times and devices: finds
/// the aggregate of operations or launches and the kernel of each. Needs the samples taken.
void tie_activity_aggregates(DecodedTrace& decoded, Kernels& kernels, bool has_directives) {
  Trace& trace = decoded.trace;
  for (const ActivityAggregateExtra& extra : decoded.activity_aggregates) {
    ActivityAggregate aggregate = extra.row;
    aggregate.like.internal = has_directives;
    aggregate.like.correlation = 0;
    if (extra.owner != kNoList) {
      const AggregateExtra* owner = &decoded.aggregates[extra.owner];
      if (owner->joined != AggregateExtra::kNotJoined) owner = &decoded.aggregates[owner->joined];
      const auto op = std::ranges::find_if(owner->ops, [&](std::uint32_t at) {
        return does(trace.op_aggregates[at].like.kind, aggregate.like.kind);
      });
      if (op != owner->ops.end()) {
        aggregate.op = {*op};
        take_from(trace.op_aggregates[*op].like, aggregate.like);
      } else if (aggregate.like.kind == ActivityKind::kKernel && !owner->launches.empty()) {
        aggregate.launch = {owner->launches.front()};
        aggregate.like.internal = false;
      }
    }
    if (aggregate.like.kind == ActivityKind::kKernel) {
      const Index<Kernel> launched =
          aggregate.launch ? trace.launch_aggregates[aggregate.launch.value].like.kernel
                           : Index<Kernel>{};
      aggregate.like.kernel = kernels.find(launched, extra.name);
    }
    trace.activity_aggregates.push_back(aggregate);
  }
}

/// Finds the device of each synchronization, and the operation or region that it belongs to. Needs
/// activities that are tied.
void tie_synchronizations(DecodedTrace& decoded, const ExternalOwners& owners) {
  Trace& trace = decoded.trace;
  std::unordered_map<std::uint32_t, std::int32_t> device_of;  // by context
  for (const DeviceActivity& activity : trace.activities) {
    device_of.emplace(activity.context, activity.device);
  }
  // The activities of each stream in the order of the calls that asked for them, which CUPTI
  // numbers: context, stream, correlation, activity.
  std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>> requests;
  for (std::uint32_t i = 0; i < trace.activities.size(); ++i) {
    const DeviceActivity& activity = trace.activities[i];
    requests.emplace_back(activity.context, activity.stream, activity.correlation, i);
  }
  std::ranges::sort(requests);
  for (Synchronization& wait : trace.synchronizations) {
    const auto device = device_of.find(wait.context);
    if (device != device_of.end()) wait.device = device->second;
    // LLVM calls it before each kernel, whatever was asked of the stream before.
    if (wait.kind == SynchronizationKind::kStreamWaitEvent) continue;
    const auto id = decoded.external_ids.find(wait.correlation);
    if (id != decoded.external_ids.end()) {
      // The directive that was running, by the operation or launch that it asked for last.
      const auto launch = owners.launches.find(id->second);
      const auto region = owners.regions.find(id->second);
      if (const auto op = owners.first_op(id->second); op != owners.ops.end()) {
        wait.op = {op->second};
        wait.region = trace.ops.region_of(op->second);
      } else if (launch != owners.launches.end()) {
        wait.region = trace.launches.region_of(launch->second);
      } else if (region != owners.regions.end()) {
        wait.region = {region->second};
      }
      continue;
    }
    const auto after = std::ranges::lower_bound(
        requests, std::tuple(wait.context, wait.stream, wait.correlation, 0U));
    if (after == requests.begin()) continue;
    const auto& [context, stream, correlation, at] = *std::prev(after);
    if (context != wait.context || stream != wait.stream) continue;
    const DeviceActivity& last = trace.activities[at];
    wait.op = last.region ? Index<DataOp>{} : last.op;
    wait.region = last.region;
  }
}

// CUPTI's clock to CLOCK_MONOTONIC: the line through the first and the last pair of readings.
class CuptiScale {
 public:
  /// `attach`: CLOCK_MONOTONIC at attach.
  CuptiScale(const std::vector<spool::CuptiClock>& pairs, std::uint64_t attach)
      : attach_(static_cast<std::int64_t>(attach)) {
    if (pairs.empty()) return;
    const auto [first, last] = std::ranges::minmax_element(pairs, {}, &spool::CuptiClock::cupti_ns);
    origin_ = first->cupti_ns;
    offset_ = offset_of(*first);
    if (last->cupti_ns > first->cupti_ns) {
      slope_ = static_cast<double>(offset_of(*last) - offset_) /
               static_cast<double>(last->cupti_ns - first->cupti_ns);
    }
    for (const spool::CuptiClock& pair : pairs) {
      const std::int64_t away = static_cast<std::int64_t>(pair.monotonic_ns) -
                                at(static_cast<std::int64_t>(pair.cupti_ns));
      residual_ = std::max(residual_, static_cast<double>(std::abs(away)) + pair.uncertainty / 2.0);
    }
  }
  /// Brings an activity to the recording's clock.
  void set_times(auto& row) const {
    row.begin = at(row.begin) - attach_;
    row.end = at(row.end) - attach_;
  }
  [[nodiscard]] double residual() const { return residual_; }

 private:
  static std::int64_t offset_of(const spool::CuptiClock& pair) {
    return static_cast<std::int64_t>(pair.monotonic_ns - pair.cupti_ns);
  }
  [[nodiscard]] std::int64_t at(std::int64_t cupti) const {
    const auto since = static_cast<double>(cupti - static_cast<std::int64_t>(origin_));
    return cupti + offset_ + std::llround(slope_ * since);
  }

  std::int64_t attach_;
  std::uint64_t origin_ = 0;
  std::int64_t offset_ = 0;
  double slope_ = 0;
  double residual_ = 0;
};

// Sets the times of rows, and puts them in the order of their begin, which it returns.
template <class Row>
std::vector<std::uint32_t> bring_in_order(std::vector<Row>& rows, const CuptiScale& scale) {
  std::vector<std::uint32_t> order(rows.size());
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    scale.set_times(rows[i]);
    order[i] = i;
  }
  std::ranges::sort(order, {}, [&](std::uint32_t i) { return std::pair(rows[i].begin, i); });
  rearrange(order, rows);
  return order;
}

// CUDA's ordinals to OpenMP's numbers, and the driver's facts of each device to its row.
void set_devices(DecodedTrace& decoded) {
  Trace& trace = decoded.trace;
  std::map<std::int32_t, std::int32_t> numbers;
  for (const CudaDevice& device : decoded.cuda_devices) {
    Device told = device.row;
    numbers[device.ordinal] = told.number;
    const auto row = std::ranges::find(trace.devices, told.number, &Device::number);
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
  for (ActivityAggregateExtra& extra : decoded.activity_aggregates) renumber(extra.row.like);
  for (const Device& device : trace.devices) seen.erase(device.number);
  for (const std::int32_t number : seen) trace.devices.push_back({number, "", "", false, false});
  std::ranges::sort(trace.devices, {}, &Device::number);
  // Without OMPT the host has no number.
  if (trace.host_device < 0 && !trace.devices.empty()) {
    trace.host_device = trace.devices.back().number + 1;
    trace.devices.push_back({trace.host_device, "host", "", true, false});
  }
}

void tie(const Trace& trace, const ExternalOwners& owners, std::uint64_t id,
         DeviceActivity& activity) {
  // Ids are made of instants: few are equal, unless the spool is damaged.
  constexpr int kMostOwners = 16;
  auto at = owners.first_op(id);
  for (int i = 0; at != owners.ops.end() && at->first == id && i < kMostOwners; ++at, ++i) {
    const DataOp& op = trace.ops[at->second];
    activity.region = op.region;
    if (does(op.kind, activity.kind)) {
      activity.op = {at->second};
      return take_from(op, activity);
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

void count_untied(const Trace& trace, std::uint64_t& missing, std::uint64_t& unequal) {
  const auto add_missing = [&](Clock clock, std::uint64_t asked, std::uint64_t done) {
    if (clock == Clock::kEnqueue && asked > done) missing += asked - done;
  };
  std::vector<bool> op_done(trace.ops.size());
  std::vector<bool> launch_done(trace.launches.size());
  for (const DeviceActivity& activity : trace.activities) {
    if (activity.launch) launch_done[activity.launch.value] = true;
    if (!activity.op) continue;
    op_done[activity.op.value] = true;
    if (activity.bytes != trace.ops.common(activity.op.value).bytes) ++unequal;
  }
  for (std::size_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp& op = trace.ops.common(i);
    if (is_copy(op.kind) && op.bytes > 0) add_missing(op.clock, 1, op_done[i] ? 1 : 0);
  }
  for (std::size_t i = 0; i < trace.launches.size(); ++i) {
    add_missing(trace.launches.common(i).clock, 1, launch_done[i] ? 1 : 0);
  }
  std::vector<std::uint64_t> of_op(trace.op_aggregates.size());
  std::vector<std::uint64_t> of_launch(trace.launch_aggregates.size());
  for (const ActivityAggregate& aggregate : trace.activity_aggregates) {
    if (aggregate.op) of_op[aggregate.op.value] += aggregate.times.count;
    if (aggregate.launch) of_launch[aggregate.launch.value] += aggregate.times.count;
  }
  for (std::size_t i = 0; i < of_op.size(); ++i) {
    const OpAggregate& asked = trace.op_aggregates[i];
    const bool transfers = is_copy(asked.like.kind) && asked.most_bytes > 0;
    if (transfers) add_missing(asked.like.clock, asked.times.count, of_op[i]);
  }
  for (std::size_t i = 0; i < of_launch.size(); ++i) {
    const LaunchAggregate& asked = trace.launch_aggregates[i];
    add_missing(asked.like.clock, asked.times.count, of_launch[i]);
  }
}

}  // namespace

void tie_activities(DecodedTrace& decoded, std::uint64_t attach) {
  Trace& trace = decoded.trace;
  const CuptiScale scale(decoded.cupti_clock, attach);
  trace.recording.cupti_residual_ns = scale.residual();
  rearrange(bring_in_order(trace.activities, scale), decoded.names_of_activities);
  bring_in_order(trace.synchronizations, scale);
  for (ActivityAggregateExtra& extra : decoded.activity_aggregates) scale.set_times(extra.row.like);
  set_devices(decoded);
  Kernels kernels(decoded);
  const bool has_directives = !trace.regions.empty() || !trace.ops.empty() ||
                              !trace.region_aggregates.empty() || !trace.op_aggregates.empty();
  if (!trace.activities.empty() || !trace.synchronizations.empty()) {
    const ExternalOwners owners(decoded);
    for (std::size_t i = 0; i < trace.activities.size(); ++i) {
      DeviceActivity& activity = trace.activities[i];
      activity.internal = has_directives;
      const auto id = decoded.external_ids.find(activity.correlation);
      if (id != decoded.external_ids.end()) tie(trace, owners, id->second, activity);
      if (activity.launch) activity.internal = false;
      if (activity.kind == ActivityKind::kKernel) {
        const Index<Kernel> launched =
            activity.launch ? trace.launches.common(activity.launch.value).kernel : Index<Kernel>{};
        activity.kernel = kernels.find(launched, decoded.names_of_activities[i]);
      }
    }
    tie_synchronizations(decoded, owners);
  }
  tie_activity_aggregates(decoded, kernels, has_directives);
  std::uint64_t missing = 0;
  std::uint64_t unequal = 0;
  if (trace.recording.cupti == "on") count_untied(trace, missing, unequal);
  trace.losses.push_back({"activities_missing", missing});
  trace.losses.push_back({"activities_unequal", unequal});
}

}  // namespace ompdm::trace
