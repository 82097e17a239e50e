// Whether the process that wrote a spool still runs: one rule for the recorder, which lets an older
// spool make room, and for the reader, which turns one into a trace. Pure functions.
#pragma once

#include "spool/format.h"

namespace ompdm::spool {

/// What /proc/PID/stat says of a process (proc(5)).
struct ProcessStat {
  char state = '\0';        ///< field 3; 'Z' and 'X': ended, its parent was not told yet
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

/// Who asks: a machine since it last started, and the process numbers that are valid there.
struct Here {
  const char* boot_id;          ///< as FileHeader::boot_id
  const char* host;             ///< as FileHeader::host
  std::uint64_t pid_namespace;  ///< as FileHeader::pid_namespace
};

enum class Owner {
  kEnded,
  kRuns,
  kUnknown,  ///< it ran on another machine, or where processes have other numbers
};

constexpr bool same_text(const char* a, const char* b) noexcept {
  for (; *a != '\0' && *a == *b; ++a, ++b) {
  }
  return *a == *b;
}

/// `stat_of` gives the ProcessStat of a pid here; all zero if there is no such process. The texts
/// of `header` must end.
template <class StatOf>
Owner owner_of(const FileHeader& header, const Here& here, StatOf stat_of) noexcept {
  const bool same_host = same_text(header.host, here.host);
  if (header.boot_id[0] == '\0' || here.boot_id[0] == '\0') {
    return Owner::kUnknown;
  }
  if (!same_text(header.boot_id, here.boot_id)) {
    // The same name after another start is the same machine: nothing of before runs any more.
    return same_host ? Owner::kEnded : Owner::kUnknown;
  }
  // Each PID namespace (a container has its own) numbers its processes anew. Older recorders did
  // not write theirs down; containers seldom share the host's name.
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

}  // namespace ompdm::spool
