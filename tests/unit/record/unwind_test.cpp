// The recorder's own walk of the stack beside the C++ runtime's.
#include "record/unwind.h"

#include <alloca.h>
#include <gtest/gtest.h>
#include <unwind.h>

#include <cstring>
#include <thread>
#include <vector>

#include "record/loaded_objects.h"

namespace ompdm::record::unwind_test {
namespace {

struct Step {
  std::uint64_t place = 0;
  std::uint64_t address = 0;
  bool operator==(const Step&) const = default;
};
using Steps = std::vector<Step>;

Steps by_ompdm;
Steps by_libgcc;

_Unwind_Reason_Code take(_Unwind_Context* context, void* /*none*/) {
  const std::uint64_t address = _Unwind_GetIP(context);
  if (address != 0) by_libgcc.push_back({_Unwind_GetCFA(context) - sizeof(address), address});
  return _URC_NO_REASON;
}

[[gnu::noinline]] void look() {
  by_ompdm.clear();
  by_libgcc.clear();
  prepare_own_stack();
  prepare_find_object();
  StackWalk walk(own_stack());
  walk.begin();
  Step step;
  while (walk.next(step.place, step.address)) by_ompdm.push_back(step);
  _Unwind_Backtrace(take, nullptr);
}

/// Both have to tell the same from the first caller on; libgcc's first step is where it was called.
void expect_equal() {
  ASSERT_GE(by_ompdm.size(), 3U);
  ASSERT_EQ(by_libgcc.size(), by_ompdm.size() + 1);
  EXPECT_TRUE(std::equal(by_ompdm.begin(), by_ompdm.end(), by_libgcc.begin() + 1));
}

[[gnu::noinline]] void with_array(std::size_t size) {
  auto* array = static_cast<volatile char*>(alloca(size));
  array[0] = 1;
  look();
  array[size - 1] = array[0];
}

[[gnu::noinline]] void aligned() {
  alignas(64) volatile char array[256];
  array[0] = 1;
  with_array(100 + static_cast<std::size_t>(array[0]));
  array[255] = array[0];
}

[[gnu::noinline]] int deep(int levels) {
  volatile int level = levels;
  if (levels == 0) {
    aligned();
  } else {
    deep(levels - 1);
  }
  return level;
}

struct Thrower {
  virtual ~Thrower() = default;
  [[gnu::noinline]] virtual void run() {
    try {
      deep(3);
      throw 1;
    } catch (int) {
      look();
    }
  }
};

TEST(Unwind, GoesTheWayOfTheRuntimes) {
  look();
  expect_equal();
}

TEST(Unwind, FollowsFramesOfAnySize) {
  with_array(1 << 20);
  expect_equal();
  aligned();
  expect_equal();
  deep(20);
  expect_equal();
  EXPECT_GE(by_ompdm.size(), 24U);
}

TEST(Unwind, FollowsCallsThatCatch) {
  Thrower().run();
  expect_equal();
}

TEST(Unwind, KnowsTheStacksOfThreads) {
  std::thread([] { deep(2); }).join();
  // libgcc's goes on to where nothing is.
  ASSERT_GE(by_ompdm.size(), 6U);
  EXPECT_TRUE(std::equal(by_ompdm.begin(), by_ompdm.end(), by_libgcc.begin() + 1));
}

TEST(Unwind, FollowsWhatLibrariesCall) {
  std::vector<int> numbers{3, 1, 2};
  std::qsort(numbers.data(), numbers.size(), sizeof(int), [](const void* a, const void* b) {
    look();
    return *static_cast<const int*>(a) - *static_cast<const int*>(b);
  });
  expect_equal();
}

TEST(Unwind, ReadsNothingBeyondItsStack) {
  StackWalk walk({});
  walk.begin();
  Step step;
  EXPECT_FALSE(walk.next(step.place, step.address));
}

}  // namespace
}  // namespace ompdm::record::unwind_test
