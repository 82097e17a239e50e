#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "record/process_facts.h"
#include "record/recorder.h"
#include "record/spool_writer.h"
#include "spool_format/process.h"
#include "spool_format/without_signal.h"

namespace ompdm::record {

void Path::insert(std::size_t at, const char* piece, std::size_t length) noexcept {
  if (size + length + 1 > kCapacity) {
    ok = false;
    return;
  }
  memmove(text + at + length, text + at, size + 1 - at);
  memcpy(text + at, piece, length);
  size += length;
}

void Path::add_formatted(const char* format, ...) noexcept {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(text + size, kCapacity - size, format, arguments);
  va_end(arguments);
  ok = ok && length >= 0 && size + static_cast<std::size_t>(length) < kCapacity;
  size = strlen(text);
}

namespace {

// Whether the name is empty but for its ending, because of unset variables or a bare folder.
bool is_nameless(const char* name) noexcept {
  return name[0] == '\0' || strcmp(name, ".json") == 0 || strcmp(name, ".json.gz") == 0;
}

// Handles one placeholder at `at` (which points behind the '%'); returns where the pattern goes on.
const char* expand(Path& path, const char* at, const spool::FileHeader& process) noexcept {
  const char* close = at[0] == 'q' && at[1] == '{' ? strchr(at, '}') : nullptr;
  char name[128];
  if (*at == 'p') {
    path.add_formatted("%u", process.pid);
  } else if (*at == 'h') {
    path.add(process.host);
  } else if (close != nullptr && static_cast<std::size_t>(close - at) < sizeof(name)) {
    snprintf(name, sizeof(name), "%.*s", static_cast<int>(close - at - 2), at + 2);
    const char* value = getenv(name);
    path.add(value != nullptr ? value : "");
    return close + 1;
  } else {
    path.add("%");
    return *at == '%' ? at + 1 : at;
  }
  return at + 1;
}

std::size_t ending_of(const Path& path) noexcept {
  static constexpr const char kZipped[] = ".json.gz";
  const std::size_t zipped = sizeof(kZipped) - 1;
  if (path.size > zipped && strcmp(path.text + path.size - zipped, kZipped) == 0) {
    return path.size - zipped;
  }
  const char* name = strrchr(path.text, '/');
  name = name != nullptr ? name + 1 : path.text;
  const char* dot = strrchr(name, '.');
  return dot != nullptr && dot != name ? static_cast<std::size_t>(dot - path.text) : path.size;
}

// A new file in the session's folder, for writing; -1 with errno.
int create(const char* name, int flags) noexcept {
  const int folder = open(recorder.config.session, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) {
    return -1;
  }
  const int file = open_above_streams(folder, name, O_CREAT | O_WRONLY | flags, 0600);
  const int error = errno;
  close(folder);
  errno = error;
  return file;
}

// Whether this process is the first of its session to ask for that name of a trace. True without a
// session.
bool first_of_session(const Path& trace) noexcept {
  if (recorder.config.session == nullptr) {
    return true;
  }
  char name[32];
  snprintf(name, sizeof(name), "first.%llu",
           static_cast<unsigned long long>(fnv1a(trace.text, trace.size)));
  const int file = create(name, O_EXCL);
  if (file >= 0) {
    close(file);
    return true;
  }
  return errno != EEXIST;  // a session folder that cannot be written must not cost the name
}

constexpr int kMostNames = 1000;

// Seconds; it takes microseconds.
constexpr std::int64_t kLongestMaking = 10;

// Too large for a stack; guarded by the recorder's mutex.
struct Names {
  Path base;
  Path trace;
  Path refused;
  Path kept_trace;
  Path kept;
};
Names names;

struct Found {
  bool is_spool = false;  ///< false: not one of ours; leave it alone
  bool is_gone = false;   ///< there was one, whose trace is written now
  bool is_empty = false;  ///< nothing was recorded: it is being made, or was when its maker died
  bool is_self = false;   ///< of this pid, before an exec
  spool::Owner owner = spool::Owner::kUnknown;
  std::uint32_t pid = 0;
  bool finished = false;  ///< only its trace is not written yet
  ino_t inode = 0;
};

// Opens a file under a predictable name: no link, no named pipe that would block, no terminal.
int open_regular(const char* path, int access) noexcept {
  const int file = open(path, access | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  struct stat facts;
  if (file >= 0 && (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_nlink > 1)) {
    close(file);
    return -1;
  }
  return file;
}

// Devices are not even opened, since that can start them.
bool is_regular(const char* path) noexcept {
  struct stat facts;
  return lstat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

Found inspect_spool(const char* spool, const spool::FileHeader& self) noexcept {
  static spool::FileHeader other;  // too large as well
  const int file = is_regular(spool) ? open_regular(spool, O_RDONLY) : -1;
  struct stat facts{};
  if (file < 0) {
    Found none;
    none.is_gone = lstat(spool, &facts) != 0 && errno == ENOENT;
    return none;
  }
  fstat(file, &facts);
  memset(other.magic, 0, sizeof(other.magic));
  const ssize_t size = read(file, &other, sizeof(other));
  static constexpr char kUnwritten[sizeof(other.magic)] = {};
  Found found;
  // open_spool() writes the magic last.
  found.is_empty = size >= 0 && memcmp(other.magic, kUnwritten, sizeof(kUnwritten)) == 0;
  found.is_spool = found.is_empty || (size == static_cast<ssize_t>(sizeof(other)) &&
                                      memcmp(other.magic, spool::kMagic, sizeof(other.magic)) == 0);
  found.inode = facts.st_ino;
  if (found.is_empty && time(nullptr) - facts.st_mtime > kLongestMaking) {
    found.owner = spool::Owner::kEnded;
  }
  if (found.is_empty || !found.is_spool) {
    close(file);
    return found;
  }
  other.host[sizeof(other.host) - 1] = '\0';
  other.boot_id[sizeof(other.boot_id) - 1] = '\0';
  const spool::Here here{self.boot_id, self.host, self.pid_namespace};
  found.owner = spool::owner_of(other, here, process_stat);
  found.pid = other.pid;
  // It may have finished and ended since.
  [[maybe_unused]] const ssize_t again =
      pread(file, &other.state, sizeof(other.state), offsetof(spool::FileHeader, state));
  found.finished = other.state == spool::State::kFinished;
  close(file);
  found.is_self = found.owner == spool::Owner::kRuns && other.pid == self.pid &&
                  other.process_start == self.process_start;
  return found;
}

// Renames the spool of a dead process, and writes its new trace's name into it, which a finisher
// follows. Returns whether the name is worth another try.
bool set_aside(const char* spool, const Path& trace, const Found& found) noexcept {
  Path& kept_trace = names.kept_trace;
  Path& kept = names.kept;
  for (int n = 1; n < kMostNames; ++n) {
    kept_trace = trace;
    kept_trace.add_mark(".~%d~", n);
    kept = kept_trace;
    kept.add(".spool");
    if (!kept.ok || access(kept_trace.text, F_OK) == 0) {
      continue;
    }
    if (renameat2(AT_FDCWD, spool, AT_FDCWD, kept.text, RENAME_NOREPLACE) != 0) {
      if (errno == EEXIST) {
        continue;
      }
      return errno == ENOENT;  // another process was quicker
    }
    const int file = open_regular(kept.text, O_RDWR);
    struct stat facts;
    if (file >= 0 && fstat(file, &facts) == 0 && facts.st_ino != found.inode &&
        renameat2(AT_FDCWD, kept.text, AT_FDCWD, spool, RENAME_NOREPLACE) == 0) {
      close(file);
      return true;  // another process was quicker, and this was its own
    }
    if (file >= 0) {
      if (!found.is_empty) {
        [[maybe_unused]] const ssize_t written =
            pwrite(file, kept_trace.text, kept_trace.size + 1, offsetof(spool::FileHeader, output));
      }
      close(file);
    }
    if (found.is_empty) {
      say("%s holds nothing: its program was killed as it started", kept.text);
    } else if (!found.finished) {
      say("kept the recording of process %u, which was not finished yet: ompdm report %s",
          found.pid, kept.text);
    }
    return true;
  }
  return false;
}

// A folder, a device, a named pipe or a socket: no trace can take its name.
bool is_no_file(const char* path) noexcept {
  struct stat facts;
  return stat(path, &facts) == 0 && !S_ISREG(facts.st_mode);
}

// The n-th name to try: the plain one, then with the pid, then with the pid and a number.
void make_candidate(const Path& base, int n, std::uint32_t pid, Path& trace) noexcept {
  trace = base;
  if (n == 1) {
    trace.add_mark(".p%u", pid);
  } else if (n > 1) {
    trace.add_mark(".p%u.%d", pid, n - 1);
  }
}

void make_spool_name(const Path& trace, const char* folder, std::uint32_t pid,
                     Path& spool) noexcept {
  spool = trace;
  if (folder != nullptr) {
    spool = {};
    spool.add_formatted("%s%s.%u", folder, strrchr(trace.text, '/'), pid);
  }
  spool.add(".spool");
}

}  // namespace

void Path::add_mark(const char* format, ...) noexcept {
  char mark[48];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(mark, sizeof(mark), format, arguments);
  va_end(arguments);
  insert(ending_of(*this), mark, strlen(mark));
}

bool base_name(const char* pattern, const spool::FileHeader& process, Path& path) noexcept {
  path = {};
  if (pattern[0] != '/') {
    if (process.directory[0] == '\0') {
      return false;
    }
    path.add_formatted("%s/", process.directory);
  }
  for (const char* at = pattern; *at != '\0';) {
    if (*at == '%') {
      at = expand(path, at + 1, process);
    } else {
      path.add(at, 1);
      ++at;
    }
  }
  const std::size_t start = static_cast<std::size_t>(strrchr(path.text, '/') + 1 - path.text);
  const bool is_default = is_nameless(path.text + start);
  if (is_default) {
    const bool zipped = strcmp(path.text + start, ".json.gz") == 0;
    path.size = start;
    path.text[start] = '\0';
    path.add(zipped ? "trace.json.gz" : "trace.json");
  }
  if (process.rank >= 0) {
    path.add_mark(".rank%d", process.rank);
  }
  return !is_default;
}

void report_to_session(const char* ending, std::initializer_list<const char*> texts) noexcept {
  if (recorder.config.session == nullptr) {
    return;
  }
  const spool::FileHeader* header = recorder.header.load(std::memory_order_acquire);
  char name[48];
  snprintf(name, sizeof(name), "%u.%u%s", header->pid, header->exec_ordinal, ending);
  const int file = create(name, O_TRUNC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) {
    return;
  }
  fchmod(file, 0600);  // whatever the program's umask is
  Pieces text;
  static const char kEnd = '\0';  // a path may hold line ends
  for (const char* each : texts) {
    text.add(each);
    text.add(&kEnd, 1);
  }
  const spool::WithoutSignal guard(SIGXFSZ);
  text.write_line(file);
  close(file);
}

int lock_spool_name(spool::FileHeader& header, Path& spool) noexcept {
  Path& base = names.base;
  header.output_named = base_name(recorder.config.output, header, base) ? 1 : 0;
  if (base.text[0] != '/') {
    say("the working directory is gone, or its path too long: %s", kElsewhere);
    return -1;
  }
  const SpoolFolder folder = spool_folder(base);
  if (!folder.found) {
    return -1;
  }
  int n = first_of_session(base) ? 0 : 1;
  header.exec_ordinal = 0;
  // The image before an exec may have had the session's plain name.
  make_spool_name(base, folder.path, header.pid, spool);
  if (n == 1 && inspect_spool(spool.text, header).is_self) {
    header.exec_ordinal = 1;
  }
  Path& trace = names.trace;
  Path& refused = names.refused;
  refused = {};
  // A name that is free again is tried once more, but not for ever.
  for (int tries = 0; n < kMostNames && tries < 2 * kMostNames; ++n, ++tries) {
    make_candidate(base, n, header.pid, trace);
    make_spool_name(trace, folder.path, header.pid, spool);
    if (!trace.ok || !spool.ok) {
      say("OMPDM_OUTPUT is too long: nothing is recorded");
      return -1;
    }
    if (n > 0 && access(trace.text, F_OK) == 0) {
      continue;
    }
    if (n == 0 && is_no_file(trace.text)) {
      refused = trace;
      continue;
    }
    const int file = open_above_streams(AT_FDCWD, spool.text, O_CREAT | O_EXCL | O_RDWR, 0644);
    if (file >= 0) {
      // The program's umask must not prevent opening the file again by its name.
      if (struct stat facts; fstat(file, &facts) == 0) {
        fchmod(file, facts.st_mode | S_IRUSR | S_IWUSR);
      }
      memcpy(header.output, trace.text, trace.size + 1);
      if (refused.size > 0) {
        say("%s is not ompdm's and is left alone: the trace will be %s", refused.text, trace.text);
      }
      return file;
    }
    if (errno != EEXIST) {
      if (folder.path == nullptr) {
        say(kNoTraceThere, trace.text, strerror(errno), kElsewhere);
      } else {
        say("%s: %s: %s", spool.text, strerror(errno), kElsewhere);
      }
      return -1;
    }
    const Found found = inspect_spool(spool.text, header);
    header.exec_ordinal += found.is_self ? 1 : 0;
    if (found.is_gone ||
        (n == 0 && found.owner == spool::Owner::kEnded && set_aside(spool.text, trace, found))) {
      --n;  // the name is free now
    } else if (!found.is_spool) {
      refused = spool;
    }
  }
  say("%s: no free name was found: nothing is recorded: remove old traces", base.text);
  return -1;
}

}  // namespace ompdm::record
