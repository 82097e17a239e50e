// Exits with 14 if no directive, thread, fork or call of the runtime changed errno, and else with
// the number of the first that did.

#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "steps.h"

namespace {

int ways = 0;

template <class Call>
void keeps(Call&& call) {
  ++ways;
  errno = EDOM;
  call();
  if (errno != EDOM) _exit(ways);
}

}  // namespace

int main() {
  keeps([] { steps(1); });
  keeps([] { steps(1); });
  keeps([] { steps(5'000); });
  std::thread([] { keeps([] { steps(1); }); }).join();
  keeps([] {
    static double values[100];
#pragma omp target data map(tofrom : values)
    {
#pragma omp target update to(values)
    }
  });
  keeps([] { omp_target_free(omp_target_alloc(1'000, 0), 0); });
  errno = EDOM;
  const pid_t child = fork();
  if (child == 0) _exit(errno == EDOM ? 0 : 1);
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) return ++ways;
  return 14;
}
