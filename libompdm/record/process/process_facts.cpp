#include "record/process/process_facts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <unistd.h>

#include "record/process/clock.h"
#include "spool_format/process.h"

namespace ompdm::record {
namespace {

void copy_variable(const char* name, char* text, std::size_t capacity) noexcept {
  const char* value = getenv(name);
  snprintf(text, capacity, "%s", value != nullptr ? value : "");
}

std::uint32_t in_header(long microseconds) noexcept {
  constexpr long kMost = 0x7fffffff;
  return static_cast<std::uint32_t>(microseconds < 0       ? 0
                                    : microseconds > kMost ? kMost
                                                           : microseconds);
}

}  // namespace

ssize_t read_text(const char* path, char* text, std::size_t capacity) noexcept {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    text[0] = '\0';
    return -1;
  }
  std::size_t size = 0;
  while (size + 1 < capacity) {
    const ssize_t got = read(file, text + size, capacity - 1 - size);
    if (got <= 0) {
      break;
    }
    size += static_cast<std::size_t>(got);
  }
  close(file);
  text[size] = '\0';
  return static_cast<ssize_t>(size);
}

spool::ProcessStat process_stat(std::uint32_t pid) noexcept {
  char path[64];
  snprintf(path, sizeof(path), "/proc/%u/stat", pid);
  char text[512];  // a name of 16 and 50 numbers, of which 22 are wanted
  return read_text(path, text, sizeof(text)) > 0 ? spool::parse_process_stat(text)
                                                 : spool::ProcessStat{};
}

void describe_clocks(spool::FileHeader& header) noexcept {
  struct stat time_namespace;
  header.time_namespace =
      stat("/proc/self/ns/time", &time_namespace) == 0 ? time_namespace.st_ino : 0;
  header.realtime = spool::Realtime::kUnknown;
  header.realtime_max_error_us = 0;
  header.realtime_estimated_error_us = 0;
#ifdef SYS_adjtimex
  // A filter of system calls may end the process at one that it does not expect.
  if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) > 0) {
    return;
  }
  timex told{};  // modes = 0: it only tells
  const long state = syscall(SYS_adjtimex, &told);
  if (state < 0) {
    return;
  }
  header.realtime = state == TIME_ERROR || (told.status & STA_UNSYNC) != 0
                        ? spool::Realtime::kUnsynchronized
                        : spool::Realtime::kSynchronized;
  header.realtime_max_error_us = in_header(told.maxerror);
  header.realtime_estimated_error_us = in_header(told.esterror);
#endif
}

void describe_process(spool::FileHeader& header) noexcept {
  memcpy(header.magic, spool::kMagic, sizeof(header.magic));
  header.version = spool::kVersion;
  header.header_size = sizeof(spool::FileHeader);
  header.pid = static_cast<std::uint32_t>(getpid());
  header.ppid = static_cast<std::uint32_t>(getppid());
  header.process_start = process_stat(header.pid).start;
  struct stat pid_namespace;
  header.pid_namespace = stat("/proc/self/ns/pid", &pid_namespace) == 0 ? pid_namespace.st_ino : 0;
  header.clock = recorder.clock_is_tsc ? spool::Clock::kTsc : spool::Clock::kMonotonic;
  header.state = spool::State::kRunning;
  header.attach = clock_triple();
  describe_clocks(header);
  header.process_group = static_cast<std::uint32_t>(getpgrp());
  const spool::LauncherRank rank =
      spool::rank_of_launcher([](const char* name) { return getenv(name); });
  header.rank = rank.rank;
  header.rank_count = rank.count;
  copy_variable("OMP_TARGET_OFFLOAD", header.target_offload, sizeof(header.target_offload));
  read_text("/proc/sys/kernel/random/boot_id", header.boot_id, sizeof(header.boot_id));
  header.boot_id[strcspn(header.boot_id, "\n")] = '\0';
  gethostname(header.host, sizeof(header.host) - 1);
  const ssize_t program = readlink("/proc/self/exe", header.program, sizeof(header.program) - 1);
  header.program[program > 0 ? program : 0] = '\0';
  if (getcwd(header.directory, sizeof(header.directory)) == nullptr) {
    header.directory[0] = '\0';
  }
  // One byte less than there is keeps the empty text that ends the list.
  ssize_t size = read_text("/proc/self/cmdline", header.arguments, sizeof(header.arguments) - 1);
  if (size == static_cast<ssize_t>(sizeof(header.arguments)) - 2) {
    while (size > 0 && header.arguments[size - 1] != '\0') {
      header.arguments[--size] = '\0';
    }
  }
}

}  // namespace ompdm::record
