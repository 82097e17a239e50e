// A part of a trace: what was at work in it, with what that belongs to, and nothing else.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>
#include <utility>

#include "ompdm/trace_file.h"
#include "support/temporary_folder.h"
#include "trace_files/trace_io.h"

namespace ompdm::window_test {
namespace {

/// Regions of random lengths, some with operations of their own that outlast them, launches and
/// activities.
Trace random_trace(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](int limit) { return static_cast<Nanoseconds>(random() % limit); };
  Trace trace;
  trace.process.wall = 100'000;
  trace.threads = {{1}};
  trace.sites.emplace_back();
  Nanoseconds now = 0;
  for (std::uint32_t i = 0; i < 200; ++i) {
    now += below(500);
    Region region;
    region.site = {0};
    region.begin = now;
    region.end = now + below(2000);
    trace.regions.push_back(region);
    if (below(3) != 0) {
      DataOp op;
      op.region = {i};
      op.bytes = i;
      op.begin = now + below(100);
      op.end = op.begin + below(5000);
      trace.ops.push_back(op);
      if (below(2) == 0) {
        DeviceActivity activity;
        activity.op = {static_cast<std::uint32_t>(trace.ops.size() - 1)};
        activity.begin = op.begin + below(3000);
        activity.end = activity.begin + below(3000);
        activity.bytes = op.bytes;
        trace.activities.push_back(activity);
      }
    }
    if (below(3) == 0) {
      Launch launch;
      launch.region = {i};
      launch.trip_count = i;
      launch.begin = now;
      launch.end = now + below(2000);
      trace.launches.push_back(launch);
    }
  }
  return trace;
}

bool is_in(Nanoseconds begin, Nanoseconds end, Nanoseconds from, Nanoseconds to) {
  return begin <= to && end >= from;
}

TEST(Window, HoldsWhatWasAtWorkAndWhatThatBelongsTo) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Trace whole = random_trace(seed);
    const Nanoseconds from = whole.regions.begin_of(50);
    const Nanoseconds to = whole.regions.begin_of(100);
    const Trace part = window_of(whole, from, to);
    EXPECT_EQ(find_broken_reference(part), "");
    EXPECT_EQ(part.recording.detail, Recording::Detail::kPart);
    EXPECT_EQ(part.recording.recorded_from, from);
    EXPECT_EQ(part.recording.recorded_to, to);
    std::size_t expected = 0;
    for (const DeviceActivity& activity : whole.activities) {
      expected += is_in(activity.begin, activity.end, from, to) ? 1 : 0;
    }
    ASSERT_EQ(part.activities.size(), expected);
    for (const DeviceActivity& activity : part.activities) {
      EXPECT_EQ(part.ops[activity.op.value].bytes, activity.bytes);
    }
    // Of an operation the region that it had, told by its begin; no operation is missing.
    std::size_t found = 0;
    for (const DataOp& op : part.ops) {
      const Region& own = part.regions[op.region.value];
      EXPECT_EQ(own, whole.regions[static_cast<std::size_t>(op.bytes)]);
      found += is_in(op.begin, op.end, from, to) ? 1 : 0;
    }
    std::size_t wanted = 0;
    for (const DataOp& op : whole.ops) wanted += is_in(op.begin, op.end, from, to) ? 1 : 0;
    EXPECT_EQ(found, wanted);
    EXPECT_GT(wanted, 0U);
    EXPECT_LT(part.regions.size(), whole.regions.size());
    for (const Launch& launch : part.launches) {
      EXPECT_TRUE(is_in(launch.begin, launch.end, from, to));
      EXPECT_EQ(part.regions[launch.region.value].begin, whole.regions.begin_of(launch.trip_count));
    }
  }
}

TEST(Window, OfAllTimeIsAll) {
  const Trace whole = random_trace(7);
  const Trace part = window_of(whole, std::numeric_limits<Nanoseconds>::min(),
                               std::numeric_limits<Nanoseconds>::max());
  EXPECT_EQ(part.regions, whole.regions);
  EXPECT_EQ(part.ops, whole.ops);
  EXPECT_EQ(part.launches, whole.launches);
  EXPECT_EQ(part.activities, whole.activities);
  EXPECT_EQ(part.recording.recorded_to, whole.process.wall);
}

TEST(Window, IsOfWhatIsToldAlone) {
  Trace whole = random_trace(3);
  whole.recording.detail = Recording::Detail::kSpoolLimit;
  whole.recording.recorded_from = 1000;
  whole.recording.recorded_to = 20'000;
  const auto told = [&](Nanoseconds from, Nanoseconds to) {
    const Recording part = window_of(whole, from, to).recording;
    return std::pair(part.recorded_from, part.recorded_to);
  };
  EXPECT_EQ(told(0, 5000), std::pair(Nanoseconds{1000}, Nanoseconds{5000}));
  EXPECT_EQ(told(5000, 90'000), std::pair(Nanoseconds{5000}, Nanoseconds{20'000}));
  EXPECT_EQ(told(30'000, 90'000), std::pair(Nanoseconds{20'000}, Nanoseconds{20'000}));
  EXPECT_EQ(told(-9, -1), std::pair(Nanoseconds{1000}, Nanoseconds{1000}));
}

TEST(Window, IsKnownByItsFile) {
  const test::TemporaryFolder folder;
  const Trace whole = random_trace(5);
  for (const char* name : {"whole.json", "whole.ompdm"}) {
    const std::filesystem::path path = folder.path() / name;
    replace_trace(whole, path);
    EXPECT_FALSE(is_part(path)) << name;
    replace_trace(window_of(whole, 0, 10), path);
    EXPECT_TRUE(is_part(path)) << name;
  }
  EXPECT_FALSE(is_part(folder.path()));
  EXPECT_FALSE(is_part(folder.path() / "absent"));
}

}  // namespace
}  // namespace ompdm::window_test
