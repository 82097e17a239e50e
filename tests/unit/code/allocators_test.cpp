// Which imported functions hand out memory of the host: what is not known may.
#include "trace/code/allocators.h"

#include <gtest/gtest.h>

namespace ompdm::trace {
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

TEST(Allocators, MayBeCalledByWhatIsHandedOver) {
  EXPECT_TRUE(calls_back("__kmpc_fork_call"));
  EXPECT_FALSE(calls_back("__kmpc_fork_teams")) << "only the host version of a kernel does";
}

}  // namespace
}  // namespace ompdm::trace
