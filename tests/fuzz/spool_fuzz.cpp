// Any bytes as a spool: read or refused, never a crash. Everything but symbols is reached; modules
// of an invented path are not found.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "ompdm/error.h"
#include "ompdm/finish.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = memfd_create("spool", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) {
    return -1;
  }
  try {
    const ompdm::Trace trace = ompdm::read_spool(path);
    for (const ompdm::DataOp& op : trace.ops) {
      if (op.variable && op.variable.value >= trace.variables.size()) __builtin_trap();
      if (op.site && op.site.value >= trace.sites.size()) __builtin_trap();
      if (op.region && op.region.value >= trace.regions.size()) __builtin_trap();
    }
  } catch (const ompdm::Error&) {
    // Refused in one line.
  }
  return 0;
}
