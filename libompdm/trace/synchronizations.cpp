#include "trace/synchronizations.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ompdm::trace {
namespace {

// The directive that was running, whatever it asked for last.
void tie(const Trace& trace, const ExternalOwners& owners, std::uint64_t id,
         Synchronization& wait) {
  if (const auto op = owners.first_op(id); op != owners.ops.end()) {
    wait.op = {op->second};
    wait.region = trace.ops.region_of(op->second);
  } else if (const auto launch = owners.launches.find(id); launch != owners.launches.end()) {
    wait.region = trace.launches.region_of(launch->second);
  } else if (const auto region = owners.regions.find(id); region != owners.regions.end()) {
    wait.region = {region->second};
  }
}

// What was asked of each stream, in the order of the calls: CUPTI numbers them as they come.
class Requests {
 public:
  explicit Requests(const Trace& trace) : trace_(trace) {
    for (std::uint32_t i = 0; i < trace.activities.size(); ++i) {
      const DeviceActivity& activity = trace.activities[i];
      streams_[{activity.context, activity.stream}].emplace_back(activity.correlation, i);
    }
    for (auto& [stream, requests] : streams_) std::sort(requests.begin(), requests.end());
  }

  // The last one before a wait; null if there is none.
  [[nodiscard]] const DeviceActivity* last_before(const Synchronization& wait) const {
    const auto stream = streams_.find({wait.context, wait.stream});
    if (stream == streams_.end()) return nullptr;
    const auto& requests = stream->second;
    const auto after =
        std::lower_bound(requests.begin(), requests.end(), std::pair(wait.correlation, 0U));
    return after == requests.begin() ? nullptr : &trace_.activities[std::prev(after)->second];
  }

 private:
  const Trace& trace_;
  std::map<std::pair<std::uint32_t, std::uint32_t>,
           std::vector<std::pair<std::uint32_t, std::uint32_t>>>
      streams_;
};

}  // namespace

void tie_synchronizations(Draft& draft, const ExternalOwners& owners) {
  Trace& trace = draft.trace;
  std::unordered_map<std::uint32_t, std::int32_t> device_of;  // by context
  for (const DeviceActivity& activity : trace.activities) {
    device_of.emplace(activity.context, activity.device);
  }
  const Requests requests(trace);
  for (Synchronization& wait : trace.synchronizations) {
    const auto device = device_of.find(wait.context);
    if (device != device_of.end()) wait.device = device->second;
    // LLVM calls it before each kernel: whatever was asked of the stream before, it is not for
    // that.
    if (wait.kind == SynchronizationKind::kStreamWaitEvent) continue;
    const auto id = draft.external_ids.find(wait.correlation);
    if (id != draft.external_ids.end()) {
      tie(trace, owners, id->second, wait);
    } else if (const DeviceActivity* last = requests.last_before(wait)) {
      wait.op = last->region ? Index<DataOp>{} : last->op;
      wait.region = last->region;
    }
  }
}

}  // namespace ompdm::trace
