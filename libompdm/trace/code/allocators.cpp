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

/// Functions of float and long double have theirs and an f or l.
bool is_of_math(std::string_view import) {
  constexpr std::string_view kNames[] = {
      "sin",   "cos",  "tan",   "asin",  "acos",   "atan",  "atan2", "sinh",  "cosh",
      "tanh",  "exp",  "exp2",  "expm1", "log",    "log2",  "log10", "log1p", "pow",
      "sqrt",  "cbrt", "hypot", "fabs",  "fmod",   "floor", "ceil",  "fmin",  "round",
      "trunc", "erf",  "erfc",  "fmax",  "sincos", "rint",  "ldexp"};
  return std::ranges::any_of(kNames, [&](std::string_view name) {
    if (!import.starts_with(name)) return false;
    const std::string_view rest = import.substr(name.size());
    return rest.empty() || rest == "f" || rest == "l";
  });
}

bool makes_none(std::string_view import) {
  const bool is_common = is_one_of(
      import, {"free",          "memcpy",       "memmove",   "memset",  "memcmp",
               "strlen",        "strcmp",       "strncmp",   "strcpy",  "strncpy",
               "printf",        "fprintf",      "snprintf",  "sprintf", "puts",
               "fputs",         "putchar",      "fputc",     "putc",    "fwrite",
               "fflush",        "time",         "clock",     "exit",    "abort",
               "clock_gettime", "gettimeofday", "rand",      "srand",   "random",
               "drand48",       "usleep",       "nanosleep", "atoi",    "atof",
               "perror",        "getrusage",    "omp_free",  "rand_r",  "__stack_chk_fail"});
  return is_common || is_of_math(import) ||
         begins_as_one_of(import, {"__tgt_",
                                   "__kmpc_",
                                   "omp_get_",
                                   "omp_set_",
                                   "omp_is_",
                                   "omp_target_memcpy",
                                   "omp_target_free",
                                   "omp_in_",
                                   "_Zdl",
                                   "_Zda",
                                   "_ZNSt6chrono",
                                   "_ZNSo",
                                   "_ZStls",
                                   "_ZSt4endl",
                                   "_ZSt16__ostream",
                                   "__assert",
                                   "MPI_Send",
                                   "MPI_Recv",
                                   "MPI_Isend",
                                   "MPI_Irecv",
                                   "MPI_Wait",
                                   "MPI_Allreduce",
                                   "MPI_Reduce",
                                   "MPI_Bcast",
                                   "MPI_Barrier",
                                   "MPI_Sendrecv",
                                   "MPI_Wtime"});
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
  if (import.starts_with("_Znw")) return HostMemory::kObject;
  return makes_none(import) ? HostMemory::kNone : HostMemory::kUnknown;
}

}  // namespace ompdm::trace
