// The known load, in a program whose host calls the OpenMP runtime too: that of LLVM 14 starts no
// tool before.

#include <omp.h>

#include "steps.h"

int main() {
  if (omp_get_max_threads() < 1) return 1;
  say_steps(5);
  return 14;
}
