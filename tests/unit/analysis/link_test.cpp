#include "ompdm/link.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ompdm/analysis.h"
#include "ompdm/error.h"
#include "support/trace_builder.h"

namespace ompdm::analysis::link_test {
namespace {

/// 8 bytes take 108 ns.
Link slow() { return {"slow", 1e9, 100}; }

TEST(Link, IsReadFromAPresetOrFromTwoFigures) {
  EXPECT_EQ(parse_link("pcie3x16"), (Link{"pcie3x16", 12e9, 6000}));
  EXPECT_EQ(parse_link("nvlink4").bytes_per_second, 346e9);
  EXPECT_EQ(parse_link("25GB/s,10us"), (Link{"25GB/s,10us", 25e9, 10000}));
  EXPECT_EQ(parse_link("1.5MB/s,0ns"), (Link{"1.5MB/s,0ns", 1.5e6, 0}));
  EXPECT_EQ(parse_link("1TB/s,0.5ms").latency, 500000);
}

TEST(Link, RefusesWhatIsNone) {
  for (const char* text :
       {"", "pcie", "25GB/s", "25,10", "0GB/s,1us", "-1GB/s,1us", "1GB/s,-1us", "1GB/s,1us,2",
        "nanGB/s,1us", "infGB/s,1us", "1GB,1us", "1 GB/s,1us", "GB/s,us", "1GB/s,1e300s"}) {
    try {
      parse_link(text);
      ADD_FAILURE() << text << " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::kUsage) << text;
    }
  }
}

TEST(Link, TimesATransferByLatencyAndBytes) {
  EXPECT_EQ(transfer_time(slow(), 0), 100);
  EXPECT_EQ(transfer_time(slow(), 8), 108);
  EXPECT_EQ(transfer_time(parse_link("pcie4x16"), 25'000'000'000), 1'000'006'000);
}

std::string refusal_of(Recording::Detail detail, Nanoseconds recorded_from,
                       Nanoseconds recorded_to) {
  test::TraceBuilder build;
  build.wait(100);
  Trace trace = build.take();
  trace.file = "a.json";
  trace.recording.detail = detail;
  trace.recording.recorded_from = recorded_from;
  trace.recording.recorded_to = recorded_to;
  try {
    retime(std::move(trace), slow());
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Retime, RefusesARunThatIsNotToldWhole) {
  const std::string why = "a.json: --link re-times single events, and this run was ";
  const std::string part = why + "recorded event by event only in part: record it again ";
  EXPECT_EQ(refusal_of(Recording::Detail::kAggregates, 0, 0),
            why + "aggregated: record it again without --detail tallies");
  EXPECT_EQ(refusal_of(Recording::Detail::kSpoolLimit, 0, 50), part + "with a larger --max-spool");
  EXPECT_EQ(refusal_of(Recording::Detail::kWindow, 20, 0), part + "without --after and --until");
  EXPECT_EQ(refusal_of(Recording::Detail::kWindow, 0, 0), "")
      << "a window that was open all the time";
  EXPECT_EQ(refusal_of(Recording::Detail::kEvents, 0, 0), "");
}

TEST(Retime, StretchesRegionsAndShiftsWhatFollows) {
  test::TraceBuilder build;
  const auto site = build.site(Directive::kTarget, "a.cpp", 1, "main");
  const auto a = build.variable("a", 8);
  build.trace.device_events = {{DeviceEvent::Kind::kInitialize, 0, 3, 0},
                               {DeviceEvent::Kind::kFinalize, 0, 60, 0}};
  build.wait(5);
  build.begin(site);
  build.op(OpKind::kAlloc, a, 8, 2);
  build.op(OpKind::kHtoD, a, 8, 10);
  build.launch(20);
  build.op(OpKind::kDtoH, a, 8, 1000);
  build.end();
  build.wait(7);
  build.begin(site);
  build.end();
  build.trace.process.wall = build.now + 4;
  const Trace before = build.trace;
  const Trace after = retime(before, slow());

  EXPECT_EQ(after.regions[0].begin, 5);
  EXPECT_EQ(after.ops[0].end - after.ops[0].begin, 2);
  EXPECT_EQ(after.ops[0].clock, Clock::kHost);
  EXPECT_EQ(after.ops[1].begin, 7);
  EXPECT_EQ(after.ops[1].end, 7 + 108);
  EXPECT_EQ(after.ops[1].clock, Clock::kModel);
  EXPECT_EQ(after.launches[0].begin, 115);
  EXPECT_EQ(after.launches[0].end, 135);
  EXPECT_EQ(after.ops[2].end, 135 + 108);
  EXPECT_EQ(after.regions[0].end, 243);
  EXPECT_EQ(after.regions[1].begin, 250);
  EXPECT_EQ(after.regions[1].end, 250);
  EXPECT_EQ(after.process.wall, 254);
  EXPECT_EQ(after.device_events[0].time, 3);
  EXPECT_EQ(after.device_events[1].time, 158);  // within the copy, where it was

  const Totals totals = analyze(after).totals;
  EXPECT_EQ(totals.htod, (Flow{8, 1, 108}));
  EXPECT_EQ(totals.kernel, (Flow{0, 1, 20}));
}

TEST(Retime, KeepsTransfersThatTookNoTimeInTheirRegion) {
  test::TraceBuilder build;
  const auto site = build.site(Directive::kTarget, "a.cpp", 1, "main");
  build.begin(site);
  build.op(OpKind::kHtoD, {}, 8, 0);
  build.launch(20);
  build.op(OpKind::kDtoH, {}, 8, 0);
  build.end();
  build.begin(site);
  build.end();
  const Trace after = retime(build.take(), slow());
  EXPECT_EQ(after.regions[0].begin, 0);
  EXPECT_EQ(after.ops[0].begin, 0);
  EXPECT_EQ(after.ops[0].end, 108);
  EXPECT_EQ(after.launches[0].begin, 108);
  EXPECT_EQ(after.ops[1].end, 236);
  EXPECT_EQ(after.regions[0].end, 236);
  EXPECT_EQ(after.regions[1].begin, 236);
}

TEST(Retime, LeavesAloneWhatCrossesNoLink) {
  test::TraceBuilder build;
  build.op(OpKind::kDtoD, {}, 8, 10)->src_device = 0;
  build.op(OpKind::kMemset, {}, 8, 10);
  build.op(OpKind::kHtoD, {}, 8, 10)->unfinished = true;
  const Trace before = build.take();
  const Trace after = retime(before, slow());
  EXPECT_EQ(after.ops, before.ops);
  EXPECT_EQ(after.process.wall, before.process.wall);
}

/// Two threads: what had ended before something else began still has, and rows stay in order.
TEST(Retime, KeepsThreadsInOrder) {
  test::TraceBuilder build;
  const auto site = build.site(Directive::kTarget, "a.cpp", 1, "main");
  build.trace.threads = {{1}, {2}};
  build.begin(site);
  build.op(OpKind::kHtoD, {}, 8, 10);
  build.end();
  build.thread = 1;
  build.now = 5;
  build.begin(site);
  build.launch(100);  // while the other thread copies and after
  build.op(OpKind::kHtoD, {}, 8, 10);
  build.end();
  build.thread = 0;
  build.begin(site);  // after both
  build.launch(3);
  build.end();
  const Trace after = retime(build.take(), slow());
  EXPECT_EQ(after.launches[0].end - after.launches[0].begin, 100);
  EXPECT_EQ(after.launches[1].end - after.launches[1].begin, 3);
  EXPECT_EQ(after.ops[1].end - after.ops[1].begin, 108);
  EXPECT_GE(after.regions[2].begin, after.regions[1].end);
  for (const auto& rows : {after.regions}) {
    for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_LE(rows[i - 1].begin, rows[i].begin);
  }
  for (const Launch& launch : after.launches) {
    const Region& region = after.regions[launch.region.value];
    EXPECT_EQ(region.thread, launch.thread);
    EXPECT_LE(region.begin, launch.begin);
    EXPECT_GE(region.end, launch.end);
  }
  EXPECT_GE(after.process.wall, after.regions[2].end);
}

/// Threads that each copy 5 times 8 bytes, all at the same time; thread i to devices[i].
Trace side_by_side(const std::vector<std::int32_t>& devices) {
  test::TraceBuilder build;
  const auto site = build.site(Directive::kTarget, "a.cpp", 1, "main");
  build.trace.host_device = 100;
  build.trace.threads.clear();
  for (std::uint32_t i = 0; i < devices.size(); ++i) build.trace.threads.push_back({i + 1});
  for (int iteration = 0; iteration < 5; ++iteration) {
    for (std::uint32_t i = 0; i < devices.size(); ++i) {
      build.thread = i;
      build.now = 20 * iteration + i;
      build.begin(site);
      build.trace.regions.edit_back()->device = devices[i];
      build.op(OpKind::kHtoD, {}, 8, 10)->dst_device = devices[i];
      build.end();
    }
  }
  return build.take();
}

/// From the first copy's begin to the last one's end.
Nanoseconds length_of(const Trace& trace) {
  Nanoseconds end = 0;
  for (const DataOp& op : trace.ops) end = std::max(end, op.end);
  return end - trace.ops.front().begin;
}

TEST(Retime, ThreadsWithDevicesOfTheirOwnGoSideBySide) {
  constexpr Nanoseconds kAlone = 5 * 108 + 4 * 10;
  EXPECT_EQ(length_of(retime(side_by_side({0}), slow())), kAlone);
  EXPECT_EQ(length_of(retime(side_by_side({0, 1}), slow())), kAlone + 1);
  EXPECT_EQ(length_of(retime(side_by_side({0, 1, 2, 3, 4, 5, 6, 7}), slow())), kAlone + 7);
}

TEST(Retime, ALinkCarriesOneTransferEachWayAtATime) {
  const Trace after = retime(side_by_side({0, 0}), slow());
  EXPECT_GE(length_of(after), 10 * 108);
  for (std::size_t i = 1; i < after.ops.size(); ++i) {
    EXPECT_GE(after.ops[i].begin, after.ops[i - 1].end);
  }
  test::TraceBuilder both_ways;
  both_ways.trace.threads = {{1}, {2}};
  both_ways.op(OpKind::kHtoD, {}, 8, 10);
  both_ways.thread = 1;
  both_ways.now = 0;
  both_ways.op(OpKind::kDtoH, {}, 8, 10);
  EXPECT_EQ(length_of(retime(both_ways.take(), slow())), 108);
}

TEST(Retime, AThreadThatTakesTurnsWithItsDevicesDoesOneThingAtATime) {
  test::TraceBuilder build;
  build.trace.host_device = 100;
  for (std::int32_t i = 0; i < 6; ++i) {
    build.op(OpKind::kHtoD, {}, 8, 10)->dst_device = i % 3;
    build.wait(5);
  }
  EXPECT_EQ(length_of(retime(build.take(), slow())), 6 * 108 + 5 * 5);
}

/// What a device was given before a thread came to it, it has when the thread does.
TEST(Retime, KeepsTheOrderOnADevice) {
  test::TraceBuilder build;
  build.trace.threads = {{1}, {2}};
  build.op(OpKind::kHtoD, {}, 8, 10);
  build.thread = 1;
  build.launch(5);
  const Trace after = retime(build.take(), slow());
  EXPECT_EQ(after.launches[0].begin, 108);
}

TEST(Retime, AThreadIsStartedWhereTheFirstOneStands) {
  test::TraceBuilder build;
  build.trace.host_device = 100;
  build.trace.threads = {{1}, {2}};
  build.op(OpKind::kHtoD, {}, 8, 10);
  build.wait(5);
  build.op(OpKind::kHtoD, {}, 8, 10);
  build.thread = 1;
  build.now = 17;  // within the first one's second copy
  build.op(OpKind::kHtoD, {}, 8, 10)->dst_device = 1;
  const Trace after = retime(build.take(), slow());
  EXPECT_EQ(after.ops[1].begin, 113);
  EXPECT_EQ(after.ops[2].begin, 115);
}

TEST(Retime, ATaskRunsAfterItWasMade) {
  test::TraceBuilder build;
  const auto site = build.site(Directive::kTarget, "a.cpp", 1, "main");
  build.trace.host_device = 100;
  build.trace.threads = {{1}, {2}};
  build.thread = 1;
  build.op(OpKind::kHtoD, {}, 8, 10)->dst_device = 1;
  build.thread = 0;
  build.op(OpKind::kHtoD, {}, 8, 10);
  build.thread = 1;
  build.wait(20);
  build.begin(site);
  build.trace.regions.edit_back()->device = 1;
  build.trace.regions.edit_back()->made = 22;
  build.trace.regions.edit_back()->maker = 0;
  build.wait(3);
  build.end();
  const Trace after = retime(build.take(), slow());
  EXPECT_GE(after.regions[0].made, after.ops[1].end + 2);
  EXPECT_GE(after.regions[0].begin, after.regions[0].made);
}

TEST(Retime, RefusesDevicesThatHaveALink) {
  test::TraceBuilder build;
  build.clock = Clock::kEnqueue;
  build.op(OpKind::kHtoD, {}, 8, 10);
  EXPECT_THROW(std::ignore = retime(build.take(), slow()), Error);
}

TEST(Retime, OfNothingIsNothing) {
  const Trace after = retime(Trace{}, slow());
  EXPECT_EQ(after.process.wall, 0);
}

}  // namespace
}  // namespace ompdm::analysis::link_test
