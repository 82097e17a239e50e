#include <limits>
#include <string_view>

#include "export/tables.h"
#include "trace/trace_schema.h"

namespace ompdm::sqlite {
namespace {

using trace_schema::kActivityCategories;
using trace_schema::kActivityPrefix;
using trace_schema::kClocks;
using trace_schema::kOpCategories;

std::string_view name_of(OpKind kind) { return trace_schema::name_of(kOpCategories, kind); }

std::string_view name_of(Clock clock) { return trace_schema::name_of(kClocks, clock); }

/// Without the "cupti." that tells them from the host's there.
std::string_view name_of(ActivityKind kind) {
  return trace_schema::name_of(kActivityCategories, kind).substr(kActivityPrefix.size());
}

std::string_view name_of(SynchronizationKind kind) {
  switch (kind) {
    case SynchronizationKind::kUnknown:
      break;
    case SynchronizationKind::kEvent:
      return "event";
    case SynchronizationKind::kStreamWaitEvent:
      return "stream_wait_event";
    case SynchronizationKind::kStream:
      return "stream";
    case SynchronizationKind::kContext:
      return "context";
  }
  return "unknown";
}

Value list_of(std::uint32_t map_list) {
  return map_list == std::numeric_limits<std::uint32_t>::max() ? Value()
                                                               : Value(std::int64_t{map_list});
}

void add_host_events(Database& database, const Trace& trace) {
  TableWriter regions(
      database, "regions",
      {"id INTEGER", "site INTEGER", "path INTEGER", "map_list INTEGER", "thread INTEGER",
       "device INTEGER", "begin_ns INTEGER", "end_ns INTEGER", "hashing_ns INTEGER",
       "ends_data INTEGER", "unfinished INTEGER", "host_fallback INTEGER", "nowait INTEGER"});
  std::size_t id = 0;
  for (const Region& region : trace.regions) {
    regions.add(id++, region.site, region.path, list_of(region.map_list), region.thread,
                region.device, region.begin, region.end, region.hashing, region.ends_data,
                region.unfinished, region.host_fallback, region.nowait);
  }
  TableWriter ops(
      database, "ops",
      {"id INTEGER",          "kind TEXT",          "clock TEXT",          "region INTEGER",
       "site INTEGER",        "path INTEGER",       "variable INTEGER",    "thread INTEGER",
       "from_device INTEGER", "to_device INTEGER",  "bytes INTEGER",       "begin_ns INTEGER",
       "end_ns INTEGER",      "src INTEGER",        "dst INTEGER",         "call INTEGER",
       "internal INTEGER",    "unfinished INTEGER", "fingerprint INTEGER", "hash INTEGER"});
  id = 0;
  for (const DataOp& op : trace.ops) {
    ops.add(id++, name_of(op.kind), name_of(op.clock), op.region, op.site, op.path, op.variable,
            op.thread, op.src_device, op.dst_device, op.bytes, op.begin, op.end, op.src, op.dst,
            op.call, op.internal, op.unfinished, op.fingerprint, op.hash);
  }
  TableWriter launches(database, "launches",
                       {"id INTEGER", "clock TEXT", "region INTEGER", "site INTEGER",
                        "kernel INTEGER", "thread INTEGER", "device INTEGER", "begin_ns INTEGER",
                        "end_ns INTEGER", "requested_teams INTEGER", "num_teams INTEGER",
                        "thread_limit INTEGER", "trip_count INTEGER", "unfinished INTEGER"});
  id = 0;
  for (const Launch& launch : trace.launches) {
    launches.add(id++, name_of(launch.clock), launch.region, launch.site, launch.kernel,
                 launch.thread, launch.device, launch.begin, launch.end, launch.requested_teams,
                 launch.num_teams, launch.thread_limit, launch.trip_count, launch.unfinished);
  }
}

void add_device_events(Database& database, const Trace& trace) {
  TableWriter activities(database, "activities",
                         {"id INTEGER",
                          "kind TEXT",
                          "op INTEGER",
                          "launch INTEGER",
                          "region INTEGER",
                          "kernel INTEGER",
                          "device INTEGER",
                          "stream INTEGER",
                          "context INTEGER",
                          "begin_ns INTEGER",
                          "end_ns INTEGER",
                          "bytes INTEGER",
                          "grid_x INTEGER",
                          "grid_y INTEGER",
                          "grid_z INTEGER",
                          "block_x INTEGER",
                          "block_y INTEGER",
                          "block_z INTEGER",
                          "registers INTEGER",
                          "static_shared INTEGER",
                          "dynamic_shared INTEGER",
                          "internal INTEGER"});
  std::size_t id = 0;
  for (const DeviceActivity& one : trace.activities) {
    activities.add(id++, name_of(one.kind), one.op, one.launch, one.region, one.kernel, one.device,
                   one.stream, one.context, one.begin, one.end, one.bytes, one.grid[0], one.grid[1],
                   one.grid[2], one.block[0], one.block[1], one.block[2], one.registers,
                   one.static_shared, one.dynamic_shared, one.internal);
  }
  TableWriter waits(database, "synchronizations",
                    {"id INTEGER", "kind TEXT", "op INTEGER", "region INTEGER", "device INTEGER",
                     "stream INTEGER", "context INTEGER", "begin_ns INTEGER", "end_ns INTEGER"});
  id = 0;
  for (const Synchronization& wait : trace.synchronizations) {
    waits.add(id++, name_of(wait.kind), wait.op, wait.region, wait.device, wait.stream,
              wait.context, wait.begin, wait.end);
  }
}

void add_tallies(Database& database, const Trace& trace) {
  TableWriter tallies(
      database, "tallies",
      {"of TEXT",          "kind TEXT",           "site INTEGER",       "path INTEGER",
       "variable INTEGER", "kernel INTEGER",      "thread INTEGER",     "device INTEGER",
       "internal INTEGER", "ends_data INTEGER",   "calls INTEGER",      "count INTEGER",
       "bytes INTEGER",    "least_bytes INTEGER", "most_bytes INTEGER", "sum_ns INTEGER",
       "least_ns INTEGER", "most_ns INTEGER",     "median_ns INTEGER",  "deviation_ns REAL"});
  const Value none;
  for (const RegionTally& one : trace.region_tallies) {
    tallies.add("region", none, one.like.site, one.like.path, none, none, one.like.thread,
                one.like.device, false, one.like.ends_data, none, one.times.count, none, none, none,
                one.times.sum, one.times.least, one.times.most, one.times.median(),
                Value(one.times.deviation()));
  }
  for (const OpTally& one : trace.op_tallies) {
    const bool from_host = one.like.src_device == trace.host_device;
    tallies.add("op", name_of(one.like.kind), one.like.site, one.like.path, one.like.variable, none,
                one.like.thread, from_host ? one.like.dst_device : one.like.src_device,
                one.like.internal, false, one.calls, one.times.count, one.bytes, one.least_bytes,
                one.most_bytes, one.times.sum, one.times.least, one.times.most, one.times.median(),
                Value(one.times.deviation()));
  }
  for (const LaunchTally& one : trace.launch_tallies) {
    tallies.add("launch", none, one.like.site, one.path, none, one.like.kernel, one.like.thread,
                one.like.device, false, false, none, one.times.count, none, none, none,
                one.times.sum, one.times.least, one.times.most, one.times.median(),
                Value(one.times.deviation()));
  }
  for (const ActivityTally& one : trace.activity_tallies) {
    const auto bytes = [&](std::uint64_t value) {
      return one.like.kind == ActivityKind::kKernel ? none
                                                    : Value(static_cast<std::int64_t>(value));
    };
    tallies.add("activity", name_of(one.like.kind), none, none, none, one.like.kernel, none,
                one.like.device, one.like.internal, false, none, one.times.count, bytes(one.bytes),
                bytes(one.least_bytes), bytes(one.most_bytes), one.times.sum, one.times.least,
                one.times.most, one.times.median(), Value(one.times.deviation()));
  }
}

}  // namespace

void add_events(Database& database, const Trace& trace) {
  add_host_events(database, trace);
  add_device_events(database, trace);
  add_tallies(database, trace);
}

}  // namespace ompdm::sqlite
