// stat and its kin have been functions of glibc since 2.33; before, headers made them calls that
// headers of today do not. These are the kernel's own, hidden in libompdm.so; the kernel's struct
// is glibc's where it is compiled.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__linux__) && defined(__x86_64__)

extern "C" {

int fstat(int file, struct stat* facts) noexcept {
  return static_cast<int>(syscall(SYS_fstat, file, facts));
}

int stat(const char* path, struct stat* facts) noexcept {
  return static_cast<int>(syscall(SYS_stat, path, facts));
}

int lstat(const char* path, struct stat* facts) noexcept {
  return static_cast<int>(syscall(SYS_lstat, path, facts));
}

int fstatat(int folder, const char* path, struct stat* facts, int flags) noexcept {
  return static_cast<int>(syscall(SYS_newfstatat, folder, path, facts, flags));
}
}

#endif
