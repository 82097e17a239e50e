#include "met.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ompdm/trace_file.h"

namespace ompdm::e2e {
namespace {

ActivityKind work_of(const DataOp& op) {
  switch (op.kind) {
    case OpKind::kHtoD:
      return ActivityKind::kHtoD;
    case OpKind::kDtoH:
      return ActivityKind::kDtoH;
    default:
      return ActivityKind::kDtoD;
  }
}

bool copies(const DataOp& op) {
  return op.bytes > 0 &&
         (op.kind == OpKind::kHtoD || op.kind == OpKind::kDtoH || op.kind == OpKind::kDtoD);
}

std::int32_t device_of(const Trace& trace, const DataOp& op) {
  return op.dst_device == trace.host_device ? op.src_device : op.dst_device;
}

void expect_copy_met(const Trace& trace, const DataOp& op,
                     const std::vector<const DeviceActivity*>& activities, Nanoseconds slack) {
  // A copy that goes by the host takes two.
  const bool bounced = op.kind == OpKind::kDtoD && activities.size() == 2;
  ASSERT_EQ(activities.size(), bounced ? 2U : 1U) << op.bytes << " B at " << op.begin;
  for (const DeviceActivity* activity : activities) {
    EXPECT_EQ(activity->bytes, op.bytes);
    EXPECT_EQ(activity->internal, op.internal);
    EXPECT_EQ(activity->region, op.region);
    if (!bounced) {
      EXPECT_EQ(activity->kind, work_of(op));
      EXPECT_EQ(activity->device,
                op.kind == OpKind::kDtoD ? activity->device : device_of(trace, op));
    }
    EXPECT_GE(activity->begin, op.begin - slack) << "before it was asked for";
    EXPECT_GT(activity->end, activity->begin);
    EXPECT_LE(activity->end, trace.process.wall + slack);
  }
}

// The host waits during the directive, or after the API call or deferred directive, that it waits
// for. How many there are is the program's affair: deferred work that is done when the runtime asks
// after it is never waited for.
void expect_waits_inside(const Trace& trace, Nanoseconds slack) {
  for (const Synchronization& wait : trace.synchronizations) {
    EXPECT_GT(wait.end, wait.begin);
    if (!wait.op && !wait.region) continue;
    if (wait.region) {
      const Region& region = trace.regions[wait.region.value];
      EXPECT_GE(wait.begin, region.begin - slack);
      const bool deferred = wait.begin > region.end;
      if (!deferred) {
        EXPECT_LE(wait.end, region.end + slack);
      }
    } else {
      EXPECT_GE(wait.begin, trace.ops[wait.op.value].begin - slack);
    }
  }
}

// What the runtime tells with LIBOMPTARGET_INFO: copies that go by the host, those that a launch
// makes for itself too, which OMPT does not tell.
TrafficByDevice traffic_by_host(const Trace& trace,
                                const std::vector<std::vector<const DeviceActivity*>>& of_op) {
  Trace by_host;
  by_host.host_device = trace.host_device;
  for (std::size_t i = 0; i < trace.ops.size(); ++i) {
    const bool direct = trace.ops[i].kind == OpKind::kDtoD && of_op[i].size() == 1;
    if (!direct) by_host.ops.push_back(trace.ops[i]);
  }
  for (const DeviceActivity& activity : trace.activities) {
    if (activity.op || !activity.region || activity.kind != ActivityKind::kHtoD) continue;
    DataOp op;
    op.kind = OpKind::kHtoD;
    op.dst_device = activity.device;
    op.bytes = activity.bytes;
    by_host.ops.push_back(op);
  }
  return traffic_in(by_host);
}

}  // namespace

std::map<std::string, std::string> standin_environment() {
  return {{"LD_LIBRARY_PATH", OMPDM_STANDIN_LIBRARIES}, {"OMP_TARGET_OFFLOAD", "MANDATORY"}};
}

OnStandin run_on_standin(std::vector<std::string> words,
                         std::map<std::string, std::string> environment) {
  const Folder folder;
  Command command;
  words.front() = std::string(OMPDM_CUDA_PROGRAMS "/") + words.front();
  command.words = {OMPDM_COMMAND, "record", "-o", "trace.json", "--"};
  command.words.insert(command.words.end(), words.begin(), words.end());
  command.environment = std::move(environment);
  command.environment.merge(standin_environment());
  command.environment.emplace("LIBOMPTARGET_INFO", "59");
  OnStandin run;
  run.ended = e2e::run(command, folder.path());
  EXPECT_FALSE(run.ended.timed_out);
  const auto trace = folder.path() / "trace.json";
  const Ended report =
      e2e::run({{OMPDM_COMMAND, "report", "--format", "json", trace.string()}}, folder.path());
  EXPECT_EQ(report.status, 0) << report.err;
  if (report.status == 0) {
    run.trace = read_trace(trace);
    run.report = Json::parse(report.out);
  }
  return run;
}

std::vector<const DeviceActivity*> kernels_of(const Trace& trace) {
  std::vector<const DeviceActivity*> kernels;
  for (const DeviceActivity& activity : trace.activities) {
    if (activity.kind == ActivityKind::kKernel) kernels.push_back(&activity);
  }
  return kernels;
}

std::uint64_t loss_of(const Trace& trace, const std::string& name) {
  const auto found =
      std::ranges::find_if(trace.losses, [&](const Loss& loss) { return loss.name == name; });
  return found == trace.losses.end() ? 0 : found->count;
}

void expect_all_met(const OnStandin& run) {
  const Trace& trace = run.trace;
  EXPECT_LT(run.ended.status, 128);
  EXPECT_EQ(trace.recording.cupti, "on");
  for (const Loss& loss : trace.losses) {
    // Deferred copies back are not looked at, and counted as such; every event is there.
    if (loss.name == "contents_unknown_completion") continue;
    EXPECT_EQ(loss.count, 0) << loss.name;
  }
  const auto slack = static_cast<Nanoseconds>(
      1000 + std::ceil(trace.recording.cupti_residual_ns + trace.recording.clock_residual_ns));
  EXPECT_LT(slack, 1'000'000);

  std::vector<std::vector<const DeviceActivity*>> of_op(trace.ops.size());
  std::vector<std::vector<const DeviceActivity*>> of_launch(trace.launches.size());
  for (const DeviceActivity& activity : trace.activities) {
    if (activity.op) of_op[activity.op.value].push_back(&activity);
    if (activity.launch) of_launch[activity.launch.value].push_back(&activity);
    EXPECT_TRUE(activity.op || activity.launch || activity.internal)
        << "nobody asked for activity " << activity.correlation;
  }
  for (std::size_t i = 0; i < trace.ops.size(); ++i) {
    if (copies(trace.ops[i])) expect_copy_met(trace, trace.ops[i], of_op[i], slack);
  }
  for (std::size_t i = 0; i < trace.launches.size(); ++i) {
    const Launch& launch = trace.launches[i];
    ASSERT_EQ(of_launch[i].size(), 1U) << "launch " << i;
    const DeviceActivity& kernel = *of_launch[i].front();
    EXPECT_EQ(kernel.kind, ActivityKind::kKernel);
    EXPECT_EQ(kernel.kernel, launch.kernel);
    EXPECT_EQ(kernel.device, launch.device);
    EXPECT_GE(kernel.begin, launch.begin - slack);
  }
  expect_waits_inside(trace, slack);
  EXPECT_EQ(traffic_by_host(trace, of_op), traffic_told_by_runtime(run.ended.err));

  // The report is by the device's clock, and counts each of them once.
  std::map<std::string, std::uint64_t> bytes;
  for (const Json& row : run.report["activities"]) {
    if (row["type"] == "memset") continue;
    EXPECT_EQ(row["clock"], "device") << row;
    bytes[row["type"]] += row["bytes"].get<std::uint64_t>();
  }
  for (const std::string way : {"HtoD", "DtoH", "DtoD"}) {
    EXPECT_EQ(bytes[way], run.report["totals"][way]["bytes"]) << way;
  }
}

}  // namespace ompdm::e2e
