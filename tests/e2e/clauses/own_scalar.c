// A scalar that no clause of the target names is firstprivate there, though the block maps it.
#include <stdio.h>

int main(void) {
  int best = 7;
#pragma omp target data map(alloc : best)
  {
#pragma omp target
    {
      best = 42;
    }
#pragma omp target update from(best)
  }
  printf("%d\n", best == 42);
  return 0;
}
