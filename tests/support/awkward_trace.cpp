#include "support/awkward_trace.h"

#include <limits>
#include <string>

namespace ompdm::test {
namespace {

constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();
constexpr std::int64_t kLate = std::int64_t{1} << 61;
constexpr std::int64_t kEarly = -kLate;

const std::string kQuoted = "a\"b\\c/d\b\f\n\r\t\x01\x1f\x7f},\n]";
const std::string kBroken = "caf\xc3\xa9 \xff\xfe \xc3 \xed\xa0\x80 \xf0\x9f\x98\x80 \xe2\x82";
// The very characters by which broken bytes are written, and a NUL.
const std::string kEscaped = std::string("\xf4\x8f\xbb\xbf \xf4\x8f\xba\x80 ") + '\0' + "end";

void add_metadata(Trace& trace) {
  trace.process = {4294967295,
                   0,
                   kBroken,
                   kQuoted,
                   {kEscaped, "", "--x=\"1\""},
                   kEscaped,
                   3,
                   8,
                   kLate,
                   kLate,
                   {RealtimeClock::State::kUnsynchronized, kLate, 1},
                   kEarly,
                   kBroken,
                   kHuge,
                   4294967295,
                   kQuoted};
  trace.recording = {kQuoted,
                     kBroken,
                     4294967295,
                     kEscaped,
                     0.1,
                     "",
                     Recording::Reach::kCured,
                     Recording::Names::kFailed,
                     kEscaped,
                     true,
                     kQuoted,
                     4294967295,
                     0.3,
                     kEscaped,
                     kLate,
                     kBroken,
                     true,
                     {{"target_emi", 5}, {kBroken, -1}, {"", 2147483647}},
                     Recording::Detail::kSpoolLimit,
                     kEarly,
                     kLate};
  trace.host_device = 4;
  trace.losses = {
      {"records_no_space", 0}, {kQuoted, kHuge}, {kBroken, (std::uint64_t{1} << 53) + 1}};
  trace.devices = {{0, kQuoted, kBroken, false, true},
                   {4, "host", "", true, false},
                   {-2147483647, "", "", false, false, 132, 2048, 32, 4294967295, 1}};
  trace.modules = {{kBroken, "00ff", kHuge}, {"", "", 0}};
  trace.threads = {{4711}, {4711}, {0}, {4294967295}};
  for (int directive = 0; directive <= static_cast<int>(Directive::kRuntime); ++directive) {
    Site site;
    site.directive = static_cast<Directive>(directive);
    site.file = directive == 1 ? kBroken : directive == 2 ? kQuoted : "";
    site.line = directive == 3 ? 2147483647 : directive == 4 ? -1 : directive;
    site.column = -directive;
    site.function = directive == 5 ? kEscaped : "operator\"\" _x";
    site.source = static_cast<LineSource>(directive % 4);
    site.api = directive == static_cast<int>(Directive::kApi) ? kQuoted : "";
    if (directive % 2 == 0) site.module = {1};
    site.address = directive == 0 ? kHuge : static_cast<std::uint64_t>(directive);
    if (directive == 1) site.inlined = {{kQuoted, kBroken, 1, 2}, {"", "", 0, -3}};
    if (directive == 2) site.callers = {{kEscaped, kQuoted, 2147483647, 0}, {"", kBroken, -1, 1}};
    trace.sites.push_back(site);
  }
  trace.variables = {
      {kBroken,
       kQuoted,
       kEscaped,
       2147483647,
       kHuge,
       kHuge,
       4294967295,
       {kBroken, "", kQuoted},
       kHuge - 1},
      {"", "", "", 0, 0, 0, 0, {}},
      {"u", "u[0:n]", "heat.cpp", 13, 0x7f0000000000, (std::uint64_t{1} << 53) + 1, 1, {}}};
  trace.kernels = {{kQuoted, kBroken, kEscaped, -1}, {"", "", "", 0}};
  trace.loops = {{kQuoted, kBroken, 54, 3, {}, true, true, false, false},
                 {"", "", 0, 0, {0}, false, false, true, true}};
  trace.loops[0].begin_unknown = true;
  trace.loops[0].unreached = {{Directive::kTargetUpdate, {kQuoted, kBroken, -1, 0}},
                              {Directive::kTarget, {"", "", 0, 0}, true}};
  trace.call_places = {{{}, kHuge, {{kEscaped, kBroken, -1, 0}}, 0, 0, false, {}, {}, {}, {}},
                       {{0}, 16, {}, kHuge, 8, true, {1}, {{0, 1}}, {{1, 1}, {0, 0}}, {kHuge, 0}}};
  trace.call_paths = {{{}, {1}, kHuge}, {{0}, {0}, 0}};
  trace.map_lists = {{},
                     {{{0}, kBroken, kHuge, 1, kHuge, kHuge}, {{}, "", 0, 0, 0, 0}},
                     {{{2}, kQuoted, 0, 0, 8, 0x23}}};
  trace.sources = {{kBroken, kQuoted}, {"", ""}};
  trace.device_events = {{DeviceEvent::Kind::kInitialize, -1, kEarly, 0},
                         {DeviceEvent::Kind::kFinalize, 0, kLate, kHuge},
                         {DeviceEvent::Kind::kLoad, 2147483647, -1, 1}};
}

void add_events(Trace& trace) {
  // Overlapping without nesting, ending before they begin, before the start, beyond what a double
  // holds.
  const auto add = [&trace](Index<Site> site, std::uint32_t thread, std::int32_t device,
                            Nanoseconds begin, Nanoseconds end, std::uint32_t map_list,
                            bool ends_data, bool unfinished, bool host_fallback, bool nowait) {
    Region region;
    region.site = site;
    region.thread = thread;
    region.device = device;
    region.begin = begin;
    region.end = end;
    region.map_list = map_list;
    region.ends_data = ends_data;
    region.unfinished = unfinished;
    region.host_fallback = host_fallback;
    region.nowait = nowait;
    trace.regions.push_back(region);
  };
  add({0}, 0, 0, kEarly, kLate, 2, true, true, true, true);
  add({1}, 1, -1, -1500, -1, 0, true, false, false, false);
  add({2}, 2, 4, 0, 0, Index<Region>::kNone, false, true, false, false);
  add({}, 3, 2147483647, 5, 3, 1, false, false, true, false);
  add({4}, 0, 0, 1000, 9000, 1, false, false, false, true);
  add({5}, 0, 0, 5001, 12002, 1, true, false, false, false);
  constexpr Nanoseconds kInexact = std::int64_t{1} << 50;
  add({6}, 0, -2147483647, kInexact, (std::int64_t{1} << 60) + 1, 1, false, false, false, false);
  add({3}, 0, 0, kLate, kLate, 1, false, false, false, false);
  trace.regions.edit(0)->path = {1};
  trace.regions.edit(1)->hashing = kLate;
  trace.regions.edit(2)->hashing = 1;
  trace.regions.edit(3)->hashing = -5;
  trace.regions.edit(2)->hashing_after = kLate;
  trace.regions.edit(3)->components = 4'000'000'000;
  for (int kind = 0; kind <= static_cast<int>(OpKind::kDisassociate); ++kind) {
    DataOp op;
    op.kind = static_cast<OpKind>(kind);
    op.clock = static_cast<Clock>(kind % 3);
    op.internal = kind % 2 == 0;
    op.unfinished = kind % 3 == 0;
    op.thread = static_cast<std::uint32_t>(kind % 4);
    if (kind % 3 != 1) op.region = {static_cast<std::uint32_t>(kind)};
    if (kind % 4 != 1) op.site = {static_cast<std::uint32_t>(kind % 7)};
    if (kind % 4 != 2) op.variable = {static_cast<std::uint32_t>(kind % 3)};
    op.map_type = kind == 3 ? 4294967295 : static_cast<std::uint32_t>(kind);
    op.src_device = kind % 2 == 0 ? 4 : kind - 3;
    op.dst_device = kind % 3 == 0 ? 4 : kind == 1 ? 2147483647 : -1;
    op.begin = kind * 100;
    op.end = kind * 100 + (kind % 2 == 0 ? 250 : -7);
    op.bytes = kind == 2 ? kHuge : kind == 5 ? 0 : (std::uint64_t{1} << 53) + 1;
    op.src = kind == 4 ? 0 : kHuge;
    op.dst = kind == 6 ? 0 : 0x7f0000000000 + static_cast<std::uint64_t>(kind);
    op.fingerprint = kind == 1 ? kHuge : kind == 2 ? 1 : 0;
    op.hash = kind == 2 ? kHuge - 1 : kind == 3 ? 7 : 0;
    op.trivial = kind == 1 || kind == 3;
    trace.ops.push_back(op);
  }
  trace.launches = {
      {{},
       {0},
       {0},
       {0},
       3,
       0,
       Clock::kEnqueue,
       true,
       -5,
       5,
       4294967295,
       4294967295,
       4294967295,
       kHuge},
      {{}, {}, {}, {}, 0, -1, Clock::kHost, false, 0, 0, 0, 0, 0, 0},
      {{},
       {7},
       {6},
       {1},
       2,
       4,
       Clock::kDevice,
       false,
       kLate - 1,
       kEarly,
       1,
       0,
       2,
       (std::uint64_t{1} << 53) + 1},
  };
  for (int kind = 0; kind <= static_cast<int>(ActivityKind::kHtoH); ++kind) {
    DeviceActivity activity;
    activity.kind = static_cast<ActivityKind>(kind);
    activity.source = static_cast<MemoryKind>(kind);
    activity.destination = static_cast<MemoryKind>(5 - kind);
    activity.internal = kind % 2 == 1;
    if (kind < 3) activity.op = {static_cast<std::uint32_t>(kind)};
    if (kind == 4) activity.launch = {2};
    if (kind % 2 == 0) activity.region = {static_cast<std::uint32_t>(kind)};
    if (kind == 4) activity.kernel = {1};
    activity.device = kind == 3 ? -1 : kind == 5 ? 2147483647 : 0;
    activity.source_device = kind == 2 ? 0 : -1;
    activity.destination_device = kind == 2 ? 4 : -1;
    activity.stream = kind == 1 ? 4294967295 : 7;
    activity.context = static_cast<std::uint32_t>(kind);
    activity.correlation = kind == 0 ? 4294967295 : static_cast<std::uint32_t>(kind);
    activity.begin = kind == 0 ? kEarly : kind * 50;
    activity.end = kind == 5 ? kLate : kind * 50 + (kind == 3 ? -9 : 120);
    activity.bytes = kind == 1 ? kHuge : 0;
    if (kind == 4) {
      activity.grid = {2147483647, 65535, 1};
      activity.block = {1024, 0, 64};
      activity.registers = 255;
      activity.static_shared = 49152;
      activity.dynamic_shared = 4294967295;
    }
    trace.activities.push_back(activity);
  }
  for (int kind = 0; kind <= static_cast<int>(SynchronizationKind::kContext); ++kind) {
    Synchronization wait;
    wait.kind = static_cast<SynchronizationKind>(kind);
    if (kind == 1) wait.op = {2};
    if (kind % 2 == 0) wait.region = {static_cast<std::uint32_t>(kind)};
    wait.device = kind == 3 ? -1 : kind == 4 ? 2147483647 : 0;
    wait.context = static_cast<std::uint32_t>(kind);
    wait.stream = kind == 2 ? 4294967295 : static_cast<std::uint32_t>(kind);
    wait.correlation = kind == 0 ? 4294967295 : static_cast<std::uint32_t>(kind);
    wait.begin = kind == 0 ? kEarly : kind * 60;
    wait.end = kind == 4 ? kLate : kind * 60 + (kind == 3 ? -9 : 120);
    trace.synchronizations.push_back(wait);
  }
  trace.block_touches = {{{0}, kHuge, true, true, true, false},
                         {{1}, 0, false, false, false, true}};
  trace.bad_accesses = {{BadAccess::Of::kHost, true, kLate, kHuge, kHuge, -kLate},
                        {BadAccess::Of::kBefore, false, kEarly, 0, 0, 0}};
  trace.unsent_items = {{{0}, 0, 0, 1}, {{3}, kHuge, kHuge, kHuge}};
}

}  // namespace

namespace {

// What the rows above have, but for what an aggregate has none of.
void add_aggregates(Trace& trace) {
  Distribution times;
  times.add(0);
  times.add(kHuge, 3);
  times.add(12345, 678);
  for (Region region : trace.regions) {
    region.unfinished = false;
    region.hashing = region.hashing_after = region.made = 0;
    region.components = region.maker = 0;
    trace.region_aggregates.push_back({region, times});
  }
  for (DataOp op : trace.ops) {
    op.unfinished = op.trivial = false;
    op.region = {};
    op.call = 0;
    op.fingerprint = op.hash = 0;
    trace.op_aggregates.push_back({op, kHuge, kHuge - 1, 1, kHuge, times});
  }
  trace.op_aggregates.emplace_back();
  for (Launch launch : trace.launches) {
    launch.unfinished = false;
    launch.region = {};
    trace.launch_aggregates.push_back({launch, {}, times});
  }
  trace.launch_aggregates.back().path = {0};
  for (DeviceActivity activity : trace.activities) {
    const bool is_op = static_cast<bool>(activity.op);
    activity.op = {};
    activity.launch = {};
    activity.region = {};
    trace.activity_aggregates.push_back({activity, {}, {}, kHuge - 1, 1, kHuge, times});
    if (is_op) trace.activity_aggregates.back().op = {1};
    if (activity.kind == ActivityKind::kKernel) trace.activity_aggregates.back().launch = {1};
  }
}

}  // namespace

Trace awkward_trace() {
  Trace trace;
  add_metadata(trace);
  add_events(trace);
  add_aggregates(trace);
  return trace;
}

}  // namespace ompdm::test
