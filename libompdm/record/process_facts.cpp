#include "record/process_facts.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <unistd.h>

#include <cstddef>

#include "record/clock.h"
#include "record/recorder.h"

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

namespace {

std::uint64_t end_of_main_stack = 0;  // where the program's first thread began; 0: not known

// Lines of /proc/self/maps, "begin-end perms ...", read piece by piece.
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

  bool next(StackRange& range) noexcept {
    char stop = 0;
    if (!read_number(range.begin, stop) || stop != '-' || !read_number(range.end, stop)) {
      return false;
    }
    while (stop != '\n') {
      if (!get(stop)) {
        return false;
      }
    }
    return true;
  }

 private:
  bool get(char& one) noexcept {
    if (at_ == size_) {
      at_ = size_ = 0;
      const ssize_t got = file_ >= 0 ? read(file_, text_, sizeof(text_)) : 0;
      if (got <= 0) {
        return false;
      }
      size_ = static_cast<unsigned>(got);
    }
    one = text_[at_++];
    return true;
  }

  bool read_number(std::uint64_t& number, char& stop) noexcept {
    number = 0;
    for (;;) {
      if (!get(stop)) {
        return false;
      }
      const int digit = stop >= '0' && stop <= '9'   ? stop - '0'
                        : stop >= 'a' && stop <= 'f' ? stop - 'a' + 10
                                                     : -1;
      if (digit < 0) {
        return true;
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

StackRange own_stack() noexcept {
  // The kernel keeps other mappings that far from where the first thread's stack grows to.
  constexpr std::uint64_t kRoomToGrow = std::uint64_t{128} << 20;
  const WithoutCancellation uncancelled;
  // A signal's handler may fork: the child would read on where this does, in the one open file.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const auto here = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  // glibc keeps what it knows of a thread at the upper end of the stack that it starts it with.
  const auto descriptor = reinterpret_cast<std::uint64_t>(__builtin_thread_pointer());
  StackRange own{};
  StackRange range{};
  {
    Mappings mappings;
    while (own.end == 0 && mappings.next(range)) {
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
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return own;
}

namespace {

// The digits before `end_mark`; moves `at` behind it.
std::uint64_t hexadecimal(const char*& at, char end_mark) noexcept {
  std::uint64_t value = 0;
  for (; *at != end_mark && *at != '\0'; ++at) {
    const char digit = *at;
    value = value * 16 + static_cast<std::uint64_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
  }
  at += *at == end_mark ? 1 : 0;
  return value;
}

// A look for one range, fed the lines of the file in their order, that is by ascending addresses.
struct RangeProtection {
  std::uint64_t at;  ///< up to here all is known
  std::uint64_t end;
  int protection;

  // Whether more lines are wanted. "55d0c1a3e000-55d0c1a40000 r--p 00000000 ..."
  bool take(const char* line) noexcept {
    const std::uint64_t mapped_from = hexadecimal(line, '-');
    const std::uint64_t mapped_to = hexadecimal(line, ' ');
    if (mapped_to <= at) {
      return true;
    }
    const int found = (line[0] == 'r' ? PROT_READ : 0) | (line[1] == 'w' ? PROT_WRITE : 0) |
                      (line[2] == 'x' ? PROT_EXEC : 0);
    if (mapped_from > at || (protection != kProtectionUnknown && protection != found)) {
      protection = kProtectionUnknown;
      return false;
    }
    protection = found;
    at = mapped_to;
    return at < end;
  }
};

}  // namespace

int protection_of(std::uint64_t begin, std::uint64_t end) noexcept {
  const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return kProtectionUnknown;
  }
  RangeProtection range{begin, end, kProtectionUnknown};
  // Of each line the begin alone: two addresses and the protection.
  constexpr std::size_t kBegin = 16 + 1 + 16 + 1 + 4;
  char line[kBegin + 1] = {};
  std::size_t length = 0;
  char text[512];
  bool more = true;
  for (ssize_t size; more && (size = read(file, text, sizeof(text))) > 0;) {
    for (const char* at = text; more && at < text + size; ++at) {
      if (*at != '\n') {
        if (length < kBegin) {
          line[length++] = *at;
        }
        continue;
      }
      line[length] = '\0';
      length = 0;
      more = range.take(line);
    }
  }
  close(file);
  return range.at >= end ? range.protection : kProtectionUnknown;
}

}  // namespace ompdm::record
