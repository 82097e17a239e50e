#include "trace/code/allocators.h"

#include <algorithm>

namespace ompdm::trace {
namespace {

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> all) {
  return std::ranges::find(all, name) != all.end();
}

bool begins_as_one_of(std::string_view name, std::initializer_list<std::string_view> all) {
  return std::ranges::any_of(all, [&](std::string_view one) { return name.starts_with(one); });
}

}  // namespace

HostMemory made_by(std::string_view import) {
  // C, POSIX, OpenMP 5.2 section 18.13, the runtimes' own, CUDA's; Itanium C++ ABI 5.1.5.
  const bool is_array =
      is_one_of(import, {"malloc",
                         "calloc",
                         "realloc",
                         "reallocarray",
                         "aligned_alloc",
                         "memalign",
                         "posix_memalign",
                         "valloc",
                         "pvalloc",
                         "mmap",
                         "mmap64",
                         "omp_alloc",
                         "omp_calloc",
                         "omp_realloc",
                         "omp_aligned_alloc",
                         "omp_aligned_calloc",
                         "__kmpc_alloc",
                         "__kmpc_aligned_alloc",
                         "__kmpc_calloc",
                         "__kmpc_realloc",
                         "kmp_malloc",
                         "kmp_calloc",
                         "llvm_omp_target_alloc_host",
                         "llvm_omp_target_alloc_shared",
                         "hbw_malloc",
                         "numa_alloc"}) ||
      begins_as_one_of(import, {"_Zna", "cudaMallocHost", "cudaMallocManaged", "cudaHostAlloc",
                                "cuMemAllocHost", "cuMemAllocManaged", "cuMemHostAlloc"});
  if (is_array) return HostMemory::kArray;
  return import.starts_with("_Znw") ? HostMemory::kObject : HostMemory::kNone;
}

bool calls_back(std::string_view import) {
  return begins_as_one_of(import, {"__kmpc_fork_call", "__kmpc_omp_task", "GOMP_parallel",
                                   "GOMP_task", "pthread_create", "_ZNSt6thread15_M_start_thread"});
}

}  // namespace ompdm::trace
