#include "trace/code/outlined.h"

#include <array>
#include <utility>

namespace ompdm::trace {

std::optional<Outlined> outlined_by(std::string_view import) {
  // LLVM's openmp/runtime/src/kmp.h, GCC's libgomp_g.h, POSIX. The first that the name begins with.
  static constexpr auto kKnown = std::to_array<std::pair<std::string_view, Outlined>>({
      {"__kmpc_omp_target_task_alloc", {6, true}},
      {"__kmpc_omp_task_alloc", {6, false}},
      {"__kmpc_omp_task", {}},
      {"__kmpc_fork_call", {3, false}},
      {"GOMP_parallel", {1, false}},
      {"GOMP_task", {1, false}},
      {"pthread_create", {3, false}},
      {"_ZNSt6thread15_M_start_thread", {}},
  });
  for (const auto& [name, outlined] : kKnown) {
    if (import.starts_with(name)) return outlined;
  }
  return std::nullopt;
}

}  // namespace ompdm::trace
