#include "record/stream/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/process/descriptors.h"
#include "record/process/pieces.h"
#include "record/process/recorder.h"
#include "record/stream/fnv1a.h"
#include "spool_format/without_signal.h"

namespace ompdm::record {
namespace {

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

}  // namespace

void tell_session(const char* ending, std::initializer_list<const char*> texts) noexcept {
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
  const spool::WithoutFileSizeSignal guard;
  text.write_line(file);
  close(file);
}

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

}  // namespace ompdm::record
