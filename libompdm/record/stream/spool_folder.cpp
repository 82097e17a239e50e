#include "record/stream/spool_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "record/process/descriptors.h"
#include "record/process/message.h"
#include "record/process/recorder.h"

namespace ompdm::record {

Promise promise_of(unsigned long file_system) noexcept {
  switch (file_system) {
    case 0xEF53:      // ext2, ext3, ext4
    case 0x58465342:  // XFS
    case 0x01021994:  // tmpfs
    case 0x858458F6:  // ramfs
      return Promise::kRoom;
    case 0x6969:      // NFS
    case 0x0BD00BD0:  // Lustre
    case 0x65735546:  // FUSE
    case 0xFF534D42:  // CIFS
    case 0xFE534D42:  // SMB2
    case 0x47504653:  // GPFS
    case 0x01021997:  // 9p
    case 0x19830326:  // BeeGFS
    case 0x00C36400:  // Ceph
    case 0x5346414F:  // AFS
      return Promise::kRemote;
    case 0x794C7630:  // overlayfs
      return Promise::kBelow;
    default:
      return Promise::kNone;
  }
}

Promise promise_below(int flags, std::uint32_t extents) noexcept {
  return (flags & FS_EXTENT_FL) != 0 || extents > 0 ? Promise::kRoom : Promise::kNone;
}

namespace {

// A file in it that has no name any more; -1 and errno if none can be made.
int make_nameless(const char* folder) noexcept {
  static Path name;  // guarded by the recorder's mutex
  name.clear();
  name.add(folder);
  name.add("/.ompdm-");
  name.add_number(static_cast<std::uint64_t>(getpid()));
  const int file =
      open_above_streams(AT_FDCWD, name.text, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW, 0600);
  if (file >= 0) {
    unlink(name.text);
  }
  return file;
}

// Where root could make files too.
bool is_for_devices(const char* folder) noexcept {
  struct stat wanted;
  struct stat devices;
  return stat(folder, &wanted) == 0 && stat("/dev", &devices) == 0 &&
         wanted.st_dev == devices.st_dev && wanted.st_ino == devices.st_ino;
}

// Why a folder cannot hold a trace; null if it can. Rights and flags do not tell (root, /proc).
const char* obstacle(const char* folder) noexcept {
  const int file = make_nameless(folder);
  if (file < 0) {
    return strerror(errno);
  }
  close(file);
  return nullptr;
}

SpoolFolder nowhere(const Path& trace, const char* why) noexcept {
  say(kNoTraceThere, trace.text, why, kElsewhere);
  return {false, nullptr};
}

// Only a file tells what lies below: a folder may be one of a layer that is never written.
Promise ask_below(const char* folder) noexcept {
  const int file = make_nameless(folder);
  if (file < 0) {
    return Promise::kRoom;  // as of a folder that is not there
  }
  constexpr off_t kPage = 4096;
  int flags = 0;
  fsxattr attributes{};
  const bool reserved = fallocate(file, 0, 0, kPage) == 0;
  if (!reserved || ioctl(file, FS_IOC_GETFLAGS, &flags) != 0) {
    flags = 0;
  }
  if (!reserved || ioctl(file, FS_IOC_FSGETXATTR, &attributes) != 0) {
    attributes = {};
  }
  close(file);
  return promise_below(flags, attributes.fsx_nextents);
}

// Of a folder that is not there the open() will tell more.
Promise promise_of_folder(const char* folder) noexcept {
  struct statfs facts;
  if (statfs(folder, &facts) != 0) {
    return Promise::kRoom;
  }
  const Promise promise = promise_of(static_cast<unsigned long>(facts.f_type));
  return promise == Promise::kBelow ? ask_below(folder) : promise;
}

// Null if there is none.
const char* local_folder() noexcept {
  const char* temporary = getenv("TMPDIR");
  const char* const folders[] = {temporary, "/tmp", "/dev/shm"};
  for (const char* folder : folders) {
    if (folder != nullptr && folder[0] == '/' && access(folder, W_OK | X_OK) == 0 &&
        promise_of_folder(folder) == Promise::kRoom) {
      return folder;
    }
  }
  return nullptr;
}

}  // namespace

SpoolFolder spool_folder(const Path& trace) noexcept {
  SpoolFolder chosen{true, recorder.config.spool_dir};
  static Path beside;  // guarded by the recorder's mutex
  beside = trace;
  char* slash = strrchr(beside.text, '/');
  slash[slash == beside.text ? 1 : 0] = '\0';
  if (is_for_devices(beside.text)) {
    return nowhere(trace, "it is for devices");
  }
  const char* wanted = chosen.path != nullptr ? chosen.path : beside.text;
  const Promise promise = promise_of_folder(wanted);
  if (promise == Promise::kRoom && chosen.path == nullptr) {
    return chosen;  // the spool itself will tell whether a file can be made there
  }
  if (const char* why = obstacle(beside.text); why != nullptr) {
    return nowhere(trace, why);
  }
  if (promise == Promise::kRoom) {
    return chosen;
  }
  const char* why = promise == Promise::kRemote
                        ? "a network file system"
                        : "a file system that may have no room left for what is mapped";
  chosen.path = local_folder();
  if (chosen.path == nullptr) {
    say("%s is on %s: nothing is recorded: name a folder on ext4, XFS or tmpfs (OMPDM_SPOOL_DIR)",
        wanted, why);
    return {false, nullptr};
  }
  say("%s is on %s: recording into %s meanwhile", wanted, why, chosen.path);
  return chosen;
}

}  // namespace ompdm::record
