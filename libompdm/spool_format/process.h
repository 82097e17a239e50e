// The process that a spool belongs to, how it was launched, and how its messages are silenced.
#pragma once

#include <cstdint>
#include <string_view>

#include "spool_format/format.h"

namespace ompdm::spool {

/// The fields of /proc/PID/stat (proc(5)).
struct ProcessStat {
  char state = '\0';        ///< field 3; 'Z' and 'X': ended, not reaped yet
  std::uint64_t start = 0;  ///< field 22, clock ticks since boot; with the pid it names the process
                            ///< for good. 0: nothing was understood
};

/// Reads the text of a /proc/PID/stat. The second field is the program's name in parentheses and
/// may hold spaces and parentheses itself, so fields are counted from its end.
constexpr ProcessStat parse_process_stat(const char* text) noexcept {
  const char* at = text;
  for (const char* c = text; *c != '\0'; ++c) {
    at = *c == ')' ? c : at;
  }
  ProcessStat stat;
  for (int field = 2; field < 22 && *at != '\0'; ++at) {
    field += *at == ' ' ? 1 : 0;
    stat.state = field == 3 && *at == ' ' ? at[1] : stat.state;
  }
  for (; *at >= '0' && *at <= '9'; ++at) {
    stat.start = stat.start * 10 + static_cast<std::uint64_t>(*at - '0');
  }
  return stat;
}

/// The machine of the caller since its last boot, and its PID namespace.
struct Here {
  const char* boot_id;          ///< as FileHeader::boot_id
  const char* host;             ///< as FileHeader::host
  std::uint64_t pid_namespace;  ///< as FileHeader::pid_namespace
};

/// Whether the process of a spool still runs.
enum class Owner {
  kEnded,
  kRuns,
  kUnknown,  ///< it ran on another machine, or in another PID namespace
};

/// The owner of a spool. `stat_of` returns the ProcessStat of a pid, all zero if there is no such
/// process. The texts of `header` must be NUL-terminated.
template <class StatOf>
Owner owner_of(const FileHeader& header, const Here& here, StatOf stat_of) noexcept {
  const bool same_host = std::string_view(header.host) == here.host;
  if (header.boot_id[0] == '\0' || here.boot_id[0] == '\0') {
    return Owner::kUnknown;
  }
  if (std::string_view(header.boot_id) != here.boot_id) {
    // The same machine after another boot: the process has ended.
    return same_host ? Owner::kEnded : Owner::kUnknown;
  }
  // Each PID namespace (of a container) has its own process numbers. Older recorders did not record
  // theirs; containers seldom share the host's name.
  const bool same_numbers =
      header.pid_namespace != 0 ? header.pid_namespace == here.pid_namespace : same_host;
  if (!same_numbers) {
    return Owner::kUnknown;
  }
  const ProcessStat stat = stat_of(header.pid);
  const bool runs = stat.state != 'Z' && stat.state != 'X' && stat.start != 0 &&
                    stat.start == header.process_start;
  return runs ? Owner::kRuns : Owner::kEnded;
}

/// An MPI rank, and the size of the job.
struct LauncherRank {
  std::int32_t rank = -1;  ///< -1: no job, or a single process
  std::int32_t count = 0;
};

/// The decimal number of a text; -1 for other texts.
constexpr std::int32_t number_of_text(const char* text) noexcept {
  std::int32_t number = 0;
  for (const char* at = text; *at != '\0'; ++at) {
    if (*at < '0' || *at > '9' || number > 99'999'999) return -1;
    number = 10 * number + (*at - '0');
  }
  return *text == '\0' ? -1 : number;
}

/// The rank that a launcher sets in its own environment variables. `variable` returns the value of
/// one, null if it is not set.
template <class Variable>
LauncherRank rank_of_launcher(Variable variable) noexcept {
  // A batch script has SLURM_PROCID and SLURM_NTASKS too, but is no step.
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

/// Message: why nothing was recorded, if nothing prevented it.
inline constexpr const char* kNothingExecuted = "no target region was executed on a device";

}  // namespace ompdm::spool
