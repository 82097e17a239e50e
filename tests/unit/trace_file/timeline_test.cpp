// What a viewer sees: tracks whose slices nest, flows, names, flags.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/awkward_trace.h"
#include "support/memory_stream.h"
#include "support/synthetic_trace.h"
#include "trace_files/tracks.h"

namespace ompdm::test::timeline_test {
namespace {

using nlohmann::json;

json events_of(const Trace& trace) { return json::parse(text_of(trace))["traceEvents"]; }

// What a device did on a stream is drawn on the stream's own track, at the end of an arrow from the
// directive.
TEST(Timeline, StreamsHaveTracksOfTheirOwn) {
  Trace trace = synthetic_trace({.events = 12});
  DeviceActivity activity;
  activity.kind = ActivityKind::kKernel;
  activity.device = 0;
  activity.region = {0};
  activity.launch = {0};
  activity.stream = 13;
  activity.begin = trace.launches[0].begin + 5;
  activity.end = trace.launches[0].end + 5;
  trace.activities = {activity, activity};
  trace.activities[1].stream = 14;
  std::map<int, std::string> names;
  std::set<std::string> drawn_on;
  for (const json& event : events_of(trace)) {
    if (event["name"] == "thread_name") names[event["tid"]] = event["args"]["name"];
    if (event.value("cat", "") != "cupti.kernel") continue;
    drawn_on.insert(names[event["tid"]]);
    EXPECT_EQ(event["bind_id"], 1);
    EXPECT_EQ(event["flow_in"], true);
  }
  EXPECT_EQ(drawn_on, (std::set<std::string>{"device 0 stream 13", "device 0 stream 14"}));
}

template <class Rows>
void expect_nested(const Rows& rows, const std::vector<std::uint32_t>& tracks) {
  std::map<std::uint32_t, std::vector<std::pair<Nanoseconds, Nanoseconds>>> by_track;
  for (std::size_t i = 0; i < rows.size(); ++i)
    by_track[tracks[i]].push_back({rows[i].begin, -rows[i].end});
  for (auto& [track, slices] : by_track) {
    std::sort(slices.begin(), slices.end());
    std::vector<Nanoseconds> open;
    for (const auto& [begin, minus_end] : slices) {
      while (!open.empty() && open.back() <= begin) open.pop_back();
      EXPECT_TRUE(open.empty() || -minus_end <= open.back())
          << "track " << track << " at " << begin;
      open.push_back(-minus_end);
    }
  }
}

TrackLayout lay_out_tracks(const Trace& trace) {
  Pids pids({trace.process.pid});
  return ompdm::lay_out_tracks(trace, trace.process.pid, pids);
}

std::set<std::string> track_names(const TrackLayout& layout) {
  std::set<std::string> names;
  for (const Track& track : layout.tracks) names.insert(track.name);
  EXPECT_EQ(names.size(), layout.tracks.size()) << "two tracks have one name";
  return names;
}

Trace with_transfers(std::vector<std::pair<Nanoseconds, Nanoseconds>> times) {
  Trace trace;
  trace.host_device = 1;
  trace.threads = {{7}};
  for (const auto& [begin, end] : times) {
    DataOp op;
    op.kind = OpKind::kHtoD;
    op.src_device = 1;
    op.dst_device = 0;
    op.begin = begin;
    op.end = end;
    trace.ops.push_back(op);
  }
  return trace;
}

TEST(Timeline, SlicesOfATrackNest) {
  for (const std::uint32_t threads : {1U, 3U, 9U}) {
    const Trace trace = synthetic_trace({.events = 6000, .threads = threads, .devices = 2});
    const TrackLayout layout = lay_out_tracks(trace);
    expect_nested(trace.regions, layout.regions);
    expect_nested(trace.ops, layout.ops);
    expect_nested(trace.launches, layout.launches);
  }
}

TEST(Timeline, DirectionsHaveTracksOfTheirOwn) {
  const Trace trace = synthetic_trace({.events = 600, .threads = 2, .devices = 2});
  EXPECT_EQ(track_names(lay_out_tracks(trace)),
            (std::set<std::string>{"thread 4711", "thread 4712", "device 0 HtoD", "device 0 DtoH",
                                   "device 0 alloc/delete", "device 0 kernels", "device 1 HtoD",
                                   "device 1 DtoH", "device 1 alloc/delete", "device 1 kernels"}));
}

TEST(Timeline, OverlapsGetExtraTracks) {
  const TrackLayout layout =
      lay_out_tracks(with_transfers({{0, 10}, {2, 8}, {5, 15}, {10, 20}, {12, 13}}));
  EXPECT_EQ(track_names(layout), (std::set<std::string>{"device 0 HtoD", "device 0 HtoD (2)"}));
  // Nested stays, overlapping moves, what begins when the first ends returns.
  EXPECT_EQ(layout.ops, (std::vector<std::uint32_t>{0, 0, 1, 0, 0}));
}

TEST(Timeline, RowsInNoOrderNestToo) {
  const Trace trace = with_transfers({{50, 60}, {0, 55}, {10, 20}, {15, 25}, {20, 20}, {50, 55}});
  expect_nested(trace.ops, lay_out_tracks(trace).ops);
}

TEST(Timeline, ManyOverlapsStayCheap) {
  std::vector<std::pair<Nanoseconds, Nanoseconds>> times;
  for (Nanoseconds i = 0; i < 20000; ++i) times.emplace_back(i, 100000 + i);
  const Trace trace = with_transfers(times);
  expect_nested(trace.ops, lay_out_tracks(trace).ops);
}

TEST(Timeline, MicrosecondsAreExactToTheNanosecond) {
  Trace trace = with_transfers({{1, 1235}, {999999999999, 1000000000001}});
  const json events = events_of(trace);
  std::vector<std::pair<Nanoseconds, Nanoseconds>> seen;
  for (const json& event : events) {
    if (event["ph"] != "X") continue;
    seen.emplace_back(std::llround(event["ts"].get<double>() * 1000),
                      std::llround(event["dur"].get<double>() * 1000));
  }
  EXPECT_EQ(seen, (std::vector<std::pair<Nanoseconds, Nanoseconds>>{{1, 1234}, {999999999999, 2}}));
}

TEST(Timeline, FlowsLeadFromTheRegionThroughItsOperations) {
  const json events = events_of(synthetic_trace({.events = 12}));
  std::vector<std::string> first;
  for (const json& event : events) {
    if (event.value("bind_id", 0) != 1) continue;
    first.push_back(event["cat"].get<std::string>() + (event.value("flow_in", false) ? " in" : "") +
                    (event.value("flow_out", false) ? " out" : ""));
  }
  EXPECT_EQ(first, (std::vector<std::string>{"region out", "HtoD in out", "HtoD in out",
                                             "launch in out", "DtoH in out", "DtoH in"}));
}

TEST(Timeline, LiveMemoryIsCountedInTheOrderInWhichAllocationsEnd) {
  Trace trace = with_transfers({{0, 100}, {10, 20}, {30, 40}});
  for (std::size_t i = 0; i < trace.ops.size(); ++i) {
    auto op = trace.ops.edit(i);
    op->kind = i == 2 ? OpKind::kDelete : OpKind::kAlloc;
    op->bytes = i == 0 ? 1000 : 10;
    op->dst = i == 0 ? 0x1000 : 0x2000;
    if (i == 2) op->src = 0x2000;
  }
  std::vector<std::pair<double, std::uint64_t>> seen;
  const json events = events_of(trace);
  for (const json& event : events) {
    if (event["ph"] == "C") seen.emplace_back(event["ts"], event["args"]["bytes"]);
  }
  EXPECT_EQ(seen, (std::vector<std::pair<double, std::uint64_t>>{
                      {0.020, 10}, {0.040, 0}, {0.100, 1000}}));
}

TEST(Timeline, UnfinishedRegionsSaySo) {
  Trace trace = synthetic_trace({.events = 12});
  trace.regions.edit(1)->unfinished = true;
  int unfinished = 0;
  const json events = events_of(trace);
  for (const json& event : events) {
    if (event.value("cat", "") == "region")
      unfinished += event["args"].value("unfinished", false) ? 1 : 0;
  }
  EXPECT_EQ(unfinished, 1);
}

TEST(Timeline, EveryTrackHasANameAndAGroup) {
  const json events = events_of(awkward_trace());
  std::set<std::pair<std::uint32_t, std::uint32_t>> named;
  std::set<std::uint32_t> groups;
  for (const json& event : events) {
    if (event.value("name", "") == "thread_name") named.emplace(event["pid"], event["tid"]);
    if (event.value("name", "") == "process_name") groups.emplace(event["pid"]);
  }
  for (const json& event : events) {
    const std::uint32_t pid = event["pid"];
    EXPECT_TRUE(groups.contains(pid)) << event;
    if (event["ph"] == "X") {
      EXPECT_TRUE(named.contains({pid, event["tid"]})) << event;
    }
  }
}

TEST(Timeline, EventsAreShort) {
  const std::string text = text_of(synthetic_trace({.events = 120000}));
  EXPECT_LT(text.size(), 120000U * 250);
}

TEST(Timeline, MetadataComesFirst) {
  const std::string text = text_of(awkward_trace());
  EXPECT_TRUE(text.starts_with("{\"otherData\":{\"schema\":\"ompdm.trace/1\",\n"));
  EXPECT_LT(text.find("\n},\n\"traceEvents\":[\n"), text.find("{\"ph\":"));
  EXPECT_TRUE(text.ends_with("\n],\"displayTimeUnit\":\"ns\"}\n"));
}

}  // namespace
}  // namespace ompdm::test::timeline_test
