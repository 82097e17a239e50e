#include "support/synthetic_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace ompdm::test {
namespace {

// SplitMix64: standard distributions differ between standard libraries.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t bound) {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (z ^ (z >> 31)) % bound;
  }

 private:
  std::uint64_t state_;
};

constexpr std::uint64_t kArrayBytes = 8000000;
constexpr std::size_t kEventsPerPass = 12;
constexpr std::uint64_t kHostArray = 0x7f3a5c000010;
constexpr std::uint64_t kDeviceArray = 0x7e1200000000;

enum SitePosition : std::uint32_t { kTargetSite, kUpdateSite };
enum VariablePosition : std::uint32_t { kU, kUTmp, kNorm };

void add_metadata(Trace& trace, const SyntheticOptions& options) {
  trace.process.pid = 4711;
  trace.process.ppid = 4700;
  trace.process.host = "node17";
  trace.process.program = "/home/ada/heat/heat";
  trace.process.arguments = {"./heat", "1000", "10"};
  trace.process.directory = "/home/ada/heat";
  trace.process.start_realtime_ns = 1760000000123456789;
  trace.recording.ompdm_version = "0.1.0";
  trace.recording.runtime = "LLVM OMP version: 5.0.20140926";
  trace.recording.omp_version = 201611;
  trace.recording.clock = "tsc";
  trace.recording.clock_residual_ns = 41.5;
  trace.recording.attached_by = "OMP_TOOL_LIBRARIES";
  trace.recording.reach = Recording::Reach::kOk;
  trace.recording.names = Recording::Names::kOn;
  trace.recording.finished = true;
  trace.recording.registered = {{"target_emi", 5}, {"target_data_op_emi", 5}};
  trace.losses = {{"records_no_space", 0}, {"ops_unmatched", 0}};
  trace.host_device = options.devices;
  for (std::int32_t number = 0; number < options.devices; ++number) {
    trace.devices.push_back({number, "generic-64bit", "", false, true});
    trace.device_events.push_back({DeviceEvent::Kind::kInitialize, number, 1000 + number, 0});
    trace.device_events.push_back({DeviceEvent::Kind::kLoad, number, 5000 + number, 65536});
  }
  trace.devices.push_back({options.devices, "host", "", true, false});
  trace.modules.push_back(
      {"/home/ada/heat/heat", "1234567890abcdef1234567890abcdef12345678", 0x555555554000});
  for (std::uint32_t thread = 0; thread < options.threads; ++thread) {
    trace.threads.push_back({4711 + thread});
  }
  for (const auto& [directive, line] :
       {std::pair{Directive::kTarget, 41}, {Directive::kTargetUpdate, 57}}) {
    Site site;
    site.directive = directive;
    site.file = "heat.cpp";
    site.line = line;
    site.column = 3;
    site.function = "main";
    site.source = LineSource::kRuntime;
    site.module = {0};
    site.address = 0x1200 + static_cast<std::uint64_t>(line);
    trace.sites.push_back(site);
  }
  std::uint64_t address = kHostArray;
  for (const char* name : {"u", "u_tmp", "norm"}) {
    trace.variables.push_back(
        {name, fmt::format("{}[0:n*n]", name), "heat.cpp", 13, address, kArrayBytes, 1, {}});
    address += kArrayBytes;
  }
  trace.kernels.push_back({"__omp_offloading_fd00_1234_main_l41", "main", "heat.cpp", 41});
  trace.map_lists.push_back({{{kU}, "u[0:n*n]", kHostArray, kHostArray, kArrayBytes, 0x23},
                             {{kUTmp},
                              "u_tmp[0:n*n]",
                              kHostArray + kArrayBytes,
                              kHostArray + kArrayBytes,
                              kArrayBytes,
                              0x23}});
}

// One thread's program; iterations are added with their own clock and sorted at the end.
class HostThread {
 public:
  HostThread(Trace& trace, std::uint32_t number, std::int32_t device, std::uint64_t seed)
      : trace_(trace),
        number_(number),
        device_(device),
        random_(seed * 1000003 + number),
        now_(10000 + number * 777) {}

  void pass() {
    begin_region(kTargetSite, 0);
    for (const std::uint32_t variable : {kU, kUTmp}) {
      op(OpKind::kAlloc, variable, 900);
      op(OpKind::kHtoD, variable, 800000);
    }
    launch();
    for (const std::uint32_t variable : {kUTmp, kU}) op(OpKind::kDtoH, variable, 820000);
    for (const std::uint32_t variable : {kUTmp, kU}) op(OpKind::kDelete, variable, 700);
    end_region();
    begin_region(kUpdateSite, Index<Region>::kNone);
    op(OpKind::kHtoD, kNorm, 1500);
    end_region();
    now_ += 5000 + static_cast<Nanoseconds>(random_.below(5000));
  }

 private:
  Nanoseconds spend(std::uint64_t mean) {
    now_ += static_cast<Nanoseconds>(mean / 2 + random_.below(mean + 1));
    return now_;
  }

  void begin_region(std::uint32_t site, std::uint32_t map_list) {
    spend(400);
    Region region;
    region.site = {site};
    region.thread = number_;
    region.device = device_;
    region.begin = now_;
    region.map_list = map_list;
    region_ = static_cast<std::uint32_t>(trace_.regions.size());
    trace_.regions.push_back(region);
  }

  void end_region() { trace_.regions.edit(region_)->end = spend(300); }

  void op(OpKind kind, std::uint32_t variable, std::uint64_t mean) {
    spend(200);
    DataOp op;
    op.kind = kind;
    op.thread = number_;
    op.region = {region_};
    op.site = trace_.regions[region_].site;
    op.variable = {variable};
    op.map_type = 0x23;
    op.bytes = variable == kNorm ? 8 : kArrayBytes;
    const std::uint64_t host = kHostArray + variable * kArrayBytes;
    const std::uint64_t device = kDeviceArray + number_ * 0x10000000 + variable * 0x1000000;
    const bool to_host = kind == OpKind::kDtoH;
    const bool deletes = kind == OpKind::kDelete;
    op.src_device = to_host || deletes ? device_ : trace_.host_device;
    op.dst_device = to_host || deletes ? trace_.host_device : device_;
    op.src = to_host || deletes ? device : host;
    op.dst = to_host ? host : deletes ? 0 : device;
    op.begin = now_;
    op.end = spend(mean);
    trace_.ops.push_back(op);
  }

  void launch() {
    spend(200);
    Launch launch;
    launch.region = {region_};
    launch.site = {kTargetSite};
    launch.kernel = {0};
    launch.thread = number_;
    launch.device = device_;
    launch.requested_teams = 0;
    launch.num_teams = 128;
    launch.thread_limit = 256;
    launch.trip_count = 1000000;
    launch.begin = now_;
    launch.end = spend(2000000);
    trace_.launches.push_back(launch);
  }

  Trace& trace_;
  std::uint32_t number_;
  std::int32_t device_;
  Random random_;
  Nanoseconds now_;
  std::uint32_t region_ = 0;
};

// Regions move when they are sorted, and what refers to them follows.
void sort_rows(Trace& trace) {
  const std::vector<std::uint32_t> order = trace.regions.sort_by_begin();
  if (order.empty()) return;
  std::vector<std::uint32_t> place(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  const auto follow = [&](std::uint32_t region) { return place[region]; };
  trace.ops.change_regions(follow);
  trace.launches.change_regions(follow);
  trace.ops.sort_by_begin();
  trace.launches.sort_by_begin();
}

}  // namespace

Trace synthetic_trace(const SyntheticOptions& options) {
  Trace trace;
  add_metadata(trace, options);
  std::vector<HostThread> threads;
  for (std::uint32_t number = 0; number < options.threads; ++number) {
    const auto device = static_cast<std::int32_t>(number) % options.devices;
    threads.emplace_back(trace, number, device, options.seed);
  }
  const std::size_t passes = (options.events + kEventsPerPass - 1) / kEventsPerPass;
  for (std::size_t pass = 0; pass < passes; ++pass) threads[pass % threads.size()].pass();
  sort_rows(trace);
  for (const Region& region : trace.regions)
    trace.process.wall = std::max(trace.process.wall, region.end + 1000);
  return trace;
}

}  // namespace ompdm::test
