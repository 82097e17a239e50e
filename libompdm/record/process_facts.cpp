#include "record/process_facts.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>

#include "record/clock.h"
#include "record/recorder.h"

namespace ompdm::record {

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
  // A seccomp filter may kill the process at an unexpected system call.
  if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) > 0) {
    return;
  }
  timex state{};  // modes = 0: nothing is changed
  const long answer = syscall(SYS_adjtimex, &state);
  if (answer < 0) {
    return;
  }
  header.realtime = answer == TIME_ERROR || (state.status & STA_UNSYNC) != 0
                        ? spool::Realtime::kUnsynchronized
                        : spool::Realtime::kSynchronized;
  constexpr long kMost = 0x7fffffff;
  header.realtime_max_error_us = static_cast<std::uint32_t>(std::clamp(state.maxerror, 0L, kMost));
  header.realtime_estimated_error_us =
      static_cast<std::uint32_t>(std::clamp(state.esterror, 0L, kMost));
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
  const char* offload = getenv("OMP_TARGET_OFFLOAD");
  snprintf(header.target_offload, sizeof(header.target_offload), "%s",
           offload != nullptr ? offload : "");
  read_text("/proc/sys/kernel/random/boot_id", header.boot_id, sizeof(header.boot_id));
  header.boot_id[strcspn(header.boot_id, "\n")] = '\0';
  gethostname(header.host, sizeof(header.host) - 1);
  const ssize_t program = readlink("/proc/self/exe", header.program, sizeof(header.program) - 1);
  header.program[program > 0 ? program : 0] = '\0';
  if (getcwd(header.directory, sizeof(header.directory)) == nullptr) {
    header.directory[0] = '\0';
  }
  // The last byte is left out: the list of arguments ends with an empty text.
  ssize_t size = read_text("/proc/self/cmdline", header.arguments, sizeof(header.arguments) - 1);
  if (size == static_cast<ssize_t>(sizeof(header.arguments)) - 2) {
    while (size > 0 && header.arguments[size - 1] != '\0') {
      header.arguments[--size] = '\0';
    }
  }
}

namespace {

std::uint64_t end_of_main_stack = 0;  // of the program's first thread; 0: not known

struct Mapping {
  AddressRange range;
  int protection;
};

// The lines of /proc/self/maps, "55d0c1a3e000-55d0c1a40000 r--p ...", by ascending addresses. Read
// in pieces, since a stack may be small.
class Mappings {
 public:
  Mappings() noexcept : file_(open_above_streams(AT_FDCWD, "/proc/self/maps", O_RDONLY)) {}
  ~Mappings() {
    if (file_ >= 0) {
      close(file_);
    }
  }
  Mappings(const Mappings&) = delete;
  Mappings& operator=(const Mappings&) = delete;

  bool next(Mapping& mapping) noexcept {
    mapping.range.begin = read_number();
    mapping.range.end = read_number();
    mapping.protection = PROT_NONE;
    for (const int bit : {PROT_READ, PROT_WRITE, PROT_EXEC}) {
      mapping.protection |= get() != '-' ? bit : 0;
    }
    char mark = get();
    while (mark != '\n' && mark != '\0') {
      mark = get();
    }
    return mark != '\0';
  }

 private:
  // The next character; NUL at the end.
  char get() noexcept {
    if (at_ == size_) {
      const ssize_t got = file_ >= 0 ? read(file_, text_, sizeof(text_)) : 0;
      at_ = 0;
      size_ = got > 0 ? static_cast<unsigned>(got) : 0;
    }
    return at_ < size_ ? text_[at_++] : '\0';
  }

  // A hexadecimal number, and drops the character behind it.
  std::uint64_t read_number() noexcept {
    std::uint64_t number = 0;
    for (;;) {
      const char mark = get();
      const int digit = mark >= '0' && mark <= '9'   ? mark - '0'
                        : mark >= 'a' && mark <= 'f' ? mark - 'a' + 10
                                                     : -1;
      if (digit < 0) {
        return number;
      }
      number = number * 16 + static_cast<std::uint64_t>(digit);
    }
  }

  int file_;
  unsigned at_ = 0;
  unsigned size_ = 0;
  char text_[512];
};

}  // namespace

void prepare_own_stack() noexcept {
  const void* const* end = static_cast<void**>(dlsym(RTLD_DEFAULT, "__libc_stack_end"));
  end_of_main_stack = end != nullptr ? reinterpret_cast<std::uint64_t>(*end) : 0;
}

AddressRange own_stack() noexcept {
  // The kernel keeps other mappings away from the first thread's stack by this much.
  constexpr std::uint64_t kRoomToGrow = std::uint64_t{128} << 20;
  const WithoutCancellation uncancelled;
  // A signal handler may fork, and the child would move the file offset that both share.
  const BlockedSignals blocked;
  const auto here = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  // glibc keeps a thread's descriptor at the upper end of the stack that it starts the thread on.
  const auto descriptor = reinterpret_cast<std::uint64_t>(__builtin_thread_pointer());
  AddressRange own{};
  Mappings mappings;
  Mapping mapping{};
  while (own.end == 0 && mappings.next(mapping)) {
    const AddressRange& range = mapping.range;
    if (!range.holds(here)) {
      continue;
    }
    if (range.holds(end_of_main_stack) && range.end > kRoomToGrow) {
      const std::uint64_t low = range.end - kRoomToGrow;
      own = {low < range.begin ? low : range.begin, range.end};
    } else if (range.holds(descriptor) && here < descriptor) {
      own = {range.begin, descriptor};
    }
  }
  return own;
}

int protection_of(std::uint64_t begin, std::uint64_t end) noexcept {
  Mappings mappings;
  Mapping mapping{};
  std::uint64_t known_to = begin;
  int protection = kProtectionUnknown;
  while (known_to < end && mappings.next(mapping)) {
    if (mapping.range.end <= known_to) {
      continue;
    }
    if (mapping.range.begin > known_to ||
        (protection != kProtectionUnknown && protection != mapping.protection)) {
      return kProtectionUnknown;
    }
    protection = mapping.protection;
    known_to = mapping.range.end;
  }
  return known_to >= end ? protection : kProtectionUnknown;
}

}  // namespace ompdm::record
