// Which imported functions hand out memory of the host, and which run functions that they are
// handed.
#include <gtest/gtest.h>

#include "machine_code/runtime_calls.h"

namespace ompdm::trace::allocators_test {
namespace {

TEST(Allocators, AreKnownByName) {
  for (const char* name : {"malloc", "posix_memalign", "omp_alloc", "_Znam", "_ZnamSt11align_val_t",
                           "mmap64", "cudaMallocHost"}) {
    EXPECT_EQ(made_by(name), HostMemory::kArray) << name;
  }
  EXPECT_EQ(made_by("_Znwm"), HostMemory::kObject);
}

TEST(Allocators, AreNotWhatIsKnownToMakeNone) {
  for (const char* name : {"free", "printf", "sqrt", "sqrtf", "powl", "memcpy",
                           "__tgt_target_kernel", "omp_get_wtime", "_ZNSolsEd", "MPI_Allreduce"}) {
    EXPECT_EQ(made_by(name), HostMemory::kNone) << name;
  }
}

TEST(Allocators, MayBeWhateverElseIsCalled) {
  for (const char* name : {"strdup", "getdelim", "make_array", "sinful", "MPI_Alloc_mem",
                           "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_createERmm"}) {
    EXPECT_EQ(made_by(name), HostMemory::kUnknown) << name;
  }
}

TEST(Outlined, FunctionsAreHandedOver) {
  EXPECT_EQ(outlined_by("__kmpc_fork_call").value().argument, 3);
  EXPECT_FALSE(outlined_by("__kmpc_fork_teams")) << "only the host version of a kernel does";
  EXPECT_FALSE(outlined_by("malloc"));
}

TEST(Outlined, ATargetTaskIsRecordedWhereItWasMade) {
  EXPECT_TRUE(outlined_by("__kmpc_omp_target_task_alloc").value().is_own);
  EXPECT_FALSE(outlined_by("__kmpc_omp_task_alloc").value().is_own);
}

}  // namespace
}  // namespace ompdm::trace::allocators_test
