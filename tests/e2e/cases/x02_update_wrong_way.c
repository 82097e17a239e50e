/* Family: update in the wrong direction (own code; HeCBench pns's shape).
 * Asked:  why does the host see old results?
 * Answer: the results are on the device; `update to` overwrites them with the host's old ones;
 * `update from` is meant. */
#include <stdio.h>
#include <stdlib.h>
enum { N = 30000 };
int main(void) {
  double* r = calloc(N, sizeof *r);
  double total = 0;
#pragma omp target data map(alloc : r[0 : N])
  for (int s = 0; s < 8; ++s) {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < N; ++i) r[i] = s + 1;
#pragma omp target update to(r[0 : N])
    total += r[7];
  }
  printf("total %g (36 expected)\n", total);
  return 0;
}
