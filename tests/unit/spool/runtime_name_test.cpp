// What a report calls the runtime.
#include <gtest/gtest.h>

#include "spool_reader/passes.h"

namespace ompdm::trace::runtime_name_test {
namespace {

constexpr const char* kTold = "LLVM OMP version: 5.0.20140926";

TEST(RuntimeName, IsItsVersionWhereTheFileTellsIt) {
  EXPECT_EQ(runtime_name(kTold, "/usr/lib/llvm-19/lib/libomptarget.so.19.1"),
            "LLVM 19.1 (libomptarget.so.19.1)");
  EXPECT_EQ(runtime_name(kTold, "/lib/x86_64-linux-gnu/libomptarget.so.22.1"),
            "LLVM 22.1 (libomptarget.so.22.1)");
  EXPECT_EQ(runtime_name(kTold, "/usr/lib/libomptarget.so.16"), "LLVM 16 (libomptarget.so.16)");
  EXPECT_EQ(runtime_name("", "/a/libomptarget.so.20.1"), "LLVM 20.1 (libomptarget.so.20.1)");
}

TEST(RuntimeName, IsWhatItSaysAndWhereItLiesElsewhere) {
  EXPECT_EQ(runtime_name(kTold, "/opt/rocm-6.2.0/lib/llvm/lib/libomptarget.so"),
            "LLVM OMP version: 5.0.20140926 (/opt/rocm-6.2.0/lib/llvm/lib/libomptarget.so)");
  EXPECT_EQ(runtime_name("Intel(R) OMP version: 5.0.20140926", "/opt/intel/libomptarget.so.18.1"),
            "Intel(R) OMP version: 5.0.20140926 (/opt/intel/libomptarget.so.18.1)");
  EXPECT_EQ(runtime_name(kTold, "/a/libomptarget.so.old"),
            "LLVM OMP version: 5.0.20140926 (/a/libomptarget.so.old)");
  EXPECT_EQ(runtime_name("", "/a/libomptarget.so"), "(/a/libomptarget.so)");
}

TEST(RuntimeName, IsWhatItSaysWhereNoLibraryWasMet) {
  EXPECT_EQ(runtime_name(kTold, ""), kTold);
  EXPECT_EQ(runtime_name("", ""), "");
}

}  // namespace
}  // namespace ompdm::trace::runtime_name_test
