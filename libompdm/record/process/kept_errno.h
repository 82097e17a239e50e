// The program's errno, which no way into the recorder may change: programs set it, call something
// and look at it, and do not know that a directive or a thread's end leads here.
#pragma once

#include <errno.h>

namespace ompdm::record {

/// While one lives, this thread's errno may be changed; then it is what it was. Every function that
/// the runtime, CUDA, the loader or libc calls holds one while it may call libc (of callbacks it is
/// part of `Inside`). About 1 ns.
class KeptErrno {
 public:
  KeptErrno() noexcept : before_(errno) {}
  ~KeptErrno() { errno = before_; }
  KeptErrno(const KeptErrno&) = delete;
  KeptErrno& operator=(const KeptErrno&) = delete;

 private:
  int before_;
};

}  // namespace ompdm::record
