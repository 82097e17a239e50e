// Aggregated activities add up to those of a recording that has each one. A program of copies and
// kernels has given times on the device. It is recorded with events, with aggregates, and with
// events up to a limit. Its activities are delivered late and in any order.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "ompdm/analysis.h"
#include "ompdm/finish.h"
#include "record/cupti.h"
#include "record/recording.h"
#include "standin/cupti_records.h"

namespace ompdm::test::counted_activities_test {
namespace {

namespace cupti = standin::cupti;

constexpr int kGpu = 2;  // the fake runtime begins with two others
constexpr std::uint32_t kCustom0 = 3;

/// A device whose every activity takes a time of its own.
class Device {
 public:
  explicit Device(unsigned seed)
      : random_(seed), library_(dlopen(OMPDM_STANDIN_LIBRARIES "/libcupti.so.13", RTLD_NOW)) {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    time_ = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U;
  }

  /// A driver call that is made now, by whatever runs on this thread.
  void call() {
    std::uint64_t id = 0;
    ++correlation_;
    if (function<int(std::uint32_t, std::uint64_t*)>("cuptiActivityPopExternalCorrelationId")(
            kCustom0, &id) != 0) {
      return;
    }
    function<int(std::uint32_t, std::uint64_t)>("cuptiActivityPushExternalCorrelationId")(kCustom0,
                                                                                          id);
    const cupti::External record{cupti::kExternalCorrelation, kCustom0, id, correlation_, 0};
    add(record, calls_);
  }
  /// One that nothing asked for that is known.
  void own_call() { ++correlation_; }

  void copy(std::uint8_t kind, std::uint64_t bytes) {
    auto record = begun<cupti::Memcpy>(cupti::kMemcpy);
    record.copy_kind = kind;
    record.src_kind = kind == 1 ? 1 : 3;
    record.dst_kind = kind == 1 ? 3 : 1;
    record.bytes = bytes;
    add(record, work_);
  }
  void kernel(const char* name) {
    auto record = begun<cupti::Kernel>(cupti::kConcurrentKernel);
    record.name = name;
    record.grid[0] = record.block[0] = 8;
    add(record, work_);
  }

  /// Gives back what has been called and done, which of them first is anyone's guess.
  void give_back() {
    if (random_() % 2 == 0) give(calls_);
    give(work_);
    give(calls_);
  }
  std::mt19937_64& random() { return random_; }

 private:
  template <class Function>
  Function* function(const char* name) {
    return reinterpret_cast<Function*>(dlsym(library_, name));
  }
  template <class Record>
  Record begun(std::uint32_t kind) {
    Record record{};
    record.kind = kind;
    record.start = time_;
    time_ += 500 + random_() % 5000;
    record.end = time_;
    record.context = 1;
    record.stream = 7;
    record.correlation = correlation_;
    return record;
  }
  template <class Record>
  static void add(const Record& record, std::vector<std::uint8_t>& to) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&record);
    to.insert(to.end(), bytes, bytes + sizeof(record));
  }
  static void give(std::vector<std::uint8_t>& buffer) {
    if (!buffer.empty()) record::write_activities(nullptr, 0, buffer.data(), buffer.size());
    buffer.clear();
  }

  std::mt19937_64 random_;
  void* library_;
  std::uint64_t time_ = 0;
  std::uint32_t correlation_ = 0;
  std::vector<std::uint8_t> calls_;
  std::vector<std::uint8_t> work_;
};

void copy_in_region(Device& device, int optype, std::size_t bytes, const void* code) {
  const void* host = address(0x10000);
  const void* there = address(0x20000);
  const bool up = optype == 2;
  const auto endpoint = [&](ompt_scope_endpoint_t which) {
    FakeRuntime::op_endpoint(which, optype, up ? host : there, up ? kHost : kGpu, up ? there : host,
                             up ? kGpu : kHost, bytes, code);
  };
  endpoint(ompt_scope_begin);
  device.call();
  device.copy(up ? 1 : 2, bytes);
  endpoint(ompt_scope_end);
}

void play(Device& device, int count) {
  const auto below = [&](std::uint64_t limit) { return device.random()() % limit; };
  for (int i = 0; i < count; ++i) {
    const auto which = below(4);
    const void* code = address(0x1000 + 16 * which);
    const bool is_kernel = which == 0;
    FakeRuntime::begin(is_kernel ? 1 : 4, kGpu, code);
    copy_in_region(device, 2, 8 + 8 * below(4), code);
    if (is_kernel) {
      FakeRuntime::submit_begin(4);
      device.call();
      device.kernel("step");
      FakeRuntime::submit_end(4);
    }
    if (below(3) == 0) copy_in_region(device, 3, 4096, code);
    // The runtime's own, in the region and outside of any.
    device.call();
    if (below(5) == 0) device.copy(1, 1);
    FakeRuntime::end(is_kernel ? 1 : 4, kGpu, code);
    device.own_call();
    if (below(20) == 0) device.copy(1, 100);
    if (below(50) == 0) copy_in_region(device, 2, 64, address(0x9000));
    if (below(30) == 0) device.give_back();
  }
  device.give_back();
}

Trace record_play(unsigned seed, int count, const std::string& variable = "OMPDM_VERBOSE",
                  const std::string& value = "0") {
  const Folder folder;
  const Outcome outcome = in_child(
      folder,
      [&] {
        FakeRuntime runtime;
        runtime.attach();
        void* driver = dlopen(OMPDM_STANDIN_LIBRARIES "/libcuda.so", RTLD_NOW | RTLD_GLOBAL);
        reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"))(0);
        FakeRuntime::device(kGpu, "sm_90");
        Device device(seed);
        play(device, count);
        runtime.finish();
      },
      {{"OMPDM_CUPTI_LIBRARY", OMPDM_STANDIN_LIBRARIES "/libcupti.so.13"}, {variable, value}});
  EXPECT_EQ(outcome.status, 0) << outcome.messages;
  Trace trace = read_spool(folder.path() / "trace.json.spool");
  EXPECT_EQ(trace.recording.cupti, "on") << outcome.messages;
  for (const Loss& loss : trace.losses) {
    // There is no wrapper to tell them here.
    const bool expected = loss.name == "names_unavailable";
    EXPECT_TRUE(expected || loss.count == 0) << loss.name << " " << loss.count;
  }
  return trace;
}

// What is told is brought from CUPTI's clock to the host's, which in a run as short as this are
// known to a thousandth; and to a nanosecond each.
void expect_near(Nanoseconds counted, Nanoseconds told, std::uint64_t of) {
  const double rate = static_cast<double>(told) / 1000;
  EXPECT_NEAR(static_cast<double>(counted), static_cast<double>(told),
              static_cast<double>(of) + rate);
}

void expect_same(const analysis::Flow& counted, const analysis::Flow& told) {
  EXPECT_EQ(counted.count, told.count);
  EXPECT_EQ(counted.bytes, told.bytes);
  expect_near(counted.time, told.time, told.count);
}

void expect_same_tables(const Trace& counted_trace, const Trace& told_trace) {
  const analysis::Analysis counted = analysis::analyze(counted_trace);
  const analysis::Analysis told = analysis::analyze(told_trace);
  ASSERT_EQ(counted.activities.size(), told.activities.size());
  for (const analysis::Activity& row : told.activities) {
    const auto same = std::ranges::find(counted.activities, row.id, &analysis::Activity::id);
    ASSERT_NE(same, counted.activities.end()) << row.function;
    EXPECT_EQ(row.clock, Clock::kDevice);
    EXPECT_EQ(same->clock, row.clock);
    EXPECT_EQ(same->count, row.count);
    EXPECT_EQ(same->bytes, row.bytes);
    expect_near(same->total, row.total, row.count);
    expect_near(same->minimum, row.minimum, 1);
    expect_near(same->maximum, row.maximum, 1);
    expect_near(same->average, row.average, 2);
    expect_near(same->deviation, row.deviation, 2);
    // Within its bin.
    EXPECT_LE(4 * same->median, 5 * row.median + 4);
    EXPECT_LE(4 * row.median, 5 * same->median + 4);
  }
  expect_same(counted.totals.htod, told.totals.htod);
  expect_same(counted.totals.dtoh, told.totals.dtoh);
  expect_same(counted.totals.kernel, told.totals.kernel);
  expect_same(counted.totals.runtime_internal, told.totals.runtime_internal);
  ASSERT_EQ(counted.directives.size(), told.directives.size());
  for (const analysis::DirectiveRow& row : told.directives) {
    const auto same = std::ranges::find(counted.directives, row.id, &analysis::DirectiveRow::id);
    ASSERT_NE(same, counted.directives.end());
    EXPECT_EQ(same->count, row.count);
    expect_same(same->htod, row.htod);
    expect_same(same->dtoh, row.dtoh);
    EXPECT_EQ(same->kernel_count, row.kernel_count);
    expect_near(same->kernel_time, row.kernel_time, row.kernel_count);
  }
}

class CountedActivities : public ::testing::TestWithParam<unsigned> {};

TEST_P(CountedActivities, AddUpToThoseThatAreTold) {
  constexpr int kCount = 3000;
  const Trace told = record_play(GetParam(), kCount);
  const Trace counted = record_play(GetParam(), kCount, "OMPDM_DETAIL", "tallies");
  EXPECT_TRUE(counted.activities.empty());
  EXPECT_FALSE(counted.activity_aggregates.empty());
  EXPECT_TRUE(told.activity_aggregates.empty());
  expect_same_tables(counted, told);
}

TEST_P(CountedActivities, GoOnWhereTheSpoolIsFull) {
  constexpr int kCount = 3000;
  const Trace told = record_play(GetParam(), kCount);
  const Trace both = record_play(GetParam(), kCount, "OMPDM_MAX_SPOOL", "150K");
  EXPECT_EQ(both.recording.detail, Recording::Detail::kSpoolLimit);
  EXPECT_GT(both.activities.size(), 500U);
  EXPECT_LT(both.activities.size(), told.activities.size() / 2);
  // What was told has its activities, those that came after the limit too.
  std::vector<std::size_t> of_op(both.ops.size());
  for (const DeviceActivity& activity : both.activities) {
    if (activity.op) ++of_op[activity.op.value];
  }
  EXPECT_TRUE(std::ranges::all_of(of_op, [](std::size_t count) { return count == 1; }));
  expect_same_tables(both, told);
}

INSTANTIATE_TEST_SUITE_P(, CountedActivities, ::testing::Range(1U, 4U));

}  // namespace
}  // namespace ompdm::test::counted_activities_test
