// The recorder and CUPTI in one process, without LLVM's runtime, so that sanitizers can look on:
// the stand-in driver and CUPTI are loaded, the fake runtime fires the callbacks, and threads
// record while CUPTI's own thread gives buffers back, before, during and after the end.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "ompdm/finish.h"
#include "record/recording.h"

namespace ompdm::test::activities_test {
namespace {

constexpr int kGpu = 2;  // the fake runtime begins with two others

template <class Function>
Function* function(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

/// A stream of the stand-in driver, for one thread.
class Stream {
 public:
  Stream() : driver_(dlopen(OMPDM_STANDIN_LIBRARIES "/libcuda.so", RTLD_NOW | RTLD_GLOBAL)) {
    function<int(unsigned)>(driver_, "cuInit")(0);
    void* context = nullptr;
    function<int(void**, int)>(driver_, "cuDevicePrimaryCtxRetain")(&context, 0);
    function<int(void*)>(driver_, "cuCtxSetCurrent")(context);
    function<int(void**, unsigned)>(driver_, "cuStreamCreate")(&stream_, 0);
    function<int(std::uint64_t*, std::size_t)>(driver_, "cuMemAlloc_v2")(&memory_, sizeof(host_));
  }

  /// A directive that sends 8 bytes and waits for them: one copy, one synchronization.
  void update() {
    const void* device = address(memory_);
    FakeRuntime::begin(4, kGpu, address(0x1000));
    FakeRuntime::op_endpoint(ompt_scope_begin, 2, &host_, kHost, device, kGpu, 8, address(0x1000));
    function<int(std::uint64_t, const void*, std::size_t, void*)>(driver_, "cuMemcpyHtoDAsync_v2")(
        memory_, &host_, sizeof(host_), stream_);
    FakeRuntime::op_endpoint(ompt_scope_end, 2, &host_, kHost, device, kGpu, 8, address(0x1000));
    function<int(void*)>(driver_, "cuStreamSynchronize")(stream_);
    FakeRuntime::end(4, kGpu, address(0x1000));
  }

 private:
  void* driver_;
  void* stream_ = nullptr;
  std::uint64_t memory_ = 0;
  std::uint64_t host_ = 7;
};

/// What the recorder asks CUPTI for at the end, asked for in between.
void flush() {
  void* cupti = dlopen(OMPDM_STANDIN_LIBRARIES "/libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
  function<int(std::uint32_t)>(cupti, "cuptiActivityFlushAll")(0);
}

/// Until what was flushed has come, however late.
void wait_for_late_ones() {
  void* cupti = dlopen(OMPDM_STANDIN_LIBRARIES "/libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
  function<void()>(cupti, "standinCuptiWaitForBuffers")();
}

void update_on_threads(std::size_t threads, std::size_t updates) {
  std::vector<std::thread> running;
  for (std::size_t i = 0; i < threads; ++i) {
    running.emplace_back([updates] {
      Stream stream;
      for (std::size_t k = 0; k < updates; ++k) stream.update();
    });
  }
  for (std::thread& thread : running) thread.join();
}

std::uint64_t loss_of(const Trace& trace, const std::string& name) {
  for (const Loss& loss : trace.losses) {
    if (loss.name == name) return loss.count;
  }
  return 0;
}

/// Runs `body` in a child with a recorder that knows of a CUDA device.
Trace record_cuda(const std::function<void(FakeRuntime&)>& body,
                  std::map<std::string, std::string> environment = {}) {
  const Folder folder;
  environment["OMPDM_CUPTI_LIBRARY"] = OMPDM_STANDIN_LIBRARIES "/libcupti.so.13";
  environment["STANDIN_COPY_US"] = "0";
  const Outcome outcome = in_child(
      folder,
      [&] {
        FakeRuntime runtime;
        runtime.attach();
        Stream stream;
        FakeRuntime::device(kGpu, "sm_90");
        body(runtime);
      },
      environment);
  EXPECT_EQ(outcome.status, 0) << outcome.messages;
  Trace trace = read_spool(folder.path() / "trace.json.spool");
  EXPECT_EQ(trace.recording.cupti, "on") << outcome.messages;
  EXPECT_TRUE(trace.recording.finished);
  EXPECT_EQ(loss_of(trace, "records_unreadable"), 0U);
  return trace;
}

TEST(Activities, AreTiedToWhatAskedForThem) {
  const Trace trace = record_cuda([](FakeRuntime& runtime) {
    Stream stream;
    stream.update();
    runtime.finish();
  });
  ASSERT_EQ(trace.activities.size(), 1U);
  EXPECT_EQ(trace.activities[0].kind, ActivityKind::kHtoD);
  EXPECT_EQ(trace.activities[0].bytes, 8U);
  EXPECT_EQ(trace.activities[0].op.value, 0U);
  ASSERT_EQ(trace.synchronizations.size(), 1U);
  const Synchronization& wait = trace.synchronizations[0];
  EXPECT_EQ(wait.kind, SynchronizationKind::kStream);
  EXPECT_EQ(wait.stream, trace.activities[0].stream);
  EXPECT_EQ(wait.device, kGpu);
  EXPECT_EQ(wait.region.value, 0U);
  EXPECT_FALSE(wait.op);
}

void expect_all_of_many_threads(const std::map<std::string, std::string>& environment) {
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kUpdates = 1000;
  const Trace trace = record_cuda(
      [](FakeRuntime& runtime) {
        update_on_threads(kThreads, kUpdates);
        runtime.finish();
      },
      environment);
  ASSERT_EQ(trace.activities.size(), kThreads * kUpdates);
  EXPECT_EQ(trace.synchronizations.size(), kThreads * kUpdates);
  EXPECT_EQ(loss_of(trace, "activities_missing"), 0U);
  for (const DeviceActivity& activity : trace.activities) ASSERT_TRUE(activity.op);
  for (const Synchronization& wait : trace.synchronizations) ASSERT_TRUE(wait.region);
}

TEST(Activities, OfManyThreadsAreAllThere) { expect_all_of_many_threads({}); }

// CUPTI's thread holds a full buffer when the recording ends, and the flush does not wait for it.
TEST(Activities, OfABufferOnItsWayAreAllThere) {
  expect_all_of_many_threads({{"STANDIN_CUPTI_SLOW", "20000"}});
}

// One buffer, which CUPTI gives back 400 ms after the recording has ended: the recorder no longer
// waits for it.
TEST(Activities, ThatComeAfterTheEndAreCountedOneByOne) {
  constexpr std::size_t kUpdates = 50;
  const Trace trace = record_cuda(
      [](FakeRuntime& runtime) {
        update_on_threads(1, kUpdates);
        runtime.finish();
        wait_for_late_ones();
      },
      {{"STANDIN_CUPTI_LATE", "400000"}});
  EXPECT_EQ(trace.regions.size(), kUpdates);
  EXPECT_TRUE(trace.activities.empty());
  EXPECT_TRUE(trace.synchronizations.empty());
  EXPECT_EQ(loss_of(trace, "activities_late"), 2 * kUpdates);
  EXPECT_EQ(loss_of(trace, "activities_missing"), kUpdates);
}

// Whatever is on its way when the recording ends is in the spool or counted, nothing twice.
TEST(Activities, ThatComeWhileItEndsAreThereOrCounted) {
  constexpr std::size_t kThreads = 3;
  constexpr std::size_t kBefore = 200;
  constexpr std::size_t kAfter = 200;
  for (const char* late : {"0", "100", "1000"}) {
    const Trace trace = record_cuda(
        [](FakeRuntime& runtime) {
          std::atomic<std::size_t> ready{0};
          std::vector<std::thread> running;
          for (std::size_t i = 0; i < kThreads; ++i) {
            running.emplace_back([&] {
              Stream stream;
              for (std::size_t k = 0; k < kBefore; ++k) stream.update();
              ++ready;
              for (std::size_t k = 0; k < kAfter; ++k) {
                stream.update();
                if (k % 10 == 0) flush();
              }
            });
          }
          while (ready.load() < kThreads) std::this_thread::yield();
          runtime.finish();
          for (std::thread& thread : running) thread.join();
          flush();
          wait_for_late_ones();
        },
        {{"STANDIN_CUPTI_LATE", late}});
    const std::uint64_t told = trace.activities.size() + trace.synchronizations.size();
    const std::uint64_t late_ones = loss_of(trace, "activities_late");
    EXPECT_EQ(told + late_ones, 2 * kThreads * (kBefore + kAfter)) << late;
    EXPECT_GE(trace.regions.size(), kThreads * kBefore);
  }
}

}  // namespace
}  // namespace ompdm::test::activities_test
