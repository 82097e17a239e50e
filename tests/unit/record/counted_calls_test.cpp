// An API call makes several operations (omp_target_memcpy_rect), and telling may end or begin in
// its middle: the call is one all the same.
#include <gtest/gtest.h>

#include <cstdint>

#include "record/clock.h"
#include "record/recording.h"
#include "record/thread_buffer.h"

namespace ompdm::test::counted_calls_test {
namespace {

void copies_of_call(std::uint32_t call, int count) {
  const void* const codeptr = address(0x5000);
  record::this_thread.api_codeptr = codeptr;
  record::this_thread.api_call = spool::CallId{call};
  for (int i = 0; i < count; ++i) {
    FakeRuntime::op(2, address(0xa000), kHost, address(0xd000), 0, 64, codeptr);
  }
}

TEST(CountedCalls, AreWithoutTheOneThatIsToldInPart) {
  const Recorded recorded = record([] {
    copies_of_call(1, 3);
    copies_of_call(2, 3);
    record::stop_recording_events(spool::Detail::kSpoolLimit);
    copies_of_call(2, 5);
    copies_of_call(3, 4);
    copies_of_call(4, 4);
  });
  ASSERT_EQ(recorded.aggregates.size(), 1U);
  EXPECT_EQ(recorded.aggregates[0].times.count, 13U);
  EXPECT_EQ(recorded.aggregates[0].calls, 2U);
  EXPECT_EQ(recorded.trace.ops.size(), 6U + 1U);  // and the sample
}

TEST(CountedCalls, AreWholeWhereTellingBegins) {
  const Recorded recorded = record([] {
    record::recorder.aggregating.store(true);
    copies_of_call(1, 3);
    record::recorder.aggregating.store(false);
    copies_of_call(1, 5);
    copies_of_call(2, 4);
  });
  ASSERT_EQ(recorded.aggregates.size(), 1U);
  EXPECT_EQ(recorded.aggregates[0].times.count, 8U);
  EXPECT_EQ(recorded.aggregates[0].calls, 1U);
  EXPECT_EQ(recorded.trace.ops.size(), 4U + 1U);
}

}  // namespace
}  // namespace ompdm::test::counted_calls_test
