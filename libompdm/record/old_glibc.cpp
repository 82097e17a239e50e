// stat() and its variants are functions of glibc only since 2.33. These call the kernel, whose
// struct is the same as glibc's here, and are hidden in libompdm.so.
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
