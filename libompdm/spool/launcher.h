// Which rank of a job a process is, as its launcher's variables tell: traces are named by it, and
// `ompdm record` speaks once a job.
#pragma once

#include <cstdint>

namespace ompdm::spool {

/// A rank, and how many the job has.
struct LauncherRank {
  std::int32_t rank = -1;  ///< -1: of no job, or of one that is a single process
  std::int32_t count = 0;
};

/// The decimal number that a text is; -1 of other texts.
constexpr std::int32_t number_of_text(const char* text) noexcept {
  std::int32_t number = 0;
  for (const char* at = text; *at != '\0'; ++at) {
    if (*at < '0' || *at > '9' || number > 99'999'999) return -1;
    number = 10 * number + (*at - '0');
  }
  return *text == '\0' ? -1 : number;
}

/// Launchers name the rank and the job's size each in their own way. `variable` gives the value of
/// one by its name, null where it is not set.
template <class Variable>
LauncherRank rank_of_launcher(Variable variable) noexcept {
  // A batch script has SLURM_PROCID and SLURM_NTASKS, too, but is no step.
  constexpr const char* kLaunchers[][2] = {
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
      {"PMIX_RANK", "PMIX_SIZE"},
      {"PMI_RANK", "PMI_SIZE"},
      {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
      {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
  };
  for (const auto& launcher : kLaunchers) {
    const char* rank = variable(launcher[0]);
    const char* count = variable(launcher[1]);
    if (rank == nullptr || count == nullptr) continue;
    const LauncherRank found{number_of_text(rank), number_of_text(count)};
    if (found.rank >= 0 && found.count > 1) return found;
  }
  return {};
}

}  // namespace ompdm::spool
