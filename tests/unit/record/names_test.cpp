// What the wrappers of the runtime's entry points add: sites by source, map lists, kernels, host
// fallback.

#include <gtest/gtest.h>

#include "record/entry_points.h"
#include "record/recorder.h"
#include "record/recording.h"
#include "record/thread_buffer.h"

#if defined(__x86_64__)
extern "C" {
void ompdm_wrap_data_begin();
void ompdm_wrap_kernel();
void ompdm_wrap_memcpy();
}

namespace ompdm::test::names_test {
namespace {

using record::Ident;

// libomptarget's argument structure, version 3.
struct KernelArgs {
  std::uint32_t version = 3;
  std::uint32_t count = 0;
  void** bases = nullptr;
  void** begins = nullptr;
  std::int64_t* sizes = nullptr;
  std::int64_t* types = nullptr;
  const char** names = nullptr;
  void** mappers = nullptr;
  std::uint64_t trip_count = 0;
  std::uint64_t flags = 0;
  std::uint32_t num_teams[3] = {};
  std::uint32_t thread_limit[3] = {};
  std::uint32_t shared_memory = 0;
};

using DataBegin = void(Ident*, std::int64_t, std::int32_t, void**, void**, std::int64_t*,
                       std::int64_t*, const char**, void**);
using Kernel = int(Ident*, std::int64_t, std::int32_t, std::int32_t, void*, KernelArgs*);

// The fake's own entry points: like the real ones they take the caller's address for codeptr_ra.
void fake_data_begin(Ident*, std::int64_t device, std::int32_t count, void**, void** begins,
                     std::int64_t* sizes, std::int64_t*, const char**, void**) {
  const void* codeptr = __builtin_return_address(0);
  FakeRuntime::begin(2, static_cast<int>(device), codeptr);
  for (int i = 0; i < count; ++i) {
    FakeRuntime::op(2, begins[i], kHost, address(0x9000), 0, static_cast<std::size_t>(sizes[i]),
                    codeptr);
  }
  FakeRuntime::end(2, static_cast<int>(device), codeptr);
}

int fake_kernel(Ident*, std::int64_t device, std::int32_t, std::int32_t, void*, KernelArgs*) {
  const void* codeptr = __builtin_return_address(0);
  FakeRuntime::begin(1, static_cast<int>(device), codeptr);
  FakeRuntime::submit(8);
  FakeRuntime::end(1, static_cast<int>(device), codeptr);
  return 0;
}

int kernel_on_host(Ident*, std::int64_t, std::int32_t, std::int32_t, void*, KernelArgs*) {
  return 1;
}

int fake_memcpy(void* dst, const void* src, std::size_t bytes, std::size_t, std::size_t, int, int) {
  const void* codeptr = __builtin_return_address(0);
  FakeRuntime::op(3, src, 0, address(0x4444), kHost, bytes, codeptr);
  FakeRuntime::op(2, address(0x4444), kHost, dst, 1, bytes, codeptr);
  return 0;
}

template <class Function>
void stand_in_for(unsigned position, Function* function) {
  record::ompdm_real[position] = reinterpret_cast<void*>(function);
}

Ident ident{{}, ";heat.cpp;main;41;3;;"};
const char* names[] = {";u[0:n*n];heat.cpp;13;32;;", ";u_tmp[0:n*n];heat.cpp;14;32;;"};
void* pointers[] = {reinterpret_cast<void*>(0x10000), reinterpret_cast<void*>(0x20000)};
std::int64_t sizes[] = {800, 800};
std::int64_t types[] = {0x21, 0x23};

auto* const data_begin = reinterpret_cast<DataBegin*>(&ompdm_wrap_data_begin);
auto* const kernel = reinterpret_cast<Kernel*>(&ompdm_wrap_kernel);

[[gnu::noinline]] void enter_data(void** begins) {
  data_begin(&ident, 0, 2, begins, begins, sizes, types, names, nullptr);
  asm volatile("");  // keeps the call from becoming a jump
}

TEST(Names, ComeFromTheArgumentsOfTheCall) {
  const Recorded recorded = record([] {
    stand_in_for(record::kWrapper_data_begin, fake_data_begin);
    enter_data(pointers);
  });
  ASSERT_EQ(recorded.count(spool::Tag::kSite), 1U);
  const trace::SiteExtra& site = recorded.site_extras[0];
  EXPECT_EQ(site.psource, ";heat.cpp;main;41;3;;");
  ASSERT_EQ(site.names.size(), 2U);
  EXPECT_EQ(site.names[1], ";u_tmp[0:n*n];heat.cpp;14;32;;");
  EXPECT_EQ(site.entry, spool::Entry::kDataBegin);
  ASSERT_EQ(recorded.trace.ops.size(), 2U);
  EXPECT_EQ(recorded.op_extras[0].argument, 1);
  EXPECT_EQ(recorded.op_extras[1].argument, 2);
  ASSERT_EQ(recorded.trace.map_lists.size(), 1U);
  EXPECT_EQ(recorded.trace.map_lists[0][1].begin, 0x20000U);
  EXPECT_EQ(recorded.trace.map_lists[0][1].type, 0x23U);
  EXPECT_EQ(recorded.loss(spool::Loss::kNamesUnavailable), 0U);
}

// libomptarget is told of a descriptor on the stack; what matters is what it says.
TEST(Names, OfASectionWithGapsItsSizeIsWritten) {
  const Recorded recorded = record([] {
    stand_in_for(record::kWrapper_data_begin, fake_data_begin);
    std::uint64_t rows = 10;
    std::int64_t dimensions = 3;
    std::int64_t type = 0x100000000001;
    const auto enter = [&] {
      std::uint64_t descriptor[] = {2, rows, 800, 1, 50, 8, 0, 1, 8};
      void* begin = descriptor;
      data_begin(&ident, 0, 1, pointers, &begin, &dimensions, &type, names, nullptr);
      asm volatile("");
    };
    for (int i = 0; i < 3; ++i) enter();
    rows = 20;
    enter();
    dimensions = 400;
    enter();
  });
  const auto& lists = recorded.trace.map_lists;
  ASSERT_EQ(lists.size(), 3U);
  EXPECT_EQ(lists[0][0].base, 0x10000U);
  EXPECT_EQ(lists[0][0].begin, 0x10000U + 2 * 800 + 8);
  EXPECT_EQ(lists[0][0].bytes, 10U * 50 * 8);
  EXPECT_EQ(lists[1][0].bytes, 20U * 50 * 8);
  EXPECT_EQ(lists[2][0].bytes, 400U) << "as many dimensions as no array has: bytes";
}

// Programs swap pointers between the iterations of a loop: two lists, written once each.
TEST(Names, EqualMapListsAreWrittenOnce) {
  const Recorded recorded = record([] {
    stand_in_for(record::kWrapper_data_begin, fake_data_begin);
    void* swapped[] = {pointers[1], pointers[0]};
    for (int i = 0; i < 1000; ++i) {
      enter_data(i % 2 == 0 ? pointers : swapped);
    }
  });
  EXPECT_EQ(recorded.count(spool::Tag::kSite), 1U);
  EXPECT_EQ(recorded.trace.map_lists.size(), 2U);
  ASSERT_EQ(recorded.trace.regions.size(), 1000U);
  EXPECT_EQ(recorded.trace.regions[0].map_list, recorded.trace.regions[2].map_list);
  EXPECT_NE(recorded.trace.regions[0].map_list, recorded.trace.regions[1].map_list);
  EXPECT_EQ(recorded.op_extras[2].argument, 1);
}

TEST(Names, ALaunchKnowsItsKernelAndShape) {
  const Recorded recorded = record([] {
    stand_in_for(record::kWrapper_kernel, fake_kernel);
    KernelArgs arguments;
    arguments.trip_count = 1000000;
    arguments.num_teams[0] = 8;
    arguments.thread_limit[0] = 64;
    kernel(&ident, 0, 8, 64, reinterpret_cast<void*>(0xbeef), &arguments);
  });
  ASSERT_EQ(recorded.trace.launches.size(), 1U);
  EXPECT_EQ(recorded.launch_kernels[0], 0xbeefU);
  EXPECT_EQ(recorded.trace.launches[0].trip_count, 1000000U);
  EXPECT_EQ(recorded.trace.launches[0].num_teams, 8U);
  EXPECT_EQ(recorded.trace.launches[0].thread_limit, 64U);
  ASSERT_EQ(recorded.trace.regions.size(), 1U);
  EXPECT_FALSE(recorded.trace.regions[0].host_fallback);
}

TEST(Names, AKernelCallWithoutTargetRegionIsAHostFallback) {
  const Recorded recorded = record([] {
    KernelArgs arguments;
    stand_in_for(record::kWrapper_kernel, kernel_on_host);
    kernel(&ident, 0, 0, 0, reinterpret_cast<void*>(0xbeef), &arguments);
    stand_in_for(record::kWrapper_kernel, fake_kernel);
    kernel(&ident, 0, 0, 0, reinterpret_cast<void*>(0xbeef), &arguments);
    stand_in_for(record::kWrapper_kernel, kernel_on_host);
    kernel(&ident, 0, 0, 0, reinterpret_cast<void*>(0xbeef), &arguments);
  });
  ASSERT_EQ(recorded.trace.regions.size(), 3U);
  EXPECT_TRUE(recorded.trace.regions[0].host_fallback);
  EXPECT_FALSE(recorded.trace.regions[1].host_fallback);
  EXPECT_TRUE(recorded.trace.regions[2].host_fallback);
}

TEST(Names, AKernelCallAfterAPauseIsALossAndNoHostFallback) {
  const Recorded recorded = record([] {
    KernelArgs arguments;
    stand_in_for(record::kWrapper_kernel, fake_kernel);
    kernel(&ident, 0, 0, 0, reinterpret_cast<void*>(0xbeef), &arguments);
    FakeRuntime::pause();
    stand_in_for(record::kWrapper_kernel, kernel_on_host);
    kernel(&ident, 0, 0, 0, reinterpret_cast<void*>(0xbeef), &arguments);
    kernel(&ident, 0, 0, 0, reinterpret_cast<void*>(0xbeef), &arguments);
  });
  ASSERT_EQ(recorded.trace.regions.size(), 1U);
  EXPECT_FALSE(recorded.trace.regions[0].host_fallback);
  EXPECT_EQ(recorded.loss(spool::Loss::kRecordsAfterFinish), 2U);
}

[[gnu::noinline]] void copy_between_devices() {
  auto* copy = reinterpret_cast<decltype(&fake_memcpy)>(&ompdm_wrap_memcpy);
  copy(reinterpret_cast<void*>(0x8000), address(0x9000), 64, 0, 0, 1, 0);
  asm volatile("");
}

TEST(Names, TheTwoCopiesOfOneDeviceToDeviceCallAreTied) {
  const Recorded recorded = record([] {
    stand_in_for(record::kWrapper_memcpy, fake_memcpy);
    copy_between_devices();
    copy_between_devices();
  });
  ASSERT_EQ(recorded.trace.ops.size(), 4U);
  EXPECT_NE(recorded.trace.ops[0].call, 0U);
  EXPECT_EQ(recorded.trace.ops[0].call, recorded.trace.ops[1].call);
  EXPECT_NE(recorded.trace.ops[1].call, recorded.trace.ops[2].call);
  ASSERT_EQ(recorded.count(spool::Tag::kSite), 1U);
  EXPECT_EQ(recorded.site_extras[0].entry, spool::Entry::kMemcpy);
}

TEST(Names, WithoutEmiTheCallsThemselvesAreRecorded) {
  const Folder folder;
  const Outcome outcome = in_child(folder, [] {
    FakeRuntime runtime(1);
    runtime.attach();
    stand_in_for(record::kWrapper_data_begin, fake_data_begin);
    enter_data(pointers);
    runtime.finish();
  });
  ASSERT_EQ(outcome.status, 0) << outcome.messages;
  const Recorded recorded = read_back(folder.path() / "trace.json.spool");
  EXPECT_EQ(recorded.header.reach, spool::Reach::kNoEmi);
  ASSERT_EQ(recorded.trace.regions.size(), 1U);
  EXPECT_TRUE(recorded.region_extras[0].from_wrapper);
  EXPECT_EQ(recorded.region_extras[0].kind, 2);
  EXPECT_FALSE(recorded.trace.regions[0].nowait);
  EXPECT_EQ(recorded.trace.regions[0].end, recorded.trace.regions[0].begin);
  EXPECT_EQ(recorded.trace.map_lists.size(), 1U);
  EXPECT_TRUE(recorded.trace.ops.empty());
}

}  // namespace
}  // namespace ompdm::test::names_test
#endif
