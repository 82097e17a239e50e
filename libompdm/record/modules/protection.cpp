#include "record/modules/protection.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

namespace ompdm::record {
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
struct Look {
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
  Look look{begin, end, kProtectionUnknown};
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
      more = look.take(line);
    }
  }
  close(file);
  return look.at >= end ? look.protection : kProtectionUnknown;
}

}  // namespace ompdm::record
