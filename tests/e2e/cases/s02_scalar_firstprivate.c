/* S2 (shape of llvm#136277; own code).
 * Asked:  `target data map(alloc: best)`, the kernel sets best, `update from(best)`: why is it not
 * updated? Answer: a scalar in no map clause of the `target` itself is firstprivate there: the
 * kernel wrote its own copy; name it on the target. */
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
    printf("best %d (42 expected)\n", best);
  }
  return 0;
}
