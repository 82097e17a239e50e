#include "record/stream/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "record/process/message.h"
#include "record/process/process_facts.h"
#include "record/process/recorder.h"
#include "record/stream/output_name.h"

namespace ompdm::record {
namespace {

constexpr int kMostNames = 1000;

enum class Owner {
  kNobody,  ///< no spool there, or not one of ours: leave it alone
  kSelf,    ///< this pid, before an exec
  kAlive,   ///< another process that still runs, or may run on another machine
  kDead,
};

struct Found {
  Owner owner = Owner::kNobody;
  std::uint32_t pid = 0;
  bool finished = false;  ///< only its trace is not written yet
};

Found owner_of(const char* spool, const spool::FileHeader& self) noexcept {
  static spool::FileHeader
      other;  // too large for an unknown stack; guarded by the recorder's mutex
  const int file = open(spool, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return {};
  }
  const ssize_t size = read(file, &other, sizeof(other));
  close(file);
  if (size != static_cast<ssize_t>(sizeof(other)) ||
      memcmp(other.magic, spool::kMagic, sizeof(other.magic)) != 0) {
    return {};
  }
  Found found{Owner::kAlive, other.pid, other.state == spool::State::kFinished};
  if (strcmp(other.host, self.host) != 0) {
    return found;
  }
  const bool same_boot = strcmp(other.boot_id, self.boot_id) == 0;
  if (same_boot && other.pid == self.pid && other.process_start == self.process_start) {
    found.owner = Owner::kSelf;
  } else if (!same_boot ||
             process_start_time(static_cast<pid_t>(other.pid)) != other.process_start) {
    found.owner = Owner::kDead;
  }
  return found;
}

// A network file system neither promises a shared mapping nor a quick page: the spool goes to a
// local folder.
bool is_remote(const char* directory) noexcept {
  static constexpr unsigned long kRemote[] = {
      0x6969,      // NFS
      0x0BD00BD0,  // Lustre
      0x65735546,  // FUSE
      0xFF534D42,  // CIFS
      0xFE534D42,  // SMB2
      0x47504653,  // GPFS
      0x01021997,  // 9p
      0x19830326,  // BeeGFS
  };
  struct statfs facts;
  if (statfs(directory, &facts) != 0) {
    return false;
  }
  for (const unsigned long magic : kRemote) {
    if (static_cast<unsigned long>(facts.f_type) == magic) {
      return true;
    }
  }
  return false;
}

// The folder for the spool when it is not beside the trace, else null.
const char* other_folder(const Path& trace) noexcept {
  if (recorder.config.spool_dir != nullptr) {
    return recorder.config.spool_dir;
  }
  Path folder = trace;
  char* slash = strrchr(folder.text, '/');
  if (slash == nullptr) {
    return nullptr;
  }
  slash[slash == folder.text ? 1 : 0] = '\0';
  if (!is_remote(folder.text)) {
    return nullptr;
  }
  const char* temporary = getenv("TMPDIR");
  temporary = temporary != nullptr && *temporary != '\0' ? temporary : "/tmp";
  say("%s is on a network file system: recording into %s meanwhile", folder.text, temporary);
  return temporary;
}

// The spool of a dead process gets out of the way under a name of its own, and is told its new
// trace. Whoever is finishing it follows.
bool set_aside(const char* spool, const Path& trace, const Found& found) noexcept {
  for (int n = 1; n < kMostNames; ++n) {
    char mark[32];
    snprintf(mark, sizeof(mark), ".~%d~", n);
    Path kept_trace = with_mark(trace, mark);
    Path kept = kept_trace;
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
    const int file = open(kept.text, O_RDWR | O_CLOEXEC);
    if (file >= 0) {
      [[maybe_unused]] const ssize_t written =
          pwrite(file, kept_trace.text, kept_trace.size + 1, offsetof(spool::FileHeader, output));
      close(file);
    }
    if (!found.finished) {
      say("kept the recording of process %u, which was not finished yet: ompdm report %s",
          found.pid, kept.text);
    }
    return true;
  }
  return false;
}

// A umask of the program's own must not keep us from the file when we open it again by its name.
void make_readable(int file) noexcept {
  struct stat facts;
  if (fstat(file, &facts) == 0) {
    fchmod(file, facts.st_mode | S_IRUSR | S_IWUSR);
  }
}

// Whether nobody under this `ompdm record` has asked for that name before (the ranks of a job ask
// for different ones).
bool first_of_session(const char* session, const Path& base) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (std::size_t i = 0; i < base.size; ++i) {
    hash = (hash ^ static_cast<unsigned char>(base.text[i])) * 0x100000001b3U;
  }
  Path path;
  path.add(session);
  path.add("/first.");
  path.add_number(hash);
  const int file = open(path.text, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (file >= 0) {
    close(file);
    return true;
  }
  return errno != EEXIST;  // a session folder that cannot be written must not cost the name
}

// The n-th name to try: the plain one, then with the pid, then with the pid and a number.
Path candidate(const Path& base, int n, std::uint32_t pid) noexcept {
  char mark[48];
  if (n == 0) {
    return base;
  }
  if (n == 1) {
    snprintf(mark, sizeof(mark), ".p%u", pid);
  } else {
    snprintf(mark, sizeof(mark), ".p%u.%d", pid, n - 1);
  }
  return with_mark(base, mark);
}

Path spool_name(const Path& trace, const char* folder, std::uint32_t pid) noexcept {
  Path spool;
  if (folder == nullptr) {
    spool = trace;
  } else {
    const char* name = strrchr(trace.text, '/');
    spool.add(folder);
    spool.add("/");
    spool.add(name != nullptr ? name + 1 : trace.text);
    spool.add(".");
    spool.add_number(pid);
  }
  spool.add(".spool");
  return spool;
}

}  // namespace

Claim claim_spool(spool::FileHeader& header) noexcept {
  Claim claim;
  const Path base = base_name(recorder.config.output, header);
  const char* folder = other_folder(base);
  int n =
      recorder.config.session == nullptr || first_of_session(recorder.config.session, base) ? 0 : 1;
  header.exec_ordinal = 0;
  // The image before an exec may have had the session's plain name.
  if (n == 1 && owner_of(spool_name(base, folder, header.pid).text, header).owner == Owner::kSelf) {
    header.exec_ordinal = 1;
  }
  for (; n < kMostNames; ++n) {
    const Path trace = candidate(base, n, header.pid);
    const Path spool = spool_name(trace, folder, header.pid);
    if (!trace.ok || !spool.ok) {
      say("OMPDM_OUTPUT is too long: nothing is recorded");
      return claim;
    }
    if (n > 0 && access(trace.text, F_OK) == 0) {
      continue;
    }
    claim.file = open(spool.text, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0644);
    if (claim.file >= 0) {
      make_readable(claim.file);
      memcpy(claim.spool, spool.text, spool.size + 1);
      memcpy(header.output, trace.text, trace.size + 1);
      return claim;
    }
    if (errno != EEXIST) {
      say("%s: %s: nothing is recorded: have the trace written elsewhere (OMPDM_OUTPUT, or -o of "
          "ompdm record)",
          spool.text, strerror(errno));
      return claim;
    }
    const Found found = owner_of(spool.text, header);
    header.exec_ordinal += found.owner == Owner::kSelf ? 1 : 0;
    if (n == 0 && found.owner == Owner::kDead && set_aside(spool.text, trace, found)) {
      --n;  // the plain name is free now
    }
  }
  say("%s: no free name was found: nothing is recorded: remove old traces", base.text);
  return claim;
}

}  // namespace ompdm::record
