// An update to the device stands where the results should be copied back.
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000, STEPS = 8 };

int main(void) {
  double* r = calloc(N, sizeof *r);
  double total = 0;
#pragma omp target data map(alloc : r[0 : N])
  for (int s = 0; s < STEPS; ++s) {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < N; ++i) r[i] = s + 1;
#pragma omp target update to(r[0 : N])
    total += r[7];
  }
  printf("%d\n", total == 36);
  free(r);
  return 0;
}
