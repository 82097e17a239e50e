// Kernels, names and variables by the module that they are in.

#include <gtest/gtest.h>

#include "spool/attributed.h"

namespace ompdm::test::modules_test {
namespace {

using spool::Entry;

TEST(Modules, LaunchesAreBoundToTheirKernels) {
  BufferBuilder buffer(0);
  buffer.symbol(0x7000, 0, "__omp_offloading_fe00_a7__Z4heatPdi_l41");
  buffer.site(1, Entry::kKernel, 0x10, {";unknown;unknown;0;0;;", {}}, 0x7000);
  Submit launch;
  launch.region = 1;
  launch.kernel = 0x7000;
  launch.begin = tick(20);
  launch.trip_count = 100;
  buffer.region(1, 1, 1, 10, 90).launch(launch);
  const Trace trace = read({buffer});
  ASSERT_EQ(trace.kernels.size(), 1U);
  EXPECT_EQ(trace.kernels[0].function, "heat(double*, int)");
  EXPECT_EQ(trace.kernels[0].line, 41);
  EXPECT_EQ(trace.sites[0].line, 41);
  EXPECT_EQ(trace.sites[0].source, LineSource::kKernelName);
  EXPECT_TRUE(trace.launches[0].unfinished);
  EXPECT_EQ(trace.launches[0].trip_count, 100U);
}

TEST(Modules, ACallThatRanBeforeItsLibraryWasPatchedBorrowsItsNames) {
  BufferBuilder buffer(0);
  buffer.site(1, Entry::kNone, 0x10).region(1, 1, 1, 10, 20);
  buffer.site(2, Entry::kKernel, 0x10, {";a.cpp;main;7;1;;", {}}).region(2, 2, 1, 30, 40);
  const Trace trace = read({buffer});
  EXPECT_EQ(trace.sites[0].line, 7);
}

// A library closed, and another one opened where it lay: the same addresses mean other kernels,
// other `declare target` variables and other data.
TEST(Modules, LibrariesInOnePlaceEachHaveTheirOwn) {
  constexpr std::uint64_t kBias = 0x10000;
  const std::string kernel = "__omp_offloading_fd00_1_";
  BufferBuilder buffer(0);
  for (std::uint32_t library = 1; library <= 2; ++library) {
    const bool first = library == 1;
    const std::string file = first ? "a.cpp" : "b.cpp";
    buffer.module(library, first ? "/a.so" : "/b.so", kBias, first ? "aa" : "bb", 0x1000);
    buffer.symbol(kBias + 0x500, 0, kernel + (first ? "f_l7" : "g_l9"), library);
    buffer.symbol(kBias + 0x800, 64, first ? "apples" : "grapes", library);
    buffer.site(library, Entry::kKernel, kBias + 0x10,
                {";" + file + ";f;7;1;;", {first ? ";u;a.cpp;3;1;;" : ";v;b.cpp;3;1;;"}},
                kBias + 0x500, library);
    buffer.map_list(library, {{kBias + 0x900, kBias + 0x900, 32, 0x21}});
  }
  // The first is loaded again after the second.
  for (std::uint32_t i = 0; i < 3; ++i) {
    const std::uint64_t at = 1000 * (i + 1);
    const std::uint32_t library = i == 1 ? 2 : 1;
    buffer.region(i + 1, library, 1, at, at + 900, library);
    buffer.op(i + 1, argument(alloc(at + 100, kBias + 0x900, 0x9000, 32), 1));
    buffer.op(i + 1, argument(to_device(at + 200, kBias + 0x900, 0x9000, 32), 1));
    buffer.op(i + 1, to_device(at + 300, kBias + 0x810, 0x7000, 16));
    Submit launch;
    launch.region = i + 1;
    launch.kernel = kBias + 0x500;
    launch.begin = tick(at + 400);
    launch.end = tick(at + 500);
    buffer.launch(launch);
    buffer.op(i + 1, free_on_device(at + 600, 0x9000));
  }
  const Trace trace = read({buffer});
  ASSERT_EQ(trace.ops.size(), 12U);
  EXPECT_EQ(variable_of(trace, 1), "u");
  EXPECT_EQ(variable_of(trace, 2), "apples");
  EXPECT_EQ(variable_of(trace, 5), "v");
  EXPECT_EQ(variable_of(trace, 6), "grapes");
  EXPECT_EQ(variable_of(trace, 9), "u");
  EXPECT_EQ(variable_of(trace, 10), "apples");
  EXPECT_EQ(trace.variables.size(), 4U);
  for (const Variable& variable : trace.variables) {
    EXPECT_TRUE(variable.aliases.empty()) << variable.name;
  }
  ASSERT_EQ(trace.kernels.size(), 2U);
  EXPECT_EQ(trace.kernels[0].name, kernel + "f_l7");
  EXPECT_EQ(trace.kernels[1].name, kernel + "g_l9");
  EXPECT_EQ(trace.launches[1].kernel.value, 1U);
  EXPECT_EQ(trace.launches[2].kernel.value, 0U);
}

}  // namespace
}  // namespace ompdm::test::modules_test
