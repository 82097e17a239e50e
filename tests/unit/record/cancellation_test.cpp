// Threads that the program cancels while they offload: the recorder neither keeps its mutex nor
// loses what others record.

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>

#include "record/recording.h"

namespace ompdm::test::cancellation_test {
namespace {

// Bytes that tell whose operation one is.
constexpr std::uint64_t kCancelled = 8;
constexpr std::uint64_t kLast = 16;

void update(std::uint64_t bytes) {
  FakeRuntime::begin(4, 0, address(0x1000));
  FakeRuntime::op(2, address(0x500), kHost, address(0x9000), 0, bytes, address(0x1000));
  FakeRuntime::end(4, 0, address(0x1000));
}

// Not without end: a loaded machine may be slow to cancel.
void* offload_until_cancelled(void* kind) {
  pthread_setcanceltype(*static_cast<int*>(kind), nullptr);
  for (int i = 0; i < 5'000; ++i) {
    update(kCancelled);
    pthread_testcancel();
  }
  for (;;) {
    pause();
  }
}

void* offload_a_little(void* /*nothing*/) {
  for (int i = 0; i < 100; ++i) {
    update(kLast);
  }
  return nullptr;
}

class Cancellation : public ::testing::TestWithParam<int> {};

TEST_P(Cancellation, OfThreadsThatOffloadHarmsNobodyElse) {
  constexpr int kRounds = 100;
  int kind = GetParam();
#if defined(OMPDM_SANITIZED)
  if (kind == PTHREAD_CANCEL_ASYNCHRONOUS) GTEST_SKIP() << "a sanitizer's own locks would be left";
#endif
  const Folder folder;
  const Outcome outcome = in_child(folder, [&] {
    alarm(60);  // a mutex that nobody gives back ends the test
    FakeRuntime runtime;
    runtime.attach();
    for (int round = 0; round < kRounds; ++round) {
      pthread_t thread{};
      pthread_create(&thread, nullptr, offload_until_cancelled, &kind);
      usleep(static_cast<useconds_t>(round % 10 * 50));
      pthread_cancel(thread);
      pthread_join(thread, nullptr);
    }
    pthread_t last{};
    pthread_create(&last, nullptr, offload_a_little, nullptr);
    pthread_join(last, nullptr);
    runtime.finish();
  });
  ASSERT_EQ(outcome.status, 0) << outcome.messages;
  const Recorded recorded = read_back(folder.path() / "trace.json.spool");
  EXPECT_EQ(std::ranges::count(recorded.trace.ops, kLast, &DataOp::bytes), 100);
}
INSTANTIATE_TEST_SUITE_P(Kinds, Cancellation,
                         ::testing::Values(PTHREAD_CANCEL_DEFERRED, PTHREAD_CANCEL_ASYNCHRONOUS),
                         [](const auto& tested) {
                           return tested.param == PTHREAD_CANCEL_DEFERRED ? "deferred"
                                                                          : "asynchronous";
                         });

// What a thread was about to write may lie half done behind its thread buffer's cursor.
TEST(Cancellation, WithinACallbackLeavesNoHoleInTheBuffer) {
  const Folder folder;
  const Outcome outcome = in_child(folder, [] {
    alarm(60);
    FakeRuntime runtime;
    runtime.attach();
    pthread_t thread{};
    pthread_create(
        &thread, nullptr,
        [](void*) -> void* {
          update(kCancelled);
          record::ThreadBuffer& buffer = *record::this_thread.buffer;
          std::fill_n(buffer.cursor, 64, std::byte{0});
          buffer.cursor += 64;
          record::this_thread.inside = true;
          return nullptr;
        },
        nullptr);
    pthread_join(thread, nullptr);
    pthread_create(&thread, nullptr, offload_a_little, nullptr);
    pthread_join(thread, nullptr);
    runtime.finish();
  });
  ASSERT_EQ(outcome.status, 0) << outcome.messages;
  const Recorded recorded = read_back(folder.path() / "trace.json.spool");
  EXPECT_EQ(recorded.buffers, 1U);
  EXPECT_EQ(std::ranges::count(recorded.trace.ops, kLast, &DataOp::bytes), 100);
}

}  // namespace
}  // namespace ompdm::test::cancellation_test
