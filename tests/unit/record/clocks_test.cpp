// What the recorder notes of its clocks, so that another process's times can be held against it.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <unistd.h>

#include <cstddef>

#include "record/process_facts.h"
#include "record/recording.h"

namespace ompdm::test::clocks_test {
namespace {

TEST(Clocks, AreWhatTheKernelSays) {
  spool::FileHeader header{};
  header.realtime_max_error_us = 1;
  timex told{};
  const long state = syscall(SYS_adjtimex, &told);
  record::describe_clocks(header);
  struct stat time_namespace{};
  if (stat("/proc/self/ns/time", &time_namespace) == 0) {
    EXPECT_EQ(header.time_namespace, time_namespace.st_ino);
  }
  if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) > 0 || state < 0) GTEST_SKIP() << "not told here";
  const bool is_synchronized = state != TIME_ERROR && (told.status & STA_UNSYNC) == 0;
  EXPECT_EQ(header.realtime,
            is_synchronized ? spool::Realtime::kSynchronized : spool::Realtime::kUnsynchronized);
  // It grows by 500 us a second.
  EXPECT_GE(header.realtime_max_error_us, told.maxerror);
  EXPECT_LE(header.realtime_max_error_us, told.maxerror + 5000);
}

// Ends the process at adjtimex and allows all else.
bool forbid_adjtimex() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_adjtimex, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{4, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

TEST(Clocks, AreNotAskedForWhereThatMightEndTheProgram) {
  const Folder folder;
  const Outcome outcome = in_child(folder, [] {
    if (!forbid_adjtimex()) _exit(77);
    spool::FileHeader header{};
    record::describe_clocks(header);
    _exit(header.realtime == spool::Realtime::kUnknown ? 5 : 6);
  });
  if (outcome.status == 77) GTEST_SKIP() << "no filter of system calls can be had here";
  EXPECT_EQ(outcome.status, 5);
}

TEST(Clocks, AreInTheHeader) {
  const Recorded recorded = record([] { updates(1); });
  EXPECT_NE(recorded.header.time_namespace, 0U);
  EXPECT_NE(recorded.header.boot_id[0], '\0');
  EXPECT_NE(recorded.header.attach.monotonic_ns, 0U);
}

}  // namespace
}  // namespace ompdm::test::clocks_test
