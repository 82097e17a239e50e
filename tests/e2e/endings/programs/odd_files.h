// What a program does to its descriptors, its working directory and its disk: deeds of `odd`.
#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "steps.h"

inline void close_everything() {
  for (int file = 0; file < 1024; ++file) close(file);
}

inline void close_and_reopen() {
  const int out = dup(1);
  const int kept = fcntl(out, F_DUPFD, 2000);
  close_everything();
  for (int i = 0; i < 8; ++i) open("data.bin", O_CREAT | O_RDWR, 0600);
  steps(2000);
  dup2(kept, 1);
}

inline void data_file_as_stderr() {
  const int file = open("data.bin", O_CREAT | O_RDWR | O_TRUNC, 0600);
  dup2(file, 2);
  close(file);
  if (write(2, "mine\n", 5) != 5) std::exit(97);
}

inline void limit_file_size() {
  const rlimit limit{200'000, 200'000};
  setrlimit(RLIMIT_FSIZE, &limit);
  steps(20'000);
}

inline void limit_descriptors() {
  const rlimit limit{3, 3};
  setrlimit(RLIMIT_NOFILE, &limit);
  steps(5'000);
}

inline void move_away() {
  mkdir("elsewhere", 0700);
  if (chdir("elsewhere") != 0) std::exit(94);
  umask(0777);
  steps(5'000);
}

// Nothing is left on the disk once everything that was written so far has come to lie there.
inline void fill_disk() {
  const int file = open("filler", O_CREAT | O_WRONLY, 0600);
  static const char block[64 * 1024] = {1};
  for (int round = 0; round < 2; ++round) {
    for (std::size_t size = sizeof(block); size >= 1024; size /= 2) {
      while (write(file, block, size) == static_cast<ssize_t>(size)) {
      }
    }
    sync();
  }
  close(file);
  steps(20'000);
  unlink("filler");
  sync();
}

// Beside what another thread does all the time.
inline void steps_beside(void (*again)()) {
  bool done = false;
  std::thread other([&] {
    while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) again();
  });
  steps(20'000);
  __atomic_store_n(&done, true, __ATOMIC_RELAXED);
  other.join();
}

// As a program does that hands out the numbers itself.
inline void put_files_under_numbers() {
  static const int mine = open("data.bin", O_CREAT | O_RDWR, 0600);
  steps_beside([] { close(dup2(mine, 60)); });
}

// As a program does that was started without one.
inline void print_to_closed_stderr() {
  close(2);
  steps_beside([] { (void)!write(2, "mine", 4); });
}

inline void say_numbers() {
  const rlimit limit{40, 40};
  setrlimit(RLIMIT_NOFILE, &limit);
  steps(1);
  for (int i = 0; i < 3; ++i) std::printf("%d\n", open("/dev/null", O_RDONLY));
}
