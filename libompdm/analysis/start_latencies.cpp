#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "analysis/tables.h"

namespace ompdm::analysis {
namespace {

struct Request {
  ActivityType type;
  Nanoseconds begin;
};

std::optional<Request> request_of(const Trace& trace, const DeviceActivity& activity) {
  if (activity.launch) {
    return Request{ActivityType::kKernel, trace.launches.begin_of(activity.launch.value)};
  }
  if (!activity.op || activity.internal) return std::nullopt;
  const DataOp& op = trace.ops[activity.op.value];
  if (op.kind == OpKind::kMemset) return std::nullopt;  // done by other means
  const std::optional<ActivityType> type = type_of(op.kind);
  return type ? std::optional(Request{*type, op.begin}) : std::nullopt;
}

}  // namespace

std::vector<StartLatency> start_latencies_of(const Trace& trace) {
  std::map<ActivityType, StartLatency> by_type;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Nanoseconds> busy_until;  // by stream
  std::vector<bool> started(trace.ops.size());
  for (const DeviceActivity& activity : trace.activities) {
    const auto stream = std::pair(activity.context, activity.stream);
    const auto [busy, is_first] = busy_until.emplace(stream, activity.end);
    const std::optional<Request> request = request_of(trace, activity);
    // What goes by the host takes two copies, of which the first is the start.
    if (request && !(activity.op && started[activity.op.value])) {
      const Nanoseconds latency = activity.begin - request->begin;
      const auto [at, is_new] = by_type.try_emplace(request->type);
      StartLatency& row = at->second;
      row.minimum = is_new ? latency : std::min(row.minimum, latency);
      row.maximum = is_new ? latency : std::max(row.maximum, latency);
      row.average += latency;  // their sum, until all are there
      ++row.count;
      if (!is_first && busy->second > request->begin) ++row.queued;
      if (activity.op) started[activity.op.value] = true;
    }
    busy->second = std::max(busy->second, activity.end);
  }
  std::vector<StartLatency> rows;
  for (auto& [type, row] : by_type) {
    row.type = type;
    row.average /= static_cast<Nanoseconds>(row.count);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace ompdm::analysis
