// A library for each process of a build (LD_PRELOAD). It appends the process's folder and command
// line to the file that OMPDM_BUILD_LOG names, see BuildLog in compile_arguments.h. Prints nothing
// and uses no heap.
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Pages that are not needed are never touched.
static struct {
  uint32_t size;
  char text[1 << 20];
} record;

static uint32_t add_file(const char* path, uint32_t at) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return at;
  for (ssize_t got = 1; got > 0; at += (uint32_t)got) {
    got = read(file, record.text + at, sizeof record.text - at);
    if (got < 0) got = 0;
  }
  close(file);
  return at;
}

__attribute__((constructor)) static void write_record(void) {
  const char* log = getenv("OMPDM_BUILD_LOG");
  if (log == NULL || getcwd(record.text, PATH_MAX) == NULL) return;
  const uint32_t begin = (uint32_t)strlen(record.text) + 1;
  record.size = add_file("/proc/self/cmdline", begin);
  // An incomplete command is useless.
  if (record.size == begin || record.size == sizeof record.text) return;
  const int file = open(log, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) return;
  // One write, so that processes do not write into each other's records.
  const ssize_t written = write(file, &record, sizeof record.size + record.size);
  (void)written;
  close(file);
}
